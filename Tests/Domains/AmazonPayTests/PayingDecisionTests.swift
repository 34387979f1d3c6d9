import Commerce
import HTTPCore
import Testing

@testable import AmazonPay

@Suite("The decision after a call that moves money")
struct PayingDecisionTests {
    enum Act: Sendable, CaseIterable {
        case createCharge
        case capture
        case refund

        func call() throws -> PayingCall {
            let key = try #require(IdempotencyKey("0123456789abcdef0123456789abcdef"))
            let charge = try #require(ChargeID(ObjectBodies.charge))
            switch self {
            case .createCharge: return .create(ChargeCreation(charge.permission, Money(Yen(28_536))), key: key)
            case .capture: return .capture(charge, Money(Yen(28_536)), key: key)
            case .refund: return .refund(charge, Money(Yen(1_000)), key: key)
            }
        }
    }

    /// What reading the charge brings.
    enum Read: Sendable {
        case charge(String)
        case missing
        case broken

        var result: Result<Charge, AmazonPayError> {
            switch self {
            case .charge(let text):
                do throws(AmazonPayError) {
                    return .success(try Charge(json: Array(text.utf8)))
                } catch {
                    return .failure(error)
                }
            case .missing: return .failure(AmazonPayError(.refused, status: 404, reason: .resourceNotFound))
            case .broken: return .failure(AmazonPayError(.notSent))
            }
        }
    }

    // MARK: Refusals

    struct Refusal: Sendable, CustomTestStringConvertible {
        let status: Int
        let reason: String
        /// Whether the charge is read behind it even on a first try.
        let isDoubtful: Bool

        var testDescription: String { "\(status) \(reason)" }
    }

    /// The vendor's table of errors, all but those that are tried again.
    static let refusals: [Refusal] =
        refusals(
            400,
            "InvalidHeaderValue MissingHeader MissingHeaderValue InvalidRequest InvalidRequestFormat",
            "InvalidParameterValue MissingParameterValue UnrecognizedField InvalidParameterCombination",
            "InvalidAPIVersion CurrencyMismatch TransactionAmountExceeded PeriodicAmountExceeded",
            "InvalidSandboxSimulationSpecified"
        )
        + refusals(400, isDoubtful: true, "DuplicateIdempotencyKey") + refusals(401, "UnauthorizedAccess")
        + refusals(403, "InvalidAuthentication InvalidAccountStatus InvalidRequestSignature InvalidAuthorizationToken")
        + refusals(404, "ResourceNotFound") + refusals(405, "UnsupportedOperation RequestNotSupported")
        + refusals(409, "AmountMismatch")
        + refusals(
            422,
            isDoubtful: true,
            "InvalidCheckoutSessionStatus CheckoutSessionCanceled InvalidChargeStatus InvalidChargePermissionStatus",
            "ChargePermissionNotModifiable TransactionCountExceeded PaymentMethodNotAllowed MFANotCompleted",
            "AmazonRejected HardDeclined SoftDeclined TransactionTimedOut"
        )
        + refusals(426, "TLSVersionNotSupported")
        // Known reasons under other statuses, and unknown ones.
        + refusals(400, isDoubtful: true, "InvalidChargeStatus HardDeclined") + refusals(418, "Brewing")
        + refusals(422, isDoubtful: true, "BrandNew")

    private static func refusals(_ status: Int, isDoubtful: Bool = false, _ reasons: String...) -> [Refusal] {
        reasons.joined(separator: " ").split(separator: " ").map {
            Refusal(status: status, reason: String($0), isDoubtful: isDoubtful)
        }
    }

    @Test(arguments: refusals)
    func `on a first try believes a refusal, but a charge more`(refusal: Refusal) throws {
        let body = ClientBench.refusal(refusal.reason)
        let captured = try decide(.capture, refusal.status, body)
        #expect(captured == (refusal.isDoubtful ? "read" : "refused \(refusal.reason)"))
        let isKeyUsed = refusal.reason == "DuplicateIdempotencyKey"
        for act in [Act.createCharge, .refund] {
            let outcome = try decide(act, refusal.status, body)
            #expect(outcome == (isKeyUsed ? "unknown " : "refused ") + refusal.reason)
        }
    }

