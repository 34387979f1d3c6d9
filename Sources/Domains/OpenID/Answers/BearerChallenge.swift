import Primitives

/// The error in a `WWW-Authenticate` field of a userinfo endpoint.
///
/// Some providers have left out the commas and even the scheme's name, so pairs are read wherever they stand.
enum BearerChallenge {
    /// The value of `error`, or `nil` where there is none.
    static func error(in field: String) -> String? {
        var rest = Array(field.utf8)[...]
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = rest[..<equals].reversed().prefix(while: isWordByte).reversed()
            let isError = name.elementsEqual("error".utf8)
            rest = rest[(equals + 1)...].drop { $0 == 0x20 }
            let value = takeValue(&rest)
            if isError { return String(decoding: value, as: UTF8.self) }
        }
        return nil
    }

    /// A quoted text, with its escapes undone, or a word.
    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else {
            let word = rest.prefix(while: isWordByte)
            rest = rest[word.endIndex...]
            return Array(word)
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { break }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            if let escaped = rest.popFirst() { value.append(escaped) }
        }
        return value
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "=")
            && byte != UInt8(ascii: "\"")
    }
}
