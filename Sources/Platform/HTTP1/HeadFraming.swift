import HTTPCore
import Primitives

/// What the fields of a head say about the length of the message and the connection, RFC 9112 sections 6 and 9.
struct HeadFraming: Sendable {
    /// Whether the version is HTTP/1.0, which knows no chunks and no `100 Continue`, needs no Host, and ends each connection
    /// unless asked to keep it; known before any field.
    var isOld = false
    private var hosts = 0
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var persistence = HTTP1Persistence.usual
    private(set) var expectsContinue = false
    private var listsClose = false
    private var listsKeepAlive = false

    /// Takes note of one field.
    ///
    /// - Parameters:
    ///   - value: Without the blanks around it.
    /// - Throws: What is wrong with the field.
    mutating func note(_ kind: FramingField, _ value: Span<UInt8>) throws(HTTP1Error) {
        switch kind {
        case .host:
            hosts += 1
            guard hosts == 1, HeadFraming.isHost(value) else { throw .badHost }
        case .contentLength:
            guard contentLength == nil, let length = DecimalDigits.parse(value, limit: Int.max) else {
                throw .badContentLength
            }
            contentLength = length
        case .transferEncoding:
            guard !isChunked, value.isEqualIgnoringCase(to: "chunked") else { throw .badTransferEncoding }
            isChunked = true
        case .connection:
            if value.lists("close") { listsClose = true }
            if isOld, value.lists("keep-alive") { listsKeepAlive = true }
        case .expect:
            guard value.isEqualIgnoringCase(to: "100-continue") else { throw .unsupportedExpectation }
            expectsContinue = true
        case .none:
            break
        }
    }

    /// Judges the head as a whole.
    mutating func check() throws(HTTP1Error) {
        if isOld {
            guard !isChunked else { throw .badTransferEncoding }
            expectsContinue = false
        } else {
            guard hosts == 1 else { throw .badHost }
        }
        guard contentLength == nil || !isChunked else { throw .ambiguousLength }
        if listsClose {
            persistence = .close
        } else if isOld {
            persistence = listsKeepAlive ? .keepAlive : .close
        }
    }

    /// Whether a value has the characters of names, addresses and ports only; who is served is decided elsewhere.
    private static func isHost(_ value: Span<UInt8>) -> Bool {
        guard value.count > 0 else { return false }
        for index in value.indices where !ASCII.isHostCharacter(value[index]) { return false }
        return true
    }
}
