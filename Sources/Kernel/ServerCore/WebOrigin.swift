import Primitives

/// A scheme, host and port, as pages and links are built from; never taken from a request.
package struct WebOrigin: Sendable, Hashable {
    /// `https` or `http`.
    package let scheme: String
    /// Lower case; an IPv6 address in its brackets.
    package let host: String
    /// `nil` where the scheme's own port is meant.
    package let port: Int?
    /// True for this machine's own names, which need no public certificate.
    package let isLoopback: Bool

    /// Stands in while the configuration is being checked; never served.
    package static let placeholder = WebOrigin(scheme: "https", host: "invalid", port: nil, isLoopback: false)

    /// The origin in a text, or `nil` where the text is anything more or less than one.
    ///
    /// - Parameter text: `https://host` or `http://host`, with or without a port; lower case, no path, no user, no query.
    package init?(_ text: String) {
        guard let url = HTTPURL(text), url.isPlain, url.rest.isEmpty else { return nil }
        self.init(
            scheme: url.isSecure ? "https" : "http",
            host: url.host.text,
            port: url.port,
            isLoopback: url.host.isLoopback
        )
    }

    private init(scheme: String, host: String, port: Int?, isLoopback: Bool) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.isLoopback = isLoopback
    }

    /// Whether both are reached by the same host and port, however that is written.
    package func isSameServer(as other: WebOrigin) -> Bool {
        func ownPort(_ origin: WebOrigin) -> Int { origin.port ?? (origin.scheme == "https" ? 443 : 80) }
        return host == other.host && ownPort(self) == ownPort(other)
    }

    /// What the Host field of a request to this origin holds.
    package var authority: String {
        port.map { "\(host):\($0)" } ?? host
    }

    /// The origin as text, without a slash at the end.
    package var text: String {
        "\(scheme)://\(authority)"
    }
}
