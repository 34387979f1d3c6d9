import Foundation

/// The link that brings the buyer back: checked for its form, and not yet for the checkout that it belongs to.
public struct ReturnLink: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The values of a link, by their names in it.
    public enum Parameter: String, Sendable, CaseIterable {
        /// The return ticket.
        case returnTicket = "secureWebviewSessionId"
        /// The launch ticket, for the comparison.
        case launchTicket = "old_secureWebviewSessionId"
        /// The word `sealed`, or a token of the provider.
        case accessToken
        /// The provider's checkout session.
        case orderReferenceID = "orderReferenceId"
    }

    /// The one path that opens the app.
    public static let path = "/index.html"
    /// More than any link needs; what is longer is not looked at.
    private static let most = 4096

    /// `swc_` and 64 characters: worth nothing without what the app or its server has kept.
    public let returnTicket: String
    /// The ticket that this checkout was started with.
    public let launchTicket: LaunchTicket
    /// The word `sealed`, or a token of the provider.
    public let accessToken: String
    /// The provider's checkout session.
    public let orderReferenceID: String

    /// Takes a link apart.
    ///
    /// - Throws: The reason why it is none.
    public init(_ text: String, configuration: CheckoutConfiguration) throws(ReturnLinkRefusal) {
        let isPlain = text.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") }
        guard isPlain, text.utf8.count <= ReturnLink.most else { throw .malformedURL }
        // Nothing here is lenient: a link that two readers understand in two ways is none.
        guard let mark = text.range(of: "://") else { throw .malformedURL }
        guard text[..<mark.lowerBound].lowercased() == "https" else { throw .foreignScheme }
        let rest = text[mark.upperBound...]
        guard !rest.contains("#") else { throw .fragment }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .userInfo }
        try ReturnLink.check(authority, configuration)
        let target = rest.dropFirst(authority.count)
        let path = target.prefix { $0 != "?" }
        guard path == ReturnLink.path else { throw .foreignPath }
        let values = try ReturnLink.values(of: target.dropFirst(path.count + 1))
        returnTicket = try ReturnLink.value(.returnTicket, values) { Token.isToken($0, tag: "swc_") }
        let old = try ReturnLink.value(.launchTicket, values) { Token.isToken($0, tag: "swa_") }
        guard let ticket = LaunchTicket(old) else { throw .malformedParameter(.launchTicket) }
        launchTicket = ticket
        let token = try ReturnLink.value(.accessToken, values) {
            ReturnLink.isText($0.replacingOccurrences(of: "%7C", with: "|"), upTo: 2048, and: "_.|~-")
        }
        accessToken = token.replacingOccurrences(of: "%7C", with: "|")
        orderReferenceID = try ReturnLink.value(.orderReferenceID, values) { ReturnLink.isText($0, upTo: 64, and: "-") }
        guard Token.sameSession(returnTicket, ticket.text) else { throw .otherSession }
    }

    private static func check(_ authority: Substring, _ configuration: CheckoutConfiguration) throws(ReturnLinkRefusal)
    {
        // `URL` undoes escapes in a host, and takes an empty port and `:08443` for what they might mean.
        guard isPlain(Array(authority.utf8)[...]),
            let origin = URL(string: "https://" + authority).flatMap(Origin.init),
            let own = Origin(configuration.linkOrigin)
        else { throw .malformedURL }
        guard origin.host == own.host else { throw .foreignHost }
        guard origin.port == own.port else { throw .foreignPort }
    }

    /// Whether host and port are written in the one way that every reader understands alike.
    private static func isPlain(_ authority: ArraySlice<UInt8>) -> Bool {
        var host = authority
        if host.last != UInt8(ascii: "]"), let colon = host.lastIndex(of: UInt8(ascii: ":")) {
            let port = host[(colon + 1)...]
            guard (1...5).contains(port.count), port.first != UInt8(ascii: "0"),
                port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return false }
            host = host[..<colon]
        }
        let isNumber = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        if isNumber { host = host.dropFirst().dropLast() }
        let others = isNumber ? ":." : "._-"
        return !host.isEmpty && host.allSatisfy { Token.isAlphanumeric($0) || others.utf8.contains($0) }
    }

    private static func values(of query: Substring) throws(ReturnLinkRefusal) -> [String: String] {
        var values: [String: String] = [:]
        for item in query.split(separator: "&", omittingEmptySubsequences: false) {
            let name = String(item.prefix { $0 != "=" })
            guard let parameter = Parameter(rawValue: name) else { continue }
            guard values.updateValue(String(item.dropFirst(name.count + 1)), forKey: name) == nil else {
                throw .repeatedParameter(parameter)
            }
        }
        return values
    }

    private static func value(
        _ parameter: Parameter,
        _ values: [String: String],
        _ isRight: (String) -> Bool
    ) throws(ReturnLinkRefusal) -> String {
        guard let value = values[parameter.rawValue] else { throw .missingParameter(parameter) }
        guard isRight(value) else { throw .malformedParameter(parameter) }
        return value
    }

    private static func isText(_ text: String, upTo limit: Int, and others: String) -> Bool {
        !text.isEmpty && text.utf8.count <= limit
            && text.utf8.allSatisfy { Token.isAlphanumeric($0) || others.utf8.contains($0) }
    }

    /// Without what is secret.
    public var description: String { "the return link of \(orderReferenceID)" }
    /// Without what is secret.
    public var debugDescription: String { description }
}
