/// How much of a peer's request is accepted.
package struct HTTP1Limits: Sendable, Hashable {
    /// The length of a head: 16,384 bytes from the request line to the empty line, line ends included.
    ///
    /// Beyond it: 431.
    package var headBytes = 16_384
    /// The length of a request target: 8,192 bytes.
    ///
    /// Beyond it: 414.
    package var targetBytes = 8_192
    /// The number of field lines: 64.
    ///
    /// Beyond it: 431.
    package var fieldCount = 64
    /// The length of the content after decoding, unless a route sets its own: 16,384 bytes.
    ///
    /// Beyond it: 413.
    package var bodyBytes = 16_384
    /// The length of all chunk extensions of a request, which are read and ignored: 1,024 bytes.
    ///
    /// Beyond it: 400.
    package var chunkExtensionBytes = 1_024
    /// The length of all trailers of a request, line ends included, which are read and ignored: 1,024 bytes.
    ///
    /// Beyond it: 431.
    package var trailerBytes = 1_024

    /// The defaults.
    package init() {}
}
