package import Commerce

/// What the provider's checkout session says, as the broker keeps it.
package struct ReviewedSession: Sendable {
    /// The id of the checkout session, 36 characters.
    package let orderReference: String
    /// `merchantReferenceId` of its metadata: the webview session id that was signed into the button.
    package let merchantReference: String?
    /// From the address, by the shop's rule.
    package let postage: Yen
    /// Who buys and where to.
    package let details: PrivateDetails

    /// A session that was read.
    package init(orderReference: String, merchantReference: String?, postage: Yen, details: PrivateDetails) {
        self.orderReference = orderReference
        self.merchantReference = merchantReference
        self.postage = postage
        self.details = details
    }
}
