/// A scheme, host and port, as pages and links are built from; never taken from a request.
struct WebOrigin: Sendable, Hashable {
    /// `https` or `http`.
    let scheme: String
    /// Lower case, without brackets removed from an IPv6 address.
    let host: String
    /// `nil` where the scheme's own port is meant.
    let port: Int?

    /// Stands in while the configuration is being checked; never served.
    static let placeholder = WebOrigin(scheme: "https", host: "invalid", port: nil)

    /// The origin in a text, or `nil` where the text is anything more or less than one.
    ///
    /// - Parameter text: `https://host` or `http://host`, with or without a port; lower case, no path, no user, no query.
    init?(_ text: String) {
        guard let separator = text.firstRange(of: "://") else { return nil }
        scheme = String(text[..<separator.lowerBound])
        guard scheme == "https" || scheme == "http" else { return nil }
        let authority = text[separator.upperBound...]
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
        let colon = authority[(end ?? authority.startIndex)...].firstIndex(of: ":")
        host = String(authority[..<(colon ?? authority.endIndex)])
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789-.[]:"
        guard !host.isEmpty, !host.hasSuffix("."), host.allSatisfy(allowed.contains) else { return nil }
        guard let colon else {
            port = nil
            return
        }
        guard let number = Int(authority[authority.index(after: colon)...]), (1...65535).contains(number) else {
            return nil
        }
        port = number
    }

    private init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// What the Host field of a request to this origin holds.
    var authority: String {
        port.map { "\(host):\($0)" } ?? host
    }

    /// The origin as text, without a slash at the end.
    var text: String {
        "\(scheme)://\(authority)"
    }

    /// True for this machine's own names, which need no public certificate.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
    }
}
