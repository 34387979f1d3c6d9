package import Primitives
package import StrictJSON

/// The type of a product.
package enum TransactionType: OpenWord {
    /// Bought again and again, and used up.
    case consumable
    /// Bought once.
    case nonConsumable
    /// A subscription that renews itself.
    case autoRenewable
    /// A subscription that ends.
    case nonRenewing
    /// A type that is not known.
    case other(OctetText)

    /// The types that are known.
    package static let known: [TransactionType] = [.consumable, .nonConsumable, .autoRenewable, .nonRenewing]

    package var word: String {
        switch self {
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        case .autoRenewable: "Auto-Renewable Subscription"
        case .nonRenewing: "Non-Renewing Subscription"
        case .other(let word): word.string
        }
    }
}

/// How a customer came to a product.
package enum TransactionOwnership: OpenWord {
    /// Bought it.
    case purchased
    /// A member of the family bought it.
    case familyShared
    /// An organisation or a group gave it.
    case assigned
    /// A way that is not known; an empty word where the text does not say.
    case other(OctetText)

    /// The ways that are known.
    package static let known: [TransactionOwnership] = [.purchased, .familyShared, .assigned]

    package var word: String {
        switch self {
        case .purchased: "PURCHASED"
        case .familyShared: "FAMILY_SHARED"
        case .assigned: "ASSIGNED"
        case .other(let word): word.string
        }
    }
}

/// How a purchase was taken back.
package enum RevocationType: OpenWord {
    /// All of it was refunded.
    case refundFull
    /// A part of it was refunded.
    case refundProrated
    /// The family no longer shares it.
    case familyRevoke
    /// A way that is not known.
    case other(OctetText)

    /// The ways that are known.
    package static let known: [RevocationType] = [.refundFull, .refundProrated, .familyRevoke]

    package var word: String {
        switch self {
        case .refundFull: "REFUND_FULL"
        case .refundProrated: "REFUND_PRORATED"
        case .familyRevoke: "FAMILY_REVOKE"
        case .other(let word): word.string
        }
    }
}

/// The offer under which something was bought or renews.
package struct TransactionOffer: Sendable, Hashable {
    /// 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    package let type: Int
    /// Its name; `nil` for introductory offers.
    package let identifier: OctetText?
    /// For example `FREE_TRIAL`.
    package let discountType: OctetText?
    /// Its duration, for example `P1M`.
    package let period: OctetText?
}

/// The instalments of a subscription that is paid in several of them.
package struct TransactionCommitment: Sendable, Hashable {
    /// Which of them this is, from 1 on.
    package let period: Int?
    /// How many there are.
    package let periods: Int?
    /// When the last one ends.
    package let expires: WallTime?
    /// All of them, in thousandths of the currency's unit.
    package let price: Int64?
}

/// A purchase or a renewal, as Apple signed it at some time.
///
/// Apple signs the same purchase again at every answer; its identity is environment, bundle id and `id`.
package struct Transaction: Sendable {
    /// The identifier of this purchase or renewal.
    package let id: String
    /// The identifier of the first purchase of the line; that of a consumable is `id`.
    package let originalID: String
    /// The product's name.
    package let productID: String
    /// The app's name, the verifier's.
    package let bundleID: String
    /// The product's type.
    package let type: TransactionType
    /// How many were bought at once: 1 to `greatestQuantity`.
    package let quantity: Int
    /// The verifier's environment.
    package let environment: AppStoreEnvironment
    /// How the customer came to it.
    package let ownership: TransactionOwnership
    /// When it was charged, or restored.
    package let purchased: WallTime?
    /// When the first purchase of the line was made.
    package let originalPurchase: WallTime?
    /// When Apple signed the text; 1970 where it does not say, so that it is older than any other.
    package let signed: WallTime
    /// When it was refunded, or taken from the family.
    package let revoked: WallTime?
    /// How it was taken back.
    package let revocationType: RevocationType?
    /// The part that was refunded, in thousandths of a percent: 0 to 100,000.
    package let revocationPercentage: Int?
    /// 1 for a problem with the app, 0 for any other.
    package let revocationReason: Int?
    /// What the app said at the purchase of whose it is.
    package let appAccountToken: UUIDBytes?
    /// Three letters of a country.
    package let storefront: String?
    /// The number of the storefront.
    package let storefrontID: String?
    /// Three letters of a currency.
    package let currency: String?
    /// In thousandths of the currency's unit.
    package let price: Int64?
    /// When the subscription ends, or renews.
    package let expires: WallTime?
    /// One for each customer and app.
    package let appTransactionID: String?
    /// One for each purchase or renewal of a subscription.
    package let webOrderLineItemID: String?
    /// The group of the subscription.
    package let subscriptionGroupID: String?
    /// For example `PURCHASE` or `RENEWAL`.
    package let transactionReason: String?
    /// Whether an upgrade took the subscription's place.
    package let isUpgraded: Bool
    /// The offer under which it was bought.
    package let offer: TransactionOffer?
    /// For example `MONTHLY`.
    package let billingPlanType: String?
    /// The instalments.
    package let commitment: TransactionCommitment?
    /// What ties the text to a device, Base64; only in texts from an app.
    package let deviceVerification: String?
    /// What was hashed with the device's identifier; only in texts from an app.
    package let deviceVerificationNonce: UUIDBytes?
    /// Everything that was signed.
    package let payload: JSONValue

    /// The greatest quantity; the App Store sells ten at once.
    package static let greatestQuantity = 1_000

    /// How many of the granted units a revocation takes back: all, or the refunded part, rounded down.
    ///
    /// - Parameter granted: Zero or more.
    /// - Returns: Zero where nothing is revoked.
    package func unitsTakenBack(ofGranted granted: Int64) -> Int64 {
        guard revoked != nil, granted > 0 else { return 0 }
        guard revocationType == .refundProrated, let revocationPercentage else { return granted }
        let whole = Int64(TransactionReader.wholePercentage)
        let product = granted.multipliedFullWidth(by: Int64(revocationPercentage))
        return whole.dividingFullWidth(product).quotient
    }
}

