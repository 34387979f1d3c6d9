import Primitives
import Synchronization
package import Telemetry

/// One thread that waits for events and runs everything that belongs to it.
///
/// It owns its epoll set, its timers, its ready jobs and its thread. It refuses to share: no object of a loop is seen by
/// another thread, and work that blocks or burns belongs on a `WorkerThread`. What lives on a loop is an ordinary object that
/// is not `Sendable`: it is made in a body given to `run` or `execute`, talks to the `Reactor`, and never leaves. This actor is
/// the face towards other threads.
package actor EventLoop {
    /// Shown by system tools and on the loop's metrics.
    package nonisolated let name: String
    /// Runs tasks on this loop.
    package nonisolated let executor: LoopExecutor
    private nonisolated let thread = Lock<KernelThread?>(nil)
    private nonisolated let wasStarted = Atomic<Bool>(false)
    private nonisolated let isStopping = Atomic<Bool>(false)
    private let reactor: Reactor

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// A loop with its epoll set; nothing runs on it before `start`.
    ///
    /// - Parameters:
    ///   - name: Shown by system tools, cut to 15 bytes there, and the value of the label `loop`.
    ///   - logger: Hears about failures of the loop itself.
    ///   - metrics: Counts turns, and those longer than 5 ms.
    /// - Throws: `IOError` when the kernel gives no descriptor.
    package init(
        name: String,
        logger: Logger,
        metrics: MetricsRegistry = MetricsRegistry(),
        clock: any LoopClock = SystemClock()
    ) throws(IOError) {
        self.name = name
        executor = try LoopExecutor()
        reactor = try Reactor(
            executor: executor,
            clock: clock,
            logger: logger.with([LogField("loop", name)]),
            counters: LoopCounters(metrics, loop: name)
        )
    }

    /// Starts the thread; once, and after signals are blocked and SIGPIPE is ignored.
    ///
    /// - Throws: `IOError` when the machine gives no thread.
    package nonisolated func start() throws(IOError) {
        precondition(!wasStarted.exchange(true, ordering: .relaxed), "a loop is started once")
        let started = try KernelThread(name: name) { [self] in
            executor.bindToCurrentThread()
            assumeIsolated { $0.takeTurns() }
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread after its current turn; what is still suspended on the loop is never resumed.
    package nonisolated func stop() {
        isStopping.store(true, ordering: .releasing)
        executor.wake()
    }

    /// Waits until the thread has ended; not from the loop itself.
    package nonisolated func join() {
        thread.withLock { $0 }?.join()
    }

    /// Makes the loop look at its timers and its clock again; any thread may ask.
    package nonisolated func wake() {
        executor.wake()
    }

    /// Runs a body on the loop with its reactor and waits for the result: the way in from outside.
    ///
    /// The body and everything it awaits stays on the loop; cancelling the caller cancels the body.
    ///
    /// - Parameter body: What it makes stays on the loop.
    /// - Throws: What the body throws.
    package nonisolated func run<Result: Sendable>(
        _ body: @escaping @Sendable (Reactor) async throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(executor) {
            try await self.enter(body)
        }
    }

    /// Runs a body on the loop soon, from any thread, in the order of the calls.
    package nonisolated func execute(_ body: @escaping @Sendable (Reactor) -> Void) {
        executor.post(.body(body))
    }

    private func enter<Result: Sendable>(
        _ body: @escaping (Reactor) async throws -> Result
    ) async throws -> Result {
        try await body(reactor)
    }

    private func takeTurns() {
        reactor.run(on: self) { !isStopping.load(ordering: .acquiring) }
    }
}
