/// How strict the broker is; each profile is a set of defaults for `BrokerPolicy`.
package enum Profile: String, Sendable, CaseIterable {
    /// For an unmodified app that keeps no cookies: proofs are checked where they are given.
    case compat
    /// The default: both halves are always proven.
    case standard
    /// Native code holds a verifier, the tab opens by POST, and both secrets are presented before the provider is asked to
    /// charge.
    case strict
}

/// How a launch ticket opens its tab.
package enum OpenMode: String, Sendable {
    /// The GET has the effect.
    case get
    /// A page posts the ticket by script.
    case autoPost = "auto_post"
    /// A page posts the ticket when the buyer taps.
    case tap
}

/// What is done about `Sec-Fetch-Site` at the open.
package enum FetchSiteRule: String, Sendable {
    /// Nothing.
    case off
    /// It is counted.
    case observe
    /// A value that does not fit the client is refused.
    case enforce
}

/// Whether something is asked for.
package enum Requirement: String, Sendable {
    /// Checked where it is given.
    case optional
    /// Refused without it.
    case required
}

/// What follows when a secret turns up where it must not.
package enum Reaction: String, Sendable {
    /// This request is refused; the webview session goes on.
    case refuse
    /// The webview session dies.
    case revoke
}

/// Which names the cookies have.
package enum CookieNames: String, Sendable, CaseIterable {
    /// `__Host-` and the name: no sibling domain can plant one.
    case host
    /// The names of the sample shop, for clients that look for them.
    case plain
}
