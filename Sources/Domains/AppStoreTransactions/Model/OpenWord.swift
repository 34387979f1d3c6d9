package import Primitives

/// A word of a list that Apple lengthens from time to time: one that is known, or any other as it was written.
package protocol OpenWord: Sendable, Hashable {
    /// The words that are known.
    static var known: [Self] { get }
    /// A word that is not known.
    static func other(_ word: OctetText) -> Self
    /// The word as it is written.
    var word: String { get }
}

extension OpenWord {
    /// The value of a word from outside.
    package init(word: OctetText) {
        self = Self.known.first { $0.word.octets == word } ?? .other(word)
    }
}
