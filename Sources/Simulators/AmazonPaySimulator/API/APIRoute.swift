import SimulatorCore

/// The operations of the service, by the names that the log and the faults use.
package enum APIOperation: String, Sendable, CaseIterable, Codable {
    /// POST `/checkoutSessions`.
    case createCheckoutSession = "CreateCheckoutSession"
    /// GET `/checkoutSessions/{id}`.
    case getCheckoutSession = "GetCheckoutSession"
    /// PATCH `/checkoutSessions/{id}`.
    case updateCheckoutSession = "UpdateCheckoutSession"
    /// POST `/checkoutSessions/{id}/complete`.
    case completeCheckoutSession = "CompleteCheckoutSession"
    /// POST `/checkoutSessions/{id}/finalize`.
    case finalizeCheckoutSession = "FinalizeCheckoutSession"
    /// POST `/charges`.
    case createCharge = "CreateCharge"
    /// GET `/charges/{id}`.
    case getCharge = "GetCharge"
    /// PATCH `/charges/{id}`: for payment service providers, so it is refused here.
    case updateCharge = "UpdateCharge"
    /// POST `/charges/{id}/capture`.
    case captureCharge = "CaptureCharge"
    /// DELETE `/charges/{id}/cancel`.
    case cancelCharge = "CancelCharge"
    /// GET `/chargePermissions/{id}`.
    case getChargePermission = "GetChargePermission"
    /// PATCH `/chargePermissions/{id}`.
    case updateChargePermission = "UpdateChargePermission"
    /// DELETE `/chargePermissions/{id}/close`.
    case closeChargePermission = "CloseChargePermission"
    /// POST `/refunds`.
    case createRefund = "CreateRefund"
    /// GET `/refunds/{id}`.
    case getRefund = "GetRefund"
    /// GET `/buyers/{token}`.
    case getBuyer = "GetBuyer"

    var method: String {
        switch self {
        case .createCheckoutSession, .completeCheckoutSession, .finalizeCheckoutSession, .createCharge,
            .captureCharge, .createRefund:
            "POST"
        case .getCheckoutSession, .getCharge, .getChargePermission, .getRefund, .getBuyer: "GET"
        case .updateCheckoutSession, .updateCharge, .updateChargePermission: "PATCH"
        case .cancelCharge, .closeChargePermission: "DELETE"
        }
    }

    /// The path below the version; `*` stands for the id.
    var pattern: [String] {
        switch self {
        case .createCheckoutSession: ["checkoutSessions"]
        case .getCheckoutSession, .updateCheckoutSession: ["checkoutSessions", "*"]
        case .completeCheckoutSession: ["checkoutSessions", "*", "complete"]
        case .finalizeCheckoutSession: ["checkoutSessions", "*", "finalize"]
        case .createCharge: ["charges"]
        case .getCharge, .updateCharge: ["charges", "*"]
        case .captureCharge: ["charges", "*", "capture"]
        case .cancelCharge: ["charges", "*", "cancel"]
        case .getChargePermission, .updateChargePermission: ["chargePermissions", "*"]
        case .closeChargePermission: ["chargePermissions", "*", "close"]
        case .createRefund: ["refunds"]
        case .getRefund: ["refunds", "*"]
        case .getBuyer: ["buyers", "*"]
        }
    }

    /// Capacity and refill per second of a bucket.
    ///
    /// The vendor names no rates for finalize, buyers and update charge: they go like complete, get session and update
    /// charge permission.
    func rate(in environment: ReleaseEnvironment) -> (burst: Int, perSecond: Int) {
        environment == .live ? liveRate : (sandboxBurst, 1)
    }

    private var sandboxBurst: Int {
        switch self {
        case .getCheckoutSession, .getChargePermission, .getBuyer: 10
        case .createCheckoutSession, .updateCheckoutSession, .getCharge, .updateCharge, .updateChargePermission,
            .getRefund:
            5
        case .completeCheckoutSession, .finalizeCheckoutSession, .createCharge, .captureCharge, .cancelCharge,
            .closeChargePermission, .createRefund:
            2
        }
    }

    private var liveRate: (burst: Int, perSecond: Int) {
        switch self {
        case .createCheckoutSession: (40, 16)
        case .getCheckoutSession, .getBuyer: (40, 8)
        case .updateCheckoutSession: (20, 8)
        case .completeCheckoutSession, .finalizeCheckoutSession, .getCharge, .captureCharge, .getChargePermission,
            .getRefund:
            (20, 4)
        case .createCharge, .createRefund: (10, 4)
        case .cancelCharge, .updateCharge, .updateChargePermission, .closeChargePermission: (10, 2)
        }
    }

    /// What a body of the operation looks like; `nil` where there is none.
    var schema: [Shape.Member]? {
        switch self {
        case .createCheckoutSession: Schemas.createSession
        case .updateCheckoutSession: Schemas.updateSession
        case .completeCheckoutSession: Schemas.completeSession
        case .finalizeCheckoutSession: Schemas.finalizeSession
        case .createCharge: Schemas.createCharge
        case .captureCharge: Schemas.capture
        case .cancelCharge: Schemas.cancelCharge
        case .updateChargePermission: Schemas.updatePermission
        case .closeChargePermission: Schemas.closePermission
        case .createRefund: Schemas.createRefund
        case .getCheckoutSession, .getCharge, .updateCharge, .getChargePermission, .getRefund, .getBuyer: nil
        }
    }
}

/// Which operation a method and a path ask for.
struct APIRoute: Sendable {
    enum Target: Sendable, Equatable {
        case operation(APIOperation, id: String)
        /// The path is known, with another method.
        case wrongMethod
        case unknown
    }

    let target: Target
    /// Named by the path; `nil` in `/v2/…`, where the key decides.
    let environment: ReleaseEnvironment?

    /// The route of a request, or `nil` for a path outside the API.
    ///
    /// Runs of slashes count as one, a slash at the end as none.
    init?(method: String, path: String) {
        var parts = path.split(separator: "/").map(String.init)[...]
        switch parts.first {
        case "sandbox": environment = .sandbox
        case "live": environment = .live
        default: environment = nil
        }
        if environment != nil { parts.removeFirst() }
        guard parts.popFirst() == "v2" else { return nil }
        let fitting = APIOperation.allCases.filter { APIRoute.matches(Array(parts), $0.pattern) }
        if let operation = fitting.first(where: { $0.method == method }) {
            target = .operation(operation, id: operation.pattern.count > 1 ? parts[parts.startIndex + 1] : "")
        } else {
            target = fitting.isEmpty ? .unknown : .wrongMethod
        }
    }

    var operation: APIOperation? {
        if case .operation(let operation, _) = target { operation } else { nil }
    }

    private static func matches(_ parts: [String], _ pattern: [String]) -> Bool {
        parts.count == pattern.count && zip(parts, pattern).allSatisfy { $1 == "*" || $0 == $1 }
    }
}
