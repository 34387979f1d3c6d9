package import MerchantOrders
package import Primitives
package import StrictJSON

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

/// Why a request of a merchant's program is refused; what every handler below `/v1` throws.
package struct Problem: Error, Sendable {
    /// For programs.
    package let code: ProblemCode
    /// For the developer who reads the answer; holds nothing secret.
    package let message: String
    /// Which member of the body or parameter, for example `lines[0].quantity`.
    package let field: String?
    /// The session it is about, for `X-Flow-Id`.
    package var flow: UUIDBytes?
    /// Seconds for `Retry-After`.
    package var retryAfter: Int?
    /// What the provider said.
    package var provider: ProviderProblem?
    /// For the log; never sent.
    ///
    /// Holds no token and no personal data.
    package var detail: String

    /// A problem.
    ///
    /// - Parameters:
    ///   - code: For programs.
    ///   - message: For developers; the code's own sentence unless told otherwise.
    ///   - field: Which member or parameter.
    ///   - flow: The session it is about.
    ///   - retryAfter: Seconds; the code's own unless told otherwise.
    ///   - detail: For the log.
    package init(
        _ code: ProblemCode,
        _ message: String? = nil,
        field: String? = nil,
        flow: UUIDBytes? = nil,
        retryAfter: Int? = nil,
        detail: String = ""
    ) {
        self.code = code
        self.message = message ?? code.message
        // A field's name may be of the sender's making: of any length, and of none.
        let name = field.map { String(decoding: $0.utf8.prefix(200), as: UTF8.self) } ?? ""
        self.field = name.isEmpty ? nil : name
        self.flow = flow
        self.retryAfter = retryAfter ?? code.retryAfter
        self.detail = detail
    }

    /// The content of the answer: `{"error":{"code","message","field"?,"provider"?}}`.
    package var body: JSONValue {
        var members = [JSONMember("code", .string(code.rawValue)), JSONMember("message", .string(message))]
        if let field { members.append(JSONMember("field", .string(field))) }
        if let provider { members.append(JSONMember("provider", provider.json)) }
        if code == .referenceHeld, let flow { members.append(JSONMember("sessionId", .string(flow.description))) }
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
        self.init(.invalidRequest, reason, field: refusal.path.isEmpty ? nil : refusal.path)
    }

    /// A body that is no JSON.
    ///
    /// - Parameter error: Of the parser.
    package init(_ error: JSONError) {
        switch error {
        case .malformed(let place), .badText(let place):
            self.init(.invalidRequest, "The content is no JSON, from byte \(place) on.")
        case .tooDeep: self.init(.invalidRequest, "The content is nested too deeply.")
        case .repeated(let path): self.init(.invalidRequest, "The member comes twice.", field: path)
        }
    }

    /// An order that is not taken.
    ///
    /// - Parameter refusal: Of the draft or of the policy.
    package init(_ refusal: DraftRefusal) {
        let code: ProblemCode =
            switch refusal.code {
            case .invalid: .invalidRequest
            case .amount: .invalidAmount
            case .sum: .sumMismatch
            case .currency: .currencyNotSupported
            case .address: .returnURLNotAllowed
            case .callback: .postageCallbackNotAllowed
            }
        let text = refusal.detail.prefix(1).uppercased() + refusal.detail.dropFirst() + "."
        self.init(code, text, field: refusal.field.isEmpty ? nil : refusal.field)
    }

    /// A store that did not do what it was asked.
    ///
    /// - Parameter error: Of the store.
    package init(_ error: StoreError) {
        switch error.code {
        case .unavailable: self.init(.unavailable, detail: error.debugDescription)
        case .overloaded: self.init(.unavailable, retryAfter: 1, detail: error.debugDescription)
        case .outcomeUnknown: self.init(.outcomeUnknown, detail: error.debugDescription)
        case .limited(let seconds): self.init(.rateLimited, retryAfter: seconds, detail: error.debugDescription)
        case .fault: self.init(.internalError, detail: error.debugDescription)
        }
    }

    /// Runs a body that reads members, and turns its refusals into problems.
    ///
    /// - Parameter body: Takes members out of a reader.
    /// - Returns: What the body returns.
    /// - Throws: `invalid_request` with the field.
    package static func reading<Value>(_ body: () throws(JSONRefusal) -> Value) throws(Problem) -> Value {
        do throws(JSONRefusal) {
            return try body()
        } catch {
            throw Problem(error)
        }
    }
}
