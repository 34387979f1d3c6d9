import CheckoutCodes
import MerchantAPI
import Pages
import SessionBroker
import Web

extension Exchange {
    /// What a flow's order agreed on.
    ///
    /// - Parameter flow: As the tab sees it.
    /// - Returns: The merchant's terms, or the shop's own.
    /// - Throws: `internal_error`.
    func terms(of flow: FlowView) throws(Failure) -> OrderTerms {
        try terms(flow.terms, flow.flow)
    }

    /// What the order of a placement agreed on.
    ///
    /// - Parameter placement: Of any flow.
    /// - Returns: The merchant's terms, or the shop's own.
    /// - Throws: `internal_error`.
    func terms(of placement: Placement) throws(Failure) -> OrderTerms {
        try terms(placement.terms, placement.flow)
    }

    private func terms(_ stored: [UInt8]?, _ flow: FlowID) throws(Failure) -> OrderTerms {
        guard let stored else { return deployment.ownTerms }
        guard let terms = OrderTerms(stored: stored) else {
            throw Failure(.internalError, "the terms of the flow cannot be read", session: flow)
        }
        return terms
    }

    /// The way back to whoever opened the flow: the link that opens the app, or the address of a site.
    ///
    /// - Parameters:
    ///   - flow: A flow with a checkout session, of an app or a site.
    ///   - token: The tab token that C is derived from.
    /// - Returns: Built from settings, the merchant's checked address, and checked values only.
    /// - Throws: `flow_mismatch` where the tab remembers another launch ticket; `internal_error`.
    func wayBack(_ flow: FlowView, _ token: TabToken) throws(Failure) -> LinkTarget {
        guard flow.client == .site else { return try returnLink(flow, token) }
        _ = try launchTicket(of: flow)
        let address = try terms(of: flow).returnAddress(
            ticket: services.broker.returnTicket(of: token).text,
            orderReference: flow.orderReference ?? ""
        )
        guard let target = address.flatMap({ LinkTarget($0) }) else {
            throw Failure(.internalError, "a site's flow without a way back", of: flow)
        }
        return target
    }
}
