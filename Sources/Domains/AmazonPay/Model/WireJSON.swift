import FoundationEssentials

/// Writes bodies: members sorted by name, slashes as they are, no blanks, so that one value has one text.
enum WireJSON {
    static func octets(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            // Texts, whole numbers and flags only: there is nothing an encoder could refuse.
            preconditionFailure("bodies hold nothing that JSON cannot")
        }
    }
}
