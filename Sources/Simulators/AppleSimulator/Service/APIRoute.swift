import Primitives
import SimulatorCore

/// A call of the API, by the name under which a fault hits it.
enum APIOperation: String, Sendable, CaseIterable {
    case transactionInfo
    case transactionHistory
    /// The old one, which leaves out finished consumables.
    case transactionHistoryV1
    case subscriptionStatuses
    case appTransactionInfo
    case finishTransaction
    case sendConsumption
    case sendConsumptionV1
    case setAppAccountToken
    case refundHistory
    case orderLookup
    case testNotification
    case testNotificationStatus
    case notificationHistory

    /// Requests a second that the vendor allows an app.
    var limit: Int {
        switch self {
        case .setAppAccountToken: 20
        case .refundHistory, .orderLookup: 10
        case .testNotification, .testNotificationStatus: 1
        default: 50
        }
    }
}

/// A request to the API: its call, its store, and the id in its path.
struct APIRoute: Sendable {
    let operation: APIOperation
    let environment: StoreEnvironment
    /// As it stands in the path; empty where the path has none.
    let id: String

    /// The call of a request; `nil` where there is none.
    init?(_ request: SimulatorRequest) {
        let path = request.path.octets.parts(between: UInt8(ascii: "/")).dropFirst().map(\.self)
        guard let first = path.first,
            let store = StoreEnvironment.allCases.first(where: { $0.pathName?.octets == first.octets }),
            path.count > 3, path[1].octets == "inApps"
        else { return nil }
        environment = store
        let pattern = [request.method] + path.dropFirst(2)
        for (operation, words) in Self.patterns {
            guard pattern.count == words.count else { continue }
            let isSame = zip(pattern, words).allSatisfy { $1 == "*" || $0.octets == $1.octets }
            guard isSame else { continue }
            self.operation = operation
            id = zip(pattern, words).first { $0.1 == "*" }?.0 ?? ""
            return
        }
        return nil
    }

    /// Method and segments behind those of the store; a star is the id.
    ///
    /// Words go before stars.
    private static let patterns: [(APIOperation, [String])] = [
        (.testNotification, ["POST", "v1", "notifications", "test"]),
        (.testNotificationStatus, ["GET", "v1", "notifications", "test", "*"]),
        (.notificationHistory, ["POST", "v1", "notifications", "history"]),
        (.appTransactionInfo, ["GET", "v1", "transactions", "appTransactions", "*"]),
        (.sendConsumptionV1, ["PUT", "v1", "transactions", "consumption", "*"]),
        (.sendConsumption, ["PUT", "v2", "transactions", "consumption", "*"]),
        (.transactionInfo, ["GET", "v1", "transactions", "*"]),
        (.finishTransaction, ["POST", "v1", "transactions", "*", "finish"]),
        (.setAppAccountToken, ["PUT", "v1", "transactions", "*", "appAccountToken"]),
        (.transactionHistory, ["GET", "v2", "history", "*"]),
        (.transactionHistoryV1, ["GET", "v1", "history", "*"]),
        (.subscriptionStatuses, ["GET", "v1", "subscriptions", "*"]),
        (.refundHistory, ["GET", "v2", "refund", "lookup", "*"]),
        (.orderLookup, ["GET", "v1", "lookup", "*"]),
    ]
}
