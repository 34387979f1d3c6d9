import EventIO
import HTTPClient
import Primitives
import ServerCore
import Telemetry

/// Wakes phones until all have been woken that are due.
///
/// One per process, on its first loop; senders of several processes share the rows. Each pass type has a queue of its own, so that one
/// that has come to a halt is in nobody's way. Not `Sendable`.
final class PushSender {
    private let process: PushProcess
    private let loop: LoopContext
    private let store: PushStore
    private let metrics: PushMetrics
    private var queues: [PushQueue] = []
    private var links: [PushLink] = []
    private var generation = -1
    private var isStopped = false

    /// How often `count` is worth its statements.
    static let countPause = Duration.seconds(15)
    /// How long the end of what is under way is waited for when the program stops.
    private static let drainTime = Duration.seconds(3)

    init(_ process: PushProcess, _ loop: LoopContext) {
        self.process = process
        self.loop = loop
        store = PushStore(loop.database)
        metrics = PushMetrics(loop.metrics)
    }

    /// Looks at once; behind a commit that has made something due.
    ///
    /// Other loops have `PushProcess.wake`.
    func wake() {
        for queue in queues { queue.wake() }
    }

    /// Sends what is due until it is stopped.
    func run() async {
        await open()
        for await _ in process.wakes {
            if isStopped { return }
            if process.current.generation != generation { await open() }
            wake()
        }
    }

    /// Begins a queue for each pass type, in place of those that there are.
    private func open() async {
        await close()
        guard !isStopped else { return }
        let (routes, generation) = process.current
        self.generation = generation
        var shared: [String: PushLink] = [:]
        for route in routes {
            let link = shared[route.connection] ?? makeLink(route)
            shared[route.connection] = link
            let queue = PushQueue(route.passType, link, store, metrics, loop, process, generation: generation)
            queues.append(queue)
            loop.reactor.startTask { await queue.run() }
        }
        links = Array(shared.values)
    }

    private func makeLink(_ route: PushProcess.Route) -> PushLink {
        PushLink(loop.connector(to: route.destination), route.key, loop.reactor, loop.logger) { [weak self] in
            self?.wake()
        }
    }

    private func close() async {
        let deadline = loop.reactor.now + PushSender.drainTime
        let (old, links) = (queues, links)
        for queue in old { queue.stop() }
        while old.contains(where: \.isBusy), loop.reactor.now < deadline {
            await loop.reactor.sleep(for: .milliseconds(20))
        }
        for link in links { link.close() }
        queues = []
        self.links = []
    }

    /// Takes nothing more, and waits a moment for what is under way; the rest is sent again when its lease is over.
    func stop() async {
        isStopped = true
        process.finish()
        await close()
    }

    /// Shows what waits, and since when.
    func count() async {
        for queue in queues { await queue.count() }
    }
}
