package import HTTPCore

/// What has come of the bytes a client's session was given; to be taken in order.
package enum HTTP2ClientEvent {
    /// A request is over; its stream is not known any more.
    case over(stream: Int32, Result<InboundResponse, HTTPExchangeError>)
    /// The server takes no more requests; those that it has not taken are over as `refused`.
    case goAway(HTTP2GoAway)
    /// The server has answered a PING.
    case pong
}

/// How a server announces the end of a connection.
package struct HTTP2GoAway: Sendable, Equatable {
    /// The last stream that it may have acted on.
    package let lastStream: Int32
    /// RFC 9113 section 7; 0 for an end without an error.
    package let code: UInt32
    /// Its reason, for operators: the first 512 bytes, printable ASCII.
    package let reason: String
}

/// What one connection to a server may take of this side.
package struct HTTP2ClientLimits: Sendable, Hashable {
    /// Requests that are under way at the same time, whatever the server allows: 1,000.
    package var streams = 1_000
    /// The fields of one answer, interim ones among them, with 32 for each: 8,192 bytes.
    package var headBytes = 8_192
    /// The content of one answer: 8,192 bytes.
    package var bodyBytes = 8_192

    /// The defaults.
    package init() {}
}
