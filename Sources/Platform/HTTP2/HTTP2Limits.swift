/// What one HTTP/2 connection may ask for.
package struct HTTP2Limits: Sendable, Hashable {
    /// Streams that are open at the same time, those included whose handlers still run after a reset: 100.
    ///
    /// Announced; beyond it the stream is refused, after which the client may try again.
    package var streams = 100
    /// The length that the head would have over HTTP/1.1, so that one limit is the same over both: 16,384 bytes.
    ///
    /// A cookie in pieces counts as the one field that it is. Beyond it: 431.
    package var headBytes = 16_384
    /// Fields that the head would have over HTTP/1.1, `:authority` as Host and all pieces of a cookie as one: 64.
    ///
    /// Beyond it: 431.
    package var fieldCount = 64
    /// The length of all trailers as lines, which are read and ignored: 1,024 bytes.
    ///
    /// Beyond it: 431.
    package var trailerBytes = 1_024
    /// What of one block of fields is read at all, as RFC 9113 counts it, with 32 for each field and each piece: 262,144 bytes.
    ///
    /// Announced; beyond it the end of the connection. As much is read, only to be dropped, of a head over HTTP/1.1.
    static let listBytes = 262_144
    /// Heads of requests whose content is awaited that a connection may hold, beside the first: 65,536 bytes.
    ///
    /// Beyond it the stream is refused, after which the client may try again.
    package var awaitedHeadBytes = 65_536
    /// Heads of all requests of a connection that are not answered: 262,144 bytes.
    ///
    /// Beyond it the stream is refused, after which the client may try again.
    package var unansweredHeadBytes = 262_144
    /// The length of a request target: 8,192 bytes.
    ///
    /// Beyond it: 414.
    package var targetBytes = 8_192
    /// Content of one request that may be on its way: 65,536 bytes.
    package var streamWindow = 65_536
    /// Content of all requests of the connection that have not been answered: 262,144 bytes.
    ///
    /// A request's share comes back when it is answered, so this bounds the memory for content.
    package var connectionWindow = 262_144
    /// Frames of each kind that bring no work along which may come at once; kinds differ by a factor.
    package var frameBurst = 100
    /// How many of them come to be allowed again in a second.
    package var framesPerSecond = 10

    /// The defaults.
    package init() {}
}
