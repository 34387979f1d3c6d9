extension ServerConfiguration {
    /// HTTP/2 under TLS.
    static let http2Name = "h2"

    /// What a TLS listener agrees on by ALPN, the favourite first.
    ///
    /// The name of HTTP/1.0 is among them: a client that offers it alone is served without TLS, and would be cut off in the
    /// handshake.
    ///
    /// - Parameter isHTTP2Offered: Whether HTTP/2 is spoken.
    /// - Returns: For the context of the listener.
    package static func protocolNames(withHTTP2 isHTTP2Offered: Bool) -> [String] {
        (isHTTP2Offered ? [http2Name] : []) + ["http/1.1", "http/1.0"]
    }
}
