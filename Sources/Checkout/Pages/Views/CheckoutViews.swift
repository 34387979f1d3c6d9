import Commerce
import Pages
import Primitives
import SessionBroker

/// The button page: the tab's first page, which leads to the provider.
struct ButtonView: Sendable {
    /// For the way back where the provider's button cannot be loaded.
    let client: ClientKind
    /// What is bought; postage and total are not known yet.
    let order: OrderView
    /// What the provider's button needs.
    let start: CheckoutStart
    /// Where a plain form starts the checkout without script; only where the checkout host offers it.
    let fallbackAction: LinkTarget?
}

/// The signed configuration of the provider's button.
struct CheckoutStart: Sendable {
    /// `A` and 13 or 14 characters.
    let merchantID: String
    /// With its environment prefix, unless `isSandbox` is given.
    let publicKeyID: String
    /// Whether it is the sandbox; only for key ids without a prefix, else `nil`.
    let isSandbox: Bool?
    /// The very octets that were signed.
    let payload: String
    /// Base64 of the signature.
    let signature: String
    /// The label that was signed with, such as `AMZN-PAY-RSASSA-PSS-V2`.
    let algorithm: String
}

/// The interstitial between the app's link and the tab, for the open modes that a mere GET must not trigger.
struct OpenView: Sendable {
    /// Who goes on.
    enum Mode: Sendable {
        /// The page's script posts at once; a button stands by.
        case autoPost
        /// The buyer taps.
        case tap
    }

    /// Who goes on.
    let mode: Mode
    /// The ticket A, which the form posts.
    let ticket: LaunchTicket
}

/// The confirm page: what is bought, where it goes, what it costs.
struct ConfirmView: Sendable {
    /// How the buyer agrees.
    enum Agreement: Sendable {
        /// By the form, which posts C and the total.
        case form
        /// By a link to the app first (profile strict, before the halves have met).
        case returnLink(LinkTarget)
        /// Not at all: the purchase is being completed, and nothing can be changed.
        case readOnly
    }

    /// Who buys: an app's order is placed in the app, a site's in the shop.
    let client: ClientKind
    /// What is bought, with postage and total.
    let order: OrderView
    /// Where it goes and how it is paid.
    let details: PrivateDetails
    /// The provider's checkout session, 36 characters of `[0-9a-f-]`.
    let checkoutSessionID: String
    /// The ticket C, which the forms post.
    let returnTicket: ReturnTicket
    /// Stands for what the page shows; in the address that the consent is posted to.
    let shown: Digest32?
    /// How the buyer agrees.
    let agreement: Agreement
    /// What the merchant says about this order, as it came; `nil` for nothing.
    let note: String?
}

/// The page after the provider's last page.
enum ResultView: Sendable {
    /// Client is an app: the link to tap, and what the buyer agreed to.
    case app(returnLink: LinkTarget, total: Yen)
    /// Client `browser`: the page completes the purchase itself.
    case browser(BrowserPurchase)
    /// A merchant's site: the link to tap, and what the buyer agreed to.
    case site(returnLink: LinkTarget, total: Yen)
}

/// What the result page posts to `/purchase`.
struct BrowserPurchase: Sendable {
    /// C.
    let returnTicket: ReturnTicket
    /// A, for the comparison; `nil` where the jar lost it.
    let launchTicket: LaunchTicket?
    /// The checkout session's id.
    let orderReferenceID: String
    /// What the buyer agreed to.
    let total: Yen
}
