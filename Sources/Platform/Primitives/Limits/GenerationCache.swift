/// A bounded dictionary that forgets by generations.
///
/// New entries go into the young generation. When it is full or its time is over it becomes the old one, and what was old is
/// forgotten at once: each step is O(1), and an entry lives between one life and two. At most twice the capacity is held.
// Inlined, since unspecialised code would look up the types' metadata at each step.
@usableFromInline package struct GenerationCache<Key: Hashable, Value> {
    @usableFromInline var young: [Key: Value] = [:]
    @usableFromInline var old: [Key: Value] = [:]
    /// Microseconds.
    @usableFromInline var turnedAt: Int64 = .min
    @usableFromInline let capacity: Int
    /// Microseconds.
    @usableFromInline let life: Int64

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - life: How long a generation stays young, in microseconds.
    @inlinable
    package init(capacity: Int, life: Int64) {
        self.capacity = max(1, capacity)
        self.life = max(1, life)
    }

    /// How many entries are held.
    @inlinable package var count: Int { young.count + old.count }

    /// The value of a key, if it is held.
    ///
    /// - Parameters:
    ///   - now: Microseconds, by the clock that counts the lives.
    /// - Returns: What was set last, or `nil`.
    @inlinable
    package mutating func value(for key: Key, at now: Int64) -> Value? {
        turn(at: now)
        return young[key] ?? old[key]
    }

    /// Holds a value for one life at least, unless so many others come that room is short.
    ///
    /// - Parameters:
    ///   - now: Microseconds.
    @inlinable
    package mutating func set(_ value: Value, for key: Key, at now: Int64) {
        turn(at: now)
        if young.count >= capacity, young[key] == nil { advance(at: now) }
        young[key] = value
    }

    @inlinable
    mutating func turn(at now: Int64) {
        guard turnedAt != .min else {
            turnedAt = now
            return
        }
        let age = now - turnedAt
        // A clock that was set back must not freeze the generations.
        guard age >= 0 else {
            turnedAt = now
            return
        }
        guard age >= life else { return }
        if age >= 2 * life { young = [:] }
        advance(at: now)
    }

    @inlinable
    mutating func advance(at now: Int64) {
        old = young
        young = [:]
        turnedAt = now
    }
}

extension GenerationCache: Sendable where Key: Sendable, Value: Sendable {}
