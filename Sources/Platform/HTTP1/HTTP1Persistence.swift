/// Whether a connection goes on behind a response, and how the response says so; RFC 9112 section 9.3.
package enum HTTP1Persistence: Sendable, Hashable {
    /// It goes on, as in HTTP/1.1 it does where nothing is said.
    case usual
    /// It goes on, as an HTTP/1.0 client has asked for: `Connection: keep-alive`.
    case keepAlive
    /// It ends: `Connection: close`.
    case close
}
