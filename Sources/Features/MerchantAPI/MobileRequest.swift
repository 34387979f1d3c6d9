package import Commerce
package import MerchantOrders
import ServiceAPI
package import StrictJSON
package import Web

/// What a merchant's program sends along for an app that starts the checkout by itself, checked.
package struct MobileRequest: Sendable {
    /// The client that such a session is for.
    package static let client = "mobileApp"
    /// The provider's own name for it.
    static let pendingMember = "canHandlePendingAuthorization"

    /// The way back into the app.
    package let links: AppLinks
    /// Where to, where something is sent that the merchant has asked the buyer about.
    package let shippingAddress: Address?
    /// Whether the payment may be agreed to before the bank has spoken; only where the money is taken by a later call.
    package let handlesPending: Bool

    /// Reads the member `mobile`.
    ///
    /// - Parameters:
    ///   - policy: Which apps buyers may be sent back to.
    /// - Throws: `invalid_request`, `return_url_not_allowed`; the field says which member.
    init(_ reader: JSONReader, _ policy: OrderPolicy) throws(Failure) {
        var reader = reader
        links = try Failure.reading { () throws(JSONRefusal) in
            AppLinks(
                result: try reader.text("resultUrl"),
                cancel: try reader.text("cancelUrl"),
                error: try reader.text("errorUrl")
            )
        }
        shippingAddress = try reader.address("shippingAddress")
        handlesPending = try Failure.reading { () throws(JSONRefusal) in
            try reader.optionalFlag(MobileRequest.pendingMember) ?? false
        }
        let rest = reader
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
        do throws(DraftRefusal) { try policy.check(links) } catch { throw Failure(error.below("mobile")) }
    }
}

/// What a merchant's program sends when the buyer is back in its app, checked for its form.
package struct FinalizeRequest: Sendable {
    /// From the link into the app.
    package let checkoutSession: String
    /// Token P.
    package let proof: String
    /// Where the session was opened with a challenge.
    package let verifier: String?
    /// As the session was opened with.
    package let shippingAddress: Address?

    /// Reads a request.
    ///
    /// - Throws: `invalid_request`; the field says which member.
    package init(_ reader: JSONReader) throws(Failure) {
        var reader = reader
        (checkoutSession, proof, verifier) = try Failure.reading { () throws(JSONRefusal) in
            (try reader.text("checkoutSessionId"), try reader.text("appProof"), try reader.optionalText("codeVerifier"))
        }
        shippingAddress = try reader.address("shippingAddress")
        let rest = reader
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
    }
}
