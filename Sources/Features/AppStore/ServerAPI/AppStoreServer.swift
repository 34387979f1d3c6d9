import AppStoreTransactions
import Cryptography
import EventIO
import HTTPCore
import Primitives
import ServerCore
import Telemetry

/// Apple's App Store Server API, as one loop asks it.
///
/// Tries again what is worth it within a deadline, with one token for many calls. Not `Sendable`.
final class AppStoreServer {
    private let settings: ServerAPISettings
    private let keys: ServerAPIKeys
    private let pace: ServerAPIPace
    let exchange: any HTTPExchange
    private let reactor: Reactor
    private let log: Logger
    private let metrics: MetricsRegistry
    private var counters: [Outcome: Counter] = [:]
    private var token: (text: ServerAPIToken, edition: Int)?

    /// Time for a call with all its tries.
    static let deadline = Duration.seconds(20)

    private struct Outcome: Hashable {
        let call: ServerAPICall
        let code: Int
    }

    init(
        _ settings: ServerAPISettings,
        _ keys: ServerAPIKeys,
        _ pace: ServerAPIPace,
        _ loop: LoopContext
    ) {
        self.settings = settings
        self.keys = keys
        self.pace = pace
        exchange = loop.client(settings.purpose)
        reactor = loop.reactor
        log = loop.logger
        metrics = loop.metrics
        // What an alert goes by is there before it happens.
        for call in ServerAPICall.allCases { _ = counter(call, 401) }
    }

    /// For a command, which counts and logs nothing.
    init(_ settings: ServerAPISettings, _ keys: ServerAPIKeys, over exchange: any HTTPExchange, on reactor: Reactor) {
        self.settings = settings
        self.keys = keys
        self.exchange = exchange
        self.reactor = reactor
        pace = ServerAPIPace()
        log = .silent
        metrics = MetricsRegistry()
    }

    /// The content of the answer to a request.
    func call(
        _ request: ServerAPIRequest,
        in environment: AppStoreEnvironment
    ) async throws(ServerAPIProblem) -> [UInt8] {
        try await call(request, in: environment) { (content) throws(ServerAPIAnswerError) in content }
    }

    /// What the answer to a request says; an answer that is not to be read is asked for again.
    func call<Content>(
        _ request: ServerAPIRequest,
        in environment: AppStoreEnvironment,
        _ read: ([UInt8]) throws(ServerAPIAnswerError) -> Content
    ) async throws(ServerAPIProblem) -> Content {
        guard let base = settings.base(of: environment) else { throw .noServer }
        var retry = ServerAPIRetry(deadline: reactor.wallNow + AppStoreServer.deadline)
        while true {
            try await wait(until: try pace.turn(of: request.call, in: environment, at: reactor.wallNow))
            var attempt = try await attempt(request, base)
            if case .answer(let response) = attempt, response.status / 100 == 2 {
                do throws(ServerAPIAnswerError) {
                    return try read(response.body)
                } catch {
                    let fields = [LogField("call", request.call.rawValue), LogField("detail", error.sentence)]
                    log.warning("app_store.answer_unreadable", fields)
                    attempt = .unreadable
                }
            }
            switch retry.next(after: attempt, at: reactor.wallNow, random: reactor.random) {
            // An answer of success has been read above.
            case .done: throw .unavailable
            case .again(let pause): await reactor.sleep(for: pause)
            case .newToken: token = nil
            case .notBefore(let time):
                pace.hold(request.call, in: environment, until: time)
                throw .later(time)
            case .giveUp(let reason): throw problem(reason, request.call)
            }
        }
    }

    private func wait(until time: WallTime) async throws(ServerAPIProblem) {
        let pause = time.microseconds - reactor.wallNow.microseconds
        if pause > 0 { await reactor.sleep(for: .microseconds(pause)) }
    }

    private func attempt(_ request: ServerAPIRequest, _ base: String) async throws(ServerAPIProblem) -> ServerAPITry {
        var fields = [("Accept", "application/json"), ("Authorization", "Bearer " + (try bearer()))]
        if !request.body.isEmpty { fields.append(("Content-Type", "application/json")) }
        let outbound = OutboundRequest(
            method: request.method,
            url: base + request.target,
            fields: fields,
            body: request.body
        )
        do throws(HTTPExchangeError) {
            let response = try await exchange.send(outbound)
            count(request.call, response.status)
            return .answer(response)
        } catch {
            count(request.call, 0)
            return .noAnswer(error.code)
        }
    }

    private func bearer() throws(ServerAPIProblem) -> String {
        let (now, (key, edition)) = (reactor.wallNow, keys.current)
        if let token, token.edition == edition, token.text.isFresh(at: now) { return token.text.text.reveal() }
        do throws(CryptographyError) {
            let made = try key.tokens.token(at: now)
            token = (made, edition)
            return made.text.reveal()
        } catch {
            log.error("app_store.token_failed", [LogField("detail", error.debugDescription)])
            throw .unavailable
        }
    }

    private func problem(_ reason: ServerAPIRetry.GiveUp, _ call: ServerAPICall) -> ServerAPIProblem {
        switch reason {
        case .credentials:
            log.error("app_store.key_refused", [LogField("call", call.rawValue), LogField("key", keys.current.key.id)])
            return .credentials
        case .refused(let failure): return .refused(failure)
        case .unavailable:
            log.warning("app_store.unanswered", [LogField("call", call.rawValue)])
            return .unavailable
        }
    }

    private func count(_ call: ServerAPICall, _ status: Int) { counter(call, status).increment() }

    private func counter(_ call: ServerAPICall, _ status: Int) -> Counter {
        let outcome = Outcome(call: call, code: status)
        if let counter = counters[outcome] { return counter }
        let counter = metrics.counter(
            "sallyport_app_store_calls_total",
            help: "Calls of Apple's server by kind and status; 0 for none.",
            labels: [("call", call.rawValue), ("status", String(status))]
        )
        counters[outcome] = counter
        return counter
    }
}
