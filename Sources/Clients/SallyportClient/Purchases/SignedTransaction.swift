import Foundation

/// A transaction of the App Store, as StoreKit has signed it for this device.
public struct SignedTransaction: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Its own id.
    public let id: String
    /// `jwsRepresentation`, as it is.
    public let text: String
    /// Tells StoreKit that it has been dealt with: it is not delivered again.
    let finish: @Sendable () async -> Void

    /// A transaction.
    ///
    /// - Parameter finish: Ends it where it comes from; called only when the server says so.
    public init(id: String, text: String, finish: @escaping @Sendable () async -> Void) {
        self.id = id
        self.text = text
        self.finish = finish
    }

    /// Without the signed text.
    public var description: String { "transaction \(id)" }
    /// Without the signed text.
    public var debugDescription: String { description }
}

/// Where transactions come from: StoreKit on a phone.
public protocol TransactionSource: Sendable {
    /// Those that come by themselves from now on: what somebody in the family has agreed to, what was bought on another device,
    /// renewals, refunds.
    func updates() -> AsyncStream<SignedTransaction>
    /// Those that are not finished.
    func unfinished() async -> [SignedTransaction]
    /// Where the app buys: `Production`, `Sandbox` or `Xcode`; `nil` where that is not known, the server then takes its first.
    func environment() async -> String?
    /// The id of the device, by which the server finds texts of other devices; `nil` where there is none.
    var deviceVerificationID: UUID? { get }
}

/// What came of handing a transaction in.
public enum PurchaseOutcome: Sendable, Hashable {
    /// The account has it, from now on or since before; the transaction is finished.
    case granted(PurchaseGrant)
    /// The server has refused it for good: another account's, refunded, another app's. The transaction is finished, and the
    /// app says why.
    case refused(transactionID: String, AccountError)
    /// Nothing is decided: the transaction is kept, and handed in again later and at the next start.
    case waiting(transactionID: String, AccountError)

    /// Whether the transaction is finished.
    public var isFinal: Bool {
        if case .waiting = self { false } else { true }
    }

    /// Which transaction it is about.
    public var transactionID: String {
        switch self {
        case .granted(let grant): grant.transactionID
        case .refused(let id, _), .waiting(let id, _): id
        }
    }
}

/// What the server has granted for a purchase.
public struct PurchaseGrant: Sendable, Hashable {
    /// Of the purchase.
    public let transactionID: String
    /// What was bought.
    public let productID: String
    /// Whose ledger it went to.
    public let environment: String
    /// What was granted, now or before; 0 for what is no consumable.
    public let units: Int
    /// What the account has now.
    public let balance: Int
    /// Whether it was granted before: an app congratulates once.
    public let isRepeat: Bool

    init?(_ body: Data) {
        struct Answer: Decodable {
            let outcome, transactionId, productId, environment: String
            let units, balance: Int
        }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: body) else { return nil }
        transactionID = answer.transactionId
        productID = answer.productId
        environment = answer.environment
        units = answer.units
        balance = answer.balance
        isRepeat = answer.outcome == "duplicate"
    }
}

/// What an account has.
public struct PurchaseBalance: Sendable, Hashable, Decodable {
    /// Whose ledger.
    public let environment: String
    /// Below zero where units were spent that were refunded behind it.
    public let units: Int
    /// What can be spent.
    public let spendable: Int
}

/// What an account has the use of: a subscription, or what was bought once for all.
public struct Entitlement: Sendable, Hashable, Decodable {
    /// What was bought.
    public let productId: String
    /// Of the purchase or the renewal.
    public let transactionId: String
    /// As StoreKit names it, such as `Auto-Renewable Subscription`.
    public let type: String
    /// `PURCHASED`, `FAMILY_SHARED` or another word of Apple's.
    public let ownership: String
    /// In RFC 3339; `nil` for what does not end.
    public let expiresAt: String?
}
