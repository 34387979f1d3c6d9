import Cryptography
import DeviceAttestation
import EventIO
import HTTPCore
import Primitives
import ServerCore
import Telemetry

/// Apple's DeviceCheck service, as one loop asks it.
///
/// Tries again what is worth it within a deadline, with one bearer token for all calls of the process. Not `Sendable`.
final class AppleDeviceService: DeviceService {
    let settings: AppleDeviceSettings
    let access: AppleDeviceAccess
    private let exchanges: [DeviceEnvironment: any HTTPExchange]
    let reactor: Reactor
    let log: Logger
    private let metrics: AppleDeviceMetrics
    /// How many seconds Apple's clock is before ours, as the last answer says; `nil` before one has.
    private(set) var clockDifference: Int64?

    /// How far Apple's clock and ours may be apart: both times of a request depend on ours.
    static let clockTolerance = Duration.seconds(60)

    init(_ settings: AppleDeviceSettings, _ access: AppleDeviceAccess, _ loop: LoopContext) {
        self.settings = settings
        self.access = access
        exchanges = Dictionary(
            uniqueKeysWithValues: DeviceEnvironment.allCases.map { ($0, loop.client(settings.purpose($0))) }
        )
        reactor = loop.reactor
        log = loop.logger
        metrics = AppleDeviceMetrics(loop.metrics)
    }

    /// For a command, which counts and logs nothing.
    init(
        _ settings: AppleDeviceSettings,
        _ access: AppleDeviceAccess,
        over exchange: any HTTPExchange,
        on reactor: Reactor
    ) {
        self.settings = settings
        self.access = access
        exchanges = Dictionary(uniqueKeysWithValues: DeviceEnvironment.allCases.map { ($0, exchange) })
        self.reactor = reactor
        log = .silent
        metrics = AppleDeviceMetrics(MetricsRegistry())
    }

    /// One try and what came of it.
    private struct Try {
        let answer: DeviceCheckAnswer
        var response: InboundResponse?
        /// The bearer token that was shown.
        var bearer: Secret<String>?
        var retryAfter: Duration?
        /// Whether it says something of Apple's service.
        var isTheirs = true
    }

    func ask(
        _ request: DeviceCheckRequest,
        about token: DeviceToken,
        in environment: DeviceEnvironment
    ) async -> DeviceServiceReply {
        let start = reactor.now
        let id = UUIDBytes(version4: reactor.random)
        var retry = DeviceCheckRetry(at: start)
        var last = Try(answer: .unavailable)
        var attempts = 0
        var isAdmitted = false
        tries: while let timeout = retry.timeout(at: reactor.now) {
            if !isAdmitted, let wait = access.wait(environment, at: reactor.now) {
                metrics.count(environment, request.call, AppleDeviceMetrics.held)
                last.retryAfter = wait
                break
            }
            let content = request.content(token, transactionID: id, at: reactor.wallNow)
            last = await attempt(request.call, content, environment, timeout)
            if last.bearer != nil { attempts += 1 }
            let step = last.isTheirs ? next(&retry, after: last) : .end
            note(last, isFinal: step != .newToken, request.call, environment)
            switch step {
            case .end: break tries
            case .again(let pause):
                await reactor.sleep(for: pause)
                isAdmitted = false
            case .newToken:
                if let bearer = last.bearer { access.tokens.drop(bearer) }
                isAdmitted = true
            }
        }
        let latency = reactor.now - start
        if attempts > 0 { metrics.observe(environment, latency) }
        report(last, request.call, environment)
        return DeviceServiceReply(
            answer: last.answer,
            transactionID: id,
            attempts: attempts,
            latency: latency,
            correlation: last.response.map(AppleDeviceService.correlation) ?? [],
            retryAfter: last.retryAfter
        )
    }

    private func next(_ retry: inout DeviceCheckRetry, after attempt: Try) -> DeviceCheckRetry.Step {
        retry.next(
            after: attempt.answer,
            status: attempt.response?.status,
            retryAfter: attempt.retryAfter,
            at: reactor.now,
            random: reactor.random
        )
    }

