import Primitives

/// An absolute http or https URL that is safe to redirect to, or a link into an app where those are accepted, RFC 3986.
package struct WebURL: Sendable, Equatable {
    /// As it was given: printable ASCII without blanks, quotation marks, angle brackets and backslashes.
    package let text: String
    /// Whether the scheme is https.
    package let isSecure: Bool
    /// Whether the host is this machine, so that plain HTTP is fine.
    package let isLocal: Bool
    /// Whether the scheme is an app's own: a domain backwards, RFC 8252 section 7.1, so never `javascript` or `data`.
    package let isApp: Bool
    /// Lower case, without the port; an IPv6 address in its brackets.
    package let host: String
    /// Scheme, host and port; of an app's link the scheme and its colon, as policies name it.
    package let origin: String

    /// The URL behind a text, or `nil` where it is none that is accepted.
    package init?(_ text: String, acceptsApps: Bool = false) {
        guard text.utf8.allSatisfy(WebURL.isAllowed) else { return nil }
        let lower = text.lowercased()
        if let url = HTTPURL(lower) {
            self.init(
                text,
                host: url.host.text,
                origin: url.origin,
                isSecure: url.isSecure,
                isLocal: url.host.isLoopback
            )
        } else if acceptsApps, let scheme = WebURL.appScheme(lower) {
            // The authority of an app's link has the form of a server's.
            guard let url = HTTPURL("http://" + lower.dropFirst(scheme.count + 3)) else { return nil }
            self.init(text, host: url.host.text, origin: scheme + ":", isApp: true)
        } else {
            return nil
        }
    }

    private init(
        _ text: String,
        host: String,
        origin: String,
        isSecure: Bool = false,
        isLocal: Bool = false,
        isApp: Bool = false
    ) {
        self.text = text
        self.host = host
        self.origin = origin
        self.isSecure = isSecure
        self.isLocal = isLocal
        self.isApp = isApp
    }

    /// Whether the service accepts it as a return URL.
    package var isTrustworthy: Bool { isSecure || isLocal || isApp }

    /// The URL with one more parameter, before a fragment.
    ///
    /// - Returns: The longer URL.
    package func appending(_ name: String, _ value: String) -> String {
        let base = String(text.prefix { $0 != "#" })
        let fragment = String(text.dropFirst(base.count))
        let joint =
            switch (base.contains("?"), base.last) {
            case (false, _): "?"
            case (true, "?"), (true, "&"): ""
            case (true, _): "&"
            }
        return base + joint + name + "=" + value + fragment
    }

    /// The scheme of an app's link, or `nil` for anything else.
    private static func appScheme(_ lower: String) -> String? {
        guard let mark = lower.firstRange(of: "://") else { return nil }
        let scheme = lower[..<mark.lowerBound]
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, labels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isSchemeByte) }),
            let first = scheme.utf8.first, first >= UInt8(ascii: "a")
        else { return nil }
        return String(scheme)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x3B, 0x3D, 0x3F...0x5B, 0x5D...0x5F, 0x61...0x7A, 0x7C, 0x7E: true
        default: false
        }
    }
}
