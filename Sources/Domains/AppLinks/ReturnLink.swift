import Primitives

/// The link on the tab's page that opens the app again.
///
/// The vendor's samples take it apart by hand. The iOS one splits at `&` and `=` and decodes percent signs; the Android
/// one does not decode, cuts a value at a second `=`, and crashes on an empty one. So there are always four parameters with
/// values that need no encoding and hold no `=`, and every value is checked before it goes in: what stands here ends up inside
/// a script in the app.
package struct ReturnLink: Sendable, Hashable {
    /// The one path that opens the app.
    package static let path = "/index.html"

    /// The whole link.
    package let text: String

    /// A link, or `nil` where a part is not what it must be.
    ///
    /// - Parameters:
    ///   - base: Scheme, host and possibly port of the link host, from the settings; no path.
    ///   - returnTicket: C: `swc_` and 64 characters of `[A-Za-z0-9_-]`.
    ///   - launchTicket: A: `swa_` and 64 of the same.
    ///   - accessToken: The word `sealed`, or a provider's token, whose vertical bar stays as it is; 1 to 2048 characters of
    ///     `[A-Za-z0-9_.|~-]`.
    ///   - orderReferenceID: The checkout session; 1 to 64 characters of `[A-Za-z0-9-]`.
    package init?(
        base: String,
        returnTicket: String,
        launchTicket: String,
        accessToken: String,
        orderReferenceID: String
    ) {
        guard ReturnLink.isOrigin(base), ReturnLink.isTicket(returnTicket, "swc_"),
            ReturnLink.isTicket(launchTicket, "swa_"),
            ReturnLink.isText(accessToken, upTo: 2048, and: "_.|~-"),
            ReturnLink.isText(orderReferenceID, upTo: 64, and: "-")
        else { return nil }
        let parameters = [
            ("secureWebviewSessionId", returnTicket),
            ("old_secureWebviewSessionId", launchTicket),
            ("accessToken", accessToken),
            ("orderReferenceId", orderReferenceID),
        ]
        text = base + ReturnLink.path + "?" + parameters.map { $0.0 + "=" + $0.1 }.joined(separator: "&")
    }

    /// A link of the right form that belongs to no session; `nil` for a base that is none.
    package static func sample(base: String) -> ReturnLink? {
        let filler = String(repeating: "A", count: 64)
        return ReturnLink(
            base: base,
            returnTicket: "swc_" + filler,
            launchTicket: "swa_" + filler,
            accessToken: "sealed",
            orderReferenceID: "00000000-0000-4000-8000-000000000000"
        )
    }

    /// Whether a text is, octet for octet, a link as it could be written here.
    package static func isWritten(_ text: String, base: String) -> Bool {
        let values = text.octets.parts(between: UInt8(ascii: "&"), limit: 4).map { item in
            item.octets.parts(between: UInt8(ascii: "="), limit: 1).last ?? ""
        }
        guard values.count == 4 else { return false }
        let link = ReturnLink(
            base: base,
            returnTicket: values[0],
            launchTicket: values[1],
            accessToken: values[2],
            orderReferenceID: values[3]
        )
        return link.map { Array($0.text.utf8) == Array(text.utf8) } ?? false
    }

    private static func isTicket(_ text: String, _ tag: String) -> Bool {
        text.octets.starts(with: tag.octets) && text.utf8.count == tag.utf8.count + 64
            && text.utf8.allSatisfy(Base64URL.contains)
    }

    private static func isText(_ text: String, upTo limit: Int, and others: String) -> Bool {
        !text.isEmpty && text.utf8.count <= limit
            && text.utf8.allSatisfy { Characters.isAlphanumeric($0) || others.utf8.contains($0) }
    }

    private static func isOrigin(_ text: String) -> Bool {
        let host: Substring
        if text.hasPrefix("https://") {
            host = text.dropFirst(8)
        } else if text.hasPrefix("http://") {
            host = text.dropFirst(7)
        } else {
            return false
        }
        return isText(String(host), upTo: 259, and: ".-:[]")
    }
}
