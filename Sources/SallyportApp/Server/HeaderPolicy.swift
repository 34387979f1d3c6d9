import HTTPCore

/// The response fields that depend on the kind of answer, never on the request: session-security section 3 as values.
///
/// Content-Security-Policy is missing where a page carries a nonce; the handler adds it.
struct HeaderPolicy: Sendable {
    /// Common to every response of both hosts.
    let common: FieldBlock
    /// The cart page.
    let cart: FieldBlock
    /// JSON answers.
    let json: FieldBlock
    /// The redirect that answers an open; what it answers depends on the jar.
    let opened: FieldBlock
    /// Every other redirect.
    let redirect: FieldBlock
    /// The refusal of a prefetch.
    let prefetch: FieldBlock
    /// The page between a launch ticket and its open, in the modes `auto_post` and `tap`.
    let interstitial: FieldBlock
    /// Pages that load the provider's script, and the pages around them in the tab.
    let tab: FieldBlock
    /// Pages of the tab that load nothing of the provider's: result, cancelled, declined, rescue.
    let ending: FieldBlock
    /// The thanks page.
    let thanks: FieldBlock
    /// Error and neutral pages, which carry no script.
    let neutral: FieldBlock
    /// Static files under a name that holds their hash.
    let asset: FieldBlock
    /// Association files.
    let association: FieldBlock
    /// The page that a link shows which did not open the app.
    let linkFallback: FieldBlock
    /// The administration listener.
    let admin: FieldBlock
    /// Everything that goes out in clear to say where https is; transport security must not be claimed there (RFC 6797, 7.2).
    let downgrade: FieldBlock

    /// The policy for a deployment.
    ///
    /// - Parameter includesSubdomains: Whether transport security covers the sub-domains of both hosts.
    init(includesSubdomains: Bool) {
        let base: [HTTPField] = [
            includesSubdomains
                ? HTTPField(.strictTransportSecurity, constant: "max-age=63072000; includeSubDomains")
                : HTTPField(.strictTransportSecurity, constant: "max-age=63072000"),
            HTTPField(.xContentTypeOptions, constant: "nosniff"),
            HTTPField(.xFrameOptions, constant: "DENY"),
            HTTPField(
                .permissionsPolicy,
                constant: "camera=(), microphone=(), geolocation=(), browsing-topics=()"
            ),
        ]
        func block(_ fields: [HTTPField]...) -> FieldBlock {
            FieldBlock(base + fields.flatMap { $0 })
        }
        let closed = HTTPField(.contentSecurityPolicy, constant: "default-src 'none'; frame-ancestors 'none'")
        let asset = HTTPField(.contentSecurityPolicy, constant: "default-src 'none'")
        common = FieldBlock(base)
        cart = block(Fields.page, [Fields.referrerSameOrigin], Fields.isolated)
        json = block([Fields.json, Fields.noStore, Fields.noReferrer, Fields.resourceSameOrigin, closed])
        redirect = block([Fields.noStore, Fields.noReferrer, closed, Fields.noRobots], Fields.isolated)
        opened = redirect.adding([HTTPField(.vary, constant: "Sec-Purpose, Cookie")])
        prefetch = block([
            Fields.noStore, Fields.noReferrer, closed, HTTPField(.retryAfter, constant: "0"),
            HTTPField(.vary, constant: "Sec-Purpose"),
        ])
        interstitial = block(Fields.page, [Fields.referrerSameOrigin, Fields.noRobots], Fields.isolated)
        tab = block(Fields.page, [Fields.referrerStrictOrigin, Fields.noRobots, Fields.reports], Fields.isolated)
        // Their forms post to us: with `no-referrer` a browser would send `Origin: null`.
        ending = block(Fields.page, [Fields.referrerSameOrigin, Fields.noRobots], Fields.isolated)
        thanks = block(Fields.page, [Fields.noReferrer], Fields.isolated)
        neutral = block(Fields.page, [Fields.noReferrer], Fields.isolated)
        self.asset = block([Fields.immutable, Fields.noReferrer, Fields.resourceSameOrigin, asset])
        association = block([
            HTTPField(.contentType, constant: "application/json"),
            HTTPField(.cacheControl, constant: "public, max-age=3600"), Fields.noReferrer,
            HTTPField(.crossOriginResourcePolicy, constant: "cross-origin"), asset,
        ])
        linkFallback = block(Fields.page, [Fields.noReferrer, Fields.noRobots], Fields.isolated)
        admin = block([Fields.noStore, Fields.noReferrer, closed])
        downgrade = FieldBlock(Array(base.dropFirst()) + [Fields.noStore, Fields.noReferrer, closed, Fields.noRobots])
    }
}

/// Fields that several rows of the table share.
private enum Fields {
    static let noStore = HTTPField(.cacheControl, constant: "no-store")
    static let immutable = HTTPField(.cacheControl, constant: "public, max-age=31536000, immutable")
    static let html = HTTPField(.contentType, constant: "text/html; charset=utf-8")
    static let json = HTTPField(.contentType, constant: "application/json; charset=utf-8")
    static let noReferrer = HTTPField(.referrerPolicy, constant: "no-referrer")
    static let referrerSameOrigin = HTTPField(.referrerPolicy, constant: "same-origin")
    // The provider's script checks the origin it runs on; the URL of these pages is clean.
    static let referrerStrictOrigin = HTTPField(.referrerPolicy, constant: "strict-origin")
    static let resourceSameOrigin = HTTPField(.crossOriginResourcePolicy, constant: "same-origin")
    static let noRobots = HTTPField(.xRobotsTag, constant: "noindex, nofollow")
    // The group that the policy of these pages names.
    static let reports = HTTPField(.reportingEndpoints, constant: "csp=\"/csp_report\"")
    static let page = [html, noStore]
    static let isolated = [HTTPField(.crossOriginOpenerPolicy, constant: "same-origin"), resourceSameOrigin]
}
