import Primitives

/// Money on its way back to the buyer.
struct SimulatedRefund: Sendable, Codable {
    enum Reason: String, Sendable, CaseIterable, Codable {
        case amazonRejected = "AmazonRejected"
        case processingFailure = "ProcessingFailure"
    }

    enum State: Sendable, Equatable, Codable {
        case initiated
        case refunded
        case declined(Reason)

        var name: String {
            switch self {
            case .initiated: "RefundInitiated"
            case .refunded: "Refunded"
            case .declined: "Declined"
            }
        }
    }

    let id: String
    let chargeID: String
    let permissionID: String
    let merchantID: String
    let environment: ReleaseEnvironment
    let amount: Price
    let softDescriptor: String?
    let createdAt: WallTime
    private(set) var state: State = .initiated
    private(set) var stateChangedAt: WallTime

    init(id: String, of charge: SimulatedCharge, amount: Price, softDescriptor: String?, at now: WallTime) {
        self.id = id
        chargeID = charge.id
        permissionID = charge.permissionID
        merchantID = charge.merchantID
        environment = charge.environment
        self.amount = amount
        self.softDescriptor = softDescriptor
        createdAt = now
        stateChangedAt = now
    }

    mutating func enter(_ state: State, at now: WallTime) {
        self.state = state
        stateChangedAt = now
    }
}
