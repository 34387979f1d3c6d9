import Checkout
import CheckoutCodes
import MerchantAPI
import Primitives
import ServiceAPI
import Testing
import Web

/// Operations whose provider says what the test wants, and whose store writes down what it is asked for.
private final class ScriptedOperations: PaymentOperations {
    typealias Reply = PaymentReply<String, Int>

    private let reply: Reply
    private let isHeld: Bool
    private(set) var calls: [String] = []

    init(_ reply: Reply, isHeld: Bool = true) {
        self.reply = reply
        self.isHeld = isHeld
    }

    func ask(_ lease: String, _ turn: PaymentTry) async throws(Failure) -> Reply { reply }

    func settle(_ lease: String, as end: String) async throws(Failure) -> Bool { note("settle \(end)") }

    func release(_ lease: String, because failure: Failure) async throws(Failure) -> Bool { note("release") }

    func expireLease(_ lease: String, because failure: Failure) async throws(Failure) -> Bool { note("expire") }

    func putBack(_ lease: String, because failure: Failure) async throws(Failure) -> Bool { note("put back") }

    func giveUp(_ lease: String, _ reason: GiveUpReason, because failure: Failure) async throws(Failure) -> Failure? {
        note("give up \(reason.rawValue)") ? failure : nil
    }

    func noteSettled(_ lease: String, as end: String) async { _ = note("settled \(end)") }

    func lost(_ lease: String) -> Failure { Failure(.requestInProgress) }

    private func note(_ call: String) -> Bool {
        calls.append(call)
        return isHeld
    }
}

/// One row: the reply, what is asked of the store at each try, and what the caller gets.
private struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let reply: @Sendable () -> ScriptedOperations.Reply
    let calls: [PaymentTry: [String]]
    let answers: [PaymentTry: String]

    var testDescription: String { name }

    init(
        _ name: String,
        _ reply: @escaping @Sendable () -> ScriptedOperations.Reply,
        first: ([String], String),
        recovery: ([String], String),
        last: ([String], String)
    ) {
        self.name = name
        self.reply = reply
        calls = [.first: first.0, .recovery: recovery.0, .last: last.0]
        answers = [.first: first.1, .recovery: recovery.1, .last: last.1]
    }
}

private func row(
    _ name: String,
    always step: ([String], String),
    _ reply: @escaping @Sendable () -> ScriptedOperations.Reply
) -> Row {
    Row(name, reply, first: step, recovery: step, last: step)
}

@Suite struct `The payment engine` {
    private static let unknown = UnknownOutcome(Failure(.outcomeUnknown), endsLease: false)
    private static let unknownAndOver = UnknownOutcome(Failure(.outcomeUnknown), endsLease: true)
    private static let heldBack = UnknownOutcome(Failure(.outcomeUnknown), endsLease: true, isHeldBack: true)
    private static let putBack = (["put back"], "outcome_unknown")
    private static let givenUp = (["give up time"], "outcome_unknown")

    private static let rows: [Row] = [
        row("an effect", always: (["settle done", "settled done"], "7")) { .settled("done", .success(7)) },
        row("a refusal", always: (["settle refused", "settled refused"], "payment_declined")) {
            .settled("refused", .failure(Failure(.paymentDeclined)))
        },
        row("not ready", always: (["release"], "not_ready")) { .notReady(Failure(.notReady)) },
        row("stuck", always: (["give up amount"], "order_mismatch")) { .stuck(.amount, Failure(.orderMismatch)) },
        Row(
            "no effect",
            { .noEffect(Failure(.providerFailed), or: unknown) },
            first: (["release"], "provider_failed"),
            recovery: ([], "outcome_unknown"),
            last: givenUp
        ),
        Row(
            "no effect, where a lease that helps nobody ends",
            { .noEffect(Failure(.providerFailed), or: unknownAndOver) },
            first: (["release"], "provider_failed"),
            recovery: (["expire"], "outcome_unknown"),
            last: givenUp
        ),
        Row(
            "an unknown outcome",
            { .unknown(unknown) },
            first: ([], "outcome_unknown"),
            recovery: ([], "outcome_unknown"),
            last: givenUp
        ),
        Row(
            "an unknown outcome, where the lease ends",
            { .unknown(unknownAndOver) },
            first: (["expire"], "outcome_unknown"),
            recovery: (["expire"], "outcome_unknown"),
            last: givenUp
        ),
        Row(
            "no effect, for want of a turn",
            { .noEffect(Failure(.providerFailed), or: heldBack) },
            first: (["release"], "provider_failed"),
            recovery: putBack,
            last: putBack
        ),
        Row(
            "an unknown outcome, for want of a turn",
            { .unknown(heldBack) },
            first: (["expire"], "outcome_unknown"),
            recovery: putBack,
            last: putBack
        ),
    ]

    @Test(arguments: rows, PaymentTry.allCases)
    fileprivate func `does what a reply means at each try`(_ row: Row, _ turn: PaymentTry) async {
        let operations = ScriptedOperations(row.reply())
        #expect(await answer(operations, turn) == row.answers[turn])
        #expect(operations.calls == row.calls[turn])
    }

    @Test(arguments: rows, PaymentTry.allCases)
    fileprivate func `says nothing of its own where somebody else holds the lease`(_ row: Row, _ turn: PaymentTry) async
    {
        let operations = ScriptedOperations(row.reply(), isHeld: false)
        let first = row.calls[turn]?.first
        #expect(await answer(operations, turn) == (first == nil ? row.answers[turn] : "request_in_progress"))
        #expect(operations.calls == (first.map { [$0] } ?? []))
    }

    @Test func `gives nothing up for want of a turn`() async {
        let replies: [ScriptedOperations.Reply] = [
            .unknown(Self.heldBack), .noEffect(Failure(.providerFailed), or: Self.heldBack),
        ]
        for reply in replies {
            let operations = ScriptedOperations(reply)
            #expect(await operations.recover("lease", .last) == .outcomeUnknown)
            #expect(operations.calls == ["put back"])
        }
    }

    @Test func `tells a recovery why there is no answer`() async {
        let done = await ScriptedOperations(.settled("done", .success(7))).recover("lease", .recovery)
        #expect(done == nil)
        let refused = ScriptedOperations(.settled("refused", .failure(Failure(.paymentDeclined))))
        #expect(await refused.recover("lease", .recovery) == .paymentDeclined)
    }

    private func answer(_ operations: ScriptedOperations, _ turn: PaymentTry) async -> String {
        do throws(Failure) {
            return String(try await operations.run("lease", turn))
        } catch {
            return error.code.name
        }
    }
}
