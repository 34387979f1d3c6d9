public import Synchronization

/// A value that threads share, one at a time.
///
/// It is `Mutex` of the standard library plus one atomic flag: where two threads contend, `Mutex` hands over inside a library
/// that the thread sanitizer does not see into (Swift 6.3), and every such hand-over is reported as a race. Leaving stores the
/// flag and entering loads it, which the sanitizer understands; on x86 both are plain moves.
@usableFromInline package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handOver = Atomic<Bool>(false)

    /// A lock around a value.
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs a body while no other thread is in one.
    ///
    /// - Parameter body: Short, because others wait for its end; it never enters the same lock again.
    /// - Throws: What the body throws.
    // Inlined, since unspecialised code would look up the type's metadata at each call.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
