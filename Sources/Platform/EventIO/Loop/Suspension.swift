/// Carries a value that belongs to one loop through an interface that asks for `Sendable`.
///
/// Invariant of the unchecked conformance: it is filled and opened on the same loop.
@usableFromInline struct LoopBound<Value>: @unchecked Sendable {
    @usableFromInline let value: Value

    @usableFromInline init(value: Value) {
        self.value = value
    }
}

/// The other end of a suspended task: its holder resumes the task, once.
@safe @usableFromInline package struct Suspension<Value> {
    @usableFromInline let continuation: UnsafeContinuation<LoopBound<Value>, Never>

    @usableFromInline init(_ continuation: UnsafeContinuation<LoopBound<Value>, Never>) {
        unsafe self.continuation = continuation
    }

    /// Lets the task go on in this turn.
    ///
    /// Exactly once, and on the loop on which the task was suspended; nothing checks either.
    ///
    /// - Parameter value: What `suspend` returns; it need not be `Sendable`.
    @inlinable
    package func resume(_ value: Value) {
        unsafe continuation.resume(returning: LoopBound(value: value))
    }
}

extension Suspension<Void> {
    /// Lets the task go on in this turn, once.
    package func resume() {
        resume(())
    }
}

/// Suspends the current task until its suspension is resumed on the same loop.
///
/// It does not end when the task is cancelled; use `Reactor.suspend(onCancel:)` where that matters. Whether there is something
/// to wait for is looked at in the body: another job of the loop may run between the call and it, and what it ends wakes
/// nobody.
///
/// - Parameter body: Keeps the suspension; runs at once.
/// - Returns: What the suspension was resumed with.
package nonisolated(nonsending) func suspend<Value>(_ body: (Suspension<Value>) -> Void) async -> Value {
    let result = await unsafe withUnsafeContinuation { continuation in
        body(unsafe Suspension(continuation))
    }
    return result.value
}
