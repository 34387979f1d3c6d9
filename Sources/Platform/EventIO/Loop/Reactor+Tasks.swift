extension Reactor {
    /// Starts a task that stays on this loop; it begins in this turn, perhaps before the caller goes on.
    ///
    /// - Parameter body: May hold what belongs to this loop. Without a capture list: Swift 6.3 takes an async closure that has
    ///   one off its caller's isolation, and every resumption then comes by way of two more jobs.
    /// - Returns: A handle with which its owner cancels it and waits for it.
    @discardableResult
    package func startTask(_ body: @escaping () async -> Void) -> Task<Void, Never> {
        guard let loop else { preconditionFailure("a task is started on a running loop") }
        let bound = LoopBound(value: body)
        return loop.assumeIsolated { loop in
            // Isolated to the loop by the capture, so that a resumption lands where it has to be and is queued once.
            Task.immediate(executorPreference: loop.executor) {
                _ = loop
                await bound.value()
            }
        }
    }

    /// Suspends the current task until its suspension is resumed; a cancellation is reported to the owner of the suspension.
    ///
    /// - Parameters:
    ///   - body: Keeps the suspension; runs at once.
    ///   - onCancel: Runs on the loop, soon after the task was cancelled. It may still come in the turn in which the
    ///     suspension was resumed, so its owner remembers whether that has happened; resuming remains its duty.
    /// - Returns: What the suspension was resumed with.
    package func suspend<Value>(
        _ body: (Suspension<Value>) -> Void,
        onCancel: @escaping () -> Void
    ) async -> Value {
        let gate = LoopBound(value: CancelGate(onCancel))
        let executor = executor
        let value = await withTaskCancellationHandler {
            await EventIO.suspend { suspension in
                body(suspension)
                gate.value.open()
            }
        } onCancel: {
            executor.post(.body { _ in gate.value.cancel() })
        }
        gate.value.shut()
        return value
    }

    /// Lets the current task go on in the loop's next turn.
    package func nextTurn() async {
        await EventIO.suspend { suspension in
            _ = schedule(after: .zero) { suspension.resume() }
        }
    }

    /// Suspends the current task until a while has passed on the loop's own timers, or the task is cancelled.
    ///
    /// - Parameter delay: From `now`.
    package func sleep(for delay: Duration) async {
        let sleeper = Sleeper()
        await suspend { suspension in
            sleeper.suspension = suspension
            sleeper.timer = schedule(after: delay) { sleeper.wake() }
        } onCancel: {
            if let timer = sleeper.timer { self.cancel(timer) }
            sleeper.wake()
        }
    }
}

/// Runs an action at most once, not before it is open, and not after it was shut.
private final class CancelGate {
    private var action: (() -> Void)?
    private var isOpen = false
    private var isCancelled = false

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    /// The suspension has an owner; a cancellation that came before is reported now.
    func open() {
        isOpen = true
        if isCancelled { cancel() }
    }

    func cancel() {
        isCancelled = true
        guard isOpen else { return }
        let action = action
        self.action = nil
        action?()
    }

    func shut() {
        action = nil
    }
}

private final class Sleeper {
    var suspension: Suspension<Void>?
    var timer: TimerID?

    func wake() {
        suspension?.resume()
        suspension = nil
    }
}
