import AppLinks
import MerchantAPI
import MerchantOrders
import Pages
import Persistence
import SessionBroker

extension Exchange {
    /// What a merchant's order agreed on, or `nil` for the shop's own.
    ///
    /// Costs a look at the database where merchants' programs are served, and nothing elsewhere.
    ///
    /// - Parameter flow: Any flow.
    /// - Returns: Terms.
    /// - Throws: `unavailable`, `internal_error`.
    func terms(of flow: FlowID) async throws(Failure) -> OrderTerms? {
        guard let openings = services.merchant?.openings else { return nil }
        let stored: [UInt8]?
        do throws(MerchantStoreError) {
            stored = try await openings.terms(of: flow)
        } catch {
            let code: FailureCode = error.code == .fault ? .internalError : .unavailable
            throw Failure(code, error.debugDescription, flow: flow)
        }
        guard let stored else { return nil }
        guard let terms = OrderTerms(stored: stored) else {
            throw Failure(.internalError, "the terms of the flow cannot be read", flow: flow)
        }
        return terms
    }

    /// The way back to whoever opened the flow: the link that opens the app, or the address of a site.
    ///
    /// - Parameters:
    ///   - flow: A flow with a checkout session, of an app or a site.
    ///   - token: The tab token that C is derived from.
    /// - Returns: Built from settings, the merchant's checked address, and checked values only.
    /// - Throws: `flow_mismatch` where the tab remembers another launch ticket; what the store says.
    func wayBack(_ flow: FlowView, _ token: TabToken) async throws(Failure) -> LinkTarget {
        guard flow.client == .site else { return try returnLink(flow, token) }
        _ = try launchTicket(of: flow)
        let address = try await terms(of: flow.flow)?.returnAddress(
            ticket: services.broker.returnTicket(of: token).text,
            orderReference: flow.orderReference ?? ""
        )
        guard let target = address.flatMap({ LinkTarget($0) }) else {
            throw Failure(.internalError, "a site's flow without a way back", flow: flow.flow)
        }
        return target
    }
}
