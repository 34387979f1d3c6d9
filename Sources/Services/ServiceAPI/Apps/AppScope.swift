import Primitives
import ServerCore

/// What a token of an app opens of its account; each feature declares its own.
package struct AppScope: Sendable, FeatureSlot {
    /// As it is written everywhere outside: one word, the feature's name as a rule.
    package let text: String

    /// Whether a token has it that was asked for without scopes: `false` for what an app has no need of as a rule.
    package let isUsual: Bool

    /// A scope; declared once as a static member, and among the slots of the feature's card.
    package init(_ text: String, isUsual: Bool = true) {
        self.text = text
        self.isUsual = isUsual
    }
}

extension AppScope: Hashable {
    package static func == (one: AppScope, other: AppScope) -> Bool { one.text.octets == other.text.octets }

    package func hash(into hasher: inout Hasher) { hasher.combine(text.octets) }
}
