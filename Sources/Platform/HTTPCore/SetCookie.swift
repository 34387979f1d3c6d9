/// A cookie to set: `N=V; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=7200`, RFC 6265bis.
package struct SetCookie: Sendable, Hashable {
    /// When a browser sends the cookie along with a request that another site caused.
    package enum SameSite: String, Sendable {
        /// With top-level navigation that is safe.
        case lax = "Lax"
        /// Never.
        case strict = "Strict"
    }

    /// A token.
    package let name: String
    /// Printable ASCII without blank, quotation mark, comma, semicolon and backslash; empty in one that is cleared.
    package let value: String
    /// Begins with a slash.
    package let path: String
    /// Sent over TLS only.
    package let secure: Bool
    /// Out of the reach of scripts.
    package let httpOnly: Bool
    /// Never left out: without it one browser family sends new cookies across sites for two minutes.
    package let sameSite: SameSite
    /// Seconds to live; zero clears the cookie.
    package let maxAge: Int

    /// The given cookie, or `nil` where it could not be set.
    ///
    /// - Parameters:
    ///   - name: A token; the prefix `__Host-` asks for `secure` and the path `/`.
    ///   - value: Cookie octets, RFC 6265 section 4.1.1.
    ///   - path: Begins with a slash, no control character and no semicolon.
    ///   - flags: What the cookie has beside its value.
    ///   - maxAge: Seconds, zero or more.
    package init?(
        _ name: String,
        _ value: String,
        path: String = "/",
        flags: Flags = [.secure, .httpOnly],
        sameSite: SameSite,
        maxAge: Int
    ) {
        guard name.utf8Span.span.isToken, value.utf8.allSatisfy(SetCookie.isCookieOctet) else { return nil }
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8Span.span.isFieldContent, !path.utf8.contains(0x3B),
            maxAge >= 0
        else { return nil }
        guard !name.hasPrefix("__Host-") || (path == "/" && flags.contains(.secure)) else { return nil }
        self.name = name
        self.value = value
        self.path = path
        self.sameSite = sameSite
        self.maxAge = maxAge
        secure = flags.contains(.secure)
        httpOnly = flags.contains(.httpOnly)
    }

    /// What a cookie may have beside its value.
    package struct Flags: OptionSet, Sendable {
        /// One bit for each flag.
        package let rawValue: UInt8

        /// The flags with the given bits.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Sent over TLS only.
        package static let secure = Flags(rawValue: 1)
        /// Out of the reach of scripts.
        package static let httpOnly = Flags(rawValue: 2)
    }

    /// The cookie that clears this one: same attributes, no value, no time to live.
    package var cleared: SetCookie {
        SetCookie(clearing: self)
    }

    /// The value of the Set-Cookie field.
    package var fieldValue: String {
        var text = ""
        text.reserveCapacity(name.utf8.count + value.utf8.count + path.utf8.count + 64)
        text += name
        text += "="
        text += value
        text += "; Path="
        text += path
        if secure { text += "; Secure" }
        if httpOnly { text += "; HttpOnly" }
        text += "; SameSite="
        text += sameSite.rawValue
        text += "; Max-Age="
        text += String(maxAge)
        return text
    }

    /// The Set-Cookie field with a gap in place of the value, for a cookie that is set again and again.
    package var pattern: FieldPattern? {
        let parts = fieldValue.dropFirst(name.utf8.count + 1 + value.utf8.count)
        return FieldPattern(.setCookie, before: name + "=", after: String(parts))
    }

    /// The Set-Cookie field.
    package var field: HTTPField {
        HTTPField(checked: .setCookie, fieldValue)
    }

    private init(clearing cookie: SetCookie) {
        name = cookie.name
        value = ""
        path = cookie.path
        secure = cookie.secure
        httpOnly = cookie.httpOnly
        sameSite = cookie.sameSite
        maxAge = 0
    }

    private static func isCookieOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}
