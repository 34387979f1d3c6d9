import Foundation

/// Which kind of app asks; it names the page and the bridge, and the server binds a session to it.
public enum ClientKind: String, Sendable, Codable {
    /// An app on iOS, whose tab is an SFSafariViewController.
    case iosApp
    /// An app on Android, whose tab is a Custom Tab.
    case androidApp
}

/// Where the shop's servers are, as an app has them built in.
public struct CheckoutConfiguration: Sendable, Hashable {
    /// The host of the pages: scheme, host and possibly port, without a path.
    public let webOrigin: URL
    /// The host of the return links, which opens the app.
    public let linkOrigin: URL
    /// The kind of this app.
    public let client: ClientKind
    /// How long after its start a checkout takes a return link, in seconds; the server has a bound of its own.
    public let returnDeadline: TimeInterval

    /// A configuration that is known to be usable.
    ///
    /// - Parameters:
    ///   - webOrigin: `https://pay.example.com`.
    ///   - linkOrigin: `https://pay-links.example.com`; another host than that of the pages.
    ///   - client: The kind of this app; another one is for tests.
    ///   - returnDeadline: In seconds; two hours, as long as a session lives.
    /// - Throws: ``ConfigurationError``.
    public init(
        webOrigin: URL,
        linkOrigin: URL,
        client: ClientKind = .iosApp,
        returnDeadline: TimeInterval = 7200
    ) throws {
        guard let web = Origin(webOrigin) else { throw ConfigurationError.notAnOrigin(webOrigin.absoluteString) }
        guard let link = Origin(linkOrigin) else { throw ConfigurationError.notAnOrigin(linkOrigin.absoluteString) }
        guard web.host != link.host else { throw ConfigurationError.sameHost(web.host) }
        guard returnDeadline > 0 else { throw ConfigurationError.noTime }
        self.webOrigin = web.url
        self.linkOrigin = link.url
        self.client = client
        self.returnDeadline = returnDeadline
    }

    /// The cart page for the app's web view.
    public var cartURL: URL { webOrigin.appendingPathComponent(client.rawValue).appendingPathComponent("cart") }

    /// The address that the secure tab opens, once.
    ///
    /// - Returns: An address that is a secret until it was opened.
    public func launchURL(_ ticket: LaunchTicket) -> URL {
        // A ticket has no character that means anything in an address, and the origin was checked.
        URL(string: "/button?secureWebviewSessionId=" + ticket.text, relativeTo: webOrigin)?.absoluteURL ?? webOrigin
    }
}

/// What is wrong with a configuration.
public enum ConfigurationError: LocalizedError, Sendable, Hashable {
    /// Not scheme https, host and possibly port alone.
    case notAnOrigin(String)
    /// A link on the page's own host never opens the app.
    case sameHost(String)
    /// A deadline that is over at once.
    case noTime

    /// For a developer; the app's users never see it.
    public var errorDescription: String? {
        switch self {
        case .notAnOrigin(let text): "not scheme https, host and possibly port alone: \(text)"
        case .sameHost(let host): "a link on the page's own host never opens the app: \(host)"
        case .noTime: "a deadline that is over at once"
        }
    }
}

/// Scheme https, host in small letters, port; 443 where none is written.
struct Origin: Hashable {
    let url: URL
    let host: String
    let port: Int

    init?(_ url: URL) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.scheme?.lowercased() == "https",
            let host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil,
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil
        else { return nil }
        var plain = URLComponents()
        plain.scheme = "https"
        plain.host = host
        plain.port = parts.port
        guard let url = plain.url else { return nil }
        self.url = url
        self.host = host
        port = parts.port ?? 443
    }
}
