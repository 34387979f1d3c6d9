package import Pages

extension ContentSecurityPolicy {
    /// The interstitial of the open modes `auto_post` and `tap`.
    ///
    /// - Parameter nonce: The one the page was rendered with.
    /// - Returns: The value of the field.
    static func interstitial(_ nonce: Nonce) -> String {
        "default-src 'none'; script-src 'nonce-\(nonce.text)'; style-src 'self'; img-src 'self'; form-action 'self'; "
            + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    }

    /// The link host's page: it loads nothing, so that a ticket in its address goes nowhere.
    ///
    /// - Parameter nonce: The one the page was rendered with.
    /// - Returns: The value of the field.
    package static func linkFallback(_ nonce: Nonce) -> String {
        "default-src 'none'; script-src 'nonce-\(nonce.text)'; style-src 'nonce-\(nonce.text)'; img-src data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    }
}

/// P2: the policy of the pages that run the provider's script, the button page and the confirm page.
///
/// Browsers hold `form-action` against every redirect behind a form, and `frame-src` against every page that a frame goes on to.
/// Which hosts the provider sends the buyer to, for a sign-in or to a bank, is not known here: any with TLS may come.
struct ProviderPolicy: Sendable {
    /// The policy, for a nonce to come.
    let policy: NoncePolicy

    /// Puts the constant part together.
    ///
    /// - Parameters:
    ///   - reportGroup: Name of a reporting endpoint, `[a-z]` only, or `nil` for none.
    init(hosts: ProviderHosts, reportGroup: String? = nil) {
        func list(_ sources: [ProviderHosts.Source]) -> String { sources.map { " \($0.text)" }.joined() }
        // A simulator may be without TLS.
        let onward = " https:" + list(hosts.pages.filter { !$0.text.hasPrefix("https:") })
        policy = NoncePolicy(
            beforeNonce: "default-src 'none'; script-src 'nonce-",
            afterNonce:
                "'\(list(hosts.scripts)); style-src 'self'\(list(hosts.styles)); style-src-attr 'unsafe-inline'; "
                + "img-src 'self' data:\(list(hosts.images)); connect-src 'self'\(list(hosts.pages)); "
                + "frame-src\(onward); form-action 'self'\(onward); "
                + "base-uri 'none'; frame-ancestors 'none'\(reportGroup.map { "; report-to \($0)" } ?? "")"
        )
    }

    /// The value of the field.
    ///
    /// - Parameter nonce: The one the page was rendered with.
    /// - Returns: The value of the field.
    func text(_ nonce: Nonce) -> String { policy.text(nonce) }
}

/// The hosts that the provider's script needs, from the settings.
struct ProviderHosts: Sendable {
    /// One host source: `https://host` or `https://host:port`, or with `http` for loopback; `*.` may stand before the host.
    struct Source: Sendable, Hashable {
        /// As it stands in a policy.
        let text: String

        /// Checks a source.
        ///
        /// `nil` for anything that is not scheme, host and optional port: a path, a blank, a `;`, a keyword.
        init?(_ text: String) {
            let schemes = ["https://", "http://"]
            guard let scheme = schemes.first(where: { text.hasPrefix($0) }) else { return nil }
            let host = text.utf8.dropFirst(scheme.utf8.count)
            guard !host.isEmpty, host.allSatisfy(Self.isAllowed) else { return nil }
            self.text = text
        }

        private static func isAllowed(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
                UInt8(ascii: "*"), UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default:
                false
            }
        }
    }

    /// Where scripts come from.
    let scripts: [Source]
    /// Where style sheets come from.
    let styles: [Source]
    /// Where images come from.
    let images: [Source]
    /// Hosted pages: where the script calls, and what comes first behind forms and in frames.
    let pages: [Source]

    /// No host of the provider's.
    static let none = ProviderHosts(scripts: [], styles: [], images: [], pages: [])
}
