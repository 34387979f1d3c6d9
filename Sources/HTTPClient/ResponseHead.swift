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
    ///   - line: With its line end.
    ///   - limit: The most bytes of all lines together.
    /// - Returns: False for a line that belongs to no head, and beyond the limit.
    mutating func take(_ line: String, limit: Int) -> Bool {
        size += line.utf8.count
        guard size <= limit else { return false }
        let text = line.utf8.last == UInt8(ascii: "\n") ? trimmed(line[...]) : line[...]
        if text.hasPrefix("HTTP/") { return start(text) }
        if isComplete { return true }
        guard status != 0 else { return false }
        guard !text.isEmpty else {
            isComplete = status >= 200
            return true
        }
        return add(text)
    }

    private mutating func start(_ line: Substring) -> Bool {
        // A second head follows an interim one only.
        let parts = line.split(separator: " ", maxSplits: 2)
        guard !isComplete, parts.count >= 2, parts[1].utf8.count == 3, let number = Int(parts[1]), number >= 100 else {
            return false
        }
        status = number
        fields = []
        return true
    }

    private mutating func add(_ line: Substring) -> Bool {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex else { return false }
        fields.append((String(line[..<colon]), String(trimmed(line[line.utf8.index(after: colon)...]))))
        return true
    }

    private func trimmed(_ text: Substring) -> Substring {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        var rest = text.utf8
        while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return Substring(rest)
    }
}
