import Commerce
import HTTPCore
import Primitives
import Testing

@testable import AmazonPay

@Suite("The decision after complete")
struct CompleteDecisionTests {
    /// What reading the session brings.
    enum Read: Sendable {
        case open
        case openForLess
        case openWithoutAmount
        case completed
        case completedForLess
        case completedWithoutAmount
        case completedBeforeTheBank
        case completedForPart
        case completedInDollars
        case completedInWon
        case completedWithoutCharge
        case canceled(String?)
        case odd
        case missing
        case broken

        var result: Result<CheckoutSession, AmazonPayError> {
            switch self {
            case .open: session(ClientBench.body("Open"))
            case .openForLess: session(ClientBench.body("Open", amount: "27996"))
            case .openWithoutAmount: session(ClientBench.body("Open", amount: nil))
            case .completed: session(ClientBench.body("Completed"))
            case .completedForLess: session(ClientBench.body("Completed", amount: "27996"))
            case .completedWithoutAmount: session(ClientBench.body("Completed", amount: nil))
            case .completedBeforeTheBank: session(ClientBench.pendingBody)
            case .completedForPart: session(ClientBench.body("Completed", amount: "28536.5"))
            case .completedInDollars: session(ClientBench.body("Completed").replacing("JPY", with: "USD"))
            case .completedInWon: session(ClientBench.body("Completed").replacing("JPY", with: "KRW"))
            case .completedWithoutCharge:
                session(ClientBench.body("Completed").replacing(ClientBench.charge, with: "null"))
            case .canceled(let reason): session(ClientBench.body("Canceled", reason: reason))
            case .odd: session(ClientBench.body("Frozen"))
            case .missing: .failure(AmazonPayError(.refused, status: 404, reason: .resourceNotFound))
            case .broken: .failure(AmazonPayError(.outcomeUnknown))
            }
        }