/// Reads the payload of a transaction in steps: what it is, whose it is, and the rest.
struct TransactionReader {
    let reader: PayloadReader
    private let id: String
    private let productID: String
    private let type: String

    /// Thousandths of a percent.
    static let wholePercentage = 100_000

    /// - Throws: `wrongKind` where a member is missing that makes the kind.
    init(_ payload: JSONValue) throws(SignedTextRefusal) {
        reader = PayloadReader(payload: payload)
        id = try reader.kindMaker("transactionId")
        guard let productID = try reader.text("productId"), let type = try reader.text("type") else {
            throw .wrongKind(.missingMember)
        }
        (self.productID, self.type) = (productID, type)
    }

    func transaction(of bundleID: String, in environment: AppStoreEnvironment) throws(SignedTextRefusal) -> Transaction
    {
        Transaction(
            id: id,
            originalID: try reader.identifier("originalTransactionId") ?? id,
            productID: productID,
            bundleID: bundleID,
            type: TransactionType(word: type.octets),
            quantity: try reader.integer("quantity", in: 1...Transaction.greatestQuantity) ?? 1,
            environment: environment,
            ownership: try reader.word("inAppOwnershipType") ?? .other(""),
            purchased: try reader.time("purchaseDate"),
            originalPurchase: try reader.time("originalPurchaseDate"),
            signed: try reader.time("signedDate") ?? WallTime(seconds: 0),
            revoked: try reader.time("revocationDate"),
            revocationType: try reader.word("revocationType"),
            revocationPercentage: try reader.integer("revocationPercentage", in: 0...TransactionReader.wholePercentage),
            revocationReason: try reader.integer("revocationReason"),
            appAccountToken: try reader.uuid("appAccountToken"),
            storefront: try reader.text("storefront"),
            storefrontID: try reader.text("storefrontId"),
            currency: try reader.text("currency"),
            price: try reader.longInteger("price"),
            expires: try reader.time("expiresDate"),
            appTransactionID: try reader.identifier("appTransactionId"),
            webOrderLineItemID: try reader.identifier("webOrderLineItemId"),
            subscriptionGroupID: try reader.identifier("subscriptionGroupIdentifier"),
            transactionReason: try reader.text("transactionReason"),
            isUpgraded: try reader.flag("isUpgraded") ?? false,
            offer: try reader.offer(),
            billingPlanType: try reader.text("billingPlanType"),
            commitment: try commitment(),
            deviceVerification: try reader.text("deviceVerification"),
            deviceVerificationNonce: try reader.uuid("deviceVerificationNonce"),
            payload: reader.payload
        )
    }

    private func commitment() throws(SignedTextRefusal) -> TransactionCommitment? {
        guard let object = try reader.object("commitmentInfo") else { return nil }
        return TransactionCommitment(
            period: try object.integer("billingPeriodNumber"),
            periods: try object.integer("totalBillingPeriods"),
            expires: try object.time("commitmentExpiresDate"),
            price: try object.longInteger("commitmentPrice")
        )
    }
}

extension PayloadReader {
    /// The offer of a transaction or a renewal.
    func offer() throws(SignedTextRefusal) -> TransactionOffer? {
        guard let type = try integer("offerType") else { return nil }
        return TransactionOffer(
            type: type,
            identifier: try text("offerIdentifier")?.octets,
            discountType: try text("offerDiscountType")?.octets,
            period: try text("offerPeriod")?.octets
        )
    }
}
