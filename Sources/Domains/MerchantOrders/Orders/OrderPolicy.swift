package import Commerce

/// What the operator allows orders to be.
package struct OrderPolicy: Sendable, Hashable {
    /// The only currency in which the account at the provider charges.
    package let ledgerCurrency: Currency
    /// The currencies that our pages can show.
    package let shownCurrencies: Set<Currency>
    /// Where buyers may be sent back to.
    package let returnOrigins: Set<CallbackOrigin>
    /// Where a merchant may be asked for the postage.
    package let postageOrigins: Set<CallbackOrigin>
    /// Which apps buyers may be sent back to by the provider's library; none by default.
    package var appLinks: Set<AppLinkOrigin> = []

    /// What an operator allows.
    ///
    /// - Parameters:
    ///   - ledgerCurrency: The only currency in which the account charges.
    ///   - shownCurrencies: What our pages can show; yen by default.
    ///   - returnOrigins: Where buyers may be sent back to; none means nowhere.
    ///   - postageOrigins: Where a merchant may be asked for the postage; none means nowhere.
    package init(
        ledgerCurrency: Currency,
        shownCurrencies: Set<Currency> = [.jpy],
        returnOrigins: Set<CallbackOrigin> = [],
        postageOrigins: Set<CallbackOrigin> = []
    ) {
        self.ledgerCurrency = ledgerCurrency
        self.shownCurrencies = shownCurrencies
        self.returnOrigins = returnOrigins
        self.postageOrigins = postageOrigins
    }

    /// Holds an order to what is allowed.
    ///
    /// - Parameter draft: A checked order.
    /// - Throws: `currency` for one that the account does not charge in or our pages cannot show, `address` and `callback` for
    ///   an address outside the origins.
    package func check(_ draft: OrderDraft) throws(DraftRefusal) {
        guard draft.currency == ledgerCurrency, shownCurrencies.contains(draft.currency) else {
            throw DraftRefusal(.currency, "currency", "this account charges in \(ledgerCurrency.rawValue)")
        }
        if let address = draft.options.returnURL {
            guard let origin = CallbackOrigin(of: address), returnOrigins.contains(origin) else {
                throw DraftRefusal(.address, "returnUrl", OrderPolicy.elsewhere)
            }
        }
        if case .callback(let address) = draft.postage, postageOrigin(of: address) == nil {
            throw DraftRefusal(.callback, "postage.callback", OrderPolicy.elsewhere)
        }
    }

    /// The origin of an address where the postage may be asked for, or `nil` for any other address.
    ///
    /// - Parameter address: Of an order, which may be older than the settings.
    /// - Returns: One of `postageOrigins`.
    package func postageOrigin(of address: String) -> CallbackOrigin? {
        guard let origin = CallbackOrigin(of: address, orClearLoopback: true), postageOrigins.contains(origin) else {
            return nil
        }
        return origin
    }

    static let elsewhere = "not at one of the origins that were agreed on"
}
