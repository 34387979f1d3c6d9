import Checkout
import Commerce
import Primitives
import SessionBroker
import Testing

@Suite("State table: a tab token")
struct TabTableTests {
    private static let closed: [Row] = [
        Row(.authorized, "refused closed"), Row(.canceled, "refused closed"), Row(.revoked, "refused closed"),
        Row(.expired, "refused closed"),
    ]

    @Test func `looks at its page`() async throws {
        let rows =
            [
                Row(.opened, "live"), Row(.reviewed, "live"), Row(.placed, "live"), Row(.purchasing, "readOnly"),
                Row(.declined, "live"),
            ] + Self.closed
        try await withRows(rows) { rig, row, crossing in
            let outcome = try await rig.broker.view(try #require(crossing.tab), by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `shows each of many tabs its own page, and none to a token of another webview session`() async throws {
        try await withRig { rig in
            var crossings: [Crossing] = []
            for _ in 0..<40 { crossings.append(try await rig.reviewed()) }
            let tally = await rig.tally(crossings, each: 3) { rig, crossing in
                let tab = try #require(crossing.tab)
                let forged = TabToken.mint(for: crossing.webviewSession, random: rig.random)
                let stranger = try await rig.broker.view(forged, withDetails: true, by: rig.caller(2))
                let outcome = try await rig.broker.view(tab, withDetails: true, by: rig.caller())
                guard case .live(let view) = outcome, view.id == crossing.webviewSession,
                    view.details != nil
                else {
                    return "none"
                }
                return word(stranger)
            }
            for crossing in crossings { #expect(tally[crossing.webviewSession] == ["refused unknown": 3]) }
        }
    }

    @Test func `is superseded`() async throws {
        let rows =
            [
                Row(.opened, "refused superseded", .revoked), Row(.reviewed, "refused superseded", .revoked),
                Row(.placed, "refused superseded", .revoked), Row(.purchasing, "refused closed"),
                Row(.declined, "refused superseded", .revoked),
            ] + Self.closed
        try await withRows(rows) { rig, row, crossing in
            try rig.sql(
                "UPDATE webview_session SET tab_superseded_hash = tab_hash, tab_hash = sha256('x') WHERE webview_session_id = '\(crossing.webviewSession)'"
            )
            let outcome = try await rig.broker.view(try #require(crossing.tab), by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `comes after the idle deadline`() async throws {
        let rows =
            [
                Row(.opened, "refused expired", .expired), Row(.reviewed, "refused expired", .expired),
                Row(.placed, "refused expired", .expired), Row(.purchasing, "readOnly"),
                Row(.declined, "refused expired", .expired),
            ] + Self.closed
        try await withRows(rows) { rig, row, crossing in
            try rig.age(crossing, seconds: 1_801)
            let outcome = try await rig.broker.view(try #require(crossing.tab), by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `reviews the session that is pinned`() async throws {
        let rows =
            [
                Row(.opened, "reviewed", .reviewed), Row(.reviewed, "reviewed"), Row(.placed, "reviewed", .reviewed),
                Row(.purchasing, "readOnly"), Row(.declined, "declined"),
            ] + Self.closed
        try await withRows(rows) { rig, row, crossing in
            let session = rig.session(crossing.webviewSession, postage: Yen(1_080))
            let outcome = try await rig.broker.review(try #require(crossing.tab), session, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
            let total = row.outcome == "reviewed" ? "28536" : row.before == .opened ? nil : "27996"
            #expect(try rig.cell(crossing, "total") == total)
        }
    }

    @Test func `reviews another session`() async throws {
        let rows =
            [
                Row(.opened, "reviewed", .reviewed), Row(.reviewed, "reviewed"), Row(.placed, "orderMismatch"),
                Row(.purchasing, "readOnly"), Row(.declined, "reviewed", .reviewed),
            ] + Self.closed
        try await withRows(rows) { rig, row, crossing in
            let session = rig.session(crossing.webviewSession, Rig.otherReference)
            let outcome = try await rig.broker.review(try #require(crossing.tab), session, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
            let pinned = row.outcome == "reviewed" ? Rig.otherReference : Rig.orderReference
            #expect(try rig.cell(crossing, "order_ref") == pinned)
        }
    }

    @Test func `cannot pin a session that another webview session's button started`() async throws {
        try await withRig { rig in
            let mine = try await rig.opened()
            let other = try await rig.opened()
            let tab = try #require(mine.tab)
            let foreign = rig.session(other.webviewSession)
            #expect(try await word(rig.broker.review(tab, foreign, by: rig.caller())) == "orderMismatch")
            let nameless = ReviewedSession(
                orderReference: Rig.orderReference,
                markedSession: nil,
                postage: Yen(540),
                details: Rig.details
            )
            #expect(try await word(rig.broker.review(tab, nameless, by: rig.caller())) == "orderMismatch")
            #expect(try rig.state(mine) == .opened)
        }
    }

    @Test func `agrees to the total`() async throws {
        let rows =
            [
                Row(.opened, "notReviewed"), Row(.reviewed, "placed", .placed), Row(.placed, "placed"),
                Row(.purchasing, "readOnly"), Row(.declined, "declined"),
            ] + Self.closed
        try await withRows(rows) { rig, row, crossing in
            let tab = try #require(crossing.tab)
            let ticket = try crossing.returnTicket(rig)
            let outcome = try await rig.broker.place(tab, ticket: ticket, total: Yen(27_996), by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test(arguments: [WebviewSessionState.reviewed, .placed])
    func `cannot agree to another total`(state: WebviewSessionState) async throws {
        try await withRig { rig in
            let crossing = try await rig.webviewSession(in: state)
            let ticket = try crossing.returnTicket(rig)
            let tab = try #require(crossing.tab)
            let outcome = try await rig.broker.place(tab, ticket: ticket, total: Yen(27_995), by: rig.caller())
            guard case .priceChanged(Yen(27_996)) = outcome else { throw Surprise("\(outcome)") }
            #expect(try rig.state(crossing) == state)
        }
    }

    @Test(arguments: [WebviewSessionState.reviewed, .placed])
    func `cannot agree to what another page showed`(state: WebviewSessionState) async throws {
        try await withRig { rig in
            let crossing = try await rig.webviewSession(in: state)
            let ticket = try crossing.returnTicket(rig)
            let tab = try #require(crossing.tab)
            func agree(_ shown: Digest32?) async throws -> String {
                word(try await rig.broker.place(tab, ticket: ticket, total: nil, shown: shown, by: rig.caller()))
            }
            guard case .live(let view) = try await rig.broker.view(tab, by: rig.caller()) else {
                throw Surprise("no page")
            }
            let other = Digest32(Array(repeating: 7, count: 32).span)
            #expect(try await agree(other).hasPrefix("priceChanged"))
            #expect(try rig.state(crossing) == state)
            #expect(try await agree(nil) == "placed")
            #expect(view.record.shown != nil)
            #expect(try await agree(view.record.shown) == "placed")
            // As a row is whose mark was never written.
            try rig.sql(
                "UPDATE webview_session SET shown = NULL WHERE webview_session_id = '\(crossing.webviewSession)'"
            )
            #expect(try await agree(other) == "placed")
        }
    }

    @Test func `has a mark for what it shows that tells nothing to whoever has the database`() async throws {
        try await withRig { rig in
            let crossing = try await rig.opened()
            let tab = try #require(crossing.tab)
            func mark(_ reference: String, _ postage: Yen, _ details: PrivateDetails) async throws -> String? {
                let session = ReviewedSession(
                    orderReference: reference,
                    markedSession: crossing.webviewSession,
                    postage: postage,
                    details: details
                )
                #expect(try await word(rig.broker.review(tab, session, by: rig.caller())) == "reviewed")
                return try rig.cell(crossing, "encode(shown, 'hex')")
            }
            let moved = PrivateDetails(buyer: Rig.details.buyer, address: Address([.stateOrRegion: "大阪府"]))
            let first = try await mark(Rig.orderReference, Yen(540), Rig.details)
            #expect(try await mark(Rig.orderReference, Yen(540), Rig.details) == first)
            var marks: Set<String?> = [first]
            marks.insert(try await mark(Rig.orderReference, Yen(540), moved))
            marks.insert(try await mark(Rig.orderReference, Yen(541), Rig.details))
            marks.insert(try await mark(Rig.otherReference, Yen(540), Rig.details))
            #expect(marks.count == 4)
            let elsewhere = try await rig.reviewed()
            #expect(try rig.cell(elsewhere, "encode(shown, 'hex')") != first, "each ticket makes its own")
        }
    }

    @Test func `does not act with the page of another webview session`() async throws {
        try await withRig { rig in
            let one = try await rig.reviewed()
            let two = try await rig.reviewed()
            let tab = try #require(two.tab)
            let ticket = try one.returnTicket(rig)
            let broker = rig.broker
            #expect(
                try await word(broker.place(tab, ticket: ticket, total: nil, by: rig.caller()))
                    == "webviewSessionMismatch"
            )
            #expect(try await word(broker.cancel(tab, ticket: ticket, by: rig.caller())) == "webviewSessionMismatch")
            let quote = try await broker.quote(
                tab,
                ticket: ticket,
                orderReference: Rig.orderReference,
                by: rig.caller()
            )
            #expect(word(quote) == "webviewSessionMismatch")
            #expect(try rig.state(one) == .reviewed)
            #expect(try rig.state(two) == .reviewed)
        }
    }

    @Test func `gives up`() async throws {
        let rows =
            [
                Row(.opened, "canceled", .canceled), Row(.reviewed, "canceled", .canceled),
                Row(.placed, "canceled", .canceled), Row(.purchasing, "readOnly"),
                Row(.declined, "canceled", .canceled),
            ] + Self.closed
        try await withRows(rows) { rig, row, crossing in
            let ticket = try crossing.returnTicket(rig)
            let tab = try #require(crossing.tab)
            let outcome = try await rig.broker.cancel(tab, ticket: ticket, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `asks for the postage`() async throws {
        let rows =
            [
                Row(.opened, "notPriced"), Row(.reviewed, "quoted"), Row(.placed, "quoted"), Row(.purchasing, "quoted"),
                Row(.declined, "quoted"),
            ] + Self.closed
        try await withRows(rows) { rig, row, crossing in
            let tab = try #require(crossing.tab)
            let ticket = try crossing.returnTicket(rig)
            let quote = try await rig.broker.quote(
                tab,
                ticket: ticket,
                orderReference: Rig.orderReference,
                by: rig.caller()
            )
            #expect(word(quote) == row.outcome, "\(row)")
            guard case .quoted(let postage, let total) = quote else { return }
            #expect((postage, total) == (Yen(540), Yen(27_996)))
            let other = try await rig.broker.quote(
                tab,
                ticket: ticket,
                orderReference: Rig.otherReference,
                by: rig.caller()
            )
            #expect(word(other) == "orderMismatch")
        }
    }

    @Test func `does not act with a return ticket that is not its own`() async throws {
        try await withRig { rig in
            let crossing = try await rig.reviewed()
            let tab = try #require(crossing.tab)
            let forged = rig.broker.returnTicket(of: TabToken.mint(for: crossing.webviewSession, random: rig.random))
            let placed = try await rig.broker.place(tab, ticket: forged, total: nil, by: rig.caller())
            #expect(word(placed) == "webviewSessionMismatch")
            let cancelled = try await rig.broker.cancel(tab, ticket: forged, by: rig.caller())
            #expect(word(cancelled) == "webviewSessionMismatch")
            #expect(try rig.state(crossing) == .reviewed)
        }
    }

    @Test func `knows an agreement to what is placed already`() async throws {
        try await withRig { rig in
            let crossing = try await rig.reviewed()
            let (tab, ticket) = (try #require(crossing.tab), try crossing.returnTicket(rig))
            for (isRepeat, number) in [(false, 1), (true, 2), (true, 3)] {
                let outcome = try await rig.broker.place(tab, ticket: ticket, total: nil, by: rig.caller())
                guard case .placed(let placement) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(placement.isRepeat == isRepeat && placement.number == number)
                #expect(placement.view.details != nil)
            }
        }
    }

    @Test func `takes a placement back only while nothing was placed since`() async throws {
        try await withRig { rig in
            let crossing = try await rig.reviewed()
            let first = try await rig.place(crossing)
            let second = try await rig.place(crossing)
            #expect(second.number == first.number + 1)
            #expect(try await !rig.broker.unplace(first, by: rig.caller()))
            #expect(try rig.state(crossing) == .placed)
            #expect(try await rig.broker.unplace(second, by: rig.caller()))
            #expect(try rig.state(crossing) == .reviewed)
            #expect(try await !rig.broker.unplace(second, by: rig.caller()))
        }
    }

    @Test func `hears that the provider gave up on the session`() async throws {
        let rows = [
            Row(.opened, "false"), Row(.reviewed, "false"), Row(.placed, "true", .declined), Row(.purchasing, "false"),
            Row(.authorized, "false"), Row(.declined, "false"), Row(.canceled, "false"), Row(.revoked, "false"),
            Row(.expired, "false"),
        ]
        try await withRows(rows) { rig, row, crossing in
            let seen = try await rig.placed()
            guard case .live(let view) = try await rig.broker.view(try #require(seen.tab), by: rig.caller()) else {
                throw Surprise("no page")
            }
            // The webview session may have moved on between the look and the provider's answer.
            try rig.sql(
                "UPDATE webview_session SET state = '\(row.before.rawValue)' WHERE webview_session_id = '\(seen.webviewSession)'"
            )
            let isDeclined = try await rig.broker.decline(view, reason: "Declined! 4111", by: rig.caller())
            #expect("\(isDeclined)" == row.outcome)
            #expect(try rig.state(seen) == row.after)
            guard isDeclined else { return }
            #expect(try await rig.store.audit(seen.webviewSession).last?.reason == "Declined")
        }
    }
}
