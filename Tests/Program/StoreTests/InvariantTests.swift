import Checkout
import Commerce
import Primitives
import SessionBroker
import Testing

/// Promises of docs/contract.md that the state tables do not show by themselves.
@Suite("Invariant")
struct InvariantTests {
    @Test
    func `I1, two halves: neither side alone completes an app webview session, or learns anything from the other`()
        async throws
    {
        try await withRig { rig in
            let crossing = try await rig.placed()
            let tab = try #require(crossing.tab)
            // The tab's side: B and C, also with the ticket A that it saw.
            var tabSide = PurchaseRequest(ticket: try crossing.returnTicket(rig), orderReference: Rig.orderReference)
            tabSide.tab = tab
            tabSide.launch = crossing.ticket
            #expect(try await word(rig.broker.purchase(tabSide, by: rig.caller())) == "refused proofRequired")
            // The app's side: A and P. A return ticket cannot be had for them.
            let forged = rig.broker.returnTicket(of: TabToken.mint(for: crossing.webviewSession, random: rig.random))
            var appSide = PurchaseRequest(ticket: forged, orderReference: Rig.orderReference)
            appSide.proof = crossing.proof
            appSide.launch = crossing.ticket
            #expect(try await word(rig.broker.purchase(appSide, by: rig.caller())) == "refused unknown")
            #expect(try await rig.broker.status(crossing.ticket, proof: crossing.proof, by: rig.caller()) == .reviewed)
            let receipt = try await rig.broker.receipt(forged, proof: crossing.proof, tab: nil, by: rig.caller())
            #expect(word(receipt) == "unknown")
            #expect(try rig.state(crossing) == .placed)
            #expect(try await rig.buy(crossing) == "begin")
        }
    }

