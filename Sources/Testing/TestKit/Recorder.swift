import Primitives

/// Collects values from any thread in the order in which they come.
package final class Recorder<Value: Sendable>: Sendable {
    private let stored = Lock<[Value]>([])

    /// A recorder without values.
    package init() {}

    /// Adds a value.
    package func record(_ value: Value) {
        stored.withLock { $0.append(value) }
    }

    /// The values so far.
    package var values: [Value] { stored.withLock { $0 } }
}
