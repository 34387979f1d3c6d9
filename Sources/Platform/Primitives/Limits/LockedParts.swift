/// A value in sixteen parts with a lock each, so that threads hardly meet.
// Inlined, as the lock is.
@usableFromInline package struct LockedParts<Value: Sendable>: Sendable {
    /// A part.
    @usableFromInline package final class Part: Sendable {
        /// Its value.
        package let value: Lock<Value>

        fileprivate init(_ value: Value) {
            self.value = Lock(value)
        }
    }

    @usableFromInline let parts: [Part]
    @usableFromInline let seed = UInt64.random(in: 0 ... .max) | 1

    /// The same value in each part.
    package init(_ value: Value) {
        parts = (0..<16).map { _ in Part(value) }
    }

    /// The part of a key: by the top bits of a product with a secret odd number, so that nobody can choose keys that share one.
    @inlinable package subscript(key: UInt64) -> Part {
        parts[Int(((key ^ (key >> 32)) &* seed) >> 60)]
    }
}
