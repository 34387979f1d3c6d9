/// What one HTTP/2 connection may ask for.
package struct HTTP2Limits: Sendable, Hashable {
    /// Streams that are open at the same time, those included whose handlers still run after a reset: 100.
    ///
    /// Announced; beyond it the stream is refused, after which the client may try again.
    package var streams = 100
    /// Bytes of names and values of a request, with 32 for each field as RFC 9113 counts them: 18,432.
    ///
    /// Announced; beyond it 431, beyond twice as much the end of the connection.
    package var fieldBytes = 16_384 + 64 * 32
    /// Fields of a request, pseudo-fields not counted: 64.
    ///
    /// Beyond it 431, beyond four times as many the end of the connection.
    package var fieldCount = 64
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
