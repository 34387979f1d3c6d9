import Checkout
import Commerce
import Postgres
import Primitives
import SessionBroker
import Testing

@Suite("An attempt at a purchase")
struct AttemptTests {
    @Test func `is answered with the same bytes however often it is repeated`() async throws {
        try await withRig { rig in
            let crossing = try await rig.authorized()
            for _ in 0..<10 {
                let outcome = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
                guard case .replayed(let answer) = outcome else { throw Surprise("\(outcome)") }
                #expect(answer == Rig.answer)
            }
            #expect(try rig.cell(crossing, "charge_permission || ' ' || charge") == "S03-1 S03-1-C1")
            #expect(try rig.cell(crossing, "attempt") == "1")
        }
    }

    @Test func `is recovered with the same number when its lease is over`() async throws {
        try await withRig { rig in
            let (crossing, first) = try await rig.purchasing()
            try rig.age(crossing, seconds: 30)
            #expect(try await rig.buy(crossing) == "refused inProgress")
            try rig.age(crossing, seconds: 15)
            let outcome = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            guard case .recover(let second) = outcome else { throw Surprise("\(outcome)") }
            #expect(second.number == first.number)
            #expect(second.id != first.id)
            // The one that lost its lease cannot end what is not its own any more.
            let end = Authorization(answer: [1], chargePermission: nil, charge: nil)
            #expect(try await !rig.broker.settle(first, as: .authorized(end), by: rig.caller()))
            #expect(try await !rig.broker.release(first, by: rig.caller()))
            #expect(try rig.state(crossing) == .purchasing)
            try await rig.settle(second)
            #expect(try rig.state(crossing) == .authorized)
        }
    }

    @Test func `that is released counts, so the next one has a new number`() async throws {
        try await withRig { rig in
            let (crossing, first) = try await rig.purchasing()
            #expect(try await rig.broker.release(first, by: rig.caller()))
            #expect(try rig.state(crossing) == .placed)
            #expect(try await !rig.broker.release(first, by: rig.caller()))
            let outcome = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            guard case .begin(let second) = outcome else { throw Surprise("\(outcome)") }
            #expect(second.number == 2)
        }
    }

    @Test func `after a decline needs a new session, and has a new number`() async throws {
        try await withRig { rig in
            let crossing = try await rig.webviewSession(in: .declined)
            #expect(try await rig.buy(crossing) == "refused declined")
            try await rig.review(crossing, Rig.otherReference)
            try await rig.place(crossing)
            let request = try crossing.purchase(rig, reference: Rig.otherReference)
            let outcome = try await rig.broker.purchase(request, by: rig.caller())
            guard case .begin(let second) = outcome else { throw Surprise("\(outcome)") }
            #expect(second.number == 2)
            #expect(second.orderReference == Rig.otherReference)
            try await rig.settle(second)
            let events = try await rig.store.audit(crossing.webviewSession)
            #expect(events.filter { $0.operation == "settle" }.map(\.outcome) == ["declined", "authorized"])
            #expect(events.first { $0.outcome == "declined" && $0.operation == "settle" }?.reason == "Rejected")
        }
    }

    @Test func `that ended cannot be ended again`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            try await rig.settle(attempt)
            #expect(try await !rig.broker.settle(attempt, as: .declined(reason: "X"), by: rig.caller()))
            #expect(try await !rig.broker.release(attempt, by: rig.caller()))
            #expect(try rig.state(crossing) == .authorized)
        }
    }

    @Test func `that is overdue is found and taken over by one only`() async throws {
        try await withRig { rig in
            let (stuck, _) = try await rig.purchasing()
            let (busy, _) = try await rig.purchasing()
            _ = try await rig.authorized()
            #expect(try await rig.store.claimOverdue().isEmpty)
            try rig.age(stuck, seconds: 46)
            #expect(try await rig.store.claimOverdue().map(\.webviewSession) == [stuck.webviewSession])
            let attempt = try #require(try await rig.broker.takeOver(stuck.webviewSession, by: rig.caller()))
            #expect(attempt.number == 1)
            #expect(try await rig.broker.takeOver(stuck.webviewSession, by: rig.caller()) == nil)
            #expect(try await rig.broker.takeOver(busy.webviewSession, by: rig.caller()) == nil)
            #expect(try await rig.store.claimOverdue().isEmpty)
            try await rig.settle(attempt)
            #expect(try rig.state(stuck) == .authorized)
            #expect(
                try rig.admin.rows("SELECT webview_session_id FROM webview_session_purchase") == [
                    [busy.webviewSession.description]
                ]
            )
        }
    }

    @Test func `is nobody's to close while the provider is being called`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            #expect(try await !rig.store.revoke(crossing.webviewSession, by: rig.caller()))
            try await rig.broker.notePlaintext(crossing.ticket, by: rig.caller())
            #expect(try await rig.store.revokeAll(install: nil, by: rig.caller()) == 0)
            let sweeper = Sweeper(store: rig.store)
            try rig.age(crossing, seconds: 10_000)
            _ = try await sweeper.run(request: "sweep")
            #expect(try rig.state(crossing) == .purchasing)
            try await rig.settle(attempt)
        }
    }
}
