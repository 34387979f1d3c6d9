import Primitives

/// A text with placeholders, taken apart: `{{name}}` stands for a value.
struct PlaceholderText {
    enum Piece {
        case literal(String)
        case placeholder(String)
    }

    private(set) var pieces: [Piece] = []
    /// Whether two braces begin no placeholder.
    private(set) var isMalformed = false

    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        var literal: [UInt8] = []
        while let octet = rest.first {
            guard octet == PlaceholderText.brace, rest.dropFirst().first == PlaceholderText.brace else {
                literal.append(octet)
                rest.removeFirst()
                continue
            }
            let name = rest.dropFirst(2).prefix { PlaceholderText.isNameOctet($0) }
            let end = rest[name.endIndex...]
            guard !name.isEmpty, end.starts(with: "}}".utf8) else {
                isMalformed = true
                literal += rest
                break
            }
            if !literal.isEmpty { pieces.append(.literal(String(decoding: literal, as: UTF8.self))) }
            literal.removeAll()
            pieces.append(.placeholder(String(decoding: name, as: UTF8.self)))
            rest = end.dropFirst(2)
        }
        if !literal.isEmpty { pieces.append(.literal(String(decoding: literal, as: UTF8.self))) }
    }

    private static let brace = UInt8(ascii: "{")

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// The names, in order.
    var names: [String] {
        pieces.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    var hasPlaceholders: Bool { !names.isEmpty }

    /// The name where the whole text is one placeholder.
    var onlyName: String? {
        if pieces.count == 1, case .placeholder(let name)? = pieces.first { name } else { nil }
    }

    /// Whether a value decides how something in quotes begins.
    var hasOpenLink: Bool {
        zip(pieces, pieces.dropFirst()).contains { piece, next in
            guard case .literal(let literal) = piece, case .placeholder = next, let last = literal.utf8.last else {
                return false
            }
            return last == UInt8(ascii: "\"") || last == UInt8(ascii: "'")
        }
    }

    /// Whether a value decides how the text begins.
    var beginsOpen: Bool {
        if case .placeholder? = pieces.first { true } else { false }
    }
}
