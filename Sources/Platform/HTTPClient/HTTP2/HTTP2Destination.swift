package import HTTP2
package import TLS

/// A server that is spoken to over HTTP/2 alone, on connections that are kept.
package struct HTTP2Destination: Sendable {
    /// In metrics and log lines, for example `push`.
    package let purpose: String
    /// A name, which is looked up anew for each connection, or an address without brackets.
    package let host: String
    /// Usually 443.
    package let port: UInt16
    /// What is trusted and shown; made with `tlsProtocols`.
    package let tls: TLSContext
    /// For the lookup, the connection and its handshake together.
    package var connectTimeout = Duration.seconds(10)
    /// From the call to the last byte of an answer.
    package var requestTimeout = Duration.seconds(10)
    /// After so long a silence the server is asked for a sign of life.
    package var pingAfter = Duration.seconds(3600)
    /// For that sign.
    package var pingTimeout = Duration.seconds(10)
    /// What a connection may take of this side.
    package var limits = HTTP2ClientLimits()

    /// For a context of `TLSContext`: nothing else is spoken.
    package static let tlsProtocols = ["h2"]

    /// A server with the usual times and bounds.
    package init(_ purpose: String, host: String, port: UInt16, tls: TLSContext) {
        self.purpose = purpose
        self.host = host
        self.port = port
        self.tls = tls
    }

    /// Host, and port where it is not that of `https`.
    package var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }
}
