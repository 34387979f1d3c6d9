package import HTTPCore

/// The response fields that depend on the kind of answer, never on the request.
///
/// Every answer of both hosts has those of `common`. Content-Security-Policy is missing in `page`: each page has its own.
package struct HeaderPolicy: Sendable {
    /// Common to every response of both hosts.
    package let common: FieldBlock
    /// A page that carries no script and that nobody keeps.
    package let page: FieldBlock
    /// JSON answers.
    package let json: FieldBlock
    /// Refusals of programs, RFC 9457.
    package let problem: FieldBlock
    /// A JSON answer that may be kept, and is asked for again each time: it has an entity tag.
    package let taggedJSON: FieldBlock
    /// Redirects.
    package let redirect: FieldBlock
    /// Static files under a name that holds their hash.
    package let asset: FieldBlock
    /// Plain answers that nobody keeps; the content's type is missing.
    package let plain: FieldBlock
    /// Everything that goes out in clear to say where https is; transport security must not be claimed there (RFC 6797, 7.2).
    package let downgrade: FieldBlock
    /// A page of a listener in clear, which may have a form; without transport security.
    package let clearPage: FieldBlock
    /// A static file of a listener in clear; as `asset`, without transport security.
    package let clearAsset: FieldBlock
    private let base: [HTTPField]

    /// The policy for a deployment.
    ///
    /// - Parameter includesSubdomains: Whether transport security covers the sub-domains of both hosts.
    package init(includesSubdomains: Bool) {
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
        self.base = base
        common = FieldBlock(base)
        let closed = [HeaderPolicy.noReferrer, HeaderPolicy.resourceSameOrigin, HeaderPolicy.closed]
        json = block([HeaderPolicy.json, HeaderPolicy.noStore], closed)
        problem = block([HeaderPolicy.problem, HeaderPolicy.noStore], closed)
        taggedJSON = block([HeaderPolicy.json, HeaderPolicy.revalidated], closed)
        redirect = block(
            [HeaderPolicy.noStore, HeaderPolicy.noReferrer, HeaderPolicy.closed, HeaderPolicy.noRobots],
            HeaderPolicy.isolated
        )
        page = block(HeaderPolicy.freshPage, [HeaderPolicy.noReferrer], HeaderPolicy.isolated)
        let assetFields = [
            HeaderPolicy.immutable, HeaderPolicy.noReferrer, HeaderPolicy.resourceSameOrigin, HeaderPolicy.empty,
        ]
        asset = block(assetFields)
        let clear = Array(base.dropFirst())
        let ownPage = [HeaderPolicy.referrerSameOrigin, HeaderPolicy.noRobots] + HeaderPolicy.isolated
        clearPage = FieldBlock(clear + HeaderPolicy.freshPage + ownPage)
        clearAsset = FieldBlock(clear + assetFields)
        plain = block([HeaderPolicy.noStore, HeaderPolicy.noReferrer, HeaderPolicy.closed])
        downgrade = FieldBlock(
            clear + [
                HeaderPolicy.noStore, HeaderPolicy.noReferrer, HeaderPolicy.closed, HeaderPolicy.noRobots,
            ]
        )
    }

    /// The fields of a kind of answer that only one feature has: those of `common`, and the given ones.
    package func block(_ fields: [HTTPField]...) -> FieldBlock {
        FieldBlock(base + fields.flatMap { $0 })
    }
}

// Fields that several kinds of answers share.

extension HeaderPolicy {
    /// Nobody keeps the answer.
    package static let noStore = HTTPField(.cacheControl, constant: "no-store")
    /// HTML that nobody keeps.
    package static let freshPage = [HTTPField(.contentType, constant: "text/html; charset=utf-8"), noStore]
    /// Where a link or form leads to does not learn where it stands.
    package static let noReferrer = HTTPField(.referrerPolicy, constant: "no-referrer")
    /// The same, while a form of the page still says which origin it comes from: without any referrer its Origin is `null`.
    package static let referrerSameOrigin = HTTPField(.referrerPolicy, constant: "same-origin")
    /// Only pages of the same origin load it.
    package static let resourceSameOrigin = HTTPField(.crossOriginResourcePolicy, constant: "same-origin")
    /// Not for search engines.
    package static let noRobots = HTTPField(.xRobotsTag, constant: "noindex, nofollow")
    /// A page that shares nothing with windows of other origins.
    package static let isolated = [
        HTTPField(.crossOriginOpenerPolicy, constant: "same-origin"), resourceSameOrigin,
    ]
    /// A policy under which nothing is loaded, and nothing frames it.
    package static let closed = HTTPField(
        .contentSecurityPolicy,
        constant: "default-src 'none'; frame-ancestors 'none'"
    )
    /// A policy under which nothing is loaded.
    package static let empty = HTTPField(.contentSecurityPolicy, constant: "default-src 'none'")
    private static let json = HTTPField(.contentType, constant: "application/json; charset=utf-8")
    private static let problem = HTTPField(.contentType, constant: "application/problem+json")
    private static let revalidated = HTTPField(.cacheControl, constant: "no-cache")
    private static let immutable = HTTPField(.cacheControl, constant: "public, max-age=31536000, immutable")
}
