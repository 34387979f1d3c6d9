import CLinux
import Glibc
import Primitives

/// The running program as the kernel sees it.
package enum ThisProcess {
    private static let lastActions = Lock<[@Sendable () -> Void]>([])

    /// Blocks the calling thread for a while: for tools and starts, never on a loop.
    ///
    /// - Parameter duration: Taken to the microsecond; a signal may end it early.
    package static func pause(for duration: Duration) {
        usleep(UInt32(clamping: max(0, duration.wholeNanoseconds) / 1000))
    }

    /// Keeps the memory of this process from cores, and from other processes of its user.
    ///
    /// Children write no core either. What a process without this may do, to list its own `/proc/self/fd` for one, it still
    /// may.
    ///
    /// - Throws: `IOError`.
    package static func forbidDumps() throws(IOError) {
        try systemCall("prctl") { clinux_forbid_dumps() }
    }

    /// Runs an action when the program ends in order, by `exit` or at the end of `main`; not when it is killed.
    ///
    /// - Parameter action: Runs on the thread that ends the program, the latest first.
    package static func atExit(_ action: @escaping @Sendable () -> Void) {
        let isFirst = lastActions.withLock { actions in
            actions.append(action)
            return actions.count == 1
        }
        guard isFirst else { return }
        atexit {
            while let action = ThisProcess.lastActions.withLock({ $0.popLast() }) { action() }
        }
    }
}
