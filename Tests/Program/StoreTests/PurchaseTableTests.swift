import Checkout
import Commerce
import Primitives
import SessionBroker
import Testing

@Suite("State table: a return ticket")
struct PurchaseTableTests {
    private static let dead: [Row] = [
        Row(.canceled, "refused dead"), Row(.revoked, "refused dead"), Row(.expired, "refused dead"),
    ]

    @Test(arguments: ClientKind.allCases)
    func `buys with every proof`(client: ClientKind) async throws {
        let rows =
            [
                Row(.opened, "refused unknown"), Row(.reviewed, "refused notReady"), Row(.placed, "begin", .purchasing),
                Row(.purchasing, "refused inProgress"), Row(.authorized, "replayed"),
                Row(.declined, "refused declined"),
            ] + Self.dead
        try await withRows(rows, client) { rig, row, crossing in
            let outcome = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `buys after the idle deadline`() async throws {
        let rows =
            [
                Row(.reviewed, "refused expired", .expired), Row(.placed, "refused expired", .expired),
                Row(.purchasing, "recover"), Row(.authorized, "replayed"),
                Row(.declined, "refused expired", .expired),
            ] + Self.dead
        try await withRows(rows) { rig, row, crossing in
            try rig.age(crossing, seconds: 1_801)
            let outcome = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `names another session`() async throws {
        let rows =
            [
                Row(.reviewed, "refused orderMismatch"), Row(.placed, "refused orderMismatch"),
                Row(.purchasing, "refused orderMismatch"), Row(.authorized, "refused orderMismatch"),
                Row(.declined, "refused orderMismatch"),
            ] + Self.dead
        try await withRows(rows) { rig, row, crossing in
            // Over or not, a lease is not taken for another session.
            if row.before == .purchasing { try rig.age(crossing, seconds: 60) }
            let request = try crossing.purchase(rig, reference: Rig.otherReference)
            let outcome = try await rig.broker.purchase(request, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `comes without a proof and revokes the webview session the fifth time`(client: ClientKind) async throws {
        let rows = [
            Row(.reviewed, "refused proofRequired", .revoked), Row(.placed, "refused proofRequired", .revoked),
            Row(.purchasing, "refused proofRequired"), Row(.authorized, "refused proofRequired"),
            Row(.declined, "refused proofRequired", .revoked), Row(.canceled, "refused proofRequired"),
            Row(.expired, "refused proofRequired"),
        ]
        try await withRows(rows, client) { rig, row, crossing in
            let request = PurchaseRequest(ticket: try crossing.returnTicket(rig), orderReference: Rig.orderReference)
            for _ in 0..<4 {
                #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == row.outcome, "\(row)")
                #expect(try rig.state(crossing) == row.before, "\(row)")
            }
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `comes with the proof of somebody else and revokes the webview session`(client: ClientKind) async throws {
        let rows = [
            Row(.reviewed, "refused proofMismatch", .revoked),
            Row(.placed, "refused proofMismatch", .revoked), Row(.purchasing, "refused proofMismatch"),
            Row(.authorized, "refused proofMismatch"), Row(.declined, "refused proofMismatch", .revoked),
            Row(.canceled, "refused proofMismatch"), Row(.expired, "refused proofMismatch"),
        ]
        try await withRows(rows, client) { rig, row, crossing in
            var request = try crossing.purchase(rig)
            if client == .browser {
                request.tab = TabToken.mint(for: crossing.webviewSession, random: rig.random)
            } else {
                request.proof = rig.broker.mintProof()
            }
            let outcome = try await rig.broker.purchase(request, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `comes with an old launch ticket that does not fit and revokes the webview session`() async throws {
        try await withRig { rig in
            let crossing = try await rig.placed()
            var request = try crossing.purchase(rig)
            request.launch = LaunchTicket.mint(for: crossing.webviewSession, random: rig.random)
            let outcome = try await rig.broker.purchase(request, by: rig.caller())
            #expect(word(outcome) == "refused proofMismatch")
            #expect(try rig.state(crossing) == .revoked)
            let good = try await rig.placed()
            request = try good.purchase(rig)
            request.launch = good.ticket
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "begin")
        }
    }

    @Test func `needs the verifier that was bound, and not another`() async throws {
        let verifier = String(repeating: "v", count: 43)
        try await withRig { rig in
            let crossing = try await rig.placed(.iosApp, verifier: verifier)
            var request = try crossing.purchase(rig)
            request.verifier = nil
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "refused proofRequired")
            request.verifier = crossing.verifier
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "begin")
            let other = try await rig.placed(.iosApp, verifier: verifier)
            request = try other.purchase(rig)
            request.verifier = CodeVerifier.parse(String(repeating: "w", count: 43))
            let outcome = try await rig.broker.purchase(request, by: rig.caller())
            #expect(word(outcome) == "refused proofMismatch")
            #expect(try rig.state(other) == .revoked)
        }
    }

    @Test func `in profile compat is refused without being revoked, and may do without a proof`() async throws {
        try await withRig(.unlimited(.compat)) { rig in
            let crossing = try await rig.placed()
            var request = try crossing.purchase(rig)
            request.proof = rig.broker.mintProof()
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "refused proofMismatch")
            request.proof = nil
            for _ in 0..<6 {
                #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "refused proofRequired")
            }
            #expect(try rig.state(crossing) == .placed)

            let issue = IssueRequest(client: .androidApp, order: try rig.order())
            guard case .issued(let unbound) = try await rig.broker.issue(issue, by: rig.caller()) else {
                throw Surprise("not issued")
            }
            #expect(try await rig.store.audit(unbound.ticket.webviewSession)[0].outcome == "issued_unbound")
            var loose = Crossing(
                webviewSession: unbound.ticket.webviewSession,
                ticket: unbound.ticket,
                client: .androidApp
            )
            let opened = try await rig.broker.open(loose.ticket, tab: nil, proof: nil, by: rig.caller())
            guard case .opened(let tab) = opened else { throw Surprise("\(opened)") }
            loose.tab = tab.token
            try await rig.review(loose)
            try await rig.place(loose)
            #expect(try await rig.buy(loose) == "begin")
        }
    }

    @Test func `of a webview session without any proof is refused where proofs are required`() async throws {
        try await withRig { rig in
            let crossing = try await rig.placed()
            try rig.sql(
                "UPDATE webview_session SET app_hash = NULL WHERE webview_session_id = '\(crossing.webviewSession)'"
            )
            let outcome = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            #expect(word(outcome) == "refused proofRequired")
        }
    }

    @Test func `shows another total`() async throws {
        let rows =
            [
                Row(.reviewed, "refused priceChanged"), Row(.placed, "refused priceChanged"),
                Row(.purchasing, "refused priceChanged"), Row(.authorized, "replayed"),
                Row(.declined, "refused priceChanged"),
            ] + Self.dead
        try await withRows(rows) { rig, row, crossing in
            var request = try crossing.purchase(rig)
            request.total = Yen(1)
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `echoes a total that must be the stored one`() async throws {
        try await withRig { rig in
            let crossing = try await rig.placed()
            var request = try crossing.purchase(rig)
            request.total = Yen(27_456)
            let outcome = try await rig.broker.purchase(request, by: rig.caller())
            guard case .refused(.priceChanged(Yen(27_996))) = outcome else { throw Surprise("\(outcome)") }
            request.total = Yen(27_996)
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "begin")
        }
    }

    @Test func `of one webview session does not go with the tab of another`() async throws {
        try await withRig { rig in
            let one = try await rig.placed(.browser)
            let two = try await rig.placed(.browser)
            var request = try one.purchase(rig)
            request.tab = two.tab
            #expect(try await word(rig.broker.purchase(request, by: rig.caller())) == "refused webviewSessionMismatch")
            #expect(try rig.state(one) == .placed)
            #expect(try rig.state(two) == .placed)
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `checks without changing anything`(client: ClientKind) async throws {
        let rows =
            [
                Row(.opened, "refused unknown"), Row(.reviewed, "proven"), Row(.placed, "proven"),
                Row(.purchasing, "proven"), Row(.authorized, "proven"), Row(.declined, "refused declined"),
            ] + Self.dead
        try await withRows(rows, client) { rig, row, crossing in
            let before = try rig.cell(crossing, "(ctid, xmin, webview_session)::text")
            #expect(try await word(rig.broker.check(crossing.purchase(rig), by: rig.caller())) == row.outcome, "\(row)")
            var bare = PurchaseRequest(ticket: try crossing.returnTicket(rig), orderReference: Rig.orderReference)
            for _ in 0..<6 {
                let outcome = try await rig.broker.check(bare, by: rig.caller())
                #expect(
                    word(outcome) == (row.before == .opened ? "refused unknown" : "refused proofRequired"),
                    "\(row)"
                )
            }
            bare.proof = rig.broker.mintProof()
            bare.tab = client == .browser ? TabToken.mint(for: crossing.webviewSession, random: rig.random) : nil
            let wrong = try await rig.broker.check(bare, by: rig.caller())
            #expect(word(wrong) == (row.before == .opened ? "refused unknown" : "refused proofMismatch"), "\(row)")
            #expect(try rig.cell(crossing, "(ctid, xmin, webview_session)::text") == before, "\(row)")
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `shows its receipt for a quarter of an hour, with a proof`(client: ClientKind) async throws {
        let rows = [
            Row(.reviewed, "notBought"), Row(.placed, "notBought"), Row(.purchasing, "notBought"),
            Row(.authorized, "receipt"),
            Row(.declined, "notBought"), Row(.canceled, "dead"), Row(.revoked, "dead"), Row(.expired, "dead"),
        ]
        try await withRows(rows, client) { rig, row, crossing in
            let ticket = try crossing.returnTicket(rig)
            func receipt(_ proof: AppProof?, _ tab: TabToken?) async throws -> String {
                word(try await rig.broker.receipt(ticket, proof: proof, tab: tab, by: rig.caller()))
            }
            #expect(try await receipt(crossing.proof, crossing.tab) == row.outcome, "\(row)")
            #expect(try await receipt(nil, nil) == "unknown", "\(row)")
            let strangerTab = TabToken.mint(for: crossing.webviewSession, random: rig.random)
            #expect(try await receipt(rig.broker.mintProof(), strangerTab) == "unknown", "\(row)")
            // The tab alone never shows the receipt of an app, nor the app's proof that of a browser.
            if client.isApp {
                #expect(try await receipt(nil, crossing.tab) == "unknown", "\(row)")
            } else {
                #expect(try await receipt(crossing.proof, nil) == "unknown", "\(row)")
            }
            try rig.age(crossing, seconds: 900)
            let late = row.before == .authorized ? "over" : row.outcome
            #expect(try await receipt(crossing.proof, crossing.tab) == late, "\(row)")
        }
    }
}
