import Primitives
import Synchronization

/// Runs Swift jobs on the thread of one loop.
///
/// It is the serial executor of its `EventLoop` and the preferred executor of every task on it; without the preference
/// each resumption would pass through the global pool.
package final class LoopExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // Invariant of the unchecked conformance: `ready` and `running` are touched only on the loop's thread, which every
    // path to them checks first or is called from; everything else is constant, atomic or behind a lock.

    /// What came from another thread.
    enum CrossThreadJob {
        case job(UnownedJob)
        case body(@Sendable (Reactor) -> Void)
    }

    private var ready: [UnownedJob] = []
    private var running: [UnownedJob] = []
    /// How many jobs have run; read on the loop.
    package private(set) var jobCount: UInt64 = 0
    private let arrivals = Lock<[CrossThreadJob]>([])
    private let thread = Atomic<UInt>(0)
    private let wakeUp: WakeUp

    init() throws(IOError) {
        wakeUp = try WakeUp()
        ready.reserveCapacity(256)
        running.reserveCapacity(256)
    }

    /// Whether the caller runs on the loop's thread.
    package var isCurrent: Bool { thread.load(ordering: .relaxed) == KernelThread.current }

    /// Takes a job from the concurrency runtime.
    ///
    /// - Parameter job: Runs on the loop, in this turn when the caller is there already.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            ready.append(job)
        } else {
            post(.job(job))
        }
    }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func checkIsolated() {
        precondition(isCurrent, "code of a loop runs on the loop's thread")
    }

    /// Hands something to the loop from any thread and wakes it.
    func post(_ arrival: CrossThreadJob) {
        let wasEmpty = arrivals.withLock { arrivals in
            arrivals.append(arrival)
            return arrivals.count == 1
        }
        if wasEmpty { wakeUp.signal() }
    }

    /// Makes the loop look at its timers and its clock again; any thread may ask.
    package func wake() {
        wakeUp.signal()
    }

    var wakeDescriptor: Int32 { wakeUp.raw }

    /// Makes the calling thread the loop's thread.
    func bindToCurrentThread() {
        thread.store(KernelThread.current, ordering: .relaxed)
    }

    /// Whether jobs wait for the next round.
    var hasReadyJobs: Bool { !ready.isEmpty }

    /// Takes in what other threads have sent.
    func takeJobs(_ reactor: Reactor) {
        wakeUp.clear()
        let batch = arrivals.withLock { arrivals in
            let batch = arrivals
            arrivals.removeAll(keepingCapacity: false)
            return batch
        }
        for arrival in batch {
            switch arrival {
            case .job(let job): ready.append(job)
            case .body(let body): body(reactor)
            }
        }
    }

    /// Runs the ready jobs and those they make ready.
    ///
    /// - Parameter rounds: After so many the rest waits for the next turn, so that jobs that yield cannot hold off events.
    func runReadyJobs(rounds: Int) {
        let serial = unsafe asUnownedSerialExecutor()
        let task = unsafe asUnownedTaskExecutor()
        var left = rounds
        while !ready.isEmpty, left > 0 {
            // Swapping keeps the capacity of both; a copy would allocate each time.
            swap(&ready, &running)
            jobCount &+= UInt64(running.count)
            for job in running { unsafe job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
            running.removeAll(keepingCapacity: true)
            left -= 1
        }
    }
}
