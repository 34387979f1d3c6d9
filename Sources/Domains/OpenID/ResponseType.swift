import Primitives

/// What an authorization answer brings, as a set: the order of the words does not matter.
package struct ResponseType: OptionSet, Sendable, Hashable {
    /// One bit for each word.
    package let rawValue: Int

    /// The set of some bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A code that the server exchanges.
    package static let code = ResponseType(rawValue: 1)
    /// An ID token.
    package static let idToken = ResponseType(rawValue: 2)
    /// An access token.
    package static let token = ResponseType(rawValue: 4)

    /// The set of a text, or `nil` where a word is unknown, stands there twice, or there is none.
    package init?(_ text: String) {
        var found: ResponseType = []
        for word in text.octets.parts(between: UInt8(ascii: " "), keepingEmpty: false) {
            guard let one = ResponseType.words.first(where: { $0.word.octets == word.octets })?.type,
                found.insert(one).inserted
            else { return nil }
        }
        guard !found.isEmpty else { return nil }
        self = found
    }

    /// The words in the usual order.
    package var text: String {
        ResponseType.words.filter { contains($0.type) }.map(\.word).joined(separator: " ")
    }

    /// Whether the answer comes in the fragment unless another mode is asked for: anything but a code alone does.
    package var isHybrid: Bool { self != .code }

    private static let words: [(word: String, type: ResponseType)] = [
        ("code", .code), ("id_token", .idToken), ("token", .token),
    ]
}
