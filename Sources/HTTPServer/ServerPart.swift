import EventIO

/// What a server is on one loop.
final class ServerPart {
    let shared: ServerShared
    let reactor: Reactor
    let handler: any RequestHandler

    init(_ shared: ServerShared, reactor: Reactor, handler: any RequestHandler) throws(ServerError) {
        self.shared = shared
        self.reactor = reactor
        self.handler = handler
        guard shared.drainSignal.addPart() else { throw ServerError(.draining) }
    }

    func drain() async {}
}
