import EventIO
import Primitives
import Telemetry

/// Tells the service manager how the program is: ready, reloading, stopping, in words what it does, and that its loops turn.
final class ServiceReports: Sendable {
    private struct Told {
        var status: String?
        var isStopping = false
        var wasLost = false
    }

    private let manager: ServiceManager?
    private let logger: Logger
    private let told = Lock(Told())
    private let stopSignal = StopSignal()

    /// The longest pause between two looks at the loops, and at what is said of the program.
    private static let pause = Duration.seconds(5)

    /// The reports of a process.
    ///
    /// - Parameters:
    ///   - manager: `nil` where none listens.
    ///   - logger: Hears once of a message that was lost.
    init(_ manager: ServiceManager?, _ logger: Logger) {
        self.manager = manager
        self.logger = logger
    }

    /// Tells it a state; without a sentence of its own the one that was told last is told again.
    func tell(_ state: ServiceManager.State, _ status: String? = nil) {
        let last = told.withLock { told in
            if state == .stopping { told.isStopping = true }
            return told.status
        }
        _ = send(state, status ?? last)
    }

    /// Begins to report that all loops turn, and what the first one says of itself; until `stop`.
    ///
    /// Nothing is reported by the clock alone: each message follows a turn of every loop, so a loop that hangs ends the messages, and
    /// the manager replaces the process.
    ///
    /// - Parameters:
    ///   - reactor: Of the first of them.
    ///   - sentence: What the program says of itself now; asked on the same loop.
    func watch(_ loops: [EventLoop], on reactor: Reactor, sentence: @escaping () -> String) {
        guard let manager else { return }
        let pause = manager.watchdog.map { min($0 / 3, ServiceReports.pause) } ?? ServiceReports.pause
        let state: ServiceManager.State? = manager.watchdog == nil ? nil : .alive
        let watch = reactor.startTask {
            while !Task.isCancelled {
                await ServiceReports.round(loops)
                self.report(state, sentence())
                await reactor.sleep(for: pause)
            }
        }
        reactor.onStop(stopSignal) {
            watch.cancel()
            await watch.value
        }
    }

    /// Returns when every loop has run something since the call.
    private static func round(_ loops: [EventLoop]) async {
        for loop in loops {
            await withCheckedContinuation { turned in loop.execute { _ in turned.resume() } }
        }
    }

    /// Ends the reports, after the last one.
    func stop() async {
        await stopSignal.stop()
    }

    /// Says that the loops turn, and the sentence where it is another one than before.
    private func report(_ state: ServiceManager.State?, _ sentence: String) {
        // What a stop takes away is no news.
        let isNew = told.withLock { told in !told.isStopping && told.status != sentence }
        guard isNew || state != nil else { return }
        // One that was lost is told again.
        if send(state, isNew ? sentence : nil), isNew { told.withLock { $0.status = sentence } }
    }

    /// Returns whether the manager has got it.
    private func send(_ state: ServiceManager.State?, _ status: String?) -> Bool {
        guard let manager else { return true }
        do throws(IOError) {
            try manager.tell(state, status: status)
            return true
        } catch {
            // The next one may arrive; of a manager that is gone one line is enough.
            if told.withLock({ told in !told.wasLost.swapped(for: true) }) {
                logger.warning("service.not_told", [LogField("error", error.description)])
            }
            return false
        }
    }
}

extension Bool {
    /// Sets it and returns what it was.
    fileprivate mutating func swapped(for value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}
