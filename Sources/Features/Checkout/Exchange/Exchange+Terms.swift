import CheckoutCodes
import MerchantAPI
import Pages
import SessionBroker
import Web

extension Exchange {
    /// What a webview session's order agreed on: the merchant's terms, or the shop's own.
    func terms(of view: WebviewSessionView) throws(Failure) -> OrderTerms {
        guard let stored = view.record.terms else { return deployment.ownTerms }
        guard let terms = OrderTerms(stored: stored) else {
            throw Failure(.internalError, "the terms of the webview session cannot be read", session: view.id)
        }
        return terms
    }

    /// The way back to the opener of the webview session: the link that opens the app, or the address of a site.
    ///
    /// - Parameters:
    ///   - view: A webview session with a checkout session, of an app or a site.
    ///   - token: The tab token that C is derived from.
    /// - Returns: Built from settings, the merchant's checked address, and checked values only.
    /// - Throws: `session_mismatch` where the tab remembers another launch ticket; `internal_error`.
    func wayBack(_ view: WebviewSessionView, _ token: TabToken) throws(Failure) -> LinkTarget {
        guard view.client == .site else { return try returnLink(view, token) }
        _ = try launchTicket(of: view)
        let address = try terms(of: view).returnAddress(
            ticket: services.broker.returnTicket(of: token).text,
            orderReference: view.orderReference ?? ""
        )
        guard let target = address.flatMap({ LinkTarget($0) }) else {
            throw Failure(.internalError, "a site's webview session without a way back", of: view)
        }
        return target
    }
}
