import ServerCore

/// What a token of an app opens of its account; each feature declares its own.
package struct AppScope: Sendable, Hashable, FeatureSlot {
    /// As it is written everywhere outside: one word, the feature's name as a rule.
    package let text: String

    /// A scope; declared once as a static member, and among the slots of the feature's card.
    package init(_ text: String) { self.text = text }
}
