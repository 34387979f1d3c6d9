package import Commerce
package import SessionBroker
package import Web

/// The receipt.
package struct ThanksView: Sendable {
    /// Who bought.
    package let client: ClientKind
    /// The number for inquiries.
    package let orderNumber: OrderNumber
    /// What was bought.
    package let order: OrderView
    /// Where it goes; `nil` once it is no longer kept.
    package let address: Address?

    /// Puts the page's facts together.
    ///
    /// - Parameters:
    ///   - client: For the link back.
    ///   - orderNumber: The number for inquiries.
    ///   - order: With postage and total.
    ///   - address: `nil` once it is no longer kept.
    package init(client: ClientKind, orderNumber: OrderNumber, order: OrderView, address: Address?) {
        self.client = client
        self.orderNumber = orderNumber
        self.order = order
        self.address = address
    }
}

/// The page after a cancelled checkout.
package struct CancelledView: Sendable {
    /// What is left of the webview session.
    package enum Stage: Sendable {
        /// The provider's page was left; nothing is changed, the checkout can be started again.
        case atProvider(returnTicket: ReturnTicket?)
        /// The webview session was cancelled by the buyer and is over.
        case ended
    }

    /// Who bought.
    package let client: ClientKind
    /// What is left of the webview session; a return ticket lets the page offer to cancel for good.
    package let stage: Stage
    /// The number for inquiries.
    package let reference: OrderNumber

    /// Puts the page's facts together.
    ///
    /// - Parameters:
    ///   - client: For the way back.
    ///   - stage: What is left of the webview session.
    ///   - reference: The number for inquiries.
    package init(client: ClientKind, stage: Stage, reference: OrderNumber) {
        self.client = client
        self.reference = reference
        self.stage = stage
    }
}

/// The page after a declined payment.
package struct DeclinedView: Sendable {
    /// Who bought.
    package let client: ClientKind
    /// Whether the tab may start another checkout.
    package let canRetry: Bool
    /// The number for inquiries.
    package let reference: OrderNumber

    /// Puts the page's facts together.
    ///
    /// - Parameters:
    ///   - client: For the way back.
    ///   - canRetry: Whether the tab may start another checkout.
    ///   - reference: The number for inquiries.
    package init(client: ClientKind, canRetry: Bool, reference: OrderNumber) {
        self.client = client
        self.reference = reference
        self.canRetry = canRetry
    }
}

/// The error page.
package struct ErrorView: Sendable {
    /// What the page offers first.
    package enum Way: Sendable {
        /// Nothing but the way back.
        case none
        /// The confirm page again.
        case confirm
        /// The button page again.
        case button
    }

    /// What happened.
    package let code: FailureCode
    /// For the way back; `nil` where the client is not known.
    package let client: ClientKind?
    /// What the page offers first.
    package let way: Way
    /// The number for inquiries: of the order that it would have been, or of the request; never a token.
    package let reference: String?

    /// Puts the page's facts together.
    ///
    /// - Parameters:
    ///   - code: What happened.
    ///   - client: `nil` where it is not known.
    ///   - way: What the page offers first.
    ///   - reference: Never a token.
    package init(
        code: FailureCode,
        client: ClientKind? = nil,
        way: Way = .none,
        reference: String? = nil
    ) {
        self.code = code
        self.client = client
        self.way = way
        self.reference = reference
    }
}

/// The page that helps where the link did not open the app.
package struct RescueView: Sendable {
    /// The link to tap; `nil` where this browser holds no webview session.
    package let returnLink: LinkTarget?

    /// Puts the page's facts together.
    ///
    /// - Parameter returnLink: `nil` where this browser holds no webview session.
    package init(returnLink: LinkTarget?) {
        self.returnLink = returnLink
    }
}
