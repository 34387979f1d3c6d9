/// A value that must not be printed: a key, a token, a password.
///
/// Every way of turning it into text yields a placeholder. To use the value, write `reveal()`; that word is what a
/// reviewer looks for.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    /// Hides a value.
    package init(_ value: Value) {
        self.value = value
    }

    /// The hidden value, for the place that uses it.
    ///
    /// Keep the result no longer than its use takes.
    ///
    /// - Returns: The value as it was given.
    package func reveal() -> Value {
        value
    }

    package var description: String { "<secret>" }

    package var debugDescription: String { "<secret>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
