package import EventIO
package import HTTPCore
package import HTTPServer
import Primitives
import SimulatorCore
package import Telemetry

/// The simulated store on one event loop: the API of its servers, the notifications that they send, devices that buy, and the
/// control interface below `/_sim`.
///
/// All rules live in `AppStoreModel`, a value. This object gives it requests and the time, waits where a fault says so, and
/// sends. One loop has the whole state, so nothing is locked.
package final class AppStoreSimulator: Simulator {
    private var model: AppStoreModel
    private let reactor: Reactor
    /// Carries notifications; without one they wait.
    private let exchange: (any HTTPExchange)?
    private let logger: Logger
    private var timer: TimerID?
    private var isStopped = false

    /// A simulator that no server asks yet.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop it is made on and stays on.
    ///   - exchange: Carries notifications; `nil` for none.
    package init(
        _ configuration: AppStoreModel.Configuration,
        reactor: Reactor,
        exchange: (any HTTPExchange)? = nil,
        logger: Logger = .silent
    ) {
        self.reactor = reactor
        self.exchange = exchange
        self.logger = logger
        model = AppStoreModel(configuration, at: reactor.wallNow)
    }

    /// In log lines, and as `simulators` takes it.
    package static let name = "app-store"

    /// Bytes of a content.
    package static let bodyLimit = 1 << 20

    package func problems(listeningOn address: SocketAddress) -> [String] {
        address.isLocal || model.configuration.allowsOthers
            ? [] : ["\(Self.name): \(address) can be reached from other machines"]
    }

    /// Takes the first address for its own.
    package func isServed(at url: String) {
        if model.configuration.baseURL.isEmpty { model.configuration.baseURL = url }
    }

    package func handle(_ request: HTTPRequest) -> HandlerResult {
        let request = SimulatorRequest(request, reading: [], testers: model.configuration.testers)
        model.moveTo(reactor.wallNow)
        defer { notify() }
        if AppStoreModel.isControl(request), let order = DeviceOrder(request) { return carryOut(order, request) }
        guard !AppStoreModel.isControl(request) else { return .now(HTTPResponse(model.answerTester(request))) }
        return model.receive(request).result(reactor, ifAbandoned: \.fault.abandonment) { pause in
            let step = self.model.resume(pause, at: self.reactor.wallNow)
            self.notify()
            return step
        }
    }

    // MARK: Devices

    private func carryOut(_ order: DeviceOrder, _ request: SimulatorRequest) -> HandlerResult {
        .later {
            do throws(ControlError) {
                try self.model.checkTester(request)
                try await self.carryOut(order)
            } catch {
                return HTTPResponse(self.model.refusal(error, request))
            }
            self.model.moveTo(self.reactor.wallNow)
            return HTTPResponse(self.model.answer(after: order, request))
        }
    }

    private func carryOut(_ order: DeviceOrder) async throws(ControlError) {
        switch order {
        case .submit(let id):
            let wanted = try model.submission(of: id)
            let answer = await ask(wanted)
            model.takeAnswer(answer, of: id)
        case .balance(let view):
            guard let wanted = model.balanceRequest(of: view) else {
                throw ControlError(409, "No account is signed in on this device.")
            }
            let answer = await ask(wanted)
            model.takeBalance(answer, of: view)
        }
    }

    /// The answer of the developer's server; `nil` where none comes.
    private func ask(_ request: OutboundRequest) async -> InboundResponse? {
        guard let exchange else { return nil }
        return try? await exchange.send(request)
    }

    /// Ends the sending.
    package func stop() { isStopped = true }

    // MARK: Notifications

    /// Sends what is due, and comes back when something may be.
    private func notify() {
        guard let exchange, !isStopped else { return }
        for delivery in model.takeDeliveries(at: reactor.wallNow) {
            for copy in 0..<delivery.times {
                reactor.startTask { await self.deliver(delivery, exchange, isCounted: copy == 0) }
            }
        }
        let timer = self.timer ?? reactor.makeTimer { [weak self] in self?.notify() }
        self.timer = timer
        if let delay = model.untilNextDelivery { reactor.arm(timer, after: max(delay, .milliseconds(1))) }
    }

    private func deliver(
        _ delivery: AppStoreModel.Delivery,
        _ exchange: any HTTPExchange,
        isCounted: Bool
    ) async {
        let request = OutboundRequest(
            method: "POST",
            url: delivery.url,
            fields: [("content-type", "application/json"), ("user-agent", "Sallyport-Test-AppStore/2")],
            body: delivery.body,
            timeout: AppStoreModel.deliveryTimeout
        )
        var status: Int?
        let result: StoreNotification.AttemptResult
        do throws(HTTPExchangeError) {
            let answer = try await exchange.send(request)
            (status, result) = (answer.status, StoreNotification.AttemptResult(status: answer.status))
        } catch {
            result = StoreNotification.AttemptResult(error.code)
        }
        guard isCounted else { return }
        logger.debug(
            "simulator.app_store_notification",
            [LogField("number", delivery.number), LogField("result", result.rawValue)]
        )
        model.endDelivery(delivery.number, result, status: status, at: reactor.wallNow)
        notify()
    }
}
