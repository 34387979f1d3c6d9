package import EventIO
package import HTTPCore
package import HTTPServer
import Primitives
import SimulatorCore
package import TLS
package import Telemetry

/// The simulated Amazon Pay service on one event loop: the API of Checkout v2, the checkout script, the hosted pages, and the
/// control interface below `/_sim`.
///
/// All rules live in `AmazonPayModel`, a value. This object gives it requests and the time, waits on the loop's timers where
/// a fault says so, and breaks connections on purpose. One loop has the whole state, so nothing is locked: never attach two
/// loops to one configuration.
///
///     let server = try AmazonPaySimulator.attach(
///         configuration, listener: .init(address, .tls), tls: context, reactor: reactor, logger: logger)
///     ...
///     await server.drain()
package final class AmazonPaySimulator: Simulator {
    private var model: AmazonPayModel
    private let reactor: Reactor
    private let logger: Logger
    /// Carries notifications; without one they wait.
    private let exchange: (any HTTPExchange)?
    private var loggedCalls = 0
    private var timer: TimerID?

    /// A simulator that no server asks yet.
    ///
    /// - Parameters:
    ///   - configuration: Free of problems, `baseURL` set.
    ///   - reactor: Of the loop it is made on and stays on.
    ///   - exchange: Carries notifications; `nil` for none.
    ///   - logger: Gets one line for each API call and for each notification.
    package init(
        _ configuration: SimulatorConfiguration,
        reactor: Reactor,
        exchange: (any HTTPExchange)? = nil,
        logger: Logger = .silent
    ) {
        self.reactor = reactor
        self.exchange = exchange
        self.logger = logger
        model = AmazonPayModel(configuration, at: reactor.wallNow)
    }

    /// Starts a server of its own for a simulator on the present loop.
    ///
    /// - Parameters:
    ///   - configuration: Without a `baseURL` it is the listener's address: `localhost` for TLS, since that is what
    ///     certificates say, the number itself for plain HTTP.
    ///   - listener: Loopback, unless `configuration.insecureAllowsOthers`; port 0 lets the kernel choose.
    ///   - reactor: Of the loop that this is called on; the only one.
    ///   - exchange: Carries notifications to the merchants' receivers; `nil` for none.
    ///   - logger: Gets one line for each API call and for each notification.
    /// - Returns: The server, listening; drain it to end the simulator.
    /// - Throws: `SimulatorError` naming every problem of the configuration, or `ServerError`.
    package static func attach(
        _ configuration: SimulatorConfiguration,
        listener: ServerConfiguration.Listener,
        tls: TLSContext? = nil,
        reactor: Reactor,
        exchange: (any HTTPExchange)? = nil,
        logger: Logger = .silent
    ) throws -> Server {
        try AmazonPaySimulator(configuration, reactor: reactor, exchange: exchange, logger: logger)
            .serve(on: listener, tls: tls, reactor: reactor, logger: logger)
    }

    /// In log lines, and of its file.
    package static let name = "amazon-pay"

    /// Bytes of a content.
    package static let bodyLimit = AmazonPayModel.bodyLimit

    /// Those of its configuration.
    package func problems(listeningOn address: SocketAddress) -> [String] {
        model.configuration.problems(listeningOn: address)
    }

    /// Takes the first address for its own, where the configuration names none.
    package func isServed(at url: String) {
        if model.configuration.baseURL.isEmpty { model.configuration.baseURL = url }
    }

    /// JSON, of this version of the program.
    package func remember() throws -> [UInt8]? { try model.remember() }

    /// What `remember` gave; a `DecodingError` for anything else.
    package func recall(_ bytes: [UInt8]) throws { try model.recall(bytes) }

    package func handle(_ request: HTTPRequest) -> HandlerResult {
        let step = model.receive(
            SimulatorRequest(
                request,
                reading: AmazonPayModel.fields(of: request),
                testers: model.configuration.testers
            ),
            at: reactor.wallNow
        )
        logCalls()
        notify()
        return step.result(reactor, ifAbandoned: \.abandonment) { pause in
            let step = self.model.resume(pause, at: self.reactor.wallNow)
            self.logCalls()
            self.notify()
            return step
        }
    }

    // MARK: Notifications

    /// Sends what is due, and comes back when something may be.
    private func notify() {
        guard let exchange else { return }
        for delivery in model.takePendingDeliveries(at: reactor.wallNow) {
            reactor.startTask { await self.deliver(delivery, exchange) }
        }
        let timer = self.timer ?? reactor.makeTimer { [weak self] in self?.notify() }
        self.timer = timer
        if let delay = model.untilNextDelivery { reactor.arm(timer, after: max(delay, .milliseconds(1))) }
    }

    private func deliver(_ delivery: AmazonPayModel.PendingDelivery, _ exchange: any HTTPExchange) async {
        let request = OutboundRequest(
            method: "POST",
            url: delivery.url,
            fields: delivery.fields.map { ($0.name, $0.value) },
            body: delivery.body,
            timeout: AmazonPayModel.deliveryTimeout
        )
        var status: Int?
        var outcome = LogField("status", 0)
        do throws(HTTPExchangeError) {
            let answer = try await exchange.send(request)
            status = answer.status
            outcome = LogField("status", answer.status)
        } catch {
            outcome = LogField("error", "\(error.code)")
        }
        logger.debug("simulator.notification", [LogField("number", delivery.number), outcome])
        model.endDelivery(delivery.number, status: status, at: reactor.wallNow)
        notify()
    }

    private func logCalls() {
        for entry in model.calls.entries(since: loggedCalls, limit: .max) {
            loggedCalls = entry.number
            logger.debug("simulator.call", entry.logFields)
        }
        if model.calls.count < loggedCalls { loggedCalls = model.calls.count }
    }
}

extension CallEntry {
    /// What goes into the log: nothing of the buyer, nothing of the signature.
    fileprivate var logFields: [LogField] {
        var fields = [
            LogField("operation", operation), LogField("status", status), LogField("request_id", requestID),
        ]
        if let reason { fields.append(LogField("reason_code", reason)) }
        if let id = subject.sessionID { fields.append(LogField("checkout_session_id", id)) }
        if let amount = subject.amount { fields.append(LogField("amount", amount.amount)) }
        if isReplayed { fields.append(LogField("replayed", true)) }
        if let fault { fields.append(LogField("fault", fault)) }
        return fields
    }
}
