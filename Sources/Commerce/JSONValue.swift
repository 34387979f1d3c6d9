/// A JSON text as a tree, for what this program stores and reads back.
///
/// Objects keep the order of their members, so the same value always gives the same bytes. Numbers are whole. Not for
/// texts that strangers write.
enum JSONValue {
    case null
    case number(Int64)
    case text(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The value behind a text.
    ///
    /// - Throws: `malformed` for anything `text` would not write, spaces between tokens apart.
    init(_ text: String) throws(CommerceError) {
        var reader = JSONReader(text)
        self = try reader.whole()
    }

    /// The value as text, without a space, members in their order.
    var text: String {
        var output: [UInt8] = []
        append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The first member with a name, or `nil`.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == name }?.1
    }

    var textValue: String? {
        guard case .text(let value) = self else { return nil }
        return value
    }

    var numberValue: Int64? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// Text, or null where there is none.
    static func optional(_ text: String?) -> JSONValue {
        text.map { .text($0) } ?? .null
    }

    private func append(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .number(let number): output += String(number).utf8
        case .text(let text): JSONValue.append(text, to: &output)
        case .array(let values):
            JSONValue.append(values, "[", "]", to: &output) { value, output in value.append(to: &output) }
        case .object(let members):
            JSONValue.append(members, "{", "}", to: &output) { member, output in
                JSONValue.append(member.0, to: &output)
                output.append(UInt8(ascii: ":"))
                member.1.append(to: &output)
            }
        }
    }

    private static func append<Element>(
        _ elements: [Element],
        _ open: Unicode.Scalar,
        _ close: Unicode.Scalar,
        to output: inout [UInt8],
        _ body: (Element, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: open))
        for index in elements.indices {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            body(elements[index], &output)
        }
        output.append(UInt8(ascii: close))
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0..<0x20:
                output += "\\u00".utf8
                output += [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") + $0 - 10 }
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
