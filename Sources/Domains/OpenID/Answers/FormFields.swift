import Primitives

/// Members of an answer that came in a query, a fragment or a form; only those that are known.
///
/// Not `HTTPParameters`, which refuses a control character anywhere: here a provider may send what it likes in members that nobody reads.
struct FormFields {
    private var found: [(name: String, value: String)] = []

    /// Reads the fields of a text.
    ///
    /// - Parameters:
    ///   - text: Parts between `&`, empty ones are skipped; `+` is a blank, `%XX` a byte.
    ///   - known: Names of members that count; others are decoded, too, and dropped.
    /// - Throws: `malformedEncoding` for a broken escape anywhere, and for what is no text in a known member; `duplicateParameter`.
    init(_ text: String, known: [String]) throws(AuthorizationRefusal) {
        for part in text.octets.parts(between: UInt8(ascii: "&"), keepingEmpty: false) {
            let halves = part.octets.parts(between: UInt8(ascii: "="), limit: 1)
            guard let name = FormFields.decode(halves[0]),
                let value = FormFields.decode(halves.count > 1 ? halves[1] : "")
            else { throw AuthorizationRefusal(.malformedEncoding) }
            guard let member = known.first(where: { name.elementsEqual($0.utf8) }) else { continue }
            guard let text = FormFields.text(value) else { throw AuthorizationRefusal(.malformedEncoding) }
            guard self[member] == nil else { throw AuthorizationRefusal(.duplicateParameter) }
            found.append((member, text))
        }
    }

    /// The value of a member; may be empty.
    subscript(_ name: String) -> String? { found.first { $0.name.octets == name.octets }?.value }

    /// The value of a member, unless it is empty.
    func filled(_ name: String) -> String? {
        guard let value = self[name], !value.isEmpty else { return nil }
        return value
    }

    private static func decode(_ text: String) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "+"): output.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = bytes.next().flatMap(Hex.value), let low = bytes.next().flatMap(Hex.value) else {
                    return nil
                }
                output.append(high << 4 | low)
            default: output.append(byte)
            }
        }
        return output
    }

    /// A text without control characters.
    private static func text(_ bytes: [UInt8]) -> String? {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), (try? UTF8Span(validating: bytes.span)) != nil else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
