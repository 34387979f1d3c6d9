import Primitives

/// JSON with its members in a fixed order, so that one value has one text.
indirect enum JSONText {
    case flag(Bool)
    case text(String)
    case list([JSONText])
    case members([(String, JSONText)])

    var bytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    private func append(to output: inout [UInt8]) {
        switch self {
        case .flag(let flag):
            output += (flag ? "true" : "false").utf8
        case .text(let text):
            JSONText.append(text, to: &output)
        case .list(let items):
            output.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                item.append(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .members(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONText.append(member.0, to: &output)
                output.append(UInt8(ascii: ":"))
                member.1.append(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                output += "\\u00".utf8
                Hex.append([byte].span, to: &output)
            default:
                output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
