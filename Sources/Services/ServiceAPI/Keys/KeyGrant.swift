package import Primitives

/// What the holder of a key may do, as it was found for one request.
package struct KeyGrant: Sendable, Hashable {
    /// The key.
    package let id: UUIDBytes
    /// What an operator calls it.
    package let name: String
    /// What it opens.
    package let scopes: Set<Scope>

    /// The grant of a key.
    package init(id: UUIDBytes, name: String, scopes: Set<Scope>) {
        self.id = id
        self.name = name
        self.scopes = scopes
    }

    /// Whether the key opens something.
    ///
    /// - Returns: True where the scope is one of the key's; none includes another.
    package func allows(_ scope: Scope) -> Bool {
        scopes.contains(scope)
    }

    /// Whether a text can be the name of a key.
    ///
    /// - Returns: True for 1 to 100 printable characters.
    package static func isName(_ text: String) -> Bool {
        PrintableText.isGood(text, length: 1...100)
    }
}
