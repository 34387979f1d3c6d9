import HTTPCore
import Web

/// The response fields of answers that only the checkout has: the response headers of docs/contract.md as values.
///
/// Content-Security-Policy is missing where a page carries a nonce; the handler adds it.
struct ShopHeaders: Sendable {
    /// The cart page.
    let cart: FieldBlock
    /// The redirect that answers an open; what it answers depends on the jar.
    let opened: FieldBlock
    /// The refusal of a prefetch.
    let prefetch: FieldBlock
    /// The page between a launch ticket and its open, in the modes `auto_post` and `tap`.
    let interstitial: FieldBlock
    /// Pages that load the provider's script, and the pages around them in the tab.
    let tab: FieldBlock
    /// Pages of the tab that load nothing of the provider's: result, cancelled, declined, rescue.
    let ending: FieldBlock
    /// Association files.
    let association: FieldBlock
    /// The page that a link shows which did not open the app.
    let linkFallback: FieldBlock

    // The provider's script checks the origin it runs on; the URL of these pages is clean.
    private static let referrerStrictOrigin = HTTPField(.referrerPolicy, constant: "strict-origin")
    // A window that the provider's script opens may answer it; whoever opens these pages has no hold on them.
    private static let isolatedButForOwnWindows = [
        HTTPField(.crossOriginOpenerPolicy, constant: "same-origin-allow-popups"), HeaderPolicy.resourceSameOrigin,
    ]
    // The group that the policy of these pages names.
    private static let reports = HTTPField(.reportingEndpoints, constant: "csp=\"/csp_report\"")

    /// The fields for a deployment.
    init(_ headers: HeaderPolicy) {
        typealias Policy = HeaderPolicy
        let (page, isolated) = (Policy.freshPage, Policy.isolated)
        cart = headers.block(page, [HeaderPolicy.referrerSameOrigin], isolated)
        opened = headers.redirect.adding([HTTPField(.vary, constant: "Sec-Purpose, Cookie")])
        prefetch = headers.block([
            Policy.noStore, Policy.noReferrer, Policy.closed, HTTPField(.retryAfter, constant: "0"),
            HTTPField(.vary, constant: "Sec-Purpose"),
        ])
        interstitial = headers.block(page, [HeaderPolicy.referrerSameOrigin, Policy.noRobots], isolated)
        tab = headers.block(
            page,
            [ShopHeaders.referrerStrictOrigin, Policy.noRobots, ShopHeaders.reports],
            ShopHeaders.isolatedButForOwnWindows
        )
        ending = headers.block(page, [HeaderPolicy.referrerSameOrigin, Policy.noRobots], isolated)
        association = headers.block([
            HTTPField(.contentType, constant: "application/json"),
            HTTPField(.cacheControl, constant: "public, max-age=3600"), Policy.noReferrer,
            HTTPField(.crossOriginResourcePolicy, constant: "cross-origin"), Policy.empty,
        ])
        linkFallback = headers.block(page, [Policy.noReferrer, Policy.noRobots], isolated)
    }
}
