import Cryptography
import Primitives

/// Where the next page of a list begins, as an opaque text.
///
/// It holds for the same customer and filters alone.
struct PageRevision: Sendable, Equatable {
    /// What list it is of: customer, filters and order.
    let list: String
    /// Place in the order of changes of the last one on the page.
    let change: Int

    /// The list of some words.
    static func list(_ words: [String]) -> String {
        Hex.encode(Array(SHA256.digest(of: Array(words.joined(separator: "\n").utf8)).bytes.prefix(8)))
    }

    init(list: String, change: Int) {
        (self.list, self.change) = (list, change)
    }

    /// Reads a text.
    ///
    /// - Throws: 4000005 for one of another list or none.
    init(_ text: String, of list: String) throws(APIFailure) {
        let words = Base64URL.decode(text).map { String(decoding: $0, as: UTF8.self) }?.octets.parts(between: 0x5F)
        guard let words, words.count == 2, words[0].octets == list.octets, let change = Int(words[1]), change >= 0
        else { throw .badRevision }
        self.init(list: list, change: change)
    }

    var text: String { Base64URL.encode(Array("\(list)_\(change)".utf8)) }
}
