package import Commerce

/// What the provider's checkout session says, as the broker keeps it.
package struct ReviewedSession: Sendable {
    /// The id of the checkout session, 36 characters.
    package let orderReference: String
    /// The webview session that it was started for, as its mark says.
    package let markedSession: WebviewSessionID?
    /// What it costs to send the order to the address; `nil` where nothing is sent there, and the details say why.
    package let postage: Yen?
    /// Who buys and where to.
    package let details: PrivateDetails

    /// A session that was read.
    package init(orderReference: String, markedSession: WebviewSessionID?, postage: Yen?, details: PrivateDetails) {
        self.orderReference = orderReference
        self.markedSession = markedSession
        self.postage = postage
        self.details = details
    }
}
