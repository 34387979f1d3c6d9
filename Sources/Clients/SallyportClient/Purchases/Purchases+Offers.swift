import Foundation

extension Purchases {
    /// Has an offer signed for somebody who has subscribed before; the merchant lists those that apps may ask for.
    ///
    /// - Parameter transactionID: One of the customer's, whom the offer is then for.
    /// - Returns: What `Product.PurchaseOption.promotionalOffer(_:compactJWS:)` takes, for 24 hours.
    /// - Throws: ``AccountError``: `offer_not_listed` where apps may not ask for it. What the transport throws.
    public func promotionalOffer(
        _ offerID: String,
        of productID: String,
        transactionID: String? = nil
    ) async throws -> String {
        try await signed(
            OfferRequest(
                kind: "promotional",
                productId: productID,
                offerId: offerID,
                transactionId: transactionID
            )
        )
    }

    /// Has it signed that the customer may have a product's introductory offer.
    ///
    /// - Parameter transactionID: Any of the customer's, or `AppTransaction.appTransactionID`.
    /// - Returns: What `Product.PurchaseOption.introductoryOfferEligibility(compactJWS:)` takes, for 24 hours.
    /// - Throws: ``AccountError``: `offer_not_listed` where apps may not ask for it. What the transport throws.
    public func introductoryOffer(of productID: String, transactionID: String) async throws -> String {
        try await signed(
            OfferRequest(kind: "introductory", productId: productID, offerId: nil, transactionId: transactionID)
        )
    }

    private func signed(_ request: OfferRequest) async throws -> String {
        let body = try JSONEncoder.sorted.encode(request)
        let response = try await account.send("POST", "app-store/offers", body: body)
        guard response.status == 200, let text = response.member("signedOffer") else { throw AccountError(response) }
        return text
    }
}

private struct OfferRequest: Encodable {
    let kind: String
    let productId: String
    let offerId: String?
    let transactionId: String?
}