    @Test(arguments: refusals)
    func `after a try that may have got through believes none, but that a charge was declined`(
        refusal: Refusal
    ) throws {
        let body = ClientBench.refusal(refusal.reason)
        #expect(try decide(.capture, refusal.status, body, isDoubtful: true) == "read")
        #expect(try decide(.refund, refusal.status, body, isDoubtful: true) == "unknown " + refusal.reason)
        let isDecline = refusal.reason.hasSuffix("Declined") || refusal.reason.hasSuffix("Rejected")
        let word = isDecline || refusal.reason == "TransactionTimedOut" ? "refused " : "unknown "
        #expect(try decide(.createCharge, refusal.status, body, isDoubtful: true) == word + refusal.reason)
    }

    static let refusedCaptures: [(Read, String)] = [
        (.charge(ObjectBodies.charge("Authorized")), "refused InvalidChargeStatus +"),
        (.charge(ObjectBodies.charge("AuthorizationInitiated")), "refused InvalidChargeStatus +"),
        (.charge(ObjectBodies.charge("Captured", captured: "28536")), "done"),
        (.charge(ObjectBodies.charge("Captured", captured: "28535")), "refused InvalidChargeStatus +"),
        (.charge(inDollars(ObjectBodies.charge("Captured", captured: "28536"))), "refused InvalidChargeStatus +"),
        (.charge(ObjectBodies.charge("Captured")), "unknown"),
        (.charge(ObjectBodies.charge("Captured", captured: "28536.5")), "unknown"),
        (.charge(ObjectBodies.charge("Captured", captured: "28536", id: other)), "unknown"),
        (.charge(ObjectBodies.charge("CaptureInitiated")), "pending"),
        (.charge(ObjectBodies.charge("CaptureInitiated", captured: "28536")), "pending"),
        (.charge(ObjectBodies.charge("CaptureInitiated", captured: "1")), "refused InvalidChargeStatus +"),
        (.charge(ObjectBodies.charge("Canceled", reason: "ExpiredUnused")), "refused ExpiredUnused +"),
        (.charge(ObjectBodies.charge("Declined", reason: "HardDeclined")), "refused HardDeclined +"),
        (.charge(ObjectBodies.charge("Frozen")), "unknown"), (.charge("{}"), "unknown"),
        (.missing, "refused ResourceNotFound"), (.broken, "unknown"),
    ]

    private static let other = "S03-1234567-7654321-C099999"

    private static func inDollars(_ body: String) -> String { body.replacing("JPY", with: "USD") }

    @Test(arguments: refusedCaptures)
    func `of a refused capture goes by the charge`(read: Read, expected: String) throws {
        for isDoubtful in [false, true] {
            let refusal = ClientBench.refusal("InvalidChargeStatus")
            let outcome = try decide(.capture, 422, refusal, isDoubtful: isDoubtful, read: read)
            #expect(outcome == expected)
        }
    }

    @Test(arguments: [
        (400, "InvalidHeaderValue", "unknown InvalidHeaderValue"),
        (401, "UnauthorizedAccess", "unknown UnauthorizedAccess"),
        (403, "InvalidAccountStatus", "unknown InvalidAccountStatus"),
        (400, "DuplicateIdempotencyKey", "unknown DuplicateIdempotencyKey"),
        (422, "InvalidChargeStatus", "refused InvalidChargeStatus +"),
    ])
    func `of a capture after a try that may be under way believes no refusal unread`(
        status: Int,
        reason: String,
        expected: String
    ) throws {
        let read = Read.charge(ObjectBodies.charge("Authorized"))
        #expect(try decide(.capture, status, ClientBench.refusal(reason), isDoubtful: true, read: read) == expected)
    }

    // MARK: Agreements

