import Checkout
import Postgres
import Primitives
import Program
import ServerCore
import SessionBroker
import Telemetry
import Testing

@Suite("An operator")
struct OperatorTests {
    @Test func `reads the trail of a webview session in order, without a token in it`() async throws {
        try await withRig { rig in
            let crossing = try await rig.authorized()
            let events = try await rig.store.audit(crossing.webviewSession)
            #expect(
                events.map { "\($0.ordinal) \($0.operation) \($0.outcome) \($0.state)" } == [
                    "1 issue issued issued", "2 open opened opened", "3 review reviewed reviewed",
                    "4 place placed placed", "5 purchase begin purchasing", "6 settle authorized authorized",
                ]
            )
            #expect(events.allSatisfy { $0.webviewSession == crossing.webviewSession })
            #expect(events.allSatisfy { $0.peer == "192.0.2.0/24 9f86d081" })
            #expect(Set(events.map(\.request)).count == 6)
            #expect(zip(events, events.dropFirst()).allSatisfy { $0.at <= $1.at })
            #expect(try await rig.store.audit(UUIDBytes(high: 1, low: 2)).isEmpty)
        }
    }

    @Test func `learns that the program's role can add to the trail and change nothing in it`() async throws {
        try await withRig { rig in
            let rights = try await rig.client.read(FeatureList.all.rightsStatement()).first()
            #expect(rights.role == "sallyport_service")
            #expect(!rights.mayRewriteTrail)
            #expect(rights.hasLockTimeout)
            #expect(rights.standbys == 0)
            #expect(!rights.waitsForStandby)
            #expect(rights.now.seconds > 1_700_000_000)
            #expect(rights.functionsBeyond == "")
            #expect(!rights.mayCreate)
            #expect(rights.mightyLogin == "sallyport")
            #expect(rights.unpinnedCommit == "off", "of the tests' cluster")
        }
    }

    @Test(arguments: ["webview_session_event", "operator_event", "event"])
    func `learns that the program's role may change a trail`(table: String) async throws {
        try await withRig { rig in
            try rig.sql("GRANT UPDATE ON \(table) TO sallyport_service")
            #expect(try await rig.client.read(FeatureList.all.rightsStatement()).first().mayRewriteTrail)
        }
    }

    @Test func `completes nobody else's decision`() async throws {
        try await withRig { rig in
            let store = PostgresOperatorStore(client: rig.client)
            let opened = try await store.begin("hanako", "revoke --all", "all", before: nil)
            let service = try PostgresAdmin(url: rig.serviceLogin())
            let others = try service.rows(
                "SELECT operator_end(e.event_id, '{\"done\":true}', gen_random_uuid()), operator_end(e.event_id, '{}', NULL) FROM operator_event AS e"
            )
            #expect(others == [["f", "f"]])
            try await store.end(opened, after: #"{"revoked":3}"#)
            let listed = try await store.list(since: WallTime(seconds: 0), limit: 10)
            #expect(listed.map { $0.after.map { String(decoding: $0, as: UTF8.self) } } == [#"{"revoked":3}"#])
            let error = await #expect(throws: StoreError.self) { try await store.end(opened, after: "{}") }
            #expect(error?.code == .fault)
        }
    }

    @Test func `sees what should worry, newest first`() async throws {
        try await withRig { rig in
            let reused = try await rig.reviewed()
            _ = try await rig.open(reused.ticket)
            let wrong = try await rig.placed()
            var request = try wrong.purchase(rig)
            request.proof = rig.broker.mintProof()
            _ = try await rig.broker.purchase(request, by: rig.caller())
            let plain = try await rig.issued()
            try await rig.broker.notePlaintext(plain.ticket, by: rig.caller())
            let orphan = try await rig.opened()
            _ = try await rig.open(orphan.ticket)
            _ = try await rig.broker.view(try #require(orphan.tab), by: rig.caller())
            _ = try await rig.authorized()
            let alerts = try await rig.store.alerts(since: WallTime(seconds: 1_500_000_000))
            #expect(alerts.map(\.outcome) == ["orphan", "plaintext", "proof_mismatch", "reused"])
            #expect(
                alerts.map(\.webviewSession) == [
                    orphan.webviewSession, plain.webviewSession, wrong.webviewSession, reused.webviewSession,
                ]
            )
            #expect(try await rig.store.alerts(since: WallTime(seconds: 1_500_000_000), limit: 1).count == 1)
            #expect(try await rig.store.alerts(since: WallTime(seconds: 4_000_000_000)).isEmpty)
        }
    }

    @Test func `counts outcomes by operation, without an id among the labels`() async throws {
        try await withRig { rig in
            let crossing = try await rig.authorized()
            _ = try await rig.buy(crossing)
            _ = try await rig.open(LaunchTicket.mint(for: crossing.webviewSession, random: rig.random))
            let text = rig.metrics.prometheusText()
            for (operation, outcome) in [
                ("issue", "issued"), ("open", "opened"), ("open", "unknown"), ("review", "reviewed"),
                ("place", "placed"),
                ("purchase", "begin"), ("purchase", "replayed"), ("settle", "settled"),
            ] {
                let line = "sallyport_webview_session_outcomes_total{op=\"\(operation)\",outcome=\"\(outcome)\"} 1"
                #expect(text.contains(line), "\(line)")
            }
            #expect(!text.contains(crossing.webviewSession.description))
        }
    }

    @Test func `revokes one webview session, those of an install, or all, but nothing that is final`() async throws {
        try await withRig { rig in
            let done = try await rig.authorized()
            let one = try await rig.opened()
            #expect(try await rig.store.revoke(one.webviewSession, by: rig.caller()))
            #expect(try await !rig.store.revoke(one.webviewSession, by: rig.caller()))
            #expect(try await !rig.store.revoke(done.webviewSession, by: rig.caller()))
            #expect(try await rig.store.audit(one.webviewSession).last?.reason == "operator")
            #expect(try await word(rig.broker.view(try #require(one.tab), by: rig.caller())) == "refused closed")

            let mine = try await rig.issued()
            var other: [Crossing] = []
            for _ in 0..<3 { other.append(try await rig.reviewed()) }
            let install = try #require(mine.proof).hash
            #expect(try await rig.store.revokeAll(install: install, by: rig.caller()) == 1)
            #expect(try rig.state(mine) == .revoked)
            #expect(try rig.state(other[0]) == .reviewed)
            #expect(try await rig.store.revokeAll(install: nil, by: rig.caller()) == 3)
            #expect(try rig.state(done) == .authorized)
        }
    }

    @Test func `finds a token that came in clear dead, and a prefetch harmless`() async throws {
        try await withRig { rig in
            let crossing = try await rig.reviewed()
            try await rig.broker.notePrefetch(crossing.ticket, by: rig.caller())
            #expect(try rig.state(crossing) == .reviewed)
            try await rig.broker.notePlaintext(try #require(crossing.tab), by: rig.caller())
            #expect(try rig.state(crossing) == .revoked)
            let other = try await rig.reviewed()
            try await rig.broker.notePlaintext(other.returnTicket(rig), by: rig.caller())
            #expect(try rig.state(other) == .revoked)
            let bought = try await rig.authorized()
            try await rig.broker.notePlaintext(bought.returnTicket(rig), by: rig.caller())
            #expect(try rig.state(bought) == .authorized)
            #expect(try await rig.store.audit(bought.webviewSession).last?.outcome == "plaintext")
        }
    }

    @Test func `hears from the app how far its webview session is, by both its secrets`() async throws {
        let rows = [
            Row(.issued, "issued"), Row(.opened, "opened"), Row(.reviewed, "reviewed"), Row(.placed, "reviewed"),
            Row(.purchasing, "purchasing"), Row(.authorized, "done"), Row(.declined, "reviewed"),
            Row(.canceled, "closed"), Row(.revoked, "closed"), Row(.expired, "closed"),
        ]
        try await withRows(rows) { rig, row, crossing in
            func status(_ proof: AppProof?) async throws -> String? {
                try await rig.broker.status(crossing.ticket, proof: proof, by: rig.caller())?.rawValue
            }
            #expect(try await status(crossing.proof) == row.outcome, "\(row)")
            #expect(try await status(nil) == nil)
            #expect(try await status(rig.broker.mintProof()) == nil)
            try rig.age(crossing, seconds: 7_200)
            let isTimeless = [.purchasing, .authorized].contains(row.before)
            #expect(try await status(crossing.proof) == (isTimeless ? row.outcome : "closed"), "\(row)")
        }
    }
}
