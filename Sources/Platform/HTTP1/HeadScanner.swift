import HTTPCore

/// Reads one head from its first byte to its empty line and can stop after any byte.
///
///     start -> method -> path -> query -> version -> lineStart -> name -> value -> valueEnd -> lineStart ...
///                     |  ^   \_____________/                 \-> end -> complete
///                     \> scheme -> authority -> path, query or version     (absolute-form)
struct HeadScanner: Sendable {
    enum Phase: UInt8, Sendable, Comparable {
        case start
        case method
        case scheme
        case authority
        case path
        case query
        case version
        case lineStart
        case name
        case value
        case valueEnd
        case end
        case complete

        static func < (left: Phase, right: Phase) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    private(set) var phase = Phase.start
    /// The next byte to look at; everything before it has been judged.
    private var next = 0
    private var targetStart = 0
    /// Zero where the target is in origin-form.
    private var authorityStart = 0
    private var authorityEnd = 0
    private var pathStart = 0
    private var pathEnd = 0
    /// Zero where there is no query.
    private var queryStart = 0
    private var targetEnd = 0
    /// Where the name of the present field begins and ends, and its value ends.
    private var nameStart = 0
    private var nameEnd = 0
    private var valueEnd = 0
    private var fieldCount = 0
    private var framing = HeadFraming()
    /// Whether the target is in absolute-form and its scheme is `http`.
    private(set) var namesClearScheme = false

    /// Where the path lies.
    var pathRange: Range<Int> { pathStart..<pathEnd }

    /// Where the query lies, without its question mark.
    var queryRange: Range<Int>? { queryStart > 0 ? queryStart..<targetEnd : nil }

    /// Where the authority of a target in absolute-form lies.
    var authorityRange: Range<Int>? { authorityStart > 0 ? authorityStart..<authorityEnd : nil }

    /// A first byte has come.
    mutating func begin() {
        phase = .method
    }

    /// What the head says about the message.
    mutating func finish() throws(HTTP1Error) -> HeadFraming {
        try framing.check()
        return framing
    }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - bytes: The head from its first byte, and perhaps what follows it; the same bytes as before with more behind.
    ///   - request: Its method is set and its fields are noted.
    /// - Throws: What is wrong with the head so far.
    /// - Returns: How long the head is, or `nil` as long as it is not complete.
    mutating func scan(
        _ bytes: Span<UInt8>,
        _ limits: HTTP1Limits,
        _ request: inout RequestHead
    ) throws(HTTP1Error) -> Int? {
        let window = bytes.extracting(0..<min(bytes.count, max(0, limits.headBytes)))
        while next < window.count, phase != .complete {
            if phase < .lineStart {
                try scanRequestLine(window, limits, &request)
            } else {
                try scanFieldLine(window, limits, &request)
            }
        }
        if phase == .complete { return next }
        guard window.count < limits.headBytes else { throw .headTooLarge }
        return nil
    }
}

// MARK: - Request line

extension HeadScanner {
    private static let longestMethod = 16
    /// `HTTP/1.1` as one number, the first character in the lowest byte.
    private static let version: UInt64 = 0x312E_312F_5054_5448

    /// Goes from one part of the line to the next as far as the bytes go.
    private mutating func scanRequestLine(
        _ bytes: Span<UInt8>,
        _ limits: HTTP1Limits,
        _ request: inout RequestHead
    ) throws(HTTP1Error) {
        if phase == .method { try scanMethod(bytes, &request) }
        if phase == .path { try scanPath(bytes, limits) }
        if phase == .scheme { try scanScheme(bytes) }
        if phase == .authority { try scanAuthority(bytes, limits) }
        if phase == .query { try scanQuery(bytes, limits) }
        if phase == .version { try scanVersion(bytes) }
    }

