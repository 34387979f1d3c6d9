import CheckoutCodes
import HTTPCore
package import MerchantOrders
package import Primitives
package import ServiceAPI
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
    package init(id: UUIDBytes, kind: String) {
        self.id = id
        self.kind = kind
    }

    var json: JSONValue { ["id": .string(id.description), "kind": .string(kind)] }
}

/// The refusal of an operation that was begun: the same for each request for the operation, whichever process answers.
package struct RefusedOperation: Sendable, Hashable {
    /// The operation.
    package let id: UUIDBytes
    /// What the provider said of it, if it said something.
    package let provider: ProviderProblem?

    /// The refusal of an operation.
    package init(id: UUIDBytes, provider: ProviderProblem? = nil) {
        self.id = id
        self.provider = provider
    }
}

// What every handler below `/v1` throws is a failure; a problem is what its answer says of it.
extension Failure {
    /// What the provider said, where the failure is of its making.
    package var provider: ProviderProblem? {
        context as? ProviderProblem ?? (context as? RefusedOperation)?.provider
    }

    /// The content of the answer: a problem of RFC 9457 with members of our own, in one line that ends.
    ///
    /// - Parameter id: Of the request; it is the instance of the problem unless that is an operation.
    /// - Returns: `{"type","title","status","detail","instance","code","field"?,"provider"?}`.
    package func problem(inRequest id: String) -> [UInt8] {
        var output: [UInt8] = []
        // Enough for all but the longest, so that it is not moved while it grows.
        output.reserveCapacity(480)
        output.append(contentsOf: #"{"type":""#.utf8)
        output.append(contentsOf: ProblemType.place.utf8)
        output.append(contentsOf: code.name.utf8)
        output.append(contentsOf: #"","title":""#.utf8)
        ProblemType.appendTitle(of: code, to: &output)
        output.append(contentsOf: #"","status":"#.utf8)
        output.append(contentsOf: String(code.status.code).utf8)
        output.append(contentsOf: #","detail":"#.utf8)
        JSONValue.append(message, to: &output)
        output.append(contentsOf: #","instance":""#.utf8)
        if let operation = context as? RefusedOperation {
            output.append(contentsOf: "operation:".utf8)
            output.append(contentsOf: operation.id.description.utf8)
        } else {
            output.append(contentsOf: "request:".utf8)
            output.append(contentsOf: id.utf8)
        }
        output.append(contentsOf: #"","code":""#.utf8)
        output.append(contentsOf: code.name.utf8)
        output.append(UInt8(ascii: "\""))
        for member in extensions {
            output.append(UInt8(ascii: ","))
            JSONValue.append(member.name, to: &output)
            output.append(UInt8(ascii: ":"))
            member.value.append(to: &output)
        }
        // The end of the line is for terminals: people try the interface with curl, and read refusals more often than anything else.
        output.append(contentsOf: "}\n".utf8)
        return output
    }

    /// What this refusal has besides.
    private var extensions: [JSONMember] {
        var members: [JSONMember] = []
        if let field { members.append(JSONMember("field", .string(field))) }
        if let provider { members.append(JSONMember("provider", provider.json)) }
        switch context {
        case let operation as OperationProblem: members.append(JSONMember("operation", operation.json))
        case let decline as MerchantOrder.Decline:
            members.append(JSONMember("lastDecline", JSONValue(decline: decline)))
        default: break
        }
        if code == .referenceHeld, let session { members.append(JSONMember("sessionId", .string(session.description))) }
        return members
    }

    // MARK: Of other refusals

    /// A body that is not the message that was expected.
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
    package init(_ error: JSONError) {
        switch error {
        case .malformed(let place), .badText(let place):
            self.init(.invalidRequest, message: "The content is no JSON, from byte \(place) on.")
        case .tooDeep: self.init(.invalidRequest, message: "The content is nested too deeply.")
        case .tooMany: self.init(.invalidRequest, message: "The content has too many values.")
        case .repeated(let path): self.init(.invalidRequest, message: "The member comes twice.", field: path)
        }
    }

    /// An `Idempotency-Key` that is none.
    package init(_ refusal: IdempotencyWord.Refusal) {
        let reason =
            switch refusal {
            case .empty: "The key is empty."
            case .tooLong(let count):
                "The key has \(count) characters; \(IdempotencyWord.maximumLength) are the most that it may have."
            case .character(let number):
                "Octet \(number) of the key is no visible ASCII character: no blank, no control character, no letter beyond ASCII."
            case .quotation:
                "A key in quotation marks ends with the second of them, and has each other one, and each backslash, behind a backslash."
            }
        self.init(.idempotencyKeyInvalid, message: reason, field: "Idempotency-Key")
    }

    /// What is kept of a text.
    ///
    /// - Parameters:
    ///   - length: How many Unicode scalars it may have.
    /// - Returns: The text without what nobody sees.
    /// - Throws: `invalid_request` with the rule that it breaks.
    package static func cleaned(
        _ text: String,
        _ field: @autoclosure () -> String,
        _ length: ClosedRange<Int>
    ) throws(Failure) -> String {
        do throws(TextRefusal) {
            return try PrintableText.cleaned(text, length: length)
        } catch {
            throw Failure(error, of: field())
        }
    }

    /// What is kept of a text that may be absent.
    ///
    /// - Parameters:
    ///   - limit: How many Unicode scalars it may have.
    /// - Returns: `nil` also where nothing is kept.
    /// - Throws: `invalid_request` with the rule that it breaks.
    package static func cleaned(
        optional text: String?,
        _ field: @autoclosure () -> String,
        _ limit: Int
    ) throws(Failure) -> String? {
        guard let text else { return nil }
        let kept = try cleaned(text, field(), 0...limit)
        return kept.isEmpty ? nil : kept
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

    /// A text that is not taken.
    package init(_ refusal: TextRefusal, of field: String) {
        self.init(.invalidRequest, message: Failure.sentence(refusal.sentence), field: field)
    }

    private static func sentence(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() + "." }

    /// Runs a body that reads members, and turns its refusals into problems.
    ///
    /// - Throws: `invalid_request` with the field.
    package static func reading<Value>(_ body: () throws(JSONRefusal) -> Value) throws(Failure) -> Value {
        do throws(JSONRefusal) {
            return try body()
        } catch {
            throw Failure(error)
        }
    }
}

/// The types of problems: each code is one, which the description of the interface explains by an example.
enum ProblemType {
    /// Where the description has the examples.
    static let examples = "#/components/examples/"
    /// The same from any other place; the code follows.
    static let place = "/v1/openapi.json" + examples

    /// Appends what a code says in words, the same at each occurrence: `Not found`.
    static func appendTitle(of code: FailureCode, to output: inout [UInt8]) {
        let start = output.count
        for octet in code.name.utf8 { output.append(octet == UInt8(ascii: "_") ? UInt8(ascii: " ") : octet) }
        output[start] ^= 0x20
    }
}
