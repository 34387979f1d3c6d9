package import Commerce
package import Primitives
package import SessionBroker

/// A webview session as a statement left it; holds hashes and sealed bytes, never a token.
package struct WebviewSessionRecord: Sendable {
    /// Of the webview session; never a credential.
    package let id: WebviewSessionID
    /// Fixed at the issue.
    package let client: ClientKind
    /// After the statement.
    package let state: WebviewSessionState
    /// What is bought.
    package let order: Order
    /// `nil` before the review.
    package let postage: Yen?
    /// Order with tax and postage; `nil` before the review.
    package let total: Yen?
    /// The terms of the order besides its price, as they were written at the opening of the webview session; `nil` for the
    /// shop's own.
    package let terms: [UInt8]?
    /// The provider's checkout session; `nil` before the review.
    package let orderReference: String?
    /// Profile strict: both halves have met.
    package let isMet: Bool
    /// What the launch ticket is compared with.
    let launchHash: Digest32
    /// Stands for what the confirm page shows: its consent names it.
    ///
    /// `nil` before the review, and after one by a program that knows no such mark.
    package let shown: Digest32?
    /// The sealed private details, where they were asked for and are there.
    let sealed: [UInt8]?
}
