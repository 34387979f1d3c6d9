package import EventIO
package import HTTPCore
package import HTTPServer
import Primitives
import SimulatorCore
import StrictJSON
package import TLS
package import Telemetry

/// The simulated push service, and phones with passes, on one event loop.
///
/// As a `Simulator` it is the control interface below `/_sim`, over HTTP; the service itself is a listener of its own, since it
/// breaks the rules of HTTP/2 where a tester wants it. One loop has the whole state, so nothing is locked.
package final class PushSimulator: Simulator {
    var model: PushModel
    let reactor: Reactor
    let exchange: any HTTPExchange
    let judge: any CardJudge
    private let logger: Logger
    private var endpoint: PushEndpoint?
    /// Phones and types whose server is being asked, and those to be asked once more.
    var asking: Set<OctetText> = []
    var askingAgain: Set<OctetText> = []
    /// Phones and types with registrations whose answer has not come, and those of them that were woken meanwhile.
    var registering: [OctetText: Int] = [:]
    var wokenEarly: Set<OctetText> = []

    /// A simulator whose service does not listen yet.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop it is made on and stays on.
    ///   - exchange: Carries the requests of phones.
    ///   - judge: Says which passes phones take.
    package init(
        _ configuration: PushModel.Configuration,
        reactor: Reactor,
        exchange: any HTTPExchange,
        judge: any CardJudge,
        logger: Logger = .silent
    ) {
        self.reactor = reactor
        self.exchange = exchange
        self.judge = judge
        self.logger = logger
        model = PushModel(configuration, at: reactor.wallNow)
    }

    /// In log lines.
    package static let name = "apple-push"

    /// Bytes of a content: a pass may be uploaded.
    package static let bodyLimit = 20 << 20

    package func problems(listeningOn address: SocketAddress) -> [String] {
        address.isLocal || model.configuration.allowsOthers
            ? [] : ["\(Self.name): \(address) can be reached from other machines"]
    }

    /// Takes the first address for its own.
    package func isServed(at url: String) {
        if model.configuration.baseURL.isEmpty { model.configuration.baseURL = url }
    }

    /// Starts the push service.
    ///
    /// - Parameters:
    ///   - address: Loopback; port 0 lets the kernel choose.
    ///   - tls: Asks for certificates of clients, and speaks `h2` alone.
    /// - Returns: Where it listens.
    /// - Throws: `IOError`, or `SimulatorError` for an address that others can reach.
    @discardableResult
    package func openService(at address: SocketAddress, tls: TLSContext) throws -> SocketAddress {
        let problems = problems(listeningOn: address)
        guard problems.isEmpty else { throw SimulatorError(problems: problems) }
        let endpoint = PushEndpoint(address, tls, reactor: reactor, owner: self)
        try endpoint.listen()
        self.endpoint = endpoint
        logger.info("simulator.push_ready", [LogField("address", endpoint.address.description)])
        return endpoint.address
    }

    /// Closes what it listens on.
    package func stop() {
        endpoint?.close()
        endpoint = nil
    }

    // MARK: Control

    package func handle(_ request: HTTPRequest) -> HandlerResult {
        let request = SimulatorRequest(request, reading: [], testers: model.configuration.testers)
        model.moveTo(reactor.wallNow)
        do {
            return try answer(request)
        } catch {
            return .now(HTTPResponse(refusal(error, request)))
        }
    }

    private func answer(_ request: SimulatorRequest) throws(ControlError) -> HandlerResult {
        if PushModel.isControl(request) {
            try model.checkTester(request)
            if let order = try PhoneOrder(request) { return carryOut(order, request) }
        }
        let answer = model.page(request) ?? model.control(request)
        obeySwitches()
        return .now(HTTPResponse(answer))
    }

    private func carryOut(_ order: PhoneOrder, _ request: SimulatorRequest) -> HandlerResult {
        .later {
            self.model.moveTo(self.reactor.wallNow)
            do throws(ControlError) {
                try await self.carryOut(order)
                self.model.moveTo(self.reactor.wallNow)
                return HTTPResponse(self.model.answer(after: order, request))
            } catch {
                return HTTPResponse(self.refusal(error, request))
            }
        }
    }

    private func refusal(_ error: ControlError, _ request: SimulatorRequest) -> SimulatorAnswer {
        request.isOfBrowser
            ? model.page(error, request) : .json(error.status, ["error": .string(error.message)])
    }

    /// Brings the connections into line with what a tester has set.
    private func obeySwitches() {
        guard let endpoint else { return }
        endpoint.refuses = model.switches.refuses
        for connection in endpoint.connections.values { limitStreams(of: connection) }
    }
}

// MARK: The service

extension PushSimulator: PushEndpointOwner {
    func opened(_ connection: PushConnection) -> Int {
        model.moveTo(reactor.wallNow)
        model.add(ConnectionEntry(connection.number, connection.peer, at: model.now))
        return model.streams(of: connection)
    }

    func note(_ violation: String, _ connection: PushConnection) {
        model.connections[connection.number]?.violations.append(violation)
        logger.debug("simulator.push_violation", [LogField("what", violation)])
    }

    func closed(_ connection: PushConnection) {
        update(connection)
        let now = model.now
        model.connections[connection.number]?.closedAt = now
        model.connections[connection.number]?.openStreams = 0
        model.checks.forget(connection.number)
    }

    func receive(_ stream: PushStream, _ connection: PushConnection) {
        model.moveTo(reactor.wallNow)
        let request = PushRequest(stream, connection: connection.number, peer: connection.peer)
        let step = model.receive(request)
        update(connection)
        limitStreams(of: connection)
        if step.reply.delay > .zero {
            _ = reactor.schedule(after: step.reply.delay) { [self] in finish(step, stream.id, connection) }
        } else {
            finish(step, stream.id, connection)
        }
    }

    private func finish(_ step: PushModel.Step, _ stream: Int32, _ connection: PushConnection) {
        if let delivery = step.delivery { deliver(delivery) }
        if let goAway = step.goAway {
            let last = goAway.last.map { Int32(clamping: $0) } ?? stream
            let debug = goAway.reason.map { reason in (["reason": .string(reason)] as JSONValue).bytes } ?? []
            connection.goAway(last: last, code: UInt32(clamping: goAway.code), debug: debug)
        }
        switch step.reply.ending {
        case .answer(let answer): connection.respond(stream, answer)
        case .drop: connection.close(resets: true)
        case .reset(let code): connection.reset(stream, code: code)
        case .ignored: break
        }
        update(connection)
    }

    private func limitStreams(of connection: PushConnection) {
        let count = model.streams(of: connection)
        if connection.streamLimit != count { connection.limitStreams(to: count) }
    }

    private func update(_ connection: PushConnection) {
        model.connections[connection.number]?.openStreams = connection.openStreams
        model.connections[connection.number]?.mostStreams = connection.mostStreams
    }
}

extension PushModel {
    /// How many streams a client may have open at present.
    fileprivate func streams(of connection: PushConnection) -> Int {
        connection.peer.hasCertificate || checks.hasToken(connection.number)
            ? switches.streams : min(switches.streamsBeforeToken, switches.streams)
    }
}
