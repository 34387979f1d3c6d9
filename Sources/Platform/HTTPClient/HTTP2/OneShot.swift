import EventIO
import Primitives

/// One thing that a task of the loop waits for until a deadline; whoever is first ends the wait.
final class OneShot<Value> {
    private let reactor: Reactor
    private var suspension: Suspension<Value?>?
    private var timer: TimerID?

    private init(_ reactor: Reactor) { self.reactor = reactor }

    /// Ends the wait; of no effect when it has ended.
    func end(_ value: Value?) {
        guard let suspension else { return }
        self.suspension = nil
        if let timer { reactor.cancel(timer) }
        suspension.resume(value)
    }

    /// Waits.
    ///
    /// - Parameter begin: Starts what is waited for; runs at once.
    /// - Returns: What the wait was ended with; `nil` at the deadline and when the task is cancelled.
    static func wait(on reactor: Reactor, until deadline: MonotonicTime, _ begin: (OneShot) -> Void) async -> Value? {
        let shot = OneShot(reactor)
        return await reactor.suspend { suspension in
            shot.suspension = suspension
            shot.timer = reactor.schedule(after: deadline - reactor.now) { shot.end(nil) }
            begin(shot)
        } onCancel: {
            shot.end(nil)
        }
    }
}
