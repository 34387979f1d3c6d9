package import Primitives
package import StrictJSON

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = try? JSONParser.parse(Array(try container.decode(String.self).utf8)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not JSON in a text")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Digest32: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Hex.decode(try container.decode(String.self)), let digest = Digest32(bytes.span) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a digest")
        }
        self = digest
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Hex.encode(bytes))
    }
}