    private mutating func scanMethod(_ bytes: Span<UInt8>, _ request: inout RequestHead) throws(HTTP1Error) {
        var index = next
        while index < bytes.count, ASCII.isTokenCharacter(bytes[index]) { index += 1 }
        guard index <= HeadScanner.longestMethod else { throw .badMethod }
        next = index
        guard index < bytes.count else { return }
        guard index > 0, bytes[index] == ASCII.blank else { throw .badMethod }
        request.method = HTTPMethod(bytes.extracting(0..<index))
        next = index + 1
        targetStart = next
        pathStart = next
        phase = .path
    }

    private mutating func scanPath(_ bytes: Span<UInt8>, _ limits: HTTP1Limits) throws(HTTP1Error) {
        guard next < bytes.count else { return }
        if next == targetStart, bytes[next] != ASCII.slash {
            phase = .scheme
            return
        }
        var index = next
        while index < bytes.count, ASCII.isPathCharacter(bytes[index]) { index += 1 }
        next = index
        guard index - targetStart <= limits.targetBytes else { throw .targetTooLong }
        guard index < bytes.count else { return }
        pathEnd = index
        try endPath(bytes[index], at: index)
    }

    private mutating func endPath(_ byte: UInt8, at index: Int) throws(HTTP1Error) {
        next = index + 1
        guard byte == ASCII.question else { return try endTarget(byte, at: index) }
        queryStart = next
        phase = .query
    }

    /// `https://` or `http://`, of either case, compared as far as it has come.
    private mutating func scanScheme(_ bytes: Span<UInt8>) throws(HTTP1Error) {
        let expected: [8 of UInt8] = [0x68, 0x74, 0x74, 0x70, 0x73, 0x3A, 0x2F, 0x2F]
        while next < bytes.count, phase == .scheme {
            var position = next - targetStart
            if position == 4, bytes[next] == ASCII.colon { namesClearScheme = true }
            if namesClearScheme { position += 1 }
            let byte = position < 5 && !namesClearScheme ? bytes[next] | 0x20 : bytes[next]
            guard byte == expected[position] else { throw .badTarget }
            next += 1
            if position == 7 {
                authorityStart = next
                phase = .authority
            }
        }
    }

    private mutating func scanAuthority(_ bytes: Span<UInt8>, _ limits: HTTP1Limits) throws(HTTP1Error) {
        var index = next
        while index < bytes.count, ASCII.isHostCharacter(bytes[index]) { index += 1 }
        next = index
        guard index - targetStart <= limits.targetBytes else { throw .targetTooLong }
        guard index < bytes.count else { return }
        guard index > authorityStart else { throw .badTarget }
        authorityEnd = index
        if bytes[index] == ASCII.slash {
            pathStart = index
            phase = .path
            return
        }
        // No path is the path `/`, and the last slash before the authority is one.
        pathStart = authorityStart - 1
        pathEnd = authorityStart
        try endPath(bytes[index], at: index)
    }

    private mutating func scanQuery(_ bytes: Span<UInt8>, _ limits: HTTP1Limits) throws(HTTP1Error) {
        var index = next
        while index < bytes.count, ASCII.isQueryCharacter(bytes[index]) { index += 1 }
        next = index
        guard index - targetStart <= limits.targetBytes else { throw .targetTooLong }
        guard index < bytes.count else { return }
        next = index + 1
        try endTarget(bytes[index], at: index)
    }

    private mutating func endTarget(_ byte: UInt8, at index: Int) throws(HTTP1Error) {
        guard byte == ASCII.blank else { throw .badTarget }
        targetEnd = index
        phase = .version
    }

