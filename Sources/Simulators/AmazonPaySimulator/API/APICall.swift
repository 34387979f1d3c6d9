import Primitives
import StrictJSON

/// A request that has passed every check which does not need the objects.
struct APICall: Sendable {
    let operation: APIOperation
    /// The object in the path; empty where there is none.
    let id: String
    let caller: Caller
    /// Passed the schema of the operation; an empty object where there is no body.
    let body: JSONValue
    let simulation: SimulationCode?
    let idempotency: (identity: IdempotencyIdentity, fingerprint: Digest32)?
    let requestID: String
    let entry: CallEntry
}

/// A checked `x-amz-pay-simulation-code`.
enum SimulationCode: Sendable, Equatable {
    case complete(CompleteSimulation)
    case charge(ChargeSimulation)
    case amazonClosed

    /// The code of a request; `nil` where there is none or the operation takes none.
    ///
    /// - Throws: `InvalidSandboxSimulationSpecified` for an unknown one, and for any in live.
    init?(_ text: String?, _ operation: APIOperation, _ environment: ReleaseEnvironment) throws(APIError) {
        guard let text, operation.method != "GET" else { return nil }
        let code: SimulationCode? =
            switch operation {
            case .completeCheckoutSession, .finalizeCheckoutSession:
                CompleteSimulation(rawValue: text).map(SimulationCode.complete)
            case .createCharge: ChargeSimulation(rawValue: text).map(SimulationCode.charge)
            case .closeChargePermission: text == "AmazonClosed" ? .amazonClosed : nil
            default: nil
            }
        guard let code, environment == .sandbox else {
            throw APIError(.invalidSandboxSimulationSpecified, "The simulation code is not known for this operation.")
        }
        self = code
    }
}

/// What the service says to a call.
struct ServiceAnswer: Sendable {
    var status = 200
    let body: JSONValue
    let subject: CallSubject
}
