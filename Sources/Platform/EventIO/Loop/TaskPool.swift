/// Something that waits on the way and is done in a task of a loop.
///
/// Started with ``Reactor/start(_:)``. An object rather than a closure, so that a connection that has one piece of work after
/// the other allocates nothing for each of them.
package protocol LoopJob: AnyObject {
    /// Does the work; stays on the loop.
    func run() async
}

/// One run of a job, for its caller.
package struct JobRun {
    fileprivate let task: PooledTask
    fileprivate let number: UInt64

    /// Cancels the run, as `Task.cancel` would; one that has ended is left alone.
    package func cancel() {
        if task.runNumber == number { task.cancel() }
    }
}

/// Tasks that wait for the next job; one pool per loop.
///
/// A new task costs four allocations and as much time as a short handler. One that is used again costs a resumption, and it
/// keeps the stack that its jobs have grown.
final class TaskPool {
    /// How many tasks wait at most; those beyond it end after their job.
    static let kept = 256
    private var parked: [PooledTask] = []
    /// How many tasks there are, those that wait and those that work.
    fileprivate(set) var taskCount = 0

    init() {
        parked.reserveCapacity(TaskPool.kept)
    }

    /// Gives a job to a task that waits.
    ///
    /// - Returns: The run, or `nil` when none waits.
    fileprivate func resumeOne(_ job: any LoopJob) -> JobRun? {
        guard let task = parked.popLast() else { return nil }
        return task.begin(job)
    }

    /// Keeps a task that has nothing to do.
    ///
    /// - Returns: False when enough are kept.
    fileprivate func keep(_ task: PooledTask) -> Bool {
        guard parked.count < TaskPool.kept else { return false }
        parked.append(task)
        return true
    }

    /// Lets the tasks that wait come to their end; they do so in the next round of jobs.
    func dismiss() {
        for task in parked { task.dismiss() }
        parked.removeAll()
    }
}

/// One task of a pool.
final class PooledTask {
    /// Grows with each run that ends.
    private(set) var runNumber: UInt64 = 0
    private var job: (any LoopJob)?
    private var suspension: Suspension<Void>?
    private var task: Task<Void, Never>?
    private var isCancelled = false

    /// Starts the task with its first job.
    fileprivate func start(_ first: any LoopJob, _ pool: TaskPool, on reactor: Reactor) -> JobRun {
        pool.taskCount += 1
        task = reactor.startTask { await self.serve(pool) }
        return begin(first)
    }

    private func serve(_ pool: TaskPool) async {
        while true {
            await suspend { suspension in
                // The first job may be there already: how far a task gets before its starter goes on is open.
                if job == nil { self.suspension = suspension } else { suspension.resume() }
            }
            guard job != nil else { break }
            await runJob()
            // A task cannot be uncancelled.
            guard !isCancelled, pool.keep(self) else { break }
        }
        pool.taskCount -= 1
        task = nil
    }

    /// A function of its own, so that the job is let go of at its end.
    private func runJob() async {
        guard let job else { return }
        self.job = nil
        await job.run()
        runNumber &+= 1
    }

    fileprivate func begin(_ next: any LoopJob) -> JobRun {
        job = next
        dismiss()
        return JobRun(task: self, number: runNumber)
    }

    /// Lets the task go on; without a job it ends.
    fileprivate func dismiss() {
        suspension?.resume()
        suspension = nil
    }

    fileprivate func cancel() {
        isCancelled = true
        task?.cancel()
    }
}

extension Reactor {
    /// Runs a job in a task of this loop; it begins in this turn, after the caller returns.
    ///
    /// - Parameter job: Held until its run ends. It may be started again before that, and then has two runs.
    /// - Returns: A handle that cancels the run.
    @discardableResult
    package func start(_ job: any LoopJob) -> JobRun {
        tasks.resumeOne(job) ?? PooledTask().start(job, tasks, on: self)
    }

    /// How many tasks serve the jobs of this loop, those that wait for one included.
    package var jobTaskCount: Int { tasks.taskCount }
}
