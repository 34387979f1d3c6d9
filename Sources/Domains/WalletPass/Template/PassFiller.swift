import Primitives
import StrictJSON

/// Puts values into the texts of pass.json, each as a value: nothing in one changes the structure around it.
struct PassFiller {
    let values: [OctetText: PassValue]
    /// Keys of translations, which no value becomes by accident.
    let keys: Set<OctetText>
    private(set) var report = PassReport()

    init(_ fields: [String: PassValue], keys: Set<OctetText>) {
        var values: [OctetText: PassValue] = [:]
        for (name, value) in fields { values[name.octets] = value }
        self.values = values
        self.keys = keys
    }

    /// The value with its placeholders filled.
    ///
    /// - Parameters:
    ///   - name: The member that it belongs to, directly or as an element of a list.
    ///   - isFree: Whether the format leaves the type of a value open.
    mutating func filled(_ value: JSONValue, name: String = "", isFree: Bool = false) -> JSONValue {
        switch value {
        case .object(let members):
            return .object(
                members.map { member in
                    let isFree = isFree || member.name.octets == "userInfo"
                    return JSONMember(member.name, filled(member.value, name: member.name, isFree: isFree))
                }
            )
        case .array(let elements): return .array(elements.map { filled($0, name: name, isFree: isFree) })
        case .string(let text): return filled(text, name.octets, isFree: isFree)
        case .null, .bool, .number: return value
        }
    }

    private mutating func filled(_ text: String, _ name: OctetText, isFree: Bool) -> JSONValue {
        let template = PlaceholderText(text)
        guard template.hasPlaceholders else { return .string(text) }
        if let only = template.onlyName, case .integer(let number)? = values[only.octets],
            isFree || PassFormat.numbers.contains(name)
        {
            return .number(String(number))
        }
        let use = PlaceholderUse(of: name)
        var written = ""
        for piece in template.pieces {
            switch piece {
            case .literal(let literal): written += literal
            case .placeholder(let placeholder):
                guard let value = values[placeholder.octets] else {
                    report.error(.placeholder, at: name.string, "no value for {{\(placeholder)}}")
                    continue
                }
                written += use.written(value)
            }
        }
        // Nobody sees a word joiner, and no translation is found for a text with it.
        let isKey = template.beginsOpen && PassFiller.localized.contains(name) && keys.contains(written.octets)
        return .string(isKey ? written + "\u{2060}" : written)
    }

    /// Members that phones translate where they equal a key.
    private static let localized = PassFormat.words(
        "label value attributedValue altText relevantText logoText eventLogoText description organizationName"
    )
}

/// How a value is written into a text.
private enum PlaceholderUse {
    case plain
    case markup
    case address

    init(of member: OctetText) {
        if member == "attributedValue" {
            self = .markup
        } else if PassFormat.addresses.contains(member) && member.ends(with: "URL") {
            self = .address
        } else {
            self = .plain
        }
    }

    func written(_ value: PassValue) -> String {
        let text =
            switch value {
            case .text(let text): text
            case .integer(let number): String(number)
            }
        return switch self {
        case .plain: text
        case .markup: PlaceholderUse.escaped(text)
        case .address: PlaceholderUse.percentEncoded(text)
        }
    }

    private static func escaped(_ text: String) -> String {
        var output: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "&"): output += "&amp;".utf8
            case UInt8(ascii: "<"): output += "&lt;".utf8
            case UInt8(ascii: ">"): output += "&gt;".utf8
            case UInt8(ascii: "\""): output += "&quot;".utf8
            case UInt8(ascii: "'"): output += "&#39;".utf8
            default: output.append(octet)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func percentEncoded(_ text: String) -> String {
        var output: [UInt8] = []
        for octet in text.utf8 {
            if PassName.needsNoEscape(String(decoding: [octet], as: UTF8.self)) {
                output.append(octet)
            } else {
                output.append(UInt8(ascii: "%"))
                output += Hex.encode([octet]).uppercased().utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