    static let newCharges: [(String, String)] = [
        (ObjectBodies.charge("Authorized"), "done"), (ObjectBodies.charge("Captured", captured: "28536"), "done"),
        (ObjectBodies.charge("AuthorizationInitiated"), "pending"),
        (ObjectBodies.charge("CaptureInitiated"), "pending"),
        (ObjectBodies.charge("Declined", reason: "SoftDeclined"), "refused SoftDeclined +"),
        (ObjectBodies.charge("Canceled", reason: "AmazonCanceled"), "refused AmazonCanceled +"),
        (ObjectBodies.charge("Frozen"), "unknown"), (ObjectBodies.charge("Authorized", amount: "28535"), "unknown"),
        (inDollars(ObjectBodies.charge("Authorized")), "unknown"),
        (ObjectBodies.charge("Authorized", id: "S03-7654321-1234567-C012345"), "unknown"),
        (ObjectBodies.refund("Refunded"), "unknown"), ("<html></html>", "unknown"), ("", "unknown"),
        ("{}", "unknown"),
    ]

    @Test(arguments: newCharges)
    func `believes a new charge that is the one that was asked for`(body: String, expected: String) throws {
        for isDoubtful in [false, true] {
            #expect(try decide(.createCharge, 201, body, isDoubtful: isDoubtful) == expected)
        }
    }

    static let captures: [(String, String)] = [
        (ObjectBodies.charge("Captured", captured: "28536"), "done"),
        (ObjectBodies.charge("CaptureInitiated", captured: "28536"), "pending"),
        (ObjectBodies.charge("CaptureInitiated"), "pending"),
        (ObjectBodies.charge("Captured", captured: "1000"), "refused InvalidChargeStatus +"),
        (ObjectBodies.charge("Declined", reason: "AmazonRejected"), "refused AmazonRejected +"),
        (ObjectBodies.charge("Authorized"), "read"), (ObjectBodies.charge("Captured"), "read"),
        (ObjectBodies.charge("Frozen"), "read"), ("<html></html>", "read"), ("", "read"),
        (ObjectBodies.charge("Captured", captured: "28536", id: other), "read"),
    ]

    @Test(arguments: captures)
    func `believes a capture of the amount that was asked for`(body: String, expected: String) throws {
        for isDoubtful in [false, true] {
            #expect(try decide(.capture, 200, body, isDoubtful: isDoubtful) == expected)
        }
    }

    static let unreadCaptures: [(Read, String)] = [
        (.charge(ObjectBodies.charge("Captured", captured: "28536")), "done"),
        (.charge(ObjectBodies.charge("CaptureInitiated")), "pending"),
        (.charge(ObjectBodies.charge("Authorized")), "unknown"), (.broken, "unknown"),
        (.missing, "unknown"),
    ]

    @Test(arguments: unreadCaptures)
    func `after an agreement without a body goes by the charge`(read: Read, expected: String) throws {
        #expect(try decide(.capture, 200, "<html></html>", read: read) == expected)
    }

    static let refunds: [(String, String)] = [
        (ObjectBodies.refund("RefundInitiated"), "pending"), (ObjectBodies.refund("Refunded"), "done"),
        (ObjectBodies.refund("Declined", reason: "ProcessingFailure"), "refused ProcessingFailure +"),
        (ObjectBodies.refund("Frozen"), "unknown"), (ObjectBodies.refund("RefundInitiated", amount: "999"), "unknown"),
        (ObjectBodies.refund("RefundInitiated", charge: other), "unknown"),
        (ObjectBodies.charge("Captured"), "unknown"), ("<html></html>", "unknown"),
    ]

    @Test(arguments: refunds)
    func `believes a refund that is the one that was asked for`(body: String, expected: String) throws {
        for isDoubtful in [false, true] {
            #expect(try decide(.refund, 201, body, isDoubtful: isDoubtful) == expected)
        }
    }

    @Test(arguments: Act.allCases)
    func `without an answer depends on whether anything was sent`(act: Act) throws {
        let expected = try #require(PayingExpectation(try act.call()))
        for (code, name) in [(AmazonPayError.Code.notSent, "notSent"), (.outcomeUnknown, "unknown")] {
            let report = CallReport(result: .failure(AmazonPayError(code)), mayHaveTakenEffect: code != .notSent)
            let step: PayingDecision.NextStep<Charge> = PayingDecision.decide(report, expected: expected)
            #expect(self.name(step) == name)
        }
    }

