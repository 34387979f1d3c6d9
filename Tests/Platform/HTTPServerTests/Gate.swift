import EventIO

/// Holds handlers back until a test lets them go on, one after the other.
final class Gate {
    private var waiting: [Suspension<Void>] = []
    /// Handlers whose task was cancelled while they waited.
    private(set) var cancelled = 0
    private let reactor: Reactor

    init(_ reactor: Reactor) {
        self.reactor = reactor
    }

    /// How many handlers wait.
    var count: Int { waiting.count }

    /// Waits, whatever happens.
    func pass() async {
        await reactor.suspend {
            waiting.append($0)
        } onCancel: {
            self.cancelled += 1
        }
    }

    /// Waits until a cancellation.
    func passOrFail() async throws {
        await pass()
        try Task.checkCancellation()
    }

    /// Lets the first that waits go on.
    func open() {
        if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
}