        private func session(_ text: String) -> Result<CheckoutSession, AmazonPayError> {
            do throws(AmazonPayError) {
                return .success(try CheckoutSession(json: Array(text.utf8)))
            } catch {
                return .failure(error)
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let reason: String?
        var body: String?
        /// An earlier try may have got through.
        var isDoubtful = false
        /// `nil` where the session must not be read.
        let read: Read?
        let outcome: String

        init(_ status: Int, _ reason: String?, read: Read? = nil, isDoubtful: Bool = false, _ outcome: String) {
            self.status = status
            self.reason = reason
            self.read = read
            self.isDoubtful = isDoubtful
            self.outcome = outcome
        }

        var testDescription: String {
            "\(status) \(reason ?? "-")\(isDoubtful ? " doubtful" : "")\(read.map { " \($0)" } ?? "") is \(outcome)"
        }
    }

    static let table: [Row] =
        [
            // Agreed, with a body that says so or does not.
            Row(200, "Completed", "completed"),
            Row(202, "Completed", "pending"),
            Row(200, "Completed", isDoubtful: true, "completed"),
            Row(200, nil, read: .completed, "completed"),
            Row(202, nil, read: .completed, "pending"),
            Row(200, nil, read: .completedBeforeTheBank, "pending"),
            // Paid, and nobody could find what with: not believed until both ids are there.
            Row(200, nil, read: .completedWithoutCharge, "unknown"),
            Row(202, nil, read: .completedWithoutCharge, "unknown"),
            Row(422, "InvalidCheckoutSessionStatus", read: .completedWithoutCharge, "unknown"),
            Row(200, nil, read: .open, "unknown"),
            Row(200, nil, read: .broken, "unknown"),
            Row(200, nil, read: .missing, "unknown"),
            Row(200, nil, read: .completedForLess, "completedOtherwise"),
            Row(200, "Open", read: .completed, "completed"),
            Row(200, "Canceled", read: .canceled("Declined"), "declined Declined"),
            // The state is wrong: which way only the session tells.
            Row(422, "InvalidCheckoutSessionStatus", read: .open, "notReady"),
            Row(422, "InvalidCheckoutSessionStatus", read: .completed, "alreadyCompleted"),
            Row(422, "InvalidCheckoutSessionStatus", read: .completedBeforeTheBank, "pending"),
            Row(422, "InvalidCheckoutSessionStatus", read: .completedForLess, "completedOtherwise"),
            Row(422, "InvalidCheckoutSessionStatus", read: .completedInDollars, "completedOtherwise"),
            Row(422, "InvalidCheckoutSessionStatus", read: .completedInWon, "completedOtherwise"),
            Row(422, "InvalidCheckoutSessionStatus", read: .completedForPart, "unknown"),
            Row(422, "InvalidCheckoutSessionStatus", read: .completedWithoutAmount, "unknown"),
            Row(422, "InvalidCheckoutSessionStatus", read: .canceled("Declined"), "declined Declined"),
            Row(422, "InvalidCheckoutSessionStatus", read: .canceled("BuyerCanceled"), "cancelled BuyerCanceled"),
            Row(422, "InvalidCheckoutSessionStatus", read: .canceled("AmazonCanceled"), "cancelled AmazonCanceled"),
            Row(422, "InvalidCheckoutSessionStatus", read: .canceled("Expired"), "cancelled Expired"),
            Row(422, "InvalidCheckoutSessionStatus", read: .canceled(nil), "cancelled -"),
            Row(422, "InvalidCheckoutSessionStatus", read: .canceled("Brand new reason"), "cancelled -"),
            Row(422, "InvalidCheckoutSessionStatus", read: .odd, "unknown"),
            Row(422, "InvalidCheckoutSessionStatus", read: .broken, "unknown"),
            Row(422, "InvalidCheckoutSessionStatus", read: .missing, "rejected"),
            Row(422, nil, read: .open, "notReady"),
            Row(422, nil, read: .completed, "alreadyCompleted"),
            Row(422, "InvalidChargeStatus", read: .open, "rejected"),
            Row(422, "InvalidChargeStatus", read: .completed, "alreadyCompleted"),
            // Cancelled; older plugins saw the reason under 400.
            Row(422, "CheckoutSessionCanceled", read: .canceled("BuyerCanceled"), "cancelled BuyerCanceled"),
            Row(422, "CheckoutSessionCanceled", read: .canceled("Declined"), "declined Declined"),
            Row(400, "CheckoutSessionCanceled", read: .canceled("Expired"), "cancelled Expired"),
            Row(422, "CheckoutSessionCanceled", read: .broken, "cancelled -"),
            Row(422, "CheckoutSessionCanceled", read: .broken, isDoubtful: true, "unknown"),
            Row(422, "CheckoutSessionCanceled", read: .completed, "alreadyCompleted"),
            // Refused by the bank.
            Row(422, "HardDeclined", read: .canceled("Declined"), "declined HardDeclined"),
            Row(422, "SoftDeclined", read: .canceled("Declined"), "declined SoftDeclined"),
            Row(422, "AmazonRejected", read: .canceled("Declined"), "declined AmazonRejected"),
            Row(422, "PaymentMethodNotAllowed", read: .open, "declined PaymentMethodNotAllowed"),
            Row(422, "TransactionTimedOut", read: .open, "declined TransactionTimedOut"),
            Row(422, "HardDeclined", read: .completed, "alreadyCompleted"),
            Row(422, "HardDeclined", read: .broken, "unknown"),
            Row(422, "MFANotCompleted", read: .open, "notReady"),
            // Another amount, which only the session can confirm.
            Row(409, "AmountMismatch", read: .openForLess, "amountMismatch"),
            Row(409, nil, read: .openForLess, "amountMismatch"),
            Row(400, "CurrencyMismatch", read: .openForLess, "amountMismatch"),
            Row(409, "AmountMismatch", read: .open, "rejected"),
            Row(409, "AmountMismatch", read: .openWithoutAmount, "rejected"),
            Row(400, "CurrencyMismatch", read: .open, "rejected"),
            Row(409, nil, read: .open, "rejected"),
            Row(409, "AmountMismatch", read: .broken, "rejected"),
            Row(409, nil, read: .broken, "unknown"),
            Row(409, "AmountMismatch", read: .completed, "alreadyCompleted"),
            Row(409, "AmountMismatch", read: .completedForLess, "completedOtherwise"),
            Row(409, "AmountMismatch", read: .completed, isDoubtful: true, "alreadyCompleted"),
            Row(409, "AmountMismatch", read: .openForLess, isDoubtful: true, "amountMismatch"),
            Row(409, "AmountMismatch", read: .open, isDoubtful: true, "unknown"),
            Row(409, "AmountMismatch", read: .broken, isDoubtful: true, "unknown"),
            // The call itself is wrong.
            Row(400, "InvalidParameterValue", "rejected"),
            Row(400, "InvalidHeaderValue", "rejected"),
            Row(400, nil, "rejected"),
            Row(401, "UnauthorizedAccess", "rejected"),
            Row(403, "InvalidRequestSignature", "rejected"),
            Row(404, "ResourceNotFound", "rejected"),
            Row(405, "UnsupportedOperation", "rejected"),
            Row(426, "TLSVersionNotSupported", "rejected"),
            // That this try was turned away says nothing of the one before it, which may be under way.
            Row(403, "InvalidAccountStatus", read: .open, isDoubtful: true, "unknown"),
            Row(400, "InvalidHeaderValue", read: .open, isDoubtful: true, "unknown"),
            Row(401, "UnauthorizedAccess", read: .open, isDoubtful: true, "unknown"),
            Row(422, "InvalidChargeStatus", read: .open, isDoubtful: true, "rejected"),
            Row(422, "InvalidCheckoutSessionStatus", read: .open, isDoubtful: true, "unknown"),
            Row(422, "MFANotCompleted", read: .open, isDoubtful: true, "unknown"),
            Row(422, nil, read: .open, isDoubtful: true, "unknown"),
            // The bank was asked under this very key: that is its answer, whichever try asked.
            Row(422, "PaymentMethodNotAllowed", read: .open, isDoubtful: true, "declined PaymentMethodNotAllowed"),
            Row(403, "InvalidAccountStatus", read: .completed, isDoubtful: true, "alreadyCompleted"),
            Row(403, "InvalidAccountStatus", read: .broken, isDoubtful: true, "unknown"),
            Row(404, "ResourceNotFound", read: .missing, isDoubtful: true, "rejected"),
            // The key was used for something else: an earlier call of this attempt, perhaps.
            Row(400, "DuplicateIdempotencyKey", read: .completed, "alreadyCompleted"),
            Row(400, "DuplicateIdempotencyKey", read: .open, "unknown"),
        ]

    @Test(arguments: table)
    func `follows the table`(row: Row) throws {
        let isSuccess = (200...299).contains(row.status)
        let body = row.reason.map { isSuccess ? ClientBench.body($0) : ClientBench.refusal($0) } ?? "<html></html>"
        let answer = APIAnswer(InboundResponse(status: row.status, body: Array(body.utf8)))
        let report = CallReport(result: .success(answer), mayHaveTakenEffect: row.isDoubtful)
        let step = CompleteDecision.decide(report, of: try ClientBench.id(), for: Money(Yen(28_536)))
        switch (step, row.read) {
        case (.done(let outcome), nil):
            #expect(name(outcome) == row.outcome)
        case (.readSession(let doubtful), let read?):
            let outcome = CompleteDecision.decide(
                doubtful,
                session: read.result,
                amount: Money(Yen(28_536)),
                mayHaveTakenEffect: row.isDoubtful
            )
            #expect(name(outcome) == row.outcome)
        case (.done, _):
            Issue.record("decided without reading the session")
        case (.readSession, nil):
            Issue.record("wants to read the session")
        }
    }

    @Test(arguments: [
        (AmazonPayError.Code.notSent, "notSent"), (.outcomeUnknown, "unknown"), (.unreadable, "unknown"),
        (.refused, "unknown"),
    ])
    func `without an answer depends on whether anything was sent`(code: AmazonPayError.Code, expected: String) throws {
        let report = CallReport(result: .failure(AmazonPayError(code)), mayHaveTakenEffect: true)
        guard
            case .done(let outcome) = CompleteDecision.decide(report, of: try ClientBench.id(), for: Money(Yen(28_536)))
        else {
            Issue.record("wants to read the session")
            return
        }
        #expect(name(outcome) == expected)
    }

    @Test func `believes an agreement only where it is about the session and the amount`() throws {
        let other = ClientBench.body("Completed").replacing(
            ClientBench.session,
            with: "00000000-0000-4000-8000-000000000001"
        )
        let less = ClientBench.body("Completed").replacing(#""28536""#, with: #""28535""#)
        for (body, expected) in [(other, "read"), (less, "completedOtherwise")] {
            let answer = APIAnswer(InboundResponse(status: 200, body: Array(body.utf8)))
            let report = CallReport(result: .success(answer), mayHaveTakenEffect: false)
            switch CompleteDecision.decide(report, of: try ClientBench.id(), for: Money(Yen(28_536))) {
            case .done(let outcome): #expect(name(outcome) == expected)
            case .readSession: #expect(expected == "read")
            }
        }
    }

    @Test(arguments: [ClientBench.charge, #""S03-1234567-7654321""#])
    func `does not believe an agreement that does not name its charge and permission`(id: String) throws {
        let body = ClientBench.body("Completed").replacing(":" + id, with: ":null")
        let answer = APIAnswer(InboundResponse(status: 200, body: Array(body.utf8)))
        let report = CallReport(result: .success(answer), mayHaveTakenEffect: false)
        guard case .readSession = CompleteDecision.decide(report, of: try ClientBench.id(), for: Money(Yen(28_536)))
        else {
            Issue.record("believed")
            return
        }
        let session = try CheckoutSession(json: Array(body.utf8))
        #expect(CompleteDecision.closed(session, Money(Yen(28_536))).map(name) == "unknown")
    }

    @Test func `of a session alone lets an open one be completed`() throws {
        let open = try Read.open.result.get()
        #expect(CompleteDecision.closed(open, Money(Yen(28_536))) == nil)
        let completed = try Read.completed.result.get()
        #expect(CompleteDecision.closed(completed, Money(Yen(28_536))).map(name) == "alreadyCompleted")
        #expect(CompleteDecision.closed(completed, Money(Yen(28_537))).map(name) == "completedOtherwise")
        // Completed says nothing where it does not wait for the bank.
        let early = try Read.completedBeforeTheBank.result.get()
        #expect(CompleteDecision.closed(early, Money(Yen(28_536))).map(name) == "pending")
    }

    private func name(_ outcome: CompleteOutcome) -> String {
        switch outcome {
        case .completed: "completed"
        case .pending: "pending"
        case .alreadyCompleted: "alreadyCompleted"
        case .notReady: "notReady"
        case .declined(let reason): "declined \(reason)"
        case .canceled(let reason): "cancelled \(reason?.rawValue ?? "-")"
        case .amountMismatch: "amountMismatch"
        case .completedOtherwise: "completedOtherwise"
        case .notSent: "notSent"
        case .unknown: "unknown"
        case .rejected: "rejected"
        }
    }
}
