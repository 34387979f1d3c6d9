import EventIO
import Telemetry

/// How far a send went; after anything but everything, an edge comes when the kernel takes more.
enum Sent {
    case everything, some, nothing
}

/// The socket of one connection, closed when nobody holds it any more; counts its calls.
final class StreamSocket {
    private let descriptor: Descriptor
    private let counters: PartCounters

    init(_ descriptor: consuming Descriptor, counters: PartCounters) {
        self.descriptor = descriptor
        self.counters = counters
    }

    /// The kernel's number, for the registration.
    var raw: Int32 { descriptor.raw }

    /// Reads once and appends at most `limit` bytes, which is at least 1; zero bytes is the end.
    func receive(appendingTo buffer: inout [UInt8], limit: Int) throws(IOError) -> IOResult {
        counters.receives.increment()
        return try Socket.receive(descriptor, appendingTo: &buffer, limit: limit)
    }

    /// Writes once what waits in a buffer.
    ///
    /// - Returns: How far the kernel went.
    func send(_ output: inout OutputBuffer) throws(IOError) -> Sent {
        guard output.pending > 0 else { return .everything }
        counters.sends.increment()
        guard case .done(let count) = try Socket.send(descriptor, output.bytes.span.extracting(output.sent...)) else {
            return .nothing
        }
        output.advance(count)
        return output.pending == 0 ? .everything : .some
    }

    /// Says that nothing more comes; a peer that is gone already is no failure here.
    func shutDownWriting() {
        try? Socket.shutDownWriting(descriptor)
    }

    /// Makes the close a reset, so that nothing of a connection that was given up stays in the kernel.
    func resetOnClose() {
        try? Socket.setResetOnClose(descriptor)
    }
}
