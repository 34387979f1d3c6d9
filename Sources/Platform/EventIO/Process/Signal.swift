import CLinux
import Glibc

/// A signal of the operating system.
package struct Signal: Sendable, Hashable, CustomStringConvertible {
    /// The kernel's number, 1 to 64.
    package let number: Int32

    /// The signal with a number, or `nil` where there is none.
    ///
    /// - Parameter number: 1 to 64.
    package init?(number: Int32) {
        guard (1...64).contains(number) else { return nil }
        self.number = number
    }

    private init(known number: Int32) {
        self.number = number
    }

    /// SIGHUP: reload.
    package static let hangUp = Signal(known: SIGHUP)
    /// SIGINT: the operator's key.
    package static let interrupt = Signal(known: SIGINT)
    /// SIGQUIT; for PostgreSQL the immediate shutdown.
    package static let quit = Signal(known: SIGQUIT)
    /// SIGKILL: ends a process without asking it.
    package static let kill = Signal(known: SIGKILL)
    /// SIGUSR1.
    package static let user1 = Signal(known: SIGUSR1)
    /// SIGUSR2.
    package static let user2 = Signal(known: SIGUSR2)
    /// SIGTERM: end in order.
    package static let terminate = Signal(known: SIGTERM)

    package var description: String {
        switch number {
        case SIGHUP: "SIGHUP"
        case SIGINT: "SIGINT"
        case SIGQUIT: "SIGQUIT"
        case SIGKILL: "SIGKILL"
        case SIGUSR1: "SIGUSR1"
        case SIGUSR2: "SIGUSR2"
        case SIGTERM: "SIGTERM"
        default: "signal \(number)"
        }
    }
}

/// Some signals.
package struct SignalSet: Sendable, ExpressibleByArrayLiteral {
    let mask: UInt64

    /// A set of the given signals.
    package init(arrayLiteral signals: Signal...) {
        mask = signals.reduce(0) { $0 | 1 << UInt64($1.number - 1) }
    }

    /// Stops their delivery to the calling thread and to every thread it starts from now on.
    ///
    /// Call it in `main` before any thread exists; a `SignalSource` then receives them.
    ///
    /// - Throws: `IOError`.
    package func block() throws(IOError) {
        try systemCall("pthread_sigmask") { clinux_block_signals(mask) }
    }

    /// Makes a write to a closed connection fail with an error instead of ending the process.
    ///
    /// - Throws: `IOError`.
    package static func ignoreBrokenPipes() throws(IOError) {
        try systemCall("signal") { clinux_ignore_sigpipe() }
    }
}

/// Receives signals on a loop.
package final class SignalSource: ReadinessHandler {
    private let reactor: Reactor
    private var descriptor: Descriptor
    private var registration: Registration?
    private let handler: (Signal) -> Void

    /// Starts to receive.
    ///
    /// - Parameters:
    ///   - handler: Called on the loop, once for each kind that came since the last turn.
    /// - Throws: `IOError`.
    package init(_ reactor: Reactor, _ signals: SignalSet, handler: @escaping (Signal) -> Void) throws(IOError) {
        self.reactor = reactor
        self.handler = handler
        descriptor = Descriptor(owning: try systemCall("signalfd") { clinux_signalfd(signals.mask) })
        registration = try reactor.add(descriptor.raw, interest: .readable, trigger: .level, handler: self)
    }

    /// Stops to receive; signals that come now stay blocked.
    package func cancel() {
        if let registration { reactor.remove(registration) }
        registration = nil
        descriptor.closeInPlace()
    }

    package func ready(_ readiness: Readiness) {
        while registration != nil, let signal = Signal(number: clinux_signalfd_read(descriptor.raw)) {
            handler(signal)
        }
    }
}

extension Signal {
    /// Sends the signal to the calling thread alone.
    ///
    /// - Throws: `IOError`.
    package func sendToThisThread() throws(IOError) {
        try systemCall("pthread_kill") { clinux_signal_thread(number) }
    }
}
