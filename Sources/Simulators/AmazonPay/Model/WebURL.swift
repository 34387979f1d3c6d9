/// An absolute http or https URL that is safe to redirect to, or a link into an app where those are accepted, RFC 3986.
struct WebURL: Sendable, Equatable {
    /// As it was given: printable ASCII without blanks, quotation marks, angle brackets and backslashes.
    let text: String
    let isSecure: Bool
    /// Whether the scheme is an app's own: a domain backwards, RFC 8252 section 7.1, so never `javascript` or `data`.
    let isApp: Bool
    /// Lower case, without the port; an IPv6 address in its brackets.
    let host: String
    /// Scheme, host and port; of an app's link the scheme and its colon, as policies name it.
    let origin: String

    init?(_ text: String, acceptsApps: Bool = false) {
        guard text.utf8.allSatisfy(WebURL.isAllowed) else { return nil }
        let lower = text.lowercased()
        let web = ["https://", "http://"].first(where: lower.hasPrefix)
        guard let scheme = web ?? (acceptsApps ? WebURL.appScheme(lower) : nil) else { return nil }
        let authority = lower.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let host = WebURL.host(authority) else { return nil }
        self.text = text
        self.host = host
        isSecure = scheme == "https://"
        isApp = web == nil
        origin = web == nil ? String(scheme.dropLast(2)) : scheme + authority
    }

    /// Whether the host is this machine, so that plain HTTP is fine.
    var isLocal: Bool {
        guard !isApp else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host == "127.0.0.1"
    }

    /// Whether the service accepts it as a return URL.
    var isTrustworthy: Bool { isSecure || isLocal || isApp }

    /// The URL with one more parameter, before a fragment.
    ///
    /// - Parameters:
    ///   - name: Unreserved characters.
    ///   - value: Unreserved characters.
    /// - Returns: The longer URL.
    func appending(_ name: String, _ value: String) -> String {
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

    /// The scheme of an app's link with `://`, or `nil` for anything else.
    private static func appScheme(_ lower: String) -> String? {
        guard let mark = lower.firstRange(of: "://") else { return nil }
        let scheme = lower[..<mark.lowerBound].utf8
        let labels = scheme.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { isHostCharacter($0) && $0 != UInt8(ascii: ".") }
        }
        guard labels.count > 1, isName, let first = scheme.first, first >= UInt8(ascii: "a") else { return nil }
        return String(lower[..<mark.upperBound])
    }

    private static func host(_ authority: Substring) -> String? {
        guard !authority.contains("@") else { return nil }
        var host = authority
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let port = authority[authority.index(after: colon)...]
            guard let number = UInt16(port), number > 0, port.first != "+" else { return nil }
            host = authority[..<colon]
        }
        let isAddress = host.first == "[" && host.last == "]"
        let characters = isAddress ? host.dropFirst().dropLast() : host
        guard !characters.isEmpty, characters.utf8.allSatisfy({ isAddress ? isHex($0) : isHostCharacter($0) })
        else { return nil }
        return String(host)
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: ":"): true
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
