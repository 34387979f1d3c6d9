import ServerCore

/// What a key of a merchant's program allows its holder to do; each feature declares its own.
package struct Scope: Sendable, Hashable, FeatureSlot {
    /// As it is written everywhere outside: what it is about, a colon, what may be done with it.
    package let text: String

    /// A scope; declared once as a static member, and among the slots of the feature's card.
    package init(_ text: String) { self.text = text }

    /// Which part of a list is no scope.
    package enum ListRefusal: Error, Hashable {
        /// The program has no such scope.
        case unknown(String)
        /// The scope stands there before.
        case repeated(String)
    }

    /// The scopes that a list stands for.
    ///
    /// - Parameters:
    ///   - text: Scopes with a comma between each two; no blanks, none twice, at least one.
    /// - Returns: At least one scope, in the order of those known.
    /// - Throws: The first part that is none.
    package static func parse(_ text: String, among known: [Scope]) throws(ListRefusal) -> [Scope] {
        var scopes: Set<Scope> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let scope = Scope(String(part))
            guard known.contains(scope) else { throw .unknown(scope.text) }
            guard scopes.insert(scope).inserted else { throw .repeated(scope.text) }
        }
        return known.filter(scopes.contains)
    }

    /// Scopes as a list, in their order.
    ///
    /// - Returns: What `parse` reads; empty for no scope.
    package static func list(_ scopes: [Scope]) -> String {
        scopes.map(\.text).joined(separator: ",")
    }
}
