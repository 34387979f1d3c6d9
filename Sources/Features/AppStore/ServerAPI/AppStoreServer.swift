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
    private let tokens: ServerAPITokenMaker
    private let pace: ServerAPIPace
    let exchange: any HTTPExchange
    private let reactor: Reactor
    private let log: Logger
    private let metrics: MetricsRegistry
    private var counters: [Outcome: Counter] = [:]
    private var token: ServerAPIToken?

    /// Time for a call with all its tries.
    static let deadline = Duration.seconds(20)

    private struct Outcome: Hashable {
        let call: ServerAPICall
        let code: Int
    }

    init(
        _ settings: ServerAPISettings,
        _ tokens: ServerAPITokenMaker,
        _ pace: ServerAPIPace,
        _ loop: LoopContext
    ) {
        self.settings = settings
        self.tokens = tokens
        self.pace = pace
        exchange = loop.client(settings.purpose)
        reactor = loop.reactor
        log = loop.logger
        metrics = loop.metrics
    }

    /// The content of the answer to a request.
    func call(
        _ request: ServerAPIRequest,
        in environment: AppStoreEnvironment
    ) async throws(ServerAPIProblem) -> [UInt8] {
        guard let base = settings.base(of: environment) else { throw .noServer }
        let start = SystemClock().now()
        var retry = ServerAPIRetry(deadline: start + AppStoreServer.deadline)
        while true {
            try await wait(until: try pace.turn(of: request.call, in: environment, at: SystemClock().now()))
            let attempt = try await attempt(request, base)
            switch retry.next(after: attempt, at: SystemClock().now(), random: reactor.random) {
            case .done:
                guard case .answer(let response) = attempt else { throw .unavailable }
                return response.body
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
        let pause = time.microseconds - SystemClock().now().microseconds
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
        let now = SystemClock().now()
        if let token, token.isFresh(at: now) { return token.text.reveal() }
        do throws(CryptographyError) {
            let made = try tokens.token(at: now)
            token = made
            return made.text.reveal()
        } catch {
            log.error("app_store.token_failed", [LogField("detail", error.debugDescription)])
            throw .unavailable
        }
    }

    private func problem(_ reason: ServerAPIRetry.GiveUp, _ call: ServerAPICall) -> ServerAPIProblem {
        switch reason {
        case .credentials:
            log.error("app_store.key_refused", [LogField("call", call.rawValue), LogField("key", settings.keyID)])
            return .credentials
        case .refused(let failure): return .refused(failure)
        case .unavailable:
            log.warning("app_store.unanswered", [LogField("call", call.rawValue)])
            return .unavailable
        }
    }

    private func count(_ call: ServerAPICall, _ status: Int) {
        let outcome = Outcome(call: call, code: status)
        if let counter = counters[outcome] { return counter.increment() }
        let counter = metrics.counter(
            "sallyport_app_store_calls_total",
            help: "Calls of Apple's server by kind and status; 0 for none.",
            labels: [("call", call.rawValue), ("status", String(status))]
        )
        counters[outcome] = counter
        counter.increment()
    }
}
