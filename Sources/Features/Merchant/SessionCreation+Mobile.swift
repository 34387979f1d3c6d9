import AmazonPay
import Checkout
import CheckoutCodes
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import SessionBroker
import StrictJSON
import Web

extension SessionCreation {
    /// What starts the checkout of an app: the signed payload for the app, the proof for the merchant's server.
    ///
    /// The launch ticket is thrown away, so there is no way to a tab. The address goes into the payload and nowhere else; the
    /// terms keep a mark by which it is known again.
    ///
    /// - Parameters:
    ///   - mobile: Checked.
    ///   - draft: What is sold; its total is known.
    /// - Returns: The member `launch`.
    /// - Throws: `internal_error` where the key cannot sign.
    func appLaunch(
        _ mobile: MobileRequest,
        _ draft: OrderDraft,
        _ issued: IssuedWebviewSession,
        _ terms: inout OrderTerms,
        _ call: MerchantCall,
        at now: WallTime
    ) async throws(Failure) -> JSONValue {
        let webviewSession = issued.ticket.webviewSession
        guard let total = draft.total, let proof = issued.newProof else {
            throw Failure(.internalError, "a session of an app without a total or a proof")
        }
        if let address = mobile.shippingAddress {
            terms.addressMark = broker.mark(of: address, in: webviewSession, under: proof)
        }
        let links = MobileLinks(result: mobile.links.result, cancel: mobile.links.cancel, error: mobile.links.error)
        terms.handlesPending = mobile.handlesPending
        let facts = MobileFacts(terms: terms, address: mobile.shippingAddress)
        let launch = try await call.part.checkout.provider.start(
            for: webviewSession,
            links: links,
            amount: total,
            facts
        )
        return [
            "mobile": launch.json, "appProof": .string(proof.text),
            "expiresAt": JSONValue(time: now + call.part.checkout.deployment.policy.times.absolute),
        ]
    }
}
