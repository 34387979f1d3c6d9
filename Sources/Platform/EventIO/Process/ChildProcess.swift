import CLinux
import Glibc
import Primitives

/// A program that this one has started.
///
/// Signals and waits go through a pidfd, so that they can never reach another process with a reused number.
package final class ChildProcess: Sendable {
    /// How a process has ended.
    package enum Exit: Sendable, Equatable {
        /// By itself, with a code from 0 to 255.
        case code(Int32)
        /// By a signal.
        case signal(Int32)

        /// Whether it ended by itself with code 0.
        package var isSuccess: Bool { self == .code(0) }
    }

    /// The kernel's number; for messages, not for signals.
    package let pid: Int32
    private let pidfd: Descriptor
    private let exit = Lock<Exit?>(nil)

    init(pid: Int32, pidfd: consuming Descriptor) {
        self.pid = pid
        self.pidfd = pidfd
    }

    /// Sends a signal; a process that has ended gets none.
    ///
    /// - Parameter signal: For example `terminate`.
    /// - Throws: `IOError`, for example when the process has another owner.
    package func send(_ signal: Signal) throws(IOError) {
        let raw = pidfd.raw
        guard clinux_pidfd_signal(raw, signal.number) < 0, errno != ESRCH else { return }
        throw IOError(code: errno, operation: "pidfd_send_signal")
    }

    /// Waits for the end on the calling thread: not on a loop.
    ///
    /// Any thread may ask, any number of times.
    ///
    /// - Parameter deadline: `nil` waits for ever.
    /// - Returns: How it ended, or `nil` when it runs on.
    /// - Throws: `IOError`.
    package func wait(atMost deadline: Duration? = nil) throws(IOError) -> Exit? {
        let milliseconds = deadline.map { Int32(clamping: max(0, $0.wholeNanoseconds) / 1_000_000) } ?? -1
        let raw = pidfd.raw
        // Waited for outside of the lock, so that nobody else has to wait as long; collected inside, because that works once.
        guard try systemCall("poll", { clinux_pidfd_wait(raw, milliseconds) }) == 1 else { return nil }
        return try exit.withLock { exit throws(IOError) in
            if let known = exit { return known }
            exit = try ChildProcess.reap(raw)
            return exit
        }
    }

    /// Waits for the end on a loop.
    ///
    /// It does not end when the task is cancelled.
    ///
    /// - Throws: `IOError`.
    package func exit(on reactor: Reactor) async throws(IOError) -> Exit {
        while true {
            if let exit = try wait(atMost: .zero) { return exit }
            let watch = ExitWatch()
            let registration = try reactor.add(pidfd.raw, interest: .readable, trigger: .level, handler: watch)
            await suspend { watch.suspension = $0 }
            reactor.remove(registration)
        }
    }

    private static func reap(_ raw: Int32) throws(IOError) -> Exit {
        var wasSignal: Int32 = 0
        var code: Int32 = 0
        try systemCall("waitid") { unsafe clinux_pidfd_reap(raw, &wasSignal, &code) }
        return wasSignal == 0 ? .code(code) : .signal(code)
    }
}

private final class ExitWatch: ReadinessHandler {
    var suspension: Suspension<Void>?

    func ready(_ readiness: Readiness) {
        suspension?.resume()
        suspension = nil
    }
}
