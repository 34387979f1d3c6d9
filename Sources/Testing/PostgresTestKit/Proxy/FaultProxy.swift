import EventIO
package import Primitives
import Telemetry
import TestKit

/// The network between a client and the server, as a test wants it: it stops in either direction, and breaks at chosen points.
///
/// A Unix socket in a folder of its own, and a thread that hands bytes on. It knows where a message of the protocol ends, so
/// that it can cut a connection before or after the commit of a group.
package final class FaultProxy: Sendable {
    /// One way through the proxy.
    package enum Direction: Sendable, CaseIterable {
        /// What the client asks.
        case toServer
        /// What the server answers.
        case toClient
    }

    /// Where a connection breaks.
    package enum Cut: Sendable, CaseIterable {
        /// The server never sees that the group ends: it rolls back.
        case beforeSync
        /// The server sees the end of the group; nobody hears what became of it.
        case afterSync
        /// The server has committed and said so; nobody hears it.
        case afterAnswer
    }

    /// The URI of the same database through the proxy.
    package let url: Secret<String>
    private let folder: String
    private let loop: EventLoop
    private let orders: OrderBook

    /// A proxy that hands everything on.
    ///
    /// - Parameter url: Of a server on a Unix socket, as test databases and private clusters have it.
    /// - Throws: `IOError`, or `unavailable` for another form of URI.
    package init(to url: Secret<String>) throws {
        let parts = url.reveal().split(separator: "host=", maxSplits: 1)
        guard parts.count == 2 else { throw PostgresURLProblem() }
        let host = parts[1].prefix { $0 != "&" }
        let upstream = host.replacing("%2F", with: "/").replacing("%2f", with: "/") + "/.s.PGSQL.5432"
        folder = try ProcessFolder.makeFolder("proxy")
        let encoded = folder.replacing("/", with: "%2F")
        self.url = Secret(parts[0] + "host=\(encoded)" + parts[1].dropFirst(host.count))
        loop = try EventLoop(name: "proxy", logger: .silent)
        let orders = OrderBook()
        self.orders = orders
        guard let from = SocketAddress(path: folder + "/.s.PGSQL.5432"), let to = SocketAddress(path: String(upstream))
        else { throw PostgresURLProblem() }
        let listener = try ProxyListener(from)
        try loop.start()
        loop.execute { reactor in
            let door = ProxyDoor(reactor, upstream: to, orders: orders)
            reactor.addTurnObserver(door)
            door.open(listener)
        }
    }

    deinit {
        loop.stop()
        loop.join()
        try? Files.removeTree(folder)
    }

    /// Stops handing bytes on; what is sent meanwhile is kept, and new connections are let in.
    package func hold(_ directions: Direction..., of roles: Role = .all) async {
        await give { orders in
            for direction in directions { orders.held[direction] = roles }
        }
    }

    /// Leaves every connection that there is hanging for ever, as a firewall does that has forgotten it; new ones work.
    package func forget() async {
        await give { $0.forgets += 1 }
    }

    /// Hands everything on again.
    package func release() async {
        await give { $0.held = [:] }
    }

    /// Breaks every connection that there is.
    package func cutAll() async {
        await give { $0.cuts += 1 }
    }

    /// Breaks the next connection that sends a call of a statement, at the end of its group.
    package func cut(_ cut: Cut, atGroupWith name: String) async {
        await give { $0.trap = ProxyOrders.Trap(cut: cut, name: Array(name.utf8)) }
    }

    /// Whether the connection that `cut` waits for has been broken.
    package var hasCut: Bool { orders.content.withLock { $0.trap == nil } }

    /// Whose connections are meant.
    package enum Role: Sendable {
        /// Everybody's.
        case all
        /// Those that may write.
        case writers
        /// Those that only read.
        case readers
    }

    /// Returns when the order is carried out.
    private func give(_ change: (inout ProxyOrders) -> Void) async {
        orders.content.withLock { change(&$0) }
        // Orders are read at the end of a turn.
        try? await loop.run { reactor in await reactor.nextTurn() }
    }
}

/// What a test has ordered.
struct ProxyOrders: Sendable {
    struct Trap: Sendable {
        let cut: FaultProxy.Cut
        let name: [UInt8]
    }

    var held: [FaultProxy.Direction: FaultProxy.Role] = [:]
    var forgets = 0
    var cuts = 0
    var trap: Trap?
}

/// Where a test writes its orders and the proxy reads them.
final class OrderBook: Sendable {
    let content = Lock(ProxyOrders())
}

/// The URI has no socket folder.
struct PostgresURLProblem: Error {}