    @Test func `I1, fixation: whoever completes the attacker's webview session in the victim's app revokes it`()
        async throws
    {
        try await withRig { rig in
            // The attacker's app asked for the ticket, the victim opened the mailed link and signed in.
            let attackers = try await rig.placed()
            let victimsApp = rig.broker.mintProof()
            var request = PurchaseRequest(
                ticket: try attackers.returnTicket(rig),
                orderReference: Rig.orderReference
            )
            request.proof = victimsApp
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "refused proofMismatch")
            #expect(try rig.state(attackers) == .revoked)
            #expect(try await rig.buy(attackers) == "refused dead")
        }
    }

    @Test func `I2, one tab: after a re-open the first token is worth nothing, and using it ends both`() async throws {
        try await withRig { rig in
            let crossing = try await rig.opened()
            let first = try #require(crossing.tab)
            let again = try await rig.broker.open(crossing.ticket, tab: nil, proof: nil, by: rig.caller())
            guard case .reopened(let second) = again else { throw Surprise("\(again)") }
            #expect(try await word(rig.broker.view(second.token, by: rig.caller())) == "live")
            let session = rig.session(crossing.webviewSession)
            #expect(try await word(rig.broker.review(first, session, by: rig.caller())) == "refused superseded")
            #expect(try rig.state(crossing) == .revoked)
            #expect(try await word(rig.broker.view(second.token, by: rig.caller())) == "refused closed")
        }
    }

    @Test func `I4, dead stays dead: no call changes a final state`() async throws {
        let finals: [WebviewSessionState] = [.authorized, .revoked, .expired, .canceled]
        try await withRows(finals.map { Row($0, "") }) { rig, row, crossing in
            let tab = try #require(crossing.tab)
            let ticket = try crossing.returnTicket(rig)
            let broker = rig.broker
            _ = try await broker.open(crossing.ticket, tab: nil, proof: crossing.proof, by: rig.caller())
            _ = try await broker.open(crossing.ticket, tab: tab, proof: crossing.proof, by: rig.caller())
            _ = try await broker.view(tab, by: rig.caller())
            _ = try await broker.review(tab, rig.session(crossing.webviewSession, Rig.otherReference), by: rig.caller())
            _ = try await broker.place(tab, ticket: ticket, total: nil, by: rig.caller())
            _ = try await broker.cancel(tab, ticket: ticket, by: rig.caller())
            _ = try await broker.purchase(crossing.purchase(rig), by: rig.caller())
            var wrong = try crossing.purchase(rig)
            wrong.proof = broker.mintProof()
            for _ in 0..<6 { _ = try await broker.purchase(wrong, by: rig.caller()) }
            _ = try await rig.store.revoke(crossing.webviewSession, by: rig.caller())
            _ = try await rig.store.revokeAll(install: nil, by: rig.caller())
            _ = try await broker.takeOver(crossing.webviewSession, by: rig.caller())
            try await broker.notePlaintext(crossing.ticket, by: rig.caller())
            try rig.age(crossing, seconds: 100_000)
            try rig.moveIDs([crossing], hours: 0)
            _ = try await Sweeper(store: rig.store).run(request: "sweep-\(row.before)")
            #expect(try rig.state(crossing) == row.before, "\(row)")
        }
    }

    @Test func `I6, one clock: deadlines follow the database, whatever the program believes`() async throws {
        for hours in [-25, 25] {
            try await withRig(.unlimited(), clockOffset: .seconds(hours * 3_600)) { rig in
                try rig.makeEarlierMonth()
                let early = try await rig.issued()
                try rig.age(early, seconds: 290)
                #expect(try await rig.open(early.ticket) == "opened")
                let late = try await rig.opened()
                try rig.age(late, seconds: 1_800)
                let tab = try #require(late.tab)
                #expect(try await word(rig.broker.view(tab, by: rig.caller())) == "refused expired")
            }
        }
    }

    @Test func `a tab at work stays in, however short the idle time is`() async throws {
        var policy = BrokerPolicy.unlimited()
        policy.times.idle = .seconds(60)
        try await withRig(policy) { rig in
            let crossing = try await rig.opened()
            let tab = try #require(crossing.tab)
            for _ in 0..<4 {
                #expect(try await word(rig.broker.view(tab, by: rig.caller())) == "live")
                try rig.age(crossing, seconds: 25)
            }
            #expect(try await word(rig.broker.view(tab, by: rig.caller())) == "live")
            // A quarter of the time is where a write is worth it.
            let seen = try rig.cell(crossing, "(ctid)::text")
            try rig.sql(
                "UPDATE webview_session SET idle_until = now() + interval '45 seconds' WHERE webview_session_id = '\(crossing.webviewSession)'"
            )
            _ = try await rig.broker.view(tab, by: rig.caller())
            #expect(try rig.cell(crossing, "(ctid)::text") != seen)
        }
    }

    @Test func `a tab slides its deadline by the minute, and not beyond the absolute one`() async throws {
        try await withRig { rig in
            let crossing = try await rig.opened()
            let tab = try #require(crossing.tab)
            _ = try await rig.broker.view(tab, by: rig.caller())
            let seen = try rig.cell(crossing, "(ctid, idle_until)::text")
            // Nothing is written while the deadline would hardly move.
            _ = try await rig.broker.view(tab, by: rig.caller())
            #expect(try rig.cell(crossing, "(ctid, idle_until)::text") == seen)
            try rig.age(crossing, seconds: 61)
            _ = try await rig.broker.view(tab, by: rig.caller())
            let slid = "idle_until > statement_timestamp() + interval '29 minutes'"
            #expect(try rig.cell(crossing, slid) == "t")
            try rig.sql(
                """
                UPDATE webview_session SET idle_until = statement_timestamp() + interval '1 minute',
                    absolute_until = statement_timestamp() + interval '5 minutes'
                WHERE webview_session_id = '\(crossing.webviewSession)'
                """
            )
            _ = try await rig.broker.view(tab, by: rig.caller())
            #expect(try rig.cell(crossing, "idle_until = absolute_until") == "t")
        }
    }
}
