import Checkout
import Commerce
import Postgres
import Primitives
import SessionBroker
import Testing

@Suite("State table: a checkout session that an app brings back")
struct MobileReturnTests {
    /// The webview session of an app before its buyer comes back: no tab, and a total from the start.
    private func waiting(_ rig: Rig, verifier: String? = nil) async throws -> Crossing {
        let crossing = try await rig.issued(.mobileApp, verifier: verifier)
        try rig.sql(
            """
            UPDATE webview_session SET postage = 540, total = tax_included + 540, idle_until = absolute_until
            WHERE webview_session_id = '\(crossing.webviewSession)'
            """
        )
        return crossing
    }

    private func mobileReturn(
        _ crossing: Crossing,
        _ session: String = Rig.orderReference,
        proof: AppProof? = nil,
        verifier: CodeVerifier? = nil
    ) throws -> MobileReturn {
        MobileReturn(
            webviewSession: crossing.webviewSession,
            checkoutSession: session,
            proof: try proof ?? #require(crossing.proof),
            verifier: verifier
        )
    }

    /// Lets a session of the webview session arrive; the word of the refusal, or `arrived`.
    private func arrive(_ rig: Rig, _ mobileReturn: MobileReturn) async throws -> String {
        let outcome = try await rig.broker.arrive(
            mobileReturn,
            markedSession: mobileReturn.webviewSession,
            details: Rig.details,
            by: rig.caller()
        )
        return outcome.refusal.map { word($0) } ?? "arrived"
    }

    /// A webview session of an app in any state, with `Rig.orderReference` where it has a session.
    private func webviewSession(_ rig: Rig, in state: WebviewSessionState) async throws -> Crossing {
        let crossing = try await waiting(rig)
        if state == .issued { return crossing }
        #expect(try await arrive(rig, mobileReturn(crossing)) == "arrived")
        guard state != .placed else { return crossing }
        guard [.purchasing, .authorized, .declined].contains(state) else {
            try rig.sql(
                "UPDATE webview_session SET state = '\(state.rawValue)' WHERE webview_session_id = '\(crossing.webviewSession)'"
            )
            return crossing
        }
        let outcome = try await rig.broker.purchase(
            rig.broker.purchaseRequest(of: mobileReturn(crossing)),
            by: rig.caller()
        )
        guard case .begin(let attempt) = outcome else { throw Surprise("\(outcome)") }
        if state == .authorized { try await rig.settle(attempt) }
        if state == .declined {
            #expect(try await rig.broker.settle(attempt, as: .declined(reason: "Rejected"), by: rig.caller()))
        }
        return crossing
    }

    private func withRows(
        _ rows: [Row],
        _ body: @escaping @Sendable (Rig, Row, Crossing) async throws -> Void
    ) async throws {
        try await withRig { rig in
            for row in rows { try await body(rig, row, webviewSession(rig, in: row.before)) }
        }
    }

    private static let dead: [Row] = [Row(.canceled, "dead"), Row(.revoked, "dead"), Row(.expired, "dead")]

    @Test func `that is another one than before`() async throws {
        let rows = [
            Row(.issued, "arrived", .placed), Row(.placed, "arrived", .placed), Row(.declined, "arrived", .placed),
            Row(.purchasing, "orderMismatch"), Row(.authorized, "orderMismatch"),
        ]
        try await withRows(rows + Self.dead) { rig, row, crossing in
            let other = try mobileReturn(crossing, Rig.otherReference)
            let checked = try await rig.broker.checkMobileReturn(other, by: rig.caller())
            #expect(word(checked) == (row.outcome == "arrived" ? "arrived" : "refused \(row.outcome)"), "\(row)")
            #expect(try rig.state(crossing) == row.before, "a check changes nothing: \(row)")
            #expect(try await arrive(rig, other) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
            let isPinned = try rig.cell(crossing, "order_ref") == Rig.otherReference
            #expect(isPinned == (row.outcome == "arrived"), "\(row)")
        }
    }

    @Test func `that is the one of before`() async throws {
        let rows = [
            Row(.placed, "arrived"), Row(.purchasing, "arrived"), Row(.authorized, "arrived"),
            Row(.declined, "declined"),
        ]
        try await withRows(rows + Self.dead) { rig, row, crossing in
            let same = try mobileReturn(crossing)
            let checked = try await rig.broker.checkMobileReturn(same, by: rig.caller())
            #expect(word(checked) == (row.outcome == "arrived" ? "present" : "refused \(row.outcome)"), "\(row)")
            #expect(try await arrive(rig, same) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.before, "\(row)")
        }
    }

