import Primitives

/// A purchase, or a renewal, as the store has it.
struct Purchase: Sendable {
    /// How far it has come.
    enum State: String, Sendable {
        /// Waits for somebody in the family to agree; nothing is paid.
        case pending
        /// Nobody agreed.
        case rejected
        /// Paid.
        case purchased
    }

    /// What is sold.
    enum Kind: String, Sendable, CaseIterable {
        case consumable = "Consumable"
        case nonConsumable = "Non-Consumable"
        case subscription = "Auto-Renewable Subscription"
        case nonRenewing = "Non-Renewing Subscription"

        /// As a filter of the history names it.
        var filterName: String {
            switch self {
            case .consumable: "CONSUMABLE"
            case .nonConsumable: "NON_CONSUMABLE"
            case .subscription: "AUTO_RENEWABLE"
            case .nonRenewing: "NON_RENEWABLE"
            }
        }
    }

    /// Money given back, or a share in the family that ended.
    struct Revocation: Sendable, Equatable {
        /// Why, in the words of the field.
        enum Kind: String, Sendable, CaseIterable {
            case full = "REFUND_FULL"
            case prorated = "REFUND_PRORATED"
            case family = "FAMILY_REVOKE"
        }

        let date: WallTime
        let kind: Kind
        /// 0 for any other reason, 1 for a problem with the app.
        let reason: Int
        /// In thousandths of a percent.
        let percentage: Int
        /// Its place among all changes.
        let change: Int
    }

    let environment: StoreEnvironment
    let id: String
    var originalID: String
    /// The Apple Account that bought, by the name that a tester gave it.
    let customer: String
    let product: String
    let kind: Kind
    let orderID: String
    var quantity = 1
    var price = 0
    var currency = "JPY"
    var storefront = "JPN"
    var ownership = Ownership.purchased
    var group: String?
    /// Lower case.
    var token: String?
    var state = State.purchased
    var purchasedAt: WallTime
    var originallyPurchasedAt: WallTime
    var expiresAt: WallTime?
    var isRenewal = false
    var webOrderLineItemID: String?
    var revocation: Revocation?
    var isFinished = false
    /// Refund that somebody has asked for and nobody decided.
    var isRefundRequested = false
    /// The latest consumption information, as it came.
    var consumption: String?
    /// Place of its latest change among all changes of the store.
    var change: Int

    /// Whom it belongs to.
    enum Ownership: String, Sendable, CaseIterable {
        case purchased = "PURCHASED"
        case familyShared = "FAMILY_SHARED"
        case assigned = "ASSIGNED"
    }

    /// Whether its text exists: nothing is signed before it is paid.
    var isPaid: Bool { state == .purchased }
}

/// An Apple Account, with one device.
struct StoreCustomer: Sendable {
    let name: String
    let appTransactionID: String
    /// What `AppStore.deviceVerificationID` is on the device, lower case.
    let deviceID: String
    let since: WallTime
}
