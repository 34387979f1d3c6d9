import EventIO
import Primitives

/// The socket at which a proxy is found.
///
/// A class, because a descriptor cannot be an optional property of one.
final class ProxyListener: Sendable {
    let descriptor: Descriptor

    /// Listens from now on: who connects before the loop looks waits.
    init(_ address: SocketAddress) throws(IOError) {
        descriptor = try Socket.listen(on: address)
    }

    func accept() throws(IOError) -> Socket.Accepted? {
        try Socket.accept(descriptor)
    }
}

/// Lets connections in and carries out orders; on the proxy's loop.
final class ProxyDoor: ReadinessHandler, TurnObserver {
    let reactor: Reactor
    private let upstream: SocketAddress
    private let orders: OrderBook
    private var listener: ProxyListener?
    private var links: [ObjectIdentifier: ProxyLink] = [:]
    private var obeyed = ProxyOrders()

    init(_ reactor: Reactor, upstream: SocketAddress, orders: OrderBook) {
        self.reactor = reactor
        self.upstream = upstream
        self.orders = orders
    }

    func open(_ listener: ProxyListener) {
        do {
            self.listener = listener
            _ = try reactor.add(listener.descriptor.raw, interest: .readable, trigger: .level, handler: self)
        } catch {
            // The test sees that nobody is there.
        }
    }

    func ready(_ readiness: Readiness) {
        while let accepted = try? listener?.accept() {
            // A server that is not there looks like one that hangs up.
            guard let server = try? Socket.connect(to: upstream) else { continue }
            let link = ProxyLink(self, client: accepted.takeDescriptor(), server: server)
            links[ObjectIdentifier(link)] = link
            link.begin()
        }
    }

    func turnWillEnd() {
        let now = orders.content.withLock { $0 }
        let before = obeyed
        obeyed = now
        for link in links.values {
            if now.cuts != before.cuts { link.close() }
            if now.forgets != before.forgets { link.isForgotten = true }
            link.watch()
        }
    }

    func forget(_ link: ProxyLink) {
        links[ObjectIdentifier(link)] = nil
    }

    func holds(_ direction: FaultProxy.Direction, isReader: Bool) -> Bool {
        switch obeyed.held[direction] {
        case nil: false
        case .all: true
        case .writers: !isReader
        case .readers: isReader
        }
    }

    /// Where to break, if the trap waits for one of these messages.
    func trap(in message: Span<UInt8>) -> FaultProxy.Cut? {
        guard let trap = orders.content.withLock({ $0.trap }), message.contains(trap.name) else { return nil }
        return trap.cut
    }

    func trapSprang() {
        orders.content.withLock { $0.trap = nil }
    }
}

extension Span<UInt8> {
    /// Whether some bytes occur in it.
    func contains(_ pattern: [UInt8]) -> Bool {
        guard !pattern.isEmpty, count >= pattern.count else { return false }
        return (0...(count - pattern.count)).contains { start in
            pattern.indices.allSatisfy { self[start + $0] == pattern[$0] }
        }
    }
}
