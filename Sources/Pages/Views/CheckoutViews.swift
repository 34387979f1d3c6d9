package import Commerce
package import Primitives
package import SessionBroker

/// The button page: the tab's first page, which leads to the provider.
package struct ButtonView: Sendable {
    /// For the way back where the provider's button cannot be loaded.
    package let client: ClientKind
    /// What is bought; postage and total are not known yet.
    package let order: OrderView
    /// What the provider's button needs.
    package let start: CheckoutStart
    /// Where a plain form starts the checkout without script; only where the checkout host offers it.
    package let fallbackAction: LinkTarget?

    /// Puts the page's facts together.
    ///
    /// - Parameters:
    ///   - client: Where the purchase was started.
    ///   - order: What is bought.
    ///   - start: What the provider's button needs.
    ///   - fallbackAction: `nil` where the checkout host takes no form.
    package init(client: ClientKind, order: OrderView, start: CheckoutStart, fallbackAction: LinkTarget?) {
        self.client = client
        self.order = order
        self.start = start
        self.fallbackAction = fallbackAction
    }
}

/// The signed configuration of the provider's button.
package struct CheckoutStart: Sendable {
    /// `A` and 13 or 14 characters.
    package let merchantID: String
    /// With its environment prefix, unless `isSandbox` is given.
    package let publicKeyID: String
    /// Whether it is the sandbox; only for key ids without a prefix, else `nil`.
    package let isSandbox: Bool?
    /// The very octets that were signed.
    package let payload: String
    /// Base64 of the signature.
    package let signature: String
    /// The label that was signed with, such as `AMZN-PAY-RSASSA-PSS-V2`.
    package let algorithm: String

    /// Puts the configuration together.
    ///
    /// - Parameters:
    ///   - merchantID: The account.
    ///   - publicKeyID: The key that signed.
    ///   - isSandbox: Only for key ids without a prefix.
    ///   - payload: The very octets that were signed.
    ///   - signature: Base64.
    ///   - algorithm: Always sent.
    package init(
        merchantID: String,
        publicKeyID: String,
        isSandbox: Bool?,
        payload: String,
        signature: String,
        algorithm: String
    ) {
        self.merchantID = merchantID
        self.publicKeyID = publicKeyID
        self.isSandbox = isSandbox
        self.payload = payload
        self.signature = signature
        self.algorithm = algorithm
    }
}

/// The interstitial between the app's link and the tab, for the open modes that a mere GET must not trigger.
package struct OpenView: Sendable {
    /// Who goes on.
    package enum Mode: Sendable {
        /// The page's script posts at once; a button stands by.
        case autoPost
        /// The buyer taps.
        case tap
    }

    /// Who goes on.
    package let mode: Mode
    /// The ticket A, which the form posts.
    package let ticket: LaunchTicket

    /// Puts the page's facts together.
    ///
    /// - Parameters:
    ///   - mode: Who goes on.
    ///   - ticket: A.
    package init(mode: Mode, ticket: LaunchTicket) {
        self.mode = mode
        self.ticket = ticket
    }
}

/// The confirm page: what is bought, where it goes, what it costs.
package struct ConfirmView: Sendable {
    /// How the buyer agrees.
    package enum Agreement: Sendable {
        /// By the form, which posts C and the total.
        case form
        /// By a link to the app first (profile strict, before the halves have met).
        case returnLink(LinkTarget)
        /// Not at all: the purchase is being completed, and nothing can be changed.
        case readOnly
    }

    /// Who buys: an app's order is placed in the app, a site's in the shop.
    package let client: ClientKind
    /// What is bought, with postage and total.
    package let order: OrderView
    /// Where it goes and how it is paid.
    package let details: PrivateDetails
    /// The provider's checkout session, 36 characters of `[0-9a-f-]`.
    package let checkoutSessionID: String
    /// The ticket C, which the forms post.
    package let returnTicket: ReturnTicket
    /// Stands for what the page shows; in the address that the consent is posted to.
    package let shown: Digest32?
    /// How the buyer agrees.
    package let agreement: Agreement
    /// What the merchant says about this order, as it came; `nil` for nothing.
    package let note: String?

    /// Puts the page's facts together.
    ///
    /// - Parameters:
    ///   - client: Who buys.
    ///   - order: With postage and total.
    ///   - details: Where it goes and how it is paid.
    ///   - checkoutSessionID: For the controls that change address and card.
    ///   - returnTicket: C.
    ///   - shown: Stands for what the page shows; `nil` where the webview session has no such mark.
    ///   - agreement: Form, link or nothing.
    ///   - note: What the merchant says about this order.
    package init(
        client: ClientKind,
        order: OrderView,
        details: PrivateDetails,
        checkoutSessionID: String,
        returnTicket: ReturnTicket,
        shown: Digest32?,
        agreement: Agreement,
        note: String?
    ) {
        self.client = client
        self.order = order
        self.details = details
        self.checkoutSessionID = checkoutSessionID
        self.returnTicket = returnTicket
        self.shown = shown
        self.agreement = agreement
        self.note = note
    }
}

/// The page after the provider's last page.
package enum ResultView: Sendable {
    /// Client is an app: the link to tap, and what the buyer agreed to.
    case app(returnLink: LinkTarget, total: Yen)
    /// Client `browser`: the page completes the purchase itself.
    case browser(BrowserPurchase)
    /// A merchant's site: the link to tap, and what the buyer agreed to.
    case site(returnLink: LinkTarget, total: Yen)
}

/// What the result page posts to `/purchase`.
package struct BrowserPurchase: Sendable {
    /// C.
    package let returnTicket: ReturnTicket
    /// A, for the comparison; `nil` where the jar lost it.
    package let launchTicket: LaunchTicket?
    /// The checkout session's id.
    package let orderReferenceID: String
    /// What the buyer agreed to.
    package let total: Yen

    /// Puts the fields together.
    ///
    /// - Parameters:
    ///   - returnTicket: C.
    ///   - launchTicket: A; `nil` where the jar lost it.
    ///   - orderReferenceID: The checkout session's id.
    ///   - total: What the buyer agreed to.
    package init(returnTicket: ReturnTicket, launchTicket: LaunchTicket?, orderReferenceID: String, total: Yen) {
        self.returnTicket = returnTicket
        self.launchTicket = launchTicket
        self.orderReferenceID = orderReferenceID
        self.total = total
    }
}
