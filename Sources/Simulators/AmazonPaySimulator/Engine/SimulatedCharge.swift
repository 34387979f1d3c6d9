import Primitives
import StrictJSON

/// One payment under a charge permission.
struct SimulatedCharge: Sendable, Codable {
    enum Reason: String, Sendable, CaseIterable, Codable {
        case expiredUnused = "ExpiredUnused"
        case merchantCanceled = "MerchantCanceled"
        case amazonCanceled = "AmazonCanceled"
        case chargePermissionCanceled = "ChargePermissionCanceled"
        case buyerCanceled = "BuyerCanceled"
        case softDeclined = "SoftDeclined"
        case hardDeclined = "HardDeclined"
        case amazonRejected = "AmazonRejected"
        case processingFailure = "ProcessingFailure"
        case transactionTimedOut = "TransactionTimedOut"

        /// Whether a charge is declined for it; it is canceled for the others.
        var isDecline: Bool {
            switch self {
            case .softDeclined, .hardDeclined, .amazonRejected, .processingFailure, .transactionTimedOut: true
            case .expiredUnused, .merchantCanceled, .amazonCanceled, .chargePermissionCanceled, .buyerCanceled: false
            }
        }
    }

    enum State: Sendable, Equatable, Codable {
        case authorizationInitiated
        case authorized
        case captureInitiated
        case captured
        case canceled(Reason)
        case declined(Reason)

        var name: String {
            switch self {
            case .authorizationInitiated: "AuthorizationInitiated"
            case .authorized: "Authorized"
            case .captureInitiated: "CaptureInitiated"
            case .captured: "Captured"
            case .canceled: "Canceled"
            case .declined: "Declined"
            }
        }

        var reason: Reason? {
            switch self {
            case .canceled(let reason), .declined(let reason): reason
            case .authorizationInitiated, .authorized, .captureInitiated, .captured: nil
            }
        }

        /// Whether the charge may still change by itself or by a call, refunds aside.
        var isInProgress: Bool {
            switch self {
            case .authorizationInitiated, .authorized, .captureInitiated: true
            case .captured, .canceled, .declined: false
            }
        }
    }

    let id: String
    let permissionID: String
    let merchantID: String
    let environment: ReleaseEnvironment
    let amount: Price
    var order: ChargeOrder
    let createdAt: WallTime
    var captureAmount: Price?
    /// What refunds have sent back or are about to; a declined one gives its part back.
    var refundedUnits: Int64 = 0
    var refundIDs: [String] = []
    private(set) var state: State
    private(set) var stateChangedAt: WallTime

    init(id: String, under permission: SimulatedPermission, order: ChargeOrder, state: State, at now: WallTime) {
        self.id = id
        permissionID = permission.id
        merchantID = permission.merchantID
        environment = permission.environment
        amount = order.amount
        self.order = order
        createdAt = now
        self.state = state
        stateChangedAt = now
    }

    mutating func enter(_ state: State, at now: WallTime) {
        self.state = state
        stateChangedAt = now
    }

    /// What the charge takes from the balance of its permission.
    var boundUnits: Int64 {
        switch state {
        case .authorizationInitiated, .authorized: amount.units
        case .captureInitiated, .captured: (captureAmount ?? amount).units
        case .canceled, .declined: 0
        }
    }
}

/// What a merchant asks for with a charge.
struct ChargeOrder: Sendable, Codable {
    let amount: Price
    var capturesNow = false
    var canHandlePendingAuthorization = false
    var softDescriptor: String?
    /// Who asks for it: the buyer, in a payment of a single order.
    var initiator: String? = "CITU"
    var channel: String? = "Web"
    var metadata: JSONValue = .null
    var providerReferenceID: String?
    var platformID: String?
}
