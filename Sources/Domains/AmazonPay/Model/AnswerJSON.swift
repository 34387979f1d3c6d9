import FoundationEssentials

/// Reads the service's answers, in which every text may be one that a buyer typed, or that somebody else put there.
///
/// Foundation keeps the members of an object in a dictionary of texts, and hashing a text that is not ASCII takes time by the square
/// of its length. All names of the service are ASCII: in any other name the rest is replaced before Foundation sees it.
enum AnswerJSON {
    /// The object in an answer.
    ///
    /// - Parameter json: UTF-8; text with a zero octet, which another encoding would have, is refused.
    static func decode<Object: Decodable>(_ json: [UInt8]) throws -> Object {
        guard !json.contains(0) else {
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "not UTF-8"))
        }
        return try JSONDecoder().decode(Object.self, from: Data(plainNames(json)))
    }

    /// The same text with a question mark for every octet of a member's name that is not ASCII, written as it is or by an escape.
    ///
    /// No name of the service has a question mark, so none is made.
    static func plainNames(_ json: [UInt8]) -> [UInt8] {
        var output = json
        var index = 0
        while index < json.count {
            if json[index] == quote {
                let start = index + 1
                index = end(json, from: start)
                // Nearly every name is plain, and then nothing is copied.
                if isName(json, endingAt: index), !isPlain(json[start..<index]) {
                    hideForeign(in: &output, start..<index)
                }
            }
            index += 1
        }
        return output
    }

    /// Whether there is nothing to replace in a name: no octet beyond ASCII, and no escape.
    private static func isPlain(_ name: ArraySlice<UInt8>) -> Bool {
        name.allSatisfy { $0 < 0x80 && $0 != backslash }
    }

    /// Where the quote stands that ends a text, or the end of all.
    private static func end(_ json: [UInt8], from start: Int) -> Int {
        var index = start
        while index < json.count, json[index] != quote { index += json[index] == backslash ? 2 : 1 }
        return min(index, json.count)
    }

    /// Puts question marks in the place of octets that are not ASCII, and of the first two of escapes for such.
    private static func hideForeign(in output: inout [UInt8], _ name: Range<Int>) {
        let mark = UInt8(ascii: "?")
        var index = name.lowerBound
        while index < name.upperBound {
            if output[index] >= 0x80 { output[index] = mark }
            if output[index] == backslash {
                let isForeign = !isASCII(output, escapeAt: index)
                if isForeign { (output[index], output[index + 1]) = (mark, mark) }
                index += 1
            }
            index += 1
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Whether a colon follows the quote.
    private static func isName(_ json: [UInt8], endingAt quote: Int) -> Bool {
        var index = quote + 1
        while index < json.count, json[index] <= 0x20 { index += 1 }
        return index < json.count && json[index] == UInt8(ascii: ":")
    }

    /// Whether an escape stands for a character of ASCII: any but `\u0080` and above.
    private static func isASCII(_ json: [UInt8], escapeAt index: Int) -> Bool {
        guard index + 4 < json.count, json[index + 1] == UInt8(ascii: "u") else { return true }
        let zero = UInt8(ascii: "0")
        return json[index + 2] == zero && json[index + 3] == zero
            && (zero...UInt8(ascii: "7")).contains(json[index + 4])
    }
}
