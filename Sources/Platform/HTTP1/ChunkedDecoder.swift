import HTTPCore
import Primitives

/// Takes the chunked coding off, RFC 9112 section 7.1, and can stop after any byte.
///
///     size -> [extension] -> sizeEnd -> data -> dataCR -> dataLF -> size ...
///                                   \-> lineStart -> lastLF -> complete       (size 0)
///                                       |       ^
///                                       \> trailerName -> trailerValue -> trailerLF -> lineStart
///
/// Trailers are held to the form of a field line and to a limit, and dropped: merged with the head they would be a way around
/// every check on it.
struct ChunkedDecoder: Sendable {
    private enum State: Sendable {
        case size
        case extensions
        case sizeEnd
        case data
        case dataCR
        case dataLF
        case lineStart
        case trailerName
        case trailerValue
        case trailerLF
        case lastLF
        case complete
    }

    /// How much is accepted in one request.
    struct Limit {
        /// Bytes of content.
        let content: Int
        /// Bytes of chunk extensions.
        let extensions: Int
        /// Bytes of trailers.
        let trailers: Int
    }

    /// Eight digits are four gigabytes; more digits than any client needs are a way to overflow somebody's number.
    private static let longestSize = 8

    private var state = State.size
    private var digits = 0
    /// The size that is being read, then what remains of the chunk.
    private var remaining = 0
    private var extensionBytes = 0
    private var trailerBytes = 0

    /// Whether the last chunk and the empty line behind it have come.
    var isComplete: Bool { state == .complete }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - bytes: What has come and was not consumed.
    /// - Throws: `badChunk`, `bodyTooLarge`, or what is wrong with a trailer.
    /// - Returns: How many bytes were consumed: all, or up to the end of the content.
    mutating func decode(
        _ bytes: Span<UInt8>,
        _ limit: Limit,
        into request: HTTPRequest
    ) throws(HTTP1Error) -> Int {
        var index = 0
        while index < bytes.count, state != .complete {
            if state == .data {
                let count = min(remaining, bytes.count - index)
                request.body.append(bytes.extracting(index..<(index + count)))
                remaining -= count
                index += count
                if remaining == 0 { state = .dataCR }
            } else {
                try frame(bytes[index], limit, contentSoFar: request.body.count)
                index += 1
            }
        }
        return index
    }

    /// One byte that is not content.
    private mutating func frame(_ byte: UInt8, _ limit: Limit, contentSoFar: Int) throws(HTTP1Error) {
        switch state {
        case .size: try readSize(byte)
        case .extensions: try readExtension(byte, limit)
        case .sizeEnd:
            try expect(byte, ASCII.lf, then: remaining == 0 ? .lineStart : .data)
            guard remaining <= limit.content - contentSoFar else { throw .bodyTooLarge }
            digits = 0
        case .dataCR: try expect(byte, ASCII.cr, then: .dataLF)
        case .dataLF: try expect(byte, ASCII.lf, then: .size)
        case .lineStart where byte == ASCII.cr: state = .lastLF
        case .lastLF: try expect(byte, ASCII.lf, then: .complete)
        case .lineStart, .trailerName, .trailerValue, .trailerLF: try readTrailer(byte, limit)
        case .data, .complete: break
        }
    }

    private mutating func readSize(_ byte: UInt8) throws(HTTP1Error) {
        if let digit = Hex.value(of: byte) {
            digits += 1
            guard digits <= ChunkedDecoder.longestSize else { throw .badChunk }
            remaining = remaining << 4 | Int(digit)
            return
        }
        guard digits > 0, byte == ASCII.cr || byte == ASCII.semicolon else { throw .badChunk }
        state = byte == ASCII.cr ? .sizeEnd : .extensions
    }

    private mutating func readExtension(_ byte: UInt8, _ limit: Limit) throws(HTTP1Error) {
        if byte == ASCII.cr {
            state = .sizeEnd
            return
        }
        extensionBytes += 1
        let isText = (byte >= ASCII.blank && byte < ASCII.delete) || byte == ASCII.tab
        guard isText, extensionBytes <= limit.extensions else { throw .badChunk }
    }

    private mutating func readTrailer(_ byte: UInt8, _ limit: Limit) throws(HTTP1Error) {
        trailerBytes += 1
        guard trailerBytes <= limit.trailers else { throw .headTooLarge }
        switch state {
        case .trailerValue where byte == ASCII.cr: state = .trailerLF
        case .trailerValue:
            guard ASCII.isValueCharacter(byte) else { throw byte == ASCII.lf ? .badLineEnd : .badFieldValue }
        case .trailerLF:
            guard byte == ASCII.lf else { throw .badLineEnd }
            state = .lineStart
        case .trailerName where byte == ASCII.colon: state = .trailerValue
        case .lineStart where ASCII.isBlank(byte): throw .foldedLine
        case .lineStart where byte == ASCII.lf: throw .badLineEnd
        default:
            guard ASCII.isTokenCharacter(byte) else { throw .badFieldName }
            state = .trailerName
        }
    }

    private mutating func expect(_ byte: UInt8, _ wanted: UInt8, then following: State) throws(HTTP1Error) {
        guard byte == wanted else { throw .badChunk }
        state = following
    }
}
