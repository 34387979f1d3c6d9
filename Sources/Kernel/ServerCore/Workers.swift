package import EventIO
import Primitives
package import Telemetry
package import Web

/// Threads for work that would hold up a loop, one for each class of work; one for all loops of a process.
///
/// As much waits as a class may have: beyond that a request of this class is refused, and no other one.
package final class Workers: Sendable {
    /// What takes about the same time, and may wait for each other.
    package enum Class: String, Sendable, CaseIterable {
        /// Signatures: a millisecond each.
        case sign
        /// Building and packing of larger things: some ten milliseconds each.
        case bulk

        /// How much may wait: what is done within moments.
        fileprivate var limit: Int {
            switch self {
            case .sign: 256
            case .bulk: 64
            }
        }
    }

    private let threads = Lock<[Class: WorkerThread]>([:])
    private let refusals: [Class: Counter]

    /// Workers without a thread; each is started when it is asked for first.
    package init(_ metrics: MetricsRegistry) {
        refusals = Dictionary(
            uniqueKeysWithValues: Class.allCases.map { kind in
                let counter = metrics.counter(
                    "sallyport_workers_refused_total",
                    help: "Work that was refused because too much of its class waited.",
                    labels: [("class", kind.rawValue)]
                )
                return (kind, counter)
            }
        )
    }

    /// The thread of a class, for a queue with rules of its own in front of it.
    ///
    /// - Throws: `IOError` where the machine gives no thread.
    package func thread(_ kind: Class) throws(IOError) -> WorkerThread {
        try threads.withLock { threads throws(IOError) in
            if let thread = threads[kind] { return thread }
            let thread = try WorkerThread(name: kind.rawValue)
            threads[kind] = thread
            return thread
        }
    }

    /// Does a piece of work on the thread of its class; the caller comes back to its loop.
    ///
    /// - Throws: `unavailable`, to be tried again in a second, where as much waits as the class may have.
    package func run<Result: Sendable>(
        _ kind: Class,
        _ body: @escaping @Sendable () -> Result
    ) async throws(Failure) -> Result {
        let thread: WorkerThread
        do throws(IOError) {
            thread = try self.thread(kind)
        } catch {
            throw Failure(.unavailable, error.description, retryAfter: 1)
        }
        guard thread.load < kind.limit else {
            refusals[kind]?.increment()
            throw Failure(.unavailable, "too much work of class \(kind.rawValue) waits", retryAfter: 1)
        }
        return await thread.run(body)
    }

    /// Ends the threads when everything handed in so far is done; nothing is asked of them any more.
    package func stop() {
        let all = threads.withLock { threads in
            defer { threads = [:] }
            return threads.values
        }
        for thread in all { thread.stop() }
        for thread in all { thread.join() }
    }
}
