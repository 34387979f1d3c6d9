import CLinux
import Primitives
import Synchronization

/// A thread for work that would hold up a loop: signatures, blocking calls.
///
/// Work is done in the order in which it was handed in, one piece at a time; urgent work before all other.
package final class WorkerThread: Sendable {
    private let shared: Shared
    private let thread: KernelThread

    /// Starts the thread; it lives until `stop`, or until the value goes out of life.
    ///
    /// - Parameter name: Shown by system tools, cut to 15 bytes.
    /// - Throws: `IOError` when the machine gives no thread or descriptor.
    package init(name: String) throws(IOError) {
        let shared = try Shared()
        self.shared = shared
        thread = try KernelThread(name: name) { shared.work() }
    }

    deinit {
        shared.stop()
    }

    /// Does a piece of work on the thread.
    ///
    /// The caller goes on where it was: a task of a loop comes back to its loop without passing through another thread. Work
    /// that has begun is finished even when the task is cancelled.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether it is done before what waits and is not.
    package func run<Result: Sendable>(
        isUrgent: Bool = false,
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await unsafe withUnsafeContinuation { continuation in
            shared.add(isUrgent: isUrgent) { unsafe continuation.resume(returning: body()) }
        }
    }

    /// Ends the thread when everything handed in so far is done; work that comes later is never done.
    package func stop() {
        shared.stop()
    }

    /// Waits until the thread has ended, after `stop`; not from the thread itself.
    package func join() {
        thread.join()
    }

    /// How many pieces of work wait or are being done.
    package var load: Int { shared.load.load(ordering: .relaxed) }

    /// What both sides hold, so that the thread keeps no reference to its owner.
    private final class Shared: Sendable {
        let load = Atomic<Int>(0)
        private let queues = Lock(Queues())
        private let signal: Descriptor

        init() throws(IOError) {
            signal = Descriptor(owning: try systemCall("eventfd") { clinux_eventfd_semaphore() })
        }

        private struct Queues {
            var urgent = Queue<@Sendable () -> Void>()
            var usual = Queue<@Sendable () -> Void>()
        }

        func add(isUrgent: Bool = false, _ piece: @escaping @Sendable () -> Void) {
            load.wrappingAdd(1, ordering: .relaxed)
            queues.withLock { queues in
                if isUrgent { queues.urgent.append(piece) } else { queues.usual.append(piece) }
            }
            _ = clinux_eventfd_add(signal.raw)
        }

        func stop() {
            _ = clinux_eventfd_add(signal.raw)
        }

        func work() {
            while true {
                // One count of the semaphore stands for one piece, or for the wish to stop.
                guard clinux_eventfd_take(signal.raw) == 0 else { continue }
                guard let piece = queues.withLock({ $0.urgent.popFirst() ?? $0.usual.popFirst() }) else { return }
                piece()
                load.wrappingSubtract(1, ordering: .relaxed)
            }
        }
    }
}

extension WorkerThread {
    /// Does a piece of work on the thread and blocks the caller until it is done: not on a loop.
    ///
    /// - Throws: `IOError` when the machine gives no descriptor.
    func runBlocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) throws(IOError) -> Result {
        let done = Descriptor(owning: try systemCall("eventfd") { clinux_eventfd_semaphore() })
        let (signal, answer) = (done.raw, Answer<Result>())
        shared.add {
            let result = body()
            answer.value.withLock { $0 = result }
            _ = clinux_eventfd_add(signal)
        }
        while true {
            try systemCall("read") { clinux_eventfd_take(signal) }
            if let result = answer.value.withLock({ $0 }) { return result }
        }
    }

    private final class Answer<Value: Sendable>: Sendable {
        let value = Lock<Value?>(nil)
    }
}

/// First in, first out; what was taken is let go of at once.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var next = 0

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard next < elements.count else { return nil }
        let element = elements[next]
        elements[next] = nil
        next += 1
        if next == elements.count {
            elements.removeAll(keepingCapacity: true)
            next = 0
        } else if next > 64, next > elements.count / 2 {
            elements.removeFirst(next)
            next = 0
        }
        return element
    }
}
