import Primitives
import StrictJSON

/// Reads the members of a payload, each by its name and type; members that nobody asks for are ignored, `null` is absent.
struct PayloadReader {
    let payload: JSONValue

    /// A text without control characters; an empty one counts as absent.
    ///
    /// - Throws: `malformed` for another type, or more than 255 octets.
    func text(_ name: String) throws(SignedTextRefusal) -> String? {
        guard let value = payload[name] else { return nil }
        guard let text = value.text, text.utf8.count <= 255, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { throw .malformed(.text) }
        return text.isEmpty ? nil : text
    }

    /// An identifier: up to 128 octets of printable ASCII, no blank among them.
    func identifier(_ name: String) throws(SignedTextRefusal) -> String? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.count <= 128, text.octets.isWord else { throw .malformed(.identifier) }
        return text
    }

    /// An identifier that makes the kind of the payload.
    func kindMaker(_ name: String) throws(SignedTextRefusal) -> String {
        guard let text = try identifier(name) else { throw .wrongKind(.missingMember) }
        return text
    }

    /// A signed text, to be verified on its own.
    func signedText(_ name: String) throws(SignedTextRefusal) -> String? {
        guard let value = payload[name] else { return nil }
        guard let text = value.text else { throw .malformed(.text) }
        return text
    }

    /// A whole number.
    func integer(_ name: String) throws(SignedTextRefusal) -> Int? {
        guard let value = payload[name] else { return nil }
        guard let number = value.integer else { throw .malformed(.number) }
        return number
    }

    /// A whole number within bounds.
    func integer(_ name: String, in bounds: ClosedRange<Int>) throws(SignedTextRefusal) -> Int? {
        guard let number = try integer(name) else { return nil }
        guard bounds.contains(number) else { throw .malformed(.number) }
        return number
    }

    /// A whole number of 64 bits: an amount in thousandths of a currency's unit, or the number of an app.
    func longInteger(_ name: String) throws(SignedTextRefusal) -> Int64? {
        try integer(name).map { Int64($0) }
    }

    func flag(_ name: String) throws(SignedTextRefusal) -> Bool? {
        guard let value = payload[name] else { return nil }
        guard let flag = value.flag else { throw .malformed(.flag) }
        return flag
    }

    func uuid(_ name: String) throws(SignedTextRefusal) -> UUIDBytes? {
        guard let text = try text(name) else { return nil }
        guard let uuid = UUIDBytes(text) else { throw .malformed(.uuid) }
        return uuid
    }

    func word<Word: OpenWord>(_ name: String) throws(SignedTextRefusal) -> Word? {
        try text(name).map { Word(word: $0.octets) }
    }

    func texts(_ name: String) throws(SignedTextRefusal) -> [String] {
        guard let value = payload[name] else { return [] }
        guard case .array(let elements) = value else { throw .malformed(.list) }
        var texts: [String] = []
        for element in elements {
            guard let text = element.text, text.utf8.count <= 255 else { throw .malformed(.text) }
            texts.append(text)
        }
        return texts
    }

    func object(_ name: String) throws(SignedTextRefusal) -> PayloadReader? {
        guard let value = payload[name] else { return nil }
        guard case .object = value else { throw .malformed(.object) }
        return PayloadReader(payload: value)
    }

    /// A point in time, in milliseconds since 1970; Xcode writes fractions of one.
    ///
    /// - Throws: `malformed` for a time before 1970 or after the year 9999.
    func time(_ name: String) throws(SignedTextRefusal) -> WallTime? {
        guard let value = payload[name] else { return nil }
        guard case .number(let digits) = value, let time = PayloadReader.time(milliseconds: digits) else {
            throw .malformed(.time)
        }
        return time
    }

    /// The last millisecond of the year 9999.
    private static let lastMillisecond = 253_402_300_799_999

    static func time(milliseconds digits: String) -> WallTime? {
        if let whole = Int(digits) {
            guard (0...lastMillisecond).contains(whole) else { return nil }
            return WallTime(microseconds: Int64(whole) * 1_000)
        }
        // Microseconds of these years are whole numbers that a Double holds.
        guard digits.utf8.count <= 40, let number = Double(digits), number >= 0, number <= Double(lastMillisecond)
        else {
            return nil
        }
        return WallTime(microseconds: Int64((number * 1_000).rounded(.down)))
    }
}
