import CheckoutCodes
package import MerchantOrders
package import Primitives
package import StrictJSON
package import Web

/// What the provider said where a problem is of its making; merchants may quote it to the provider.
package struct ProviderProblem: Sendable, Hashable {
    /// The status of its answer.
    package let status: Int?
    /// Its word for the reason.
    package let reasonCode: String?
    /// Its name of the call.
    package let requestID: String?

    /// What the provider said.
    ///
    /// - Parameters:
    ///   - status: Of its answer.
    ///   - reasonCode: Its word for the reason.
    ///   - requestID: Its name of the call.
    package init(status: Int?, reasonCode: String?, requestID: String?) {
        self.status = status
        self.reasonCode = reasonCode
        self.requestID = requestID
    }

    var json: JSONValue {
        var members: [JSONMember] = []
        if let status { members.append(JSONMember("status", JSONValue(status))) }
        if let reasonCode { members.append(JSONMember("reasonCode", .string(reasonCode))) }
        if let requestID { members.append(JSONMember("requestId", .string(requestID))) }
        return .object(members)
    }
}

/// The operation that has to end before a request can be carried out or answered.
package struct OperationProblem: Sendable, Hashable {
    /// The operation.
    package let id: UUIDBytes
    /// What it does, as in the event `payment.stuck`.
    package let kind: String

    /// An operation that is in the way.
    ///
    /// - Parameters:
    ///   - id: The operation.
    ///   - kind: What it does.
    package init(id: UUIDBytes, kind: String) {
        self.id = id
        self.kind = kind
    }

    var json: JSONValue { ["id": .string(id.description), "kind": .string(kind)] }
}

// What every handler below `/v1` throws is a failure; a problem is what its answer says of it.
extension Failure {
    /// What the provider said, where the failure is of its making.
    package var provider: ProviderProblem? { context as? ProviderProblem }

    /// The content of the answer: `{"error":{"code","message","field"?,"provider"?}}`.
    package var problem: JSONValue {
        var members = [JSONMember("code", .string(code.name)), JSONMember("message", .string(message))]
        if let field { members.append(JSONMember("field", .string(field))) }
        if let provider { members.append(JSONMember("provider", provider.json)) }
        switch context {
        case let operation as OperationProblem: members.append(JSONMember("operation", operation.json))
        case let decline as MerchantOrder.Decline:
            members.append(JSONMember("lastDecline", JSONValue(decline: decline)))
        default: break
        }
        if code == .referenceHeld, let session { members.append(JSONMember("sessionId", .string(session.description))) }
        return ["error": .object(members)]
    }

    // MARK: Of other refusals

    /// A body that is not the message that was expected.
    ///
    /// - Parameter refusal: Of the reader.
    package init(_ refusal: JSONRefusal) {
        let reason =
            switch refusal.reason {
            case .missing: "The member is missing."
            case .notA(let type): "The member is not \(type)."
            case .unknown: "There is no such member."
            }
        self.init(.invalidRequest, message: reason, field: refusal.path)
    }

    /// A body that is no JSON.
    ///
    /// - Parameter error: Of the parser.
    package init(_ error: JSONError) {
        switch error {
        case .malformed(let place), .badText(let place):
            self.init(.invalidRequest, message: "The content is no JSON, from byte \(place) on.")
        case .tooDeep: self.init(.invalidRequest, message: "The content is nested too deeply.")
        case .tooMany: self.init(.invalidRequest, message: "The content has too many values.")
        case .repeated(let path): self.init(.invalidRequest, message: "The member comes twice.", field: path)
        }
    }

    /// A text that is not taken.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - field: Which member or parameter it is.
    ///   - length: How many Unicode scalars it may have.
    /// - Throws: `invalid_request` with the rule that it breaks.
    package static func check(_ text: String, _ field: String, _ length: ClosedRange<Int>) throws(Failure) {
        guard let problem = PrintableText.problem(in: text, length: length) else { return }
        let sentence = problem.prefix(1).uppercased() + problem.dropFirst() + "."
        throw Failure(.invalidRequest, message: sentence, field: field)
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
        let text = refusal.detail.prefix(1).uppercased() + refusal.detail.dropFirst() + "."
        self.init(code, message: text, field: refusal.field)
    }

    /// A failure of the store, below `/v1`: an unknown outcome has a code of its own there.
    ///
    /// The key makes a repeat safe.
    ///
    /// - Parameter error: Of the store.
    package init(forMerchantAPI error: StoreError) {
        switch error.code {
        case .unavailable: self.init(.unavailable, error.debugDescription)
        case .overloaded: self.init(.unavailable, error.debugDescription, retryAfter: 1)
        case .outcomeUnknown: self.init(.outcomeUnknown, error.debugDescription)
        case .limited(let seconds): self.init(.rateLimited, error.debugDescription, retryAfter: seconds)
        case .fault: self.init(.internalError, error.debugDescription)
        }
    }

    /// Calls a store, and turns its failures into those of `/v1`.
    ///
    /// - Parameter body: One call of a store.
    /// - Returns: What it returns.
    /// - Throws: `unavailable`, `outcome_unknown`, `rate_limited`, `internal_error`.
    package static func mapErrors<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(Failure) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw Failure(forMerchantAPI: error)
        }
    }

    /// Runs a body that reads members, and turns its refusals into problems.
    ///
    /// - Parameter body: Takes members out of a reader.
    /// - Returns: What the body returns.
    /// - Throws: `invalid_request` with the field.
    package static func reading<Value>(_ body: () throws(JSONRefusal) -> Value) throws(Failure) -> Value {
        do throws(JSONRefusal) {
            return try body()
        } catch {
            throw Failure(error)
        }
    }
}
