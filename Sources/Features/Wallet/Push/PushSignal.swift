import EventIO

/// Lets one task of a loop wait until there may be something to do.
final class PushSignal {
    private let reactor: Reactor
    private var isRaised = false
    private var suspension: Suspension<Void>?
    private var timer: TimerID?

    init(_ reactor: Reactor) { self.reactor = reactor }

    /// Ends the wait, or the next one at once.
    func raise() {
        isRaised = true
        resume()
    }

    /// Waits until it is raised, at most for a while.
    func wait(for pause: Duration) async {
        await reactor.suspend { suspension in
            self.suspension = suspension
            // Others have a turn in between, however often it is raised.
            timer = reactor.schedule(after: isRaised ? .zero : pause) { self.resume() }
        } onCancel: {
            self.resume()
        }
        isRaised = false
    }

    private func resume() {
        guard let suspension else { return }
        self.suspension = nil
        if let timer { reactor.cancel(timer) }
        suspension.resume()
    }
}
