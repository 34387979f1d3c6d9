import EventIO
import IntegrationKit
import PostgresTestKit
import StrictJSON
import TestKit
import Testing

/// `sallyport revoke`, run as an operator does after a link was stolen.
@Suite("The revoke command", .tags(.database, .slow))
struct RevokeCommandTests {
    /// A purchase whose answer was lost.
    private func underWay(_ shop: Shop) async throws -> Shopper {
        let shopper = try await shop.shopper()
        let link = try await shopper.toReturn()
        try await shop.control.fault("CompleteCheckoutSession", count: 9, ["resetAfter": true])
        try await shop.control.fault("GetCheckoutSession", count: 1_000_000, ["status": 403])
        #expect(try await shopper.purchase(link).status == 409)
        try await shop.control.clearFaults()
        try await shop.control.fault("GetCheckoutSession", count: 1_000_000, ["status": 403])
        return shopper
    }

    private func records(_ shop: Shop) throws -> [[String?]] {
        try shop.rows("SELECT operator, command, target, after::text FROM operator_event ORDER BY event_id")
    }

    private func install(of webviewSession: String, _ shop: Shop) throws -> String {
        try shop.value(
            "SELECT encode(app_hash, 'hex') FROM webview_session WHERE webview_session_id = $1",
            [webviewSession]
        )
    }

    @Test func `ends one session, for good and on record`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let other = try await shop.shopper()
            let done = try await shop.runCommand(["revoke", shopper.webviewSession, "--as", "hanako"])
            #expect(done.exit == .code(0), "\(done.output)")
            #expect(done.output.contains(#""revoked":true,"state":"revoked""#), "\(done.output)")
            #expect(try shop.state(of: shopper.webviewSession) == "revoked")
            #expect(try shop.state(of: other.webviewSession) == "issued")
            let row = try shop.rows(
                "SELECT op, reason, peer FROM webview_session_event WHERE webview_session_id = $1 ORDER BY ordinal DESC LIMIT 1",
                [shopper.webviewSession]
            )
            #expect(row == [["close", "operator", "operator"]])
            #expect(try records(shop) == [["hanako", "revoke", shopper.webviewSession, #"{"done":true}"#]])
            #expect(try await shopper.purchase(link).error == "session_revoked")
            #expect(try await shop.effectiveCompletions() == 0)

            let again = try await shop.runCommand(["revoke", shopper.webviewSession])
            #expect(again.exit == .code(0))
            #expect(again.output.contains(#""revoked":false,"state":"revoked""#), "\(again.output)")
            #expect(try records(shop).count == 1)
        }
    }

    @Test func `leaves what is paid or at the provider, and says what then`() async throws {
        try await withShop { shop in
            let paid = try await shop.shopper()
            let link = try await paid.toReturn()
            #expect(try await paid.purchase(link).status == 200)
            let refused = try await shop.runCommand(["revoke", paid.webviewSession])
            #expect(refused.exit == .code(1) && refused.output.contains("cancel or refund"), "\(refused.output)")
            let underWay = try await underWay(shop)
            let early = try await shop.runCommand(["revoke", underWay.webviewSession])
            #expect(early.exit == .code(1) && early.output.contains("at the provider"), "\(early.output)")
            #expect(try shop.state(of: underWay.webviewSession) == "purchasing")
            #expect(try records(shop).map { $0[3] } == [#"{"done":false}"#, #"{"done":false}"#])

            let nobody = "019a0000-0000-7000-8000-000000000000"
            #expect(try await shop.runCommand(["revoke", nobody]).exit == .code(1))
            #expect(try await shop.runCommand(["revoke", "nonsense"]).exit == .code(1))
            for words in [
                [], [paid.webviewSession, underWay.webviewSession], [paid.webviewSession, "--all", "--yes"], ["--all"],
                [paid.webviewSession, "--yes"], ["--install", "abc"],
            ] {
                #expect(try await shop.runCommand(["revoke"] + words).exit == .code(2), "\(words)")
            }
            #expect(try records(shop).count == 2)
        }
    }

    @Test func `ends all sessions of an install, or of everybody, but those at the provider`() async throws {
        try await withShop { shop in
            let underWay = try await underWay(shop)
            let one = try await shop.shopper()
            _ = try await one.toButton()
            let two = try await shop.shopper()
            let hex = try install(of: one.webviewSession, shop)
            let some = try await shop.runCommand(["revoke", "--install", hex])
            #expect(some.exit == .code(0), "\(some.output)")
            #expect(some.output.contains(#"{"revoked":1,"underWay":0}"#), "\(some.output)")
            #expect(try shop.state(of: one.webviewSession) == "revoked")
            #expect(try shop.state(of: two.webviewSession) == "issued")
            let theirs = try await shop.runCommand([
                "revoke", "--install", try install(of: underWay.webviewSession, shop),
            ])
            #expect(theirs.output.contains(#"{"revoked":0,"underWay":1}"#), "\(theirs.output)")

            let all = try await shop.runCommand(["revoke", "--all", "--yes"])
            #expect(all.exit == .code(0), "\(all.output)")
            #expect(all.output.contains(#"{"revoked":1,"underWay":1}"#), "\(all.output)")
            #expect(try shop.state(of: two.webviewSession) == "revoked")
            #expect(try shop.state(of: underWay.webviewSession) == "purchasing")
            let commands = try records(shop).map { [$0[1], $0[2], $0[3]] }
            #expect(commands.first == ["revoke --install", hex, #"{"revoked":1,"underWay":0}"#])
            #expect(commands.last == ["revoke --all", "all", #"{"revoked":1,"underWay":1}"#])
        }
    }

    @Test func `passes over a session that the database refuses to change, and names it`() async throws {
        try await withShop { shop in
            let (held, free) = (try await shop.shopper(), try await shop.shopper())
            let condition = "NEW.state = 'revoked' AND NEW.webview_session_id = '\(held.webviewSession)'"
            try shop.refuse(updatesOf: "webview_session", where: condition)
            let all = try await shop.runCommand(["revoke", "--all", "--yes"])
            #expect(all.exit == .code(1))
            #expect(all.output.contains(#"{"revoked":1,"underWay":0,"skipped":1}"#), "\(all.output)")
            #expect(all.output.contains("1 sessions, which may still be used: \(held.webviewSession)"), "\(all.output)")
            #expect(try shop.state(of: free.webviewSession) == "revoked")
            #expect(try shop.state(of: held.webviewSession) == "issued")
            let alerts = try await shop.runCommand(["audit", "--alerts"]).output
            #expect(alerts.contains(#""op":"revoke","outcome":"skipped","times":1"#), "\(alerts)")
        }
    }

    @Test func `is on record before it is carried out, open where it was cut off`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            try shop.refuse(updatesOf: "webview_session", where: "NEW.state = 'revoked'")
            // What is refused cannot be put aside either.
            try shop.rows("ALTER TABLE skipped_row RENAME TO elsewhere")
            for words in [[shopper.webviewSession], ["--all", "--yes"]] {
                #expect(try await shop.runCommand(["revoke"] + words).exit == .code(1))
            }
            let open = try shop.rows("SELECT command FROM operator_event WHERE ended_at IS NULL ORDER BY event_id")
            #expect(open == [["revoke"], ["revoke --all"]])
            #expect(try shop.state(of: shopper.webviewSession) == "issued")
        }
    }
}
