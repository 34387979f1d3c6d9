import EventIO
import TLS

/// Moves bytes between a socket and the plaintext buffers of a connection.
protocol Channel: AnyObject {
    /// Whether plaintext can flow: always without TLS, after the handshake with it.
    var isOpen: Bool { get }
    /// The protocol that both sides have chosen under TLS, or `nil`.
    var negotiatedProtocol: String? { get }
    /// Whether it has something to send of its own.
    var hasOwnOutput: Bool { get }
    /// Whether it can give plaintext without reading from the socket.
    var hasBufferedInput: Bool { get }

    /// Reads at most once from the socket, into a buffer that has room.
    func receive(from socket: StreamSocket, into input: inout InputBuffer) throws(ChannelError) -> Received

    /// Sends what waits.
    func send(_ output: inout OutputBuffer, to socket: StreamSocket) throws(ChannelError) -> Sent

    /// Makes the output end behind what waits.
    func endOutput()

    /// Gives back what was pooled.
    func close()
}

/// What reading from a channel gave.
enum Received: Equatable {
    /// This many bytes of the network, and whether the kernel may have more.
    case bytes(Int, mayHaveMore: Bool)
    /// Nothing is there.
    case nothing
    /// The peer sends no more.
    case end
    /// The loop has done enough of this kind of work in this turn.
    case postponed
}

/// Why a channel cannot go on.
enum ChannelError: Error {
    case network(IOError)
    case tls(TLSError)
}

/// A channel without TLS.
final class ClearChannel: Channel {
    var isOpen: Bool { true }
    var negotiatedProtocol: String? { nil }
    var hasOwnOutput: Bool { false }
    var hasBufferedInput: Bool { false }

    func receive(from socket: StreamSocket, into input: inout InputBuffer) throws(ChannelError) -> Received {
        let room = input.room
        do throws(IOError) {
            guard case .done(let count) = try socket.receive(appendingTo: &input.bytes, limit: room) else {
                return .nothing
            }
            return count == 0 ? .end : .bytes(count, mayHaveMore: count == room)
        } catch { throw .network(error) }
    }

    func send(_ output: inout OutputBuffer, to socket: StreamSocket) throws(ChannelError) -> Sent {
        do throws(IOError) { return try socket.send(&output) } catch { throw .network(error) }
    }

    func endOutput() {}

    func close() {}
}
