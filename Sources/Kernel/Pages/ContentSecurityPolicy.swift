/// Content security policies, one for each kind of page: the value of the `Content-Security-Policy` field.
///
/// Those of kinds that one feature alone has stand beside its pages.
package enum ContentSecurityPolicy {
    /// For answers that are no documents: JSON, redirects, the refusal of a prefetch.
    package static let data = "default-src 'none'; frame-ancestors 'none'"

    /// For static files.
    package static let file = "default-src 'none'"

    /// P0 of docs/contract.md: pages that only show something.
    package static let plain =
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// P0 with a form of our own.
    package static let form =
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    /// P1: pages with scripts of our own only.
    ///
    /// - Parameter nonce: The one the page was rendered with.
    /// - Returns: The value of the field.
    package static func scripted(_ nonce: Nonce) -> String { scripted.text(nonce) }

    /// The same, for a nonce to come.
    package static let scripted = NoncePolicy(
        beforeNonce: "default-src 'none'; script-src 'nonce-",
        afterNonce: "'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'"
    )
}

/// A policy around a nonce that comes with each response.
package struct NoncePolicy: Sendable {
    /// What stands before the nonce.
    package let beforeNonce: String
    /// What stands behind the nonce.
    package let afterNonce: String

    /// The two parts of a policy.
    package init(beforeNonce: String, afterNonce: String) {
        self.beforeNonce = beforeNonce
        self.afterNonce = afterNonce
    }

    /// The value of the field.
    ///
    /// - Parameter nonce: The one the page was rendered with.
    /// - Returns: The value of the field.
    package func text(_ nonce: Nonce) -> String {
        beforeNonce + nonce.text + afterNonce
    }
}
