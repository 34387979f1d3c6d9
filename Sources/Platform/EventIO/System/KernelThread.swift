import CLinux
import Glibc
import Primitives

/// A thread of the operating system that runs one body.
final class KernelThread: Sendable {
    private let handle: Lock<pthread_t?>

    /// Starts a thread.
    ///
    /// It inherits the blocked signals of the caller.
    ///
    /// - Parameters:
    ///   - name: Shown by system tools, cut to 15 bytes.
    /// - Throws: `IOError` when the machine gives no thread.
    init(name: String, _ body: @escaping @Sendable () -> Void) throws(IOError) {
        let box = unsafe Unmanaged.passRetained(ThreadBody(body))
        var thread = pthread_t()
        let status = unsafe clinux_thread_start(
            &thread,
            name,
            { context in
                // The reference was retained for this thread alone and is taken back once.
                if let context = unsafe context {
                    unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
                }
                return nil
            },
            box.toOpaque()
        )
        guard status == 0 else {
            unsafe box.release()
            throw IOError(code: status, operation: "pthread_create")
        }
        handle = Lock(thread)
    }

    deinit {
        // Nobody can wait for it any more, so the kernel may forget it when it ends.
        handle.withLock { handle in
            if let thread = handle { _ = pthread_detach(thread) }
        }
    }

    /// Waits for the thread's end; a second call waits for the first.
    ///
    /// Not from the thread itself.
    func join() {
        handle.withLock { handle in
            guard let thread = handle else { return }
            _ = pthread_join(thread, nil)
            handle = nil
        }
    }

    /// The calling thread's identity.
    static var current: UInt { UInt(pthread_self()) }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}