    private func attempt(
        _ call: DeviceCheckCall,
        _ content: [UInt8],
        _ environment: DeviceEnvironment,
        _ timeout: Duration
    ) async -> Try {
        let bearer: Secret<String>
        do throws(CryptographyError) {
            bearer = try access.tokens.token(at: reactor.wallNow)
        } catch {
            log.error("device_check.token_failed", [LogField("detail", error.debugDescription)])
            return Try(answer: .unavailable, isTheirs: false)
        }
        let outbound = OutboundRequest(
            method: "POST",
            url: settings.base(of: environment) + call.path,
            fields: [("Authorization", "Bearer " + bearer.reveal()), ("Content-Type", "application/json")],
            body: content,
            timeout: timeout
        )
        do throws(HTTPExchangeError) {
            guard let exchange = exchanges[environment] else { return Try(answer: .unavailable, isTheirs: false) }
            let response = try await exchange.send(outbound)
            watchClock(response)
            return Try(
                answer: DeviceCheckAnswer(to: call, status: response.status, content: response.body),
                response: response,
                bearer: bearer,
                retryAfter: RetryAfter.pause(in: response, at: reactor.wallNow)
            )
        } catch {
            // A page as long as that is none of Apple's.
            let answer: DeviceCheckAnswer = error.code == .bodyTooLarge ? .unreadable : .unavailable
            return Try(answer: answer, bearer: bearer, isTheirs: !error.isOurs)
        }
    }

    private func note(_ attempt: Try, isFinal: Bool, _ call: DeviceCheckCall, _ environment: DeviceEnvironment) {
        metrics.count(environment, call, attempt.answer.outcome)
        guard attempt.isTheirs else { return }
        let change = access.note(
            attempt.answer,
            retryAfter: attempt.retryAfter,
            isFinal: isFinal,
            in: environment,
            at: reactor.now
        )
        guard let isOpen = change else { return }
        if isOpen { metrics.countOpening(environment) }
        log.warning(
            isOpen ? "device_check.held" : "device_check.resumed",
            [LogField("environment", environment.rawValue)]
        )
    }

    /// Says what an operator has to see.
    private func report(_ last: Try, _ call: DeviceCheckCall, _ environment: DeviceEnvironment) {
        var fields = [LogField("call", call.rawValue), LogField("environment", environment.rawValue)]
        guard let response = last.response else { return }
        fields.append(LogField("status", response.status))
        if let id = AppleDeviceService.correlation(response).first { fields.append(LogField("request", id.value)) }
        switch last.answer {
        case .credentials, .credentialsExpired: log.error("device_check.key_refused", fields)
        case .badRequest: log.error("device_check.request_refused", fields)
        case .unreadable: log.warning("device_check.answer_unreadable", fields)
        case .record, .ok, .badDeviceToken, .throttled, .unavailable: break
        }
    }

    private func watchClock(_ response: InboundResponse) {
        guard let difference = AppleDeviceService.clockDifference(response, at: reactor.wallNow) else { return }
        clockDifference = difference
        access.noteClock(difference)
        guard abs(difference) > AppleDeviceService.clockTolerance.components.seconds
        else { return }
        metrics.countClock()
        guard access.mayComplain(at: reactor.wallNow) else { return }
        log.warning("device_check.clock_differs", [LogField("seconds", Int(clamping: difference))])
    }

    /// How many seconds the clock of an answer is before ours; `nil` where it does not say.
    static func clockDifference(_ response: InboundResponse, at now: WallTime) -> Int64? {
        response.first("date").flatMap(HTTPDate.time).map { $0.seconds - now.seconds }
    }

    /// What Apple calls a request: all that one has when writing to them.
    static func correlation(_ response: InboundResponse) -> [(name: String, value: String)] {
        ["x-apple-request-uuid", "x-apple-jingle-correlation-key", "x-b3-traceid"].compactMap { name in
            guard let value = response.first(name), value.octets.isWord, value.utf8.count <= 100 else { return nil }
            return (name, value)
        }
    }
}
