import Commerce
import Pages
import SessionBroker
import Web

/// The receipt.
struct ThanksView: Sendable {
    /// Who bought.
    let client: ClientKind
    /// The number for inquiries.
    let orderNumber: OrderNumber
    /// What was bought.
    let order: OrderView
    /// Where it goes; `nil` once it is no longer kept.
    let address: Address?
}

/// The page after a cancelled checkout.
struct CancelledView: Sendable {
    /// What is left of the webview session.
    enum Stage: Sendable {
        /// The provider's page was left; nothing is changed, the checkout can be started again.
        case atProvider(returnTicket: ReturnTicket?)
        /// The webview session was cancelled by the buyer and is over.
        case ended
    }

    /// Who bought.
    let client: ClientKind
    /// What is left of the webview session; a return ticket lets the page offer to cancel for good.
    let stage: Stage
    /// The number for inquiries.
    let reference: OrderNumber
}

/// The page after a declined payment.
struct DeclinedView: Sendable {
    /// Who bought.
    let client: ClientKind
    /// Whether the tab may start another checkout.
    let canRetry: Bool
    /// The number for inquiries.
    let reference: OrderNumber
}

/// The error page.
struct ErrorView: Sendable {
    /// What the page offers first.
    enum Way: Sendable {
        /// Nothing but the way back.
        case none
        /// The confirm page again.
        case confirm
        /// The button page again.
        case button
    }

    /// What happened.
    let code: FailureCode
    /// For the way back; `nil` where the client is not known.
    var client: ClientKind?
    /// What the page offers first.
    var way = Way.none
    /// The number for inquiries: of the order that it would have been, or of the request; never a token.
    var reference: String?
}

/// The page that helps where the link did not open the app.
struct RescueView: Sendable {
    /// The link to tap; `nil` where this browser holds no webview session.
    let returnLink: LinkTarget?
}
