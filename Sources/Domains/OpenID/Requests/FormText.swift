import Primitives

/// Fields as `application/x-www-form-urlencoded`; a blank is `%20`, which works everywhere.
enum FormText {
    static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    static func encode(_ text: String) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            if Base64URL.contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~") {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output += Hex.encode([byte]).utf8.map { (0x61...0x66).contains($0) ? $0 & 0xDF : $0 }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
