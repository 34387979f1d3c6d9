import EventIO
import Primitives

/// Speaks one version of HTTP over the plaintext of a connection.
///
/// The connection moves bytes and watches deadlines; the driver decides. It reads from `connection.input`, appends
/// with `connection.write`, sets the deadline that fits its state, and asks for the close. A version of HTTP is added
/// by another driver and one line where `Connection` chooses one.
protocol ProtocolDriver: AnyObject {
    /// The connection is ready for the first bytes; nothing has come yet.
    func begin(on connection: Connection)

    /// Something has changed: bytes have come, output has drained, or a pause is over.
    func advance(on connection: Connection)

    /// The peer sends no more; what came before is in the buffer.
    func inputEnded(on connection: Connection)

    /// The deadline that this driver has set has passed.
    func deadlinePassed(_ deadline: Deadline, on connection: Connection)

    /// The server drains: from now on every response is a connection's last, and idleness its end.
    ///
    /// What has come already is still answered; `advance` follows.
    func drainBegins()

    /// Output is about to leave; a driver that collects it elsewhere appends it now.
    func collectOutput(on connection: Connection)

    /// Output has left, but not all of it: the client does not read, or not as fast.
    ///
    /// The rest leaves when it does; nothing is to be flushed for it.
    func outputBlocked(on connection: Connection)

    /// The connection is closed; whatever runs for it is cancelled.
    func connectionClosed()
}

/// What a connection waits for, and not for ever.
enum Deadline: Int, Sendable, Equatable, CaseIterable {
    /// The end of the TLS handshake.
    case handshake
    /// The end of a request's head.
    case header
    /// The end of a request's content.
    case body
    /// The response of a handler.
    case handler
    /// The next request.
    case idle
    /// A slow reader.
    case write
    /// The whole of a response whose reader takes it in small steps.
    case response
    /// The end of what a refused client still sends.
    case linger
    /// The same over HTTP/2, where only its stream ends.
    case rest
    /// The first request of a young connection during a drain.
    case patience

    /// How long it may take.
    func length(_ limits: ServerLimits) -> Duration {
        switch self {
        case .handshake: limits.handshakeDeadline
        case .header: limits.headerDeadline
        case .body: limits.bodyDeadline
        case .handler: limits.handlerDeadline
        case .idle: limits.idleDeadline
        case .write: limits.writeDeadline
        case .response: limits.responseDeadline
        case .linger, .rest: limits.lingerDeadline
        case .patience: limits.drainPatience
        }
    }
}

/// How long each deadline may take, in nanoseconds, one place per case: every request of a connection sets one.
struct DeadlineLengths {
    private var nanoseconds = [10 of UInt64](repeating: 0)

    init(_ limits: ServerLimits) {
        for deadline in Deadline.allCases {
            nanoseconds[deadline.rawValue] = UInt64(max(0, deadline.length(limits).wholeNanoseconds))
        }
    }

    /// When a deadline is due that began at a point.
    func due(_ deadline: Deadline, since start: MonotonicTime) -> MonotonicTime {
        let (sum, overflow) = start.nanoseconds.addingReportingOverflow(nanoseconds[deadline.rawValue])
        return MonotonicTime(nanoseconds: overflow ? .max : sum)
    }
}
