/// Collects the lines of a response's head as the library hands them over, one by one.
///
/// An interim response (1xx) is replaced by the next; lines behind the head (trailers) are dropped.
struct ResponseHead {
    private(set) var status = 0
    private(set) var fields: [(String, String)] = []
    private(set) var isComplete = false
    private var size = 0

    /// Takes one line.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of all lines together.
    /// - Returns: False for a line that belongs to no head, and beyond the limit.
    mutating func take(_ line: String, limit: Int) -> Bool {
        size += line.utf8.count
        guard size <= limit else { return false }
        let text = line.utf8.last == UInt8(ascii: "\n") ? trimmed(Substring(line).utf8) : Substring(line).utf8
        if text.starts(with: "HTTP/".utf8) { return start(text) }
        if isComplete { return true }
        guard status != 0 else { return false }
        guard !text.isEmpty else {
            isComplete = status >= 200
            return true
        }
        return add(text)
    }

    private mutating func start(_ line: Substring.UTF8View) -> Bool {
        // A second head follows an interim one only.
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard !isComplete, parts.count >= 2, parts[1].count == 3, let number = Int(Substring(parts[1])), number >= 100
        else { return false }
        status = number
        fields = []
        return true
    }

    private mutating func add(_ line: Substring.UTF8View) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex else { return false }
        let (name, value) = (line[..<colon], trimmed(line[line.index(after: colon)...]))
        fields.append((String(Substring(name)), String(Substring(value))))
        return true
    }

    private func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        var rest = text
        while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}
