package import Primitives
package import StrictJSON

/// What becomes of a subscription at the end of its period, as Apple signed it at some time.
///
/// It does not say of which app it is: it counts only beside the transaction of the same original identifier that came with it.
package struct RenewalInformation: Sendable {
    /// The first purchase of the subscription.
    package let originalID: String
    /// The product that is subscribed to.
    package let productID: String?
    /// The product that will be subscribed to.
    package let autoRenewProductID: String?
    /// Whether it renews.
    package let isRenewing: Bool?
    /// 1 cancelled, 2 billing error, 3 no consent to a price, 4 product not available, 5 other; `nil` where it has not ended.
    package let expirationIntent: Int?
    /// Whether Apple still tries to charge.
    package let isInBillingRetry: Bool
    /// Until when the customer has access while Apple tries to charge.
    package let graceEnds: WallTime?
    /// 0 not answered, 1 consented or only notified; `nil` where the price stays.
    package let priceIncreaseStatus: Int?
    /// The verifier's environment.
    package let environment: AppStoreEnvironment
    /// When Apple signed the text; 1970 where it does not say.
    package let signed: WallTime
    /// The beginning of the subscription, without regard to gaps of less than 60 days.
    package let recentStart: WallTime?
    /// When it renews.
    package let renews: WallTime?
    /// Three letters of a currency.
    package let currency: String?
    /// In thousandths of the currency's unit.
    package let renewalPrice: Int64?
    /// The offer under which it renews.
    package let offer: TransactionOffer?
    /// Offers that win the customer back, best first.
    package let winBackOffers: [String]
    /// What the app said of whose it is.
    package let appAccountToken: UUIDBytes?
    /// One for each customer and app.
    package let appTransactionID: String?
    /// For example `MONTHLY`.
    package let billingPlanType: String?
    /// Everything that was signed.
    package let payload: JSONValue
}

/// Reads the payload of renewal information in steps: what it is, and the rest.
struct RenewalReader {
    let reader: PayloadReader
    private let originalID: String

    /// - Throws: `wrongKind` for anything that is not about a renewal; a transaction is not, although it has some of the members.
    init(_ payload: JSONValue) throws(SignedTextRefusal) {
        reader = PayloadReader(payload: payload)
        guard payload["transactionId"] == nil else { throw .wrongKind(.foreignMember) }
        originalID = try reader.kindMaker("originalTransactionId")
        guard payload["autoRenewStatus"] != nil || payload["autoRenewProductId"] != nil else {
            throw .wrongKind(.missingMember)
        }
    }

    func information(in environment: AppStoreEnvironment) throws(SignedTextRefusal) -> RenewalInformation {
        RenewalInformation(
            originalID: originalID,
            productID: try reader.text("productId"),
            autoRenewProductID: try reader.text("autoRenewProductId"),
            isRenewing: try reader.integer("autoRenewStatus").map { $0 == 1 },
            expirationIntent: try reader.integer("expirationIntent"),
            isInBillingRetry: try reader.flag("isInBillingRetryPeriod") ?? false,
            graceEnds: try reader.time("gracePeriodExpiresDate"),
            priceIncreaseStatus: try reader.integer("priceIncreaseStatus"),
            environment: environment,
            signed: try reader.time("signedDate") ?? WallTime(seconds: 0),
            recentStart: try reader.time("recentSubscriptionStartDate"),
            renews: try reader.time("renewalDate"),
            currency: try reader.text("currency"),
            renewalPrice: try reader.longInteger("renewalPrice"),
            offer: try reader.offer(),
            winBackOffers: try reader.texts("eligibleWinBackOfferIds"),
            appAccountToken: try reader.uuid("appAccountToken"),
            appTransactionID: try reader.identifier("appTransactionId"),
            billingPlanType: try reader.text("renewalBillingPlanType"),
            payload: reader.payload
        )
    }
}
