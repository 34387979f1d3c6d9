package import HTTPCore

/// Reads the requests of one HTTP/1.1 connection, RFC 9112: bytes in, a filled request out.
///
/// No I/O and no clock.
///
///     start -> head -> complete                     (no content)
///                  \-> .head -> body -> complete    (content)
///     any state -> failed                           (for good)
///
/// The caller keeps a buffer. It feeds what is in there, drops `consumed` bytes, and feeds again when there are more: a
/// head stays in the buffer until it is complete and is then copied once, content is consumed as it comes. The parser
/// remembers how far it has looked, so a head that drips in byte by byte is still read once. After `complete` it is
/// ready for the next request in the buffer (pipelining); the caller feeds on when the response is written.
///
/// The grammar is strict wherever servers have been found to disagree, since a disagreement with a proxy in front is
/// how requests are smuggled. Decisions beyond the standard's letter:
///
/// - Targets in origin-form or absolute-form. The host of the latter is the request's, and a Host field has to name the same: a
///   server in front might go by the other one. Over TLS its scheme is `https`; in clear it may be either, since a proxy in
///   front may speak for clients of both kinds. Authority-form and `*` are refused.
/// - Any version 1.x: as 1.1 but for HTTP/1.0, which needs no Host, ends its connection unless it asks for `keep-alive`, is
///   never told to continue, and cannot send chunks. Another major version is answered 505.
/// - One empty line before a request is skipped, a second one is refused.
/// - Lines end in CR LF. LF alone, CR alone, folded lines and blanks before a colon are refused.
/// - Content-Length: digits, once, without a leading zero. Transfer-Encoding: `chunked`, once. Never both.
/// - Chunk extensions and trailers are ignored up to a limit each; a trailer has the form of a field line, and never becomes a
///   field. A chunk size has at most eight digits.
/// - Exactly one Host, not empty; HTTP/1.0 may have none.
package struct HTTP1RequestParser: Sendable {
    enum Stage: Sendable {
        case head
        case fixed(remaining: Int)
        case chunked(ChunkedDecoder)
        case failed(HTTP1Error)
    }

    let limits: HTTP1Limits
    private let isSecure: Bool
    var stage = Stage.head
    var head = HeadScanner()
    private var hasSkippedLine = false

    /// The greatest content of the present request in bytes; may be set when a head has come, for that request.
    package var bodyLimit: Int

    /// Whether the connection may carry another request after the present one, and what the answer says of it.
    package private(set) var persistence = HTTP1Persistence.usual

    /// A parser at the start of a connection.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the bytes come out of TLS.
    package init(limits: HTTP1Limits = HTTP1Limits(), isSecure: Bool = false) {
        self.limits = limits
        self.isSecure = isSecure
        bodyLimit = limits.bodyBytes
    }

    /// Whether a request has begun and is not complete: the connection is not idle.
    package var isInsideRequest: Bool {
        if case .head = stage { return head.phase != .start }
        return true
    }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - bytes: Everything that has come and was not consumed.
    ///   - request: Is filled; the same one from the first byte of a request until `complete`.
    /// - Returns: How many bytes to drop, and what they led to.
    package mutating func feed(_ bytes: Span<UInt8>, into request: HTTPRequest) -> ParseStep {
        do throws(HTTP1Error) {
            switch stage {
            case .head:
                let wasInside = isInsideRequest
                var head = request.takeHead()
                defer { request.giveHead(head) }
                let step = try readHead(bytes, &head)
                // Not before a request begins: somebody may still be looking at the one before.
                if !wasInside, isInsideRequest || step.outcome == .complete { request.clearBody() }
                return step
            case .fixed(let remaining):
                return try readFixed(bytes, remaining, request)
            case .chunked(let decoder):
                return try readChunked(bytes, decoder, request)
            case .failed(let error):
                throw error
            }
        } catch {
            stage = .failed(error)
            persistence = .close
            return ParseStep(consumed: 0, outcome: .failed(error))
        }
    }
}

// MARK: - Head

