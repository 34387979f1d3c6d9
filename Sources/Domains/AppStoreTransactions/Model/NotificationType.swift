package import Primitives

/// What a notification of the App Store is about.
package enum NotificationType: OpenWord {
    /// Something was bought that does not renew itself.
    case oneTimeCharge
    /// A customer wants a refund: the App Store asks what was used of the purchase.
    case consumptionRequest
    /// A purchase was refunded.
    case refund
    /// A refund was refused.
    case refundDeclined
    /// A refund was undone after a dispute.
    case refundReversed
    /// The family no longer shares a purchase.
    case revoke
    /// Somebody asked for a test.
    case test
    /// A subscription began.
    case subscribed
    /// A subscription renewed itself.
    case didRenew
    /// A customer changed the plan.
    case didChangeRenewalPreference
    /// A customer switched the renewal on or off.
    case didChangeRenewalStatus
    /// A customer used an offer.
    case offerRedeemed
    /// A renewal could not be charged.
    case didFailToRenew
    /// The time of grace is over.
    case gracePeriodExpired
    /// A subscription ended.
    case expired
    /// The price of a subscription rises.
    case priceIncrease
    /// A price was changed through Advanced Commerce.
    case priceChange
    /// Metadata were changed through Advanced Commerce.
    case metadataUpdate
    /// A subscription was moved to Advanced Commerce.
    case migration
    /// A renewal date was extended.
    case renewalExtended
    /// Renewal dates of all subscribers were extended, or one of them was not.
    case renewalExtension
    /// A token of a purchase outside the App Store.
    case externalPurchaseToken
    /// A parent withdrew the consent for a child's account.
    case rescindConsent
    /// A type that is not known: it is stored and acknowledged.
    case other(OctetText)

    /// The types that are known.
    package static let known: [NotificationType] = [
        .oneTimeCharge, .consumptionRequest, .refund, .refundDeclined, .refundReversed, .revoke, .test, .subscribed,
        .didRenew, .didChangeRenewalPreference, .didChangeRenewalStatus, .offerRedeemed, .didFailToRenew,
        .gracePeriodExpired, .expired, .priceIncrease, .priceChange, .metadataUpdate, .migration, .renewalExtended,
        .renewalExtension, .externalPurchaseToken, .rescindConsent,
    ]

    package var word: String {
        switch self {
        case .oneTimeCharge: "ONE_TIME_CHARGE"
        case .consumptionRequest: "CONSUMPTION_REQUEST"
        case .refund: "REFUND"
        case .refundDeclined: "REFUND_DECLINED"
        case .refundReversed: "REFUND_REVERSED"
        case .revoke: "REVOKE"
        case .test: "TEST"
        case .subscribed: "SUBSCRIBED"
        case .didRenew: "DID_RENEW"
        case .didChangeRenewalPreference: "DID_CHANGE_RENEWAL_PREF"
        case .didChangeRenewalStatus: "DID_CHANGE_RENEWAL_STATUS"
        case .offerRedeemed: "OFFER_REDEEMED"
        case .didFailToRenew: "DID_FAIL_TO_RENEW"
        case .gracePeriodExpired: "GRACE_PERIOD_EXPIRED"
        case .expired: "EXPIRED"
        case .priceIncrease: "PRICE_INCREASE"
        case .priceChange: "PRICE_CHANGE"
        case .metadataUpdate: "METADATA_UPDATE"
        case .migration: "MIGRATION"
        case .renewalExtended: "RENEWAL_EXTENDED"
        case .renewalExtension: "RENEWAL_EXTENSION"
        case .externalPurchaseToken: "EXTERNAL_PURCHASE_TOKEN"
        case .rescindConsent: "RESCIND_CONSENT"
        case .other(let word): word.string
        }
    }
}

/// What a notification does to the ledger of units that consumables give.
package enum LedgerEffect: String, Sendable, Hashable, CaseIterable {
    /// Units are granted where the owner is known.
    case grant
    /// Granted units are taken back.
    case takeBack = "take_back"
    /// Units that were taken back are given again.
    case giveBack = "give_back"
    /// Nothing; the App Store waits for an answer on what was used.
    case answerConsumption = "answer_consumption"
    /// Nothing.
    case none
}

extension NotificationType {
    /// What it does to the ledger; what is decided in the end is in the transaction inside.
    package var ledgerEffect: LedgerEffect {
        switch self {
        case .oneTimeCharge: .grant
        case .refund: .takeBack
        case .refundReversed: .giveBack
        case .consumptionRequest: .answerConsumption
        default: .none
        }
    }

    /// The subtypes that are known; none for most types.
    package var knownSubtypes: [String] {
        switch self {
        case .subscribed: ["INITIAL_BUY", "RESUBSCRIBE"]
        case .didRenew: ["BILLING_RECOVERY"]
        case .didChangeRenewalPreference, .offerRedeemed: ["UPGRADE", "DOWNGRADE"]
        case .didChangeRenewalStatus: ["AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED"]
        case .didFailToRenew: ["GRACE_PERIOD"]
        case .expired: ["VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE"]
        case .priceIncrease: ["PENDING", "ACCEPTED"]
        case .renewalExtension: ["SUMMARY", "FAILURE"]
        case .externalPurchaseToken: ["CREATED", "ACTIVE_TOKEN_REMINDER", "UNREPORTED"]
        default: []
        }
    }
}
