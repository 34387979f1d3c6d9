import Checkout
import Primitives
import SessionBroker
import Testing

@Suite("State table: a launch ticket")
struct LaunchTableTests {
    private static let dead: [Row] = [
        Row(.canceled, "dead"), Row(.revoked, "dead"), Row(.expired, "dead"),
    ]

    @Test func `presented without the tab cookie`() async throws {
        let rows =
            [
                Row(.issued, "opened", .opened), Row(.opened, "reopened"), Row(.reviewed, "reused", .revoked),
                Row(.placed, "reused", .revoked), Row(.purchasing, "finished"), Row(.authorized, "finished"),
                Row(.declined, "finished"),
            ] + Self.dead
        try await withRows(rows) { rig, row, crossing in
            let outcome = try await rig.broker.open(crossing.ticket, tab: nil, proof: nil, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `presented again at once is not judged yet`() async throws {
        let rows =
            [
                Row(.issued, "opened", .opened), Row(.opened, "doubled"), Row(.reviewed, "doubled"),
                Row(.placed, "doubled"), Row(.purchasing, "finished"), Row(.authorized, "finished"),
                Row(.declined, "finished"),
            ] + Self.dead
        try await withRows(rows) { rig, row, crossing in
            // However slow the machine is, no time has passed.
            try rig.moveOpen(crossing, seconds: 3_600)
            let live = try rig.cell(crossing, "tab_hash")
            for _ in 0..<2 {
                let outcome = try await rig.openAgain(crossing)
                #expect(outcome == row.outcome, "\(row)")
                #expect(try rig.state(crossing) == row.after, "\(row)")
                if row.before == .issued { return }
            }
            #expect(try rig.cell(crossing, "tab_hash") == live)
        }
    }

    @Test(arguments: [0, 15, 60])
    func `is judged five seconds after the open, whatever the time of re-opens is`(window: Int64) async throws {
        var policy = BrokerPolicy.unlimited()
        policy.times.reopenWindow = .seconds(window)
        try await withRig(policy) { rig in
            let crossing = try await rig.opened()
            _ = try await rig.broker.view(try #require(crossing.tab), by: rig.caller())
            try rig.moveOpen(crossing, seconds: 3_600)
            #expect(try await rig.openAgain(crossing) == "doubled")
            try rig.moveOpen(crossing, seconds: -3_605)
            #expect(try await rig.openAgain(crossing) == "reused")
            #expect(try rig.state(crossing) == .revoked)
        }
    }

    @Test func `presented by the tab that it opened`() async throws {
        let rows =
            [
                Row(.opened, "sameTab"), Row(.reviewed, "sameTab"), Row(.placed, "sameTab"),
                Row(.purchasing, "finished"),
                Row(.authorized, "finished"), Row(.declined, "sameTab"),
            ] + Self.dead
        try await withRows(rows) { rig, row, crossing in
            let live = try rig.cell(crossing, "tab_hash")
            let outcome = try await rig.broker.open(crossing.ticket, tab: crossing.tab, proof: nil, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
            #expect(try rig.cell(crossing, "tab_hash") == live)
        }
    }

    @Test func `presented after the idle deadline`() async throws {
        let rows =
            [
                Row(.issued, "expired", .expired), Row(.opened, "expired", .expired),
                Row(.reviewed, "expired", .expired),
                Row(.placed, "expired", .expired), Row(.purchasing, "finished"), Row(.authorized, "finished"),
                Row(.declined, "expired", .expired),
            ] + Self.dead
        try await withRows(rows) { rig, row, crossing in
            try rig.age(crossing, seconds: 1_801)
            let outcome = try await rig.broker.open(crossing.ticket, tab: crossing.tab, proof: nil, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `of a browser's cart, presented by another browser`() async throws {
        let rows =
            [
                Row(.issued, "wrongBrowser"), Row(.opened, "wrongBrowser"), Row(.reviewed, "wrongBrowser"),
                Row(.placed, "wrongBrowser"), Row(.purchasing, "finished"), Row(.authorized, "finished"),
                Row(.declined, "wrongBrowser"),
            ] + Self.dead
        try await withRows(rows, .browser) { rig, row, crossing in
            let other = rig.broker.mintProof()
            let outcome = try await rig.broker.open(crossing.ticket, tab: nil, proof: other, by: rig.caller())
            #expect(word(outcome) == row.outcome, "\(row)")
            #expect(try rig.state(crossing) == row.after, "\(row)")
        }
    }

    @Test func `opens for five minutes`() async throws {
        try await withRig { rig in
            let early = try await rig.issued()
            try rig.age(early, seconds: 295)
            #expect(try await rig.open(early.ticket) == "opened")
            let late = try await rig.issued()
            try rig.age(late, seconds: 300)
            #expect(try await rig.open(late.ticket) == "expired")
            #expect(try rig.state(late) == .expired)
        }
    }

    @Test func `re-opens once, within fifteen seconds, while the tab was not seen`() async throws {
        try await withRig { rig in
            let crossing = try await rig.opened()
            try rig.age(crossing, seconds: 10)
            let again = try await rig.broker.open(crossing.ticket, tab: nil, proof: nil, by: rig.caller())
            #expect(word(again) == "reopened")
            #expect(again.opened?.token.hash != crossing.tab?.hash)
            #expect(try await rig.open(crossing.ticket) == "reused")
            #expect(try rig.state(crossing) == .revoked)
        }
    }

    @Test func `does not re-open after fifteen seconds`() async throws {
        try await withRig { rig in
            let crossing = try await rig.opened()
            try rig.age(crossing, seconds: 15)
            #expect(try await rig.open(crossing.ticket) == "reused")
        }
    }

    @Test func `does not re-open once the tab was seen`() async throws {
        try await withRig { rig in
            let crossing = try await rig.opened()
            _ = try await rig.broker.view(try #require(crossing.tab), by: rig.caller())
            #expect(try await rig.open(crossing.ticket) == "reused")
            #expect(try rig.state(crossing) == .revoked)
        }
    }

    @Test func `used twice is only refused where the policy says so`() async throws {
        var policy = BrokerPolicy.unlimited()
        policy.onReuse = .refuse
        try await withRig(policy) { rig in
            let crossing = try await rig.reviewed()
            #expect(try await rig.open(crossing.ticket) == "reused")
            #expect(try rig.state(crossing) == .reviewed)
        }
    }

    @Test func `with the right webview session and a wrong secret changes nothing and writes nothing`() async throws {
        try await withRig { rig in
            let crossing = try await rig.issued()
            let forged = LaunchTicket.mint(for: crossing.webviewSession, random: rig.random)
            let before = try rig.cell(crossing, "(ctid, xmin, webview_session)::text")
            #expect(try await rig.open(forged) == "unknown")
            #expect(try rig.cell(crossing, "(ctid, xmin, webview_session)::text") == before)
            #expect(try await rig.store.audit(crossing.webviewSession).map(\.operation) == ["issue"])
        }
    }

    @Test func `of a webview session that never was is unknown, whatever time it claims`() async throws {
        try await withRig { rig in
            for high: UInt64 in [0, 0x0000_7000, 0x01A1_FCDD_1D14_7000, .max] {
                let webviewSession = UUIDBytes(high: high, low: 0x8000_0000_0000_0001)
                let forged = LaunchTicket.mint(for: webviewSession, random: rig.random)
                let outcome = try await rig.broker.open(forged, tab: nil, proof: nil, by: rig.caller())
                #expect(word(outcome) == "unknown")
            }
        }
    }
}

extension Rig {
    /// Opens with the ticket and nothing else, for the first time; the word of the outcome.
    fileprivate func openAgain(_ crossing: Crossing) async throws -> String {
        word(try await broker.open(crossing.ticket, tab: nil, proof: nil, putsOff: true, by: caller()))
    }

    /// Moves the first open.
    fileprivate func moveOpen(_ crossing: Crossing, seconds: Int) throws {
        try sql(
            """
            UPDATE webview_session SET launch_until = launch_until + \(seconds) * interval '1 second'
            WHERE webview_session_id = '\(crossing.webviewSession)'
            """
        )
    }
}
