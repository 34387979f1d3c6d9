package import HTTPCore

/// What has come of the bytes a session was given; to be taken in order.
package enum HTTP2Event {
    /// A head is complete and content is to come: the route's limit is wanted.
    case head(HTTP2Stream)
    /// A request is complete.
    case request(HTTP2Stream)
    /// A request breaks a limit or cannot be served; it gets an answer with this status.
    case refusal(HTTP2Stream, HTTPStatus)
    /// A stream has ended: answered in full, or reset by one side.
    ///
    /// Whatever runs for it is cancelled; when that has ended too the stream is given back.
    case closed(HTTP2Stream)
    /// The peer has seen that the session is about to end.
    case goAwaySeen
}

/// Why a session ends, in the words of RFC 9113 section 7.
package enum HTTP2ErrorCode: UInt32, Sendable, Hashable {
    /// Nothing is wrong.
    case noError = 0
    /// The peer has broken the protocol.
    case protocolError = 1
    /// This side has failed.
    case internalError = 2
    /// A stream's closing bytes came too late.
    case streamClosed = 5
    /// Nothing was done for the stream; it may be tried again.
    case refusedStream = 7
    /// The stream is not wanted any more.
    case cancel = 8
    /// The peer causes more work than its requests need.
    case enhanceYourCalm = 11
}

/// Why a session cannot go on.
package struct HTTP2Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// The library's number.
    package let code: Int32
    /// The library's words, for operators.
    package let description: String
}