    @Test func `with the proof of somebody else revokes the webview session`() async throws {
        let rows = [
            Row(.issued, "proofMismatch", .revoked), Row(.placed, "proofMismatch", .revoked),
            Row(.declined, "proofMismatch", .revoked), Row(.purchasing, "proofMismatch"),
            Row(.authorized, "proofMismatch"), Row(.canceled, "proofMismatch"),
        ]
        try await withRows(rows) { rig, row, crossing in
            let foreign = try mobileReturn(crossing, proof: rig.broker.mintProof())
            #expect(word(try await rig.broker.checkMobileReturn(foreign, by: rig.caller())) == "unproven", "\(row)")
            #expect(try rig.state(crossing) == row.before, "\(row)")
            #expect(try await arrive(rig, foreign) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `is refused for other webview sessions, other payloads and after the deadline`() async throws {
        try await withRig { rig in
            let tab = try await rig.placed()
            #expect(
                word(try await rig.broker.checkMobileReturn(mobileReturn(tab), by: rig.caller())) == "refused unknown"
            )
            #expect(try await arrive(rig, mobileReturn(tab)) == "unknown")
            let crossing = try await waiting(rig)
            let foreign = try await rig.broker.arrive(
                mobileReturn(crossing),
                markedSession: tab.webviewSession,
                details: nil,
                by: rig.caller()
            )
            #expect(foreign.refusal == .orderMismatch)
            #expect(try rig.state(crossing) == .issued)
            try rig.age(crossing, seconds: 7_201)
            #expect(try await arrive(rig, mobileReturn(crossing)) == "expired")
            #expect(try rig.state(crossing) == .expired)
        }
    }

    @Test func `is purchased, and its buyer read, by whoever has both halves`() async throws {
        let verifier = String(repeating: "v", count: 43)
        try await withRig { rig in
            let crossing = try await waiting(rig, verifier: verifier)
            #expect(try await arrive(rig, mobileReturn(crossing)) == "proofRequired")
            let whole = try mobileReturn(crossing, verifier: crossing.verifier)
            #expect(try await arrive(rig, whole) == "arrived")
            let request = rig.broker.purchaseRequest(of: whole)
            let other = rig.broker.purchaseRequest(of: try mobileReturn(crossing, Rig.otherReference))
            #expect(word(try await rig.broker.purchase(other, by: rig.caller())) == "refused unknown")
            let outcome = try await rig.broker.purchase(request, by: rig.caller())
            guard case .begin(let attempt) = outcome else { throw Surprise("\(outcome)") }
            #expect(attempt.client == .mobileApp && attempt.number == 1)
            try await rig.settle(attempt)
            let receipt = try await rig.broker.receipt(
                request.ticket,
                proof: request.proof,
                tab: nil,
                by: rig.caller()
            )
            guard case .receipt(let view) = receipt else { throw Surprise("\(receipt)") }
            #expect(view.details == Rig.details)
        }
    }

    @Test func `keeps its attempt when the lease is given back`() async throws {
        try await withRig { rig in
            let crossing = try await waiting(rig)
            #expect(try await arrive(rig, mobileReturn(crossing)) == "arrived")
            let request = rig.broker.purchaseRequest(of: try mobileReturn(crossing))
            guard case .begin(let first) = try await rig.broker.purchase(request, by: rig.caller()) else {
                throw Surprise("no attempt")
            }
            #expect(word(try await rig.broker.purchase(request, by: rig.caller())) == "refused inProgress")
            #expect(try await rig.broker.expireLease(first, by: rig.caller()))
            #expect(try rig.state(crossing) == .purchasing)
            guard case .recover(let second) = try await rig.broker.purchase(request, by: rig.caller()) else {
                throw Surprise("not taken over")
            }
            #expect(second.number == first.number && second.id != first.id)
            #expect(
                try await !rig.broker.expireLease(first, by: rig.caller()),
                "who has lost the lease gives nothing back"
            )
        }
    }

    @Test(arguments: [WebviewSessionState.placed, .declined])
    func `leaves its buyer all the time there is after a try that came to nothing`(
        end: WebviewSessionState
    ) async throws {
        try await withRig { rig in
            let crossing = try await webviewSession(rig, in: end == .placed ? .issued : end)
            if end == .placed {
                #expect(try await arrive(rig, mobileReturn(crossing)) == "arrived")
                let request = rig.broker.purchaseRequest(of: try mobileReturn(crossing))
                guard case .begin(let attempt) = try await rig.broker.purchase(request, by: rig.caller()) else {
                    throw Surprise("no attempt")
                }
                #expect(try await rig.broker.release(attempt, by: rig.caller()))
            }
            #expect(try rig.state(crossing) == end)
            #expect(try rig.cell(crossing, "idle_until = absolute_until") == "t")
        }
    }

    @Test func `is pinned once by sixteen at once`() async throws {
        try await withRig { rig in
            let crossing = try await waiting(rig)
            let halves = try mobileReturn(crossing)
            let words = try await rig.together(16) { rig in
                let outcome = try await rig.broker.arrive(
                    halves,
                    markedSession: halves.webviewSession,
                    details: Rig.details,
                    by: rig.caller()
                )
                return outcome.refusal.map { word($0) } ?? "arrived"
            }
            #expect(words == Array(repeating: "arrived", count: 16))
            let trail = try rig.admin.rows(
                "SELECT outcome FROM webview_session_event WHERE webview_session_id = $1 AND op = 'arrive'",
                [crossing.webviewSession.description]
            )
            #expect(trail.compactMap { $0[0] }.filter { $0 == "arrived" }.count == 1)
        }
    }
}
