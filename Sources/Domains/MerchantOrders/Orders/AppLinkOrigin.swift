package import Primitives

/// Where a link leads that brings a buyer back into a merchant's app: an https origin that the app has claimed, or a scheme of
/// its own.
///
/// A scheme has a dot in it: RFC 8252, section 7.1, has apps turn round a domain name that is theirs, as in `com.example.shop`.
/// No scheme that a browser or a system gives a meaning to is written like that (`javascript`, `data`, `file`, `intent`,
/// `http`), so none of them can be allowed by mistake.
package enum AppLinkOrigin: Sendable, Hashable, CustomStringConvertible {
    /// A universal link or app link.
    case site(CallbackOrigin)
    /// A private scheme, in lower case. Any app may claim one, so what comes by it proves nothing.
    case scheme(String)

    /// The provider's limit for an address that a buyer is sent to.
    package static let maximumBytes = 512

    /// The origin of a link, or `nil` where it is none that leads into an app.
    ///
    /// - Parameter link: https as `CallbackOrigin` has it, or `SCHEME:` and something behind it; printable ASCII without
    ///   quotes, brackets, braces, bars and backslashes; no fragment; at most 512 bytes.
    package init?(of link: String) {
        do throws(TextRefusal) {
            try self.init(reading: link)
        } catch {
            return nil
        }
    }

    /// The same, for whoever has to say what is wrong.
    ///
    /// - Parameter link: As above.
    /// - Throws: The first rule that it breaks.
    package init(reading link: String) throws(TextRefusal) {
        try CallbackOrigin.checkCharacters(link, upTo: AppLinkOrigin.maximumBytes)
        let parts = link.octets.parts(between: UInt8(ascii: ":"), limit: 1)
        if parts.count == 2, AppLinkOrigin.isPrivateScheme(parts[0]) {
            guard !parts[1].isEmpty else {
                throw TextRefusal("the address ends behind its scheme")
            }
            self = .scheme(parts[0])
            return
        }
        guard parts[0].octets == "https" || parts[0].octets == "http" else {
            let rule = "the address begins neither with https:// nor with a private scheme like com.example.shop:"
            throw TextRefusal(rule)
        }
        self = .site(try CallbackOrigin(reading: link))
    }

    /// The origin that an operator wrote, or `nil` where there is more or less than an origin.
    ///
    /// - Parameter setting: `https://HOST`, `https://HOST:PORT` or `SCHEME:`.
    package init?(setting: String) {
        if let origin = CallbackOrigin(setting: setting) {
            self = .site(origin)
            return
        }
        let scheme = String(Substring(setting.utf8.dropLast()))
        guard setting.octets.ends(with: ":"), AppLinkOrigin.isPrivateScheme(scheme) else { return nil }
        self = .scheme(scheme)
    }

    /// As an operator writes it.
    package var description: String {
        switch self {
        case .site(let origin): origin.description
        case .scheme(let scheme): "\(scheme):"
        }
    }

    /// Labels of lower-case letters, digits, `+` and `-`, two at least, of which the first begins with a letter.
    private static func isPrivateScheme(_ text: String) -> Bool {
        let labels = text.octets.parts(between: UInt8(ascii: "."))
        guard labels.count >= 2, text.utf8.first.map(isLetter) == true else { return false }
        return labels.allSatisfy { label in !label.isEmpty && label.utf8.allSatisfy(isSchemeByte) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+")
    }
}

/// The three links that the provider's library for apps needs.
package struct AppLinks: Sendable, Hashable {
    /// After the last page; the provider adds the checkout session.
    package let result: String
    /// After the buyer gave up.
    package let cancel: String
    /// After a failure.
    package let error: String

    /// Three links.
    ///
    /// - Parameters:
    ///   - result: After the last page.
    package init(result: String, cancel: String, error: String) {
        self.result = result
        self.cancel = cancel
        self.error = error
    }
}

extension OrderPolicy {
    /// Holds the links into an app to what is allowed.
    ///
    /// - Throws: `invalid` for what is no link into an app, `address` for one that the operator has not named.
    package func check(_ links: AppLinks) throws(DraftRefusal) {
        for (name, link) in [("resultUrl", links.result), ("cancelUrl", links.cancel), ("errorUrl", links.error)] {
            let origin = try DraftRefusal.reading(name) { () throws(TextRefusal) in
                try AppLinkOrigin(reading: link)
            }
            guard appLinks.contains(origin) else {
                throw DraftRefusal(.address, name, OrderPolicy.elsewhere)
            }
        }
    }
}
