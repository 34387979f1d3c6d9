import EventIO
import Testing

/// A connection that says what a test wants, octet for octet, and reads only when it is told to.
final class RawClient {
    private var socket: Descriptor
    private var received: [UInt8] = []

    /// - Parameter url: `http://`, and behind it address and port of a listener on loopback.
    init(_ url: String) throws {
        let address = try #require(SocketAddress(String(url.dropFirst("http://".count))))
        socket = try Socket.connect(to: address)
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            // To loopback a connection is made at once, or will be in a moment.
            guard case .done(let count) = try Socket.send(socket, rest.span) else { continue }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether so many octets have come at least; reads no more than these.
    func hasReceived(_ count: Int) throws -> Bool {
        while received.count < count {
            guard
                case .done(let more) = try Socket.receive(
                    socket,
                    appendingTo: &received,
                    limit: count - received.count
                ), more > 0
            else { return false }
        }
        return true
    }

    func hangUp() {
        socket.closeInPlace()
    }
}
