/// One frame of HTTP/2 as a test sends or receives it, right or wrong.
package struct HTTP2Frame: Sendable, Equatable {
    /// The types of RFC 9113 section 6.
    package enum Kind: UInt8, Sendable {
        /// Content.
        case data
        /// A head, or the begin of one.
        case headers
        /// The old way to say what matters.
        case priority
        /// The end of a stream.
        case reset
        /// What one side wants of the other.
        case settings
        /// A promise that only servers may make.
        case pushPromise
        /// A question for a sign of life.
        case ping
        /// The end of a connection.
        case goAway
        /// Room for content.
        case windowUpdate
        /// More of a head.
        case continuation
    }

    /// The type's number.
    package var type: UInt8
    /// The flags, all of them.
    package var flags: UInt8
    /// The stream, 0 for the connection.
    package var stream: UInt32
    /// What follows the nine bytes of the frame's head.
    package var payload: [UInt8]
    /// The length to announce; `nil` for the true one.
    package var announcedLength: Int?

    /// END_STREAM, and ACK.
    package static let end: UInt8 = 1
    /// END_HEADERS.
    package static let endHeaders: UInt8 = 4
    /// PADDED.
    package static let padded: UInt8 = 8

    /// The given frame.
    ///
    /// - Parameters:
    ///   - stream: 0 for the connection.
    ///   - payload: Any bytes.
    package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// The given frame.
    ///
    /// - Parameters:
    ///   - stream: 0 for the connection.
    ///   - payload: Any bytes.
    package init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.init(type: kind.rawValue, flags: flags, stream: stream, payload)
    }

    /// What kind of frame it is; `nil` for a type that the standard does not know.
    package var kind: Kind? { Kind(rawValue: type) }

    /// Whether its stream ends with it, or whether it acknowledges.
    package var ends: Bool { flags & HTTP2Frame.end != 0 }

    /// The number in four bytes of the payload: a code, a last stream, an increment.
    ///
    /// - Returns: 0 where the payload is shorter.
    package func number(at offset: Int = 0) -> UInt32 {
        guard payload.count >= offset + 4 else { return 0 }
        return payload[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Wire

    /// The bytes that a client begins with.
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The frame's bytes.
    package var bytes: [UInt8] {
        let length = announcedLength ?? payload.count
        let head = [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
        return head + [UInt8(truncatingIfNeeded: length), type, flags] + HTTP2Frame.four(stream) + payload
    }

    /// A number as four bytes.
    ///
    /// - Returns: The highest byte first.
    package static func four(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
    }

    /// Takes the first frame off some bytes.
    ///
    /// - Returns: `nil` where it is not complete.
    package static func take(from bytes: inout [UInt8]) -> HTTP2Frame? {
        guard bytes.count >= 9 else { return nil }
        let length = bytes[..<3].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 9 + length else { return nil }
        let stream = bytes[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let frame = HTTP2Frame(type: bytes[3], flags: bytes[4], stream: stream, Array(bytes[9..<9 + length]))
        bytes.removeFirst(9 + length)
        return frame
    }
}

// MARK: - Usual frames

extension HTTP2Frame {
    /// A frame of settings.
    ///
    /// - Returns: Without the flag that acknowledges.
    package static func settings(_ values: [(UInt16, UInt32)] = []) -> HTTP2Frame {
        HTTP2Frame(.settings, values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + four($0.1) })
    }

    /// A head in one frame.
    ///
    /// - Parameters:
    ///   - stream: An odd number, greater than those before.
    ///   - fields: Pseudo-fields first, unless the test is about that.
    ///   - ends: Whether no content follows.
    package static func headers(_ stream: UInt32, _ fields: [(String, String)], ends: Bool = true) -> HTTP2Frame {
        HTTP2Frame(.headers, flags: endHeaders | (ends ? end : 0), stream: stream, block(fields))
    }

    /// Content.
    ///
    /// - Parameters:
    ///   - stream: An open one.
    ///   - ends: Whether the stream ends with it.
    /// - Returns: Without padding.
    package static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = true) -> HTTP2Frame {
        HTTP2Frame(.data, flags: ends ? end : 0, stream: stream, bytes)
    }

    /// Room for content.
    ///
    /// - Parameters:
    ///   - stream: 0 for the connection.
    ///   - increment: In bytes.
    /// - Returns: A frame of four bytes.
    package static func window(_ stream: UInt32, _ increment: UInt32) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, four(increment))
    }

    /// The end of a stream.
    ///
    /// - Parameters:
    ///   - stream: An open one.
    ///   - code: 8 says that it is not wanted any more.
    /// - Returns: A frame of four bytes.
    package static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> HTTP2Frame {
        HTTP2Frame(.reset, stream: stream, four(code))
    }

    /// Fields as literals without an index: the plainest form there is.
    ///
    /// - Parameter fields: Sent as they are, wrong ones too.
    package static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + text($0.0) + text($0.1) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length = [UInt8(127)]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    /// The fields of a plain request.
    ///
    /// - Parameters:
    ///   - path: Path and query.
    ///   - method: For example `POST`.
    /// - Returns: Four pseudo-fields and the further ones.
    package static func request(
        _ path: String = "/",
        method: String = "GET",
        _ more: [(String, String)] = []
    ) -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":authority", "a"), (":path", path)] + more
    }
}
