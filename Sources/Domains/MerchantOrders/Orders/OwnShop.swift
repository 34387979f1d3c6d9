package import Commerce

/// The shop that the program runs itself, as one more merchant: what it sells, and what its orders have besides their price.
///
/// It follows from settings alone, so nothing of it is stored with a webview session.
package struct OwnShop: Sendable {
    /// What it sells, and at which prices.
    package let catalogue: Catalogue
    /// How the postage of its orders comes about.
    package let postage: Postage
    /// What its orders have besides their price: when the money is taken, and nothing else.
    package let options: OrderDraft.Options

    /// A shop.
    package init(_ catalogue: Catalogue, sentBy rule: PostageRule, _ captureMode: CaptureMode) {
        self.catalogue = catalogue
        postage = .byAddress(rule)
        var options = OrderDraft.Options()
        options.captureMode = captureMode
        self.options = options
    }
}
