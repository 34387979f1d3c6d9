import FoundationEssentials

/// A JSON value, for reading a configuration file whose shape is the table of settings.
enum JSONTree: Sendable, Equatable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([JSONTree])
    case object([String: JSONTree])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONTree].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    /// The value of a JSON text.
    ///
    /// - Parameter bytes: UTF-8.
    /// - Returns: The value.
    /// - Throws: What the toolchain's decoder throws for a malformed text.
    static func parse(_ bytes: [UInt8]) throws -> JSONTree {
        try JSONDecoder().decode(JSONTree.self, from: Data(bytes))
    }

    /// The text of a scalar as a setting reads it, or `nil` for an array or object.
    var scalarText: String? {
        switch self {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .number(let value): value == value.rounded() && value.magnitude < 1e15 ? String(Int(value)) : String(value)
        case .text(let value): value
        case .array, .object: nil
        }
    }
}

extension JSONTree {
    /// A text as a JSON string, with everything escaped that has to be.
    ///
    /// - Parameter text: Any text.
    /// - Returns: With its quotation marks.
    static func quoted(_ text: String) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output + "\""
    }
}