    // MARK: Octets

    @Test func `knows from the octets what was asked for`() throws {
        for act in Act.allCases {
            let call = try act.call()
            let expected = try #require(PayingExpectation(call))
            #expect(expected.operation == call.operation)
            #expect(expected.amount == Money(Yen(act == .refund ? 1_000 : 28_536)))
            #expect(expected.permission?.text == (act == .createCharge ? ObjectBodies.permission : nil))
            #expect(expected.charge?.text == (act == .createCharge ? nil : ObjectBodies.charge))
            #expect(PayingExpectation(call.asRecovery()) == expected)
        }
    }

    static let foreignOctets: [(AmazonPayOperation, String, String)] = [
        (.capture, "charges/\(ObjectBodies.charge)/capture", "{}"),
        (.capture, "charges/\(ObjectBodies.charge)/capture", "no JSON"),
        (.capture, "charges/\(ObjectBodies.charge)/capture", #"{"captureAmount":\#(yen("1.5"))}"#),
        (.capture, "charges/\(ObjectBodies.charge)/cancel", #"{"captureAmount":\#(yen("1"))}"#),
        (.capture, "charges/\(ObjectBodies.charge)/capture/x", #"{"captureAmount":\#(yen("1"))}"#),
        (.capture, "charges/../capture", #"{"captureAmount":\#(yen("1"))}"#),
        (.createCharge, "charges", #"{"chargeAmount":\#(yen("1"))}"#),
        (
            .createCharge, "refunds",
            #"{"chargePermissionId":"\#(ObjectBodies.permission)","chargeAmount":\#(yen("1"))}"#
        ),
        (.createRefund, "refunds", #"{"refundAmount":\#(yen("1"))}"#),
        (.complete, "checkoutSessions/x/complete", #"{"chargeAmount":\#(yen("1"))}"#),
    ]

    private static func yen(_ amount: String) -> String { #"{"amount":"\#(amount)","currencyCode":"JPY"}"# }

    @Test(arguments: foreignOctets)
    func `takes no octets that this program does not make`(
        operation: AmazonPayOperation,
        resource: String,
        body: String
    ) throws {
        let key = try #require(IdempotencyKey("a"))
        let call = PayingCall(
            operation: operation,
            resource: resource,
            body: Array(body.utf8),
            key: key,
            isRecovery: false
        )
        #expect(PayingExpectation(call) == nil)
    }

    // MARK: Names

    private func decide(
        _ act: Act,
        _ status: Int,
        _ body: String,
        isDoubtful: Bool = false,
        read: Read? = nil
    ) throws -> String {
        let answer = APIAnswer(InboundResponse(status: status, body: Array(body.utf8)))
        let report = CallReport(result: .success(answer), mayHaveTakenEffect: isDoubtful)
        let expected = try #require(PayingExpectation(try act.call()))
        guard act != .refund else {
            let step: PayingDecision.NextStep<Refund> = PayingDecision.decide(report, expected: expected)
            return name(step)
        }
        let step = PayingDecision.decide(report, expected: expected, reread: read?.result)
        return name(step)
    }

    private func name<Object>(_ step: PayingDecision.NextStep<Object>) -> String {
        switch step {
        case .readObject: "read"
        case .settled(let outcome): outcome.name
        }
    }
}

extension PayingOutcome {
    /// For comparison; a `+` where the object is there.
    var name: String {
        switch self {
        case .done: "done"
        case .pending: "pending"
        case .refused(let error, let object):
            "refused \(error.reason?.rawValue ?? "")\(object == nil ? "" : " +")"
        case .notSent: "notSent"
        case .unknown(let error): "unknown" + (error.reason.map { " \($0)" } ?? "")
        }
    }

    /// Whether the call had no turn.
    var isHeldBack: Bool {
        switch self {
        case .done, .pending: false
        case .refused(let error, _), .notSent(let error), .unknown(let error): error.isHeldBack
        }
    }
}
