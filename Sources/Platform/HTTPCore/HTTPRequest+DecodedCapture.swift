extension HTTPRequest {
    /// The text that stands escaped at a place of the route's pattern, RFC 3986 section 2.1; decoded once.
    ///
    /// - Parameter index: From zero, in the order of the pattern.
    /// - Returns: `nil` for a malformed escape, for what is not UTF-8, and for control characters.
    package func decodedCapture(_ index: Int) -> String? {
        let text = capture(index)
        // What has no escape stands for itself; control characters do not come as they are.
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(HTTPRequest.digit), let low = rest.next().flatMap(HTTPRequest.digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