extension HTTP1RequestParser {
    /// Holds the head of the request for the whole time: each access to a property of an object is checked and costs.
    private mutating func readHead(
        _ bytes: Span<UInt8>,
        _ request: inout RequestHead
    ) throws(HTTP1Error) -> ParseStep {
        var skipped = 0
        if head.phase == .start {
            guard let start = try skipEmptyLine(bytes) else { return ParseStep(consumed: 0, outcome: .needMore) }
            skipped = start
            guard start < bytes.count else { return ParseStep(consumed: start, outcome: .needMore) }
            request.reset()
            bodyLimit = limits.bodyBytes
            persistence = .usual
            head.begin()
        }
        let rest = bytes.extracting(skipped...)
        guard let length = try head.scan(rest, limits, &request) else {
            return ParseStep(consumed: skipped, outcome: .needMore)
        }
        let outcome = try finishHead(rest.extracting(0..<length), &request)
        return ParseStep(consumed: skipped + length, outcome: outcome)
    }

    /// Where the request line begins, or `nil` where that is not known yet.
    private mutating func skipEmptyLine(_ bytes: Span<UInt8>) throws(HTTP1Error) -> Int? {
        guard bytes.count > 0, bytes[0] == ASCII.cr || bytes[0] == ASCII.lf else { return 0 }
        guard bytes[0] == ASCII.cr, !hasSkippedLine else { throw .badEmptyLine }
        guard bytes.count > 1 else { return nil }
        guard bytes[1] == ASCII.lf else { throw .badEmptyLine }
        hasSkippedLine = true
        guard bytes.count == 2 || (bytes[2] != ASCII.cr && bytes[2] != ASCII.lf) else { throw .badEmptyLine }
        return 2
    }

    private mutating func finishHead(
        _ bytes: Span<UInt8>,
        _ request: inout RequestHead
    ) throws(HTTP1Error) -> ParseStep.Outcome {
        let found = try head.finish()
        if let authority = head.authorityRange {
            guard !isSecure || !head.namesClearScheme else { throw .badTarget }
            guard request.noteAuthority(authority, in: bytes) else { throw .badHost }
        }
        request.noteTarget(path: head.pathRange, query: head.queryRange)
        request.adopt(bytes)
        persistence = found.persistence
        head = HeadScanner()
        hasSkippedLine = false
        if found.isChunked {
            stage = .chunked(ChunkedDecoder())
            return .head(BodyAnnouncement(length: nil, expectsContinue: found.expectsContinue))
        }
        guard let length = found.contentLength, length > 0 else { return .complete }
        stage = .fixed(remaining: length)
        return .head(BodyAnnouncement(length: length, expectsContinue: found.expectsContinue))
    }
}

// MARK: - Content

extension HTTP1RequestParser {
    private mutating func readFixed(
        _ bytes: Span<UInt8>,
        _ remaining: Int,
        _ request: HTTPRequest
    ) throws(HTTP1Error) -> ParseStep {
        guard remaining <= bodyLimit - request.body.count else { throw .bodyTooLarge }
        let count = min(remaining, bytes.count)
        request.body.append(bytes.extracting(0..<count))
        guard count == remaining else {
            stage = .fixed(remaining: remaining - count)
            return ParseStep(consumed: count, outcome: .needMore)
        }
        stage = .head
        return ParseStep(consumed: count, outcome: .complete)
    }

    private mutating func readChunked(
        _ bytes: Span<UInt8>,
        _ previous: ChunkedDecoder,
        _ request: HTTPRequest
    ) throws(HTTP1Error) -> ParseStep {
        var decoder = previous
        let limit = ChunkedDecoder.Limit(
            content: bodyLimit,
            extensions: limits.chunkExtensionBytes,
            trailers: limits.trailerBytes
        )
        let consumed = try decoder.decode(bytes, limit, into: request)
        guard decoder.isComplete else {
            stage = .chunked(decoder)
            return ParseStep(consumed: consumed, outcome: .needMore)
        }
        stage = .head
        return ParseStep(consumed: consumed, outcome: .complete)
    }
}
