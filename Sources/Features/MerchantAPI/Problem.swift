import CheckoutCodes
import HTTPCore
package import MerchantOrders
package import Primitives
import ServiceAPI
package import StrictJSON
package import Web

/// What the provider said where a problem is of its making; merchants may quote it to the provider.
package struct ProviderProblem: ProblemContext, Hashable {
    /// The status of its answer.
    package let status: Int?
    /// Its word for the reason.
    package let reasonCode: String?
    /// Its name of the call.
    package let requestID: String?

    /// What the provider said.
    package init(status: Int?, reasonCode: String?, requestID: String?) {
        self.status = status
        self.reasonCode = reasonCode
        self.requestID = requestID
    }

    package var members: [JSONMember] { [JSONMember("provider", json)] }

    private var json: JSONValue {
        var members: [JSONMember] = []
        if let status { members.append(JSONMember("status", JSONValue(status))) }
        if let reasonCode { members.append(JSONMember("reasonCode", .string(reasonCode))) }
        if let requestID { members.append(JSONMember("requestId", .string(requestID))) }
        return .object(members)
    }
}

/// The operation that has to end before a request can be carried out or answered.
package struct OperationProblem: ProblemContext, Hashable {
    /// The operation.
    package let id: UUIDBytes
    /// What it does, as in the event `payment.stuck`.
    package let kind: String

    /// An operation that is in the way.
    package init(id: UUIDBytes, kind: String) {
        self.id = id
        self.kind = kind
    }

    package var members: [JSONMember] {
        [JSONMember("operation", ["id": .string(id.description), "kind": .string(kind)])]
    }
}

/// The refusal of an operation that was begun: the same for each request for the operation, whichever process answers.
package struct RefusedOperation: ProblemContext, Hashable {
    /// The operation.
    package let id: UUIDBytes
    /// What the provider said of it, if it said something.
    package let provider: ProviderProblem?

    /// The refusal of an operation.
    package init(id: UUIDBytes, provider: ProviderProblem? = nil) {
        self.id = id
        self.provider = provider
    }

    package var members: [JSONMember] { provider?.members ?? [] }

    /// The operation, which commands name alike.
    package var instance: String? { "operation:\(id)" }
}

/// The session that has the reference of the order.
package struct HeldReference: ProblemContext, Hashable {
    /// It is open or paid.
    package let session: UUIDBytes

    /// The holder of a reference.
    package init(session: UUIDBytes) {
        self.session = session
    }

    package var members: [JSONMember] { [JSONMember("sessionId", .string(session.description))] }
}

extension MerchantOrder.Decline: ProblemContext {
    package var members: [JSONMember] { [JSONMember("lastDecline", JSONValue(decline: self))] }
}

extension Failure {
    /// What the provider said, where the failure is of its making.
    package var provider: ProviderProblem? {
        context as? ProviderProblem ?? (context as? RefusedOperation)?.provider
    }

    /// An order that is not taken.
    ///
    /// - Parameter refusal: Of the draft or of the policy.
    package init(_ refusal: DraftRefusal) {
        let code: FailureCode =
            switch refusal.code {
            case .invalid: .invalidRequest
            case .amount: .invalidAmount
            case .sum: .sumMismatch
            case .currency: .currencyNotSupported
            case .address: .returnURLNotAllowed
            case .callback: .postageCallbackNotAllowed
            }
        self.init(code, message: Failure.sentence(refusal.detail), field: refusal.field)
    }
}