    /// `HTTP/1.1` and CR LF, compared as far as it has come; another minor version is another digit.
    private mutating func scanVersion(_ bytes: Span<UInt8>) throws(HTTP1Error) {
        // In one piece, as it nearly always comes.
        if next == targetEnd + 1, bytes.count - next >= 10, ASCII.word(bytes, at: next) == HeadScanner.version,
            bytes[next + 8] == ASCII.cr, bytes[next + 9] == ASCII.lf
        {
            next += 10
            phase = .lineStart
            return
        }
        let expected: [10 of UInt8] = [0x48, 0x54, 0x54, 0x50, 0x2F, 0x31, 0x2E, 0x31, 0x0D, 0x0A]
        while next < bytes.count, phase == .version {
            let position = next - targetEnd - 1
            let isDigit = bytes[next] >= 0x30 && bytes[next] <= 0x39
            if position == HeadScanner.minorDigit, isDigit {
                framing.isOld = bytes[next] == 0x30
            } else if bytes[next] != expected[position] {
                throw isDigit && position == HeadScanner.majorDigit ? .unsupportedVersion : .badVersion
            }
            next += 1
            if position == 9 { phase = .lineStart }
        }
    }

    private static let majorDigit = 5
    private static let minorDigit = 7
}

// MARK: - Field lines

extension HeadScanner {
    /// Goes from one part of the line to the next as far as the bytes go; straight on, with no jump that is hard to predict.
    private mutating func scanFieldLine(
        _ bytes: Span<UInt8>,
        _ limits: HTTP1Limits,
        _ request: inout RequestHead
    ) throws(HTTP1Error) {
        if phase == .lineStart { try scanLineStart(bytes, limits) }
        if phase == .name { try scanName(bytes) }
        if phase == .value { try scanValue(bytes) }
        if phase == .valueEnd { try scanValueEnd(bytes, &request) }
        if phase == .end { try scanEnd(bytes) }
    }

    private mutating func scanLineStart(_ bytes: Span<UInt8>, _ limits: HTTP1Limits) throws(HTTP1Error) {
        let byte = bytes[next]
        if byte == ASCII.cr {
            next += 1
            phase = .end
            return
        }
        guard !ASCII.isBlank(byte) else { throw .foldedLine }
        guard byte != ASCII.lf else { throw .badLineEnd }
        guard fieldCount < limits.fieldCount else { throw .tooManyFields }
        nameStart = next
        phase = .name
    }

    private mutating func scanName(_ bytes: Span<UInt8>) throws(HTTP1Error) {
        var index = next
        while index < bytes.count, ASCII.isTokenCharacter(bytes[index]) { index += 1 }
        next = index
        guard index < bytes.count else { return }
        guard index > nameStart, bytes[index] == ASCII.colon else { throw .badFieldName }
        nameEnd = index
        next = index + 1
        phase = .value
    }

    private mutating func scanValue(_ bytes: Span<UInt8>) throws(HTTP1Error) {
        var index = next
        while bytes.count - index >= 8, !ASCII.hasControlCharacter(bytes, at: index) { index += 8 }
        while index < bytes.count, ASCII.isValueCharacter(bytes[index]) { index += 1 }
        next = index
        guard index < bytes.count else { return }
        guard bytes[index] != ASCII.lf else { throw .badLineEnd }
        guard bytes[index] == ASCII.cr else { throw .badFieldValue }
        valueEnd = index
        next = index + 1
        phase = .valueEnd
    }

    private mutating func scanValueEnd(_ bytes: Span<UInt8>, _ request: inout RequestHead) throws(HTTP1Error) {
        guard next < bytes.count else { return }
        guard bytes[next] == ASCII.lf else { throw .badLineEnd }
        var start = nameEnd + 1
        var end = valueEnd
        while start < end, ASCII.isBlank(bytes[start]) { start += 1 }
        while end > start, ASCII.isBlank(bytes[end - 1]) { end -= 1 }
        let kind = request.noteField(name: nameStart..<nameEnd, value: start..<end, in: bytes)
        try framing.note(kind, bytes.extracting(start..<end))
        fieldCount += 1
        next += 1
        phase = .lineStart
    }

    private mutating func scanEnd(_ bytes: Span<UInt8>) throws(HTTP1Error) {
        guard next < bytes.count else { return }
        guard bytes[next] == ASCII.lf else { throw .badLineEnd }
        next += 1
        phase = .complete
    }
}
