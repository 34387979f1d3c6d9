import Checkout
import Commerce
import Primitives
import SessionBroker
import Testing

@Suite("Profile strict")
struct StrictTests {
    private static let verifier = String(repeating: "v", count: 64)

    @Test func `wants a verifier of apps, and none of browsers`() async throws {
        try await withRig(.unlimited(.strict)) { rig in
            for client in ClientKind.allCases {
                let outcome = try await rig.broker.issue(
                    IssueRequest(client: client, order: try rig.order()),
                    by: rig.caller()
                )
                #expect(word(outcome) == (client.isApp ? "refused verifierRequired" : "issued"))
            }
        }
    }

    @Test func `lets the halves meet before the order is placed`() async throws {
        try await withRig(.unlimited(.strict)) { rig in
            let first = try await rig.reviewed(.iosApp, verifier: Self.verifier)
            let firstTab = try #require(first.tab)
            let firstTicket = try first.returnTicket(rig)
            let early = try await rig.broker.place(firstTab, ticket: firstTicket, total: nil, by: rig.caller())
            #expect(word(early) == "notMet")

            let outcome = try await rig.broker.purchase(first.purchase(rig), by: rig.caller())
            guard case .met(let ticket) = outcome else { throw Surprise("\(outcome)") }
            #expect(try rig.state(first) == .issued)
            #expect(try await word(rig.broker.view(firstTab, by: rig.caller())) == "refused unknown")
            #expect(try await rig.open(first.ticket) == "unknown")

            let opened = try await rig.broker.open(ticket, tab: firstTab, proof: nil, by: rig.caller())
            guard case .opened(let tab) = opened else { throw Surprise("\(opened)") }
            #expect(tab.session.review == Rig.orderReference)
            var second = first
            second.ticket = ticket
            second.tab = tab.token
            try await rig.review(second)
            // The old return ticket is gone, and so is what was sealed under it.
            let stale = try await rig.broker.purchase(first.purchase(rig), by: rig.caller())
            #expect(word(stale) == "refused unknown")
            guard case .live(let page) = try await rig.broker.view(tab.token, withDetails: true, by: rig.caller())
            else {
                throw Surprise("no page")
            }
            #expect(page.record.isMet)
            #expect(page.details == Rig.details)
            #expect(try await rig.buy(second) == "refused notReady")
            try await rig.place(second)
            #expect(try await rig.buy(second) == "begin")
            let words = try await rig.store.audit(first.webviewSession).map { "\($0.operation) \($0.outcome)" }
            #expect(
                words == [
                    "issue issued", "open opened", "review reviewed", "place not_met", "purchase not_ready", "meet met",
                    "open opened", "review reviewed", "purchase not_ready", "place placed", "purchase begin",
                ]
            )
        }
    }

    @Test func `gives another ticket when the answer with the first one was lost`() async throws {
        try await withRig(.unlimited(.strict)) { rig in
            let crossing = try await rig.reviewed(.iosApp, verifier: Self.verifier)
            let one = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            let two = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            guard case .met(let lost) = one, case .met(let kept) = two else { throw Surprise("\(one), \(two)") }
            #expect(try await rig.open(lost) == "unknown")
            #expect(try await rig.open(kept) == "opened")
        }
    }

    @Test func `gives no ticket to a stranger, nor to one half`() async throws {
        try await withRig(.unlimited(.strict)) { rig in
            let crossing = try await rig.reviewed(.iosApp, verifier: Self.verifier)
            var request = try crossing.purchase(rig)
            request.verifier = nil
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "refused proofRequired")
            request.verifier = crossing.verifier
            request.proof = nil
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "refused proofRequired")
            request.proof = rig.broker.mintProof()
            let outcome = try await rig.broker.purchase(request, by: rig.caller())
            #expect(word(outcome) == "refused proofMismatch")
        }
    }

    @Test func `lets a browser place its order at once`() async throws {
        try await withRig(.unlimited(.strict)) { rig in
            let crossing = try await rig.placed(.browser)
            #expect(try await rig.buy(crossing) == "begin")
        }
    }
}
