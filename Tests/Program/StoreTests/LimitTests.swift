import Checkout
import EventIO
import Postgres
import Primitives
import SessionBroker
import TestKit
import Testing

@Suite("Limits")
struct LimitTests {
    private func policy(_ change: (inout BrokerPolicy.Limits) -> Void) -> BrokerPolicy {
        var policy = BrokerPolicy.unlimited()
        change(&policy.limits)
        return policy
    }

    @Test func `give an install ten live webview sessions, and another when one is over`() async throws {
        try await withRig(policy { $0.sessionsPerInstall = 10 }) { rig in
            let proof = rig.broker.mintProof()
            func issue(_ proof: AppProof) async throws -> IssueOutcome {
                let request = IssueRequest(client: .iosApp, order: try rig.order(), proof: proof)
                return try await rig.broker.issue(request, by: rig.caller())
            }
            var first: IssuedWebviewSession?
            for _ in 0..<10 {
                guard case .issued(let webviewSession) = try await issue(proof) else { throw Surprise("not issued") }
                first = first ?? webviewSession
            }
            #expect(try await word(issue(proof)) == "refused tooManyWebviewSessions")
            #expect(try await word(issue(rig.broker.mintProof())) == "issued")
            let over = try #require(first).ticket.webviewSession
            #expect(try await rig.store.revoke(over, by: rig.caller()))
            #expect(try await word(issue(proof)) == "issued")
            #expect(try await word(issue(proof)) == "refused tooManyWebviewSessions")
            // Time makes room as well.
            try rig.sql("UPDATE webview_session SET idle_until = idle_until - interval '5 minutes'")
            for _ in 0..<10 { #expect(try await word(issue(proof)) == "issued") }
            #expect(try await word(issue(proof)) == "refused tooManyWebviewSessions")
        }
    }

    @Test func `count issues by address`() async throws {
        try await withRig(policy { $0.issuesPerMinute = 5 }, clock: ManualClock(at: SystemClock().now())) { rig in
            let request = IssueRequest(client: .iosApp, order: try rig.order())
            for _ in 0..<5 { _ = try await rig.broker.issue(request, by: rig.caller(1)) }
            let error = await #expect(throws: StoreError.self) {
                try await rig.broker.issue(request, by: rig.caller(1))
            }
            #expect(error?.code == .limited(retryAfter: 12))
            #expect(try await word(rig.broker.issue(request, by: rig.caller(2))) == "issued")
        }
    }

    @Test func `stop an address that tries proofs of an app's session`() async throws {
        try await withRig(policy { $0.unknownPerMinute = 3 }, clock: ManualClock(at: SystemClock().now())) { rig in
            let crossing = try await rig.issued(.mobileApp)
            try rig.sql("UPDATE webview_session SET postage = 540, total = tax_included + 540")
            let forged = MobileReturn(
                webviewSession: crossing.webviewSession,
                checkoutSession: Rig.orderReference,
                proof: rig.broker.mintProof(),
                verifier: nil
            )
            func arrive() async throws -> PurchaseRefusal? {
                try await rig.broker.arrive(
                    forged,
                    markedSession: crossing.webviewSession,
                    details: nil,
                    by: rig.caller(1)
                ).refusal
            }
            for _ in 0..<3 { #expect(try await arrive() == .proofMismatch) }
            let again = await #expect(throws: StoreError.self) { try await arrive() }
            #expect(again?.code == .limited(retryAfter: 20))
            let look = await #expect(throws: StoreError.self) {
                try await rig.broker.checkMobileReturn(forged, by: rig.caller(1))
            }
            #expect(look?.code == .limited(retryAfter: 20))
            #expect(try await word(rig.broker.checkMobileReturn(forged, by: rig.caller(2))) == "unproven")
        }
    }

    @Test func `answer for a dead webview session from memory for a minute`() async throws {
        try await withRig { rig in
            let crossing = try await rig.webviewSession(in: .revoked)
            let before = try await rig.store.audit(crossing.webviewSession).count
            for _ in 0..<5 {
                #expect(try await rig.open(crossing.ticket) == "dead")
                #expect(try await rig.buy(crossing) == "refused dead")
                #expect(
                    try await word(rig.broker.view(try #require(crossing.tab), by: rig.caller())) == "refused closed"
                )
            }
            // One row for the first open and one for the first purchase.
            #expect(try await rig.store.audit(crossing.webviewSession).count == before + 2)
            // A stranger with the ticket alone is asked for proof as ever.
            let bare = PurchaseRequest(ticket: try crossing.returnTicket(rig), orderReference: Rig.orderReference)
            #expect(try await word(rig.broker.purchase(bare, by: rig.caller())) == "refused proofRequired")
        }
    }
}
