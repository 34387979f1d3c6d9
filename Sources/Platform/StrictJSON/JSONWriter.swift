import Primitives

extension JSONValue: CustomStringConvertible {
    /// The value as compact text without a line break.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as compact UTF-8 text without a line break.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    /// Appends the value as compact UTF-8 text without a line break.
    package func append(to output: inout [UInt8]) {
        append(to: &output, inOrderOfNames: false)
    }

    /// Appends the value as compact UTF-8 text with the members of every object in the order of their names, by octets.
    ///
    /// - Parameter output: Gets the same octets for every spelling of the value: order, blanks and escapes make no difference,
    ///   the digits of numbers do.
    package func appendSorted(to output: inout [UInt8]) {
        append(to: &output, inOrderOfNames: true)
    }

    /// The value as text for people, each member of an object on a line of its own; the members of arrays are compact.
    package var indented: String {
        var output: [UInt8] = []
        appendLines(to: &output, depth: 0)
        return String(decoding: output, as: UTF8.self)
    }

    private func appendLines(to output: inout [UInt8], depth: Int) {
        guard case .object(let members) = self, !members.isEmpty else { return append(to: &output) }
        output.append(contentsOf: "{".utf8)
        for (index, member) in members.enumerated() {
            output.append(contentsOf: (index > 0 ? ",\n" : "\n").utf8)
            output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth + 2))
            JSONValue.append(member.name, to: &output)
            output.append(contentsOf: ": ".utf8)
            member.value.appendLines(to: &output, depth: depth + 1)
        }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        output.append(UInt8(ascii: "}"))
    }

    private func append(to output: inout [UInt8], inOrderOfNames sorts: Bool) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
        case .number(let digits): output.append(contentsOf: digits.utf8)
        case .string(let text): JSONValue.append(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.append(to: &output, inOrderOfNames: sorts)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            let members = sorts ? JSONValue.sorted(members) : members
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONValue.append(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.append(to: &output, inOrderOfNames: sorts)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// The members themselves where they are in order, as those of most small objects are.
    private static func sorted(_ members: [JSONMember]) -> [JSONMember] {
        let isInOrder = members.indices.dropFirst().allSatisfy { members[$0 - 1].name.octets < members[$0].name.octets }
        return isInOrder ? members : members.sorted { $0.name.octets < $1.name.octets }
    }

    /// Appends a text with its quotation marks and escapes.
    package static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case UInt8(ascii: "\n"): output.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): output.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): output.append(contentsOf: "\\t".utf8)
            case 0..<0x20, 0x7F:
                output.append(contentsOf: "\\u00".utf8)
                Hex.append([byte].span, to: &output)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
