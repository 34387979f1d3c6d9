import EventIO
import IntegrationKit
import Postgres
import PostgresTestKit
import Program
import StrictJSON
import TestKit
import Testing

/// What an operator decides about money: verified at the provider, and written down with a name.
@Suite("A decision of an operator", .tags(.database, .slow))
struct OperatorTrailTests {
    /// A purchase that was paid at the provider, whose answer was lost, and that was given up.
    private func stuck(_ shop: Shop) async throws -> (webviewSession: String, permission: String, charge: String) {
        let shopper = try await shop.shopper()
        let link = try await shopper.toReturn()
        try await shop.control.fault("CompleteCheckoutSession", count: 9, ["resetAfter": true])
        try await shop.control.fault("GetCheckoutSession", count: 2, ["status": 403])
        #expect(try await shopper.purchase(link).status == 409)
        try await shop.control.clearFaults()
        let giveUp =
            "UPDATE webview_session_purchase SET stuck_at = now(), reason = 'gone' WHERE webview_session_id = $1"
        try shop.rows(giveUp, [shopper.webviewSession])
        try shop.endLease(of: shopper.webviewSession)
        let session = try await shop.control.object(link.order)
        return (shopper.webviewSession, session["chargePermissionId"]?.text ?? "", session["chargeId"]?.text ?? "")
    }

    private func trail(_ shop: Shop) throws -> [[String?]] {
        try shop.rows("SELECT operator, command, target, after ->> 'done' FROM operator_event ORDER BY event_id")
    }

    @Test func `that a purchase was paid is believed only where the provider says so`() async throws {
        try await withShop(.merchant) { shop in
            let other = try await shop.paid()
            let stuck = try await stuck(shop)
            let paid = ["stuck", stuck.webviewSession, "--paid", "--permission"]
            // Of another session, of another sum, or nothing that can be read.
            #expect(try await shop.runCommand(paid + [other.permission]).exit == .code(1))
            #expect(
                try await shop.runCommand(paid + [stuck.permission, "--charge", other.charge]).exit == .code(1)
            )
            #expect(
                try await shop.runCommand(paid + [other.permission, "--charge", other.charge]).exit == .code(1)
            )
            #expect(try await shop.runCommand(paid + ["S03-0000000-0000000"]).exit == .code(1))
            #expect(try await shop.runCommand(paid + ["nonsense"]).exit == .code(1))
            #expect(try shop.state(of: stuck.webviewSession) == "purchasing")
            try shop.rows(
                "UPDATE webview_session SET total = total + 1 WHERE webview_session_id = $1",
                [stuck.webviewSession]
            )
            let refused = try await shop.runCommand(paid + [stuck.permission, "--charge", stuck.charge])
            #expect(refused.exit == .code(1) && refused.output.contains("refund it"), "\(refused.output)")
            try shop.rows(
                "UPDATE webview_session SET total = total - 1 WHERE webview_session_id = $1",
                [stuck.webviewSession]
            )
            #expect(try trail(shop).isEmpty)

            // The provider has forgotten the checkout session: only a person knows the charge.
            let forgotten: JSONValue = ["status": 404, "reasonCode": "ResourceNotFound"]
            try await shop.control.fault("GetCheckoutSession", count: 9, forgotten)
            let unnamed = try await shop.runCommand(paid + [stuck.permission])
            #expect(unnamed.exit == .code(1) && unnamed.output.contains("--charge"), "\(unnamed.output)")
            let done = try await shop.runCommand(
                paid + [stuck.permission, "--charge", stuck.charge],
                environment: ["SUDO_USER": "hanako"]
            )
            #expect(done.exit == .code(0), "\(done.output)")
            #expect(try shop.state(of: stuck.webviewSession) == "authorized")
            #expect(
                try shop.value("SELECT state FROM merchant_order WHERE webview_session_id = $1", [stuck.webviewSession])
                    == "paid"
            )
            #expect(try shop.ledger(stuck.charge) == "Authorized")
            #expect(try trail(shop) == [["hanako", "stuck --paid", stuck.webviewSession, "true"]])
            #expect(try await shop.runCommand(paid + [stuck.permission]).exit == .code(1))
        }
    }

    @Test func `that a refund was made settles it with the refund's id, and only with its own`() async throws {
        var options = ShopOptions.merchant
        options.jobPause = .milliseconds(2)
        options.takesNotifications = true
        try await withShop(options) { shop in
            let till = try await Till.open(shop)
            try await till.captureAll()
            let path = "/v1/charges/\(till.charge)/refunds"
            let first = try await till.insist(path, MerchantKey.amount(4_000), mark: "first")
            let old = try #require(first.json["id"]?.text)
            try await shop.control.force("refunds/" + old, "Refunded")
            try await shop.wait(for: "the first refund") { try shop.ledger(old) == "Refunded" }
            try await shop.control.fault("CreateRefund", count: 9, ["resetAfter": true])
            #expect(try await till.refund(3_000, mark: "second").code == "outcome_unknown")
            try await shop.control.clearFaults()
            let id = try shop.value("SELECT operation_id FROM payment_operation WHERE amount = 3000")
            let giveUp = "UPDATE payment_operation SET state = 'stuck', ended_at = now() WHERE operation_id = $1"
            try shop.rows(giveUp, [id])
            let other = "SELECT object_id FROM notification WHERE kind = 'REFUND' AND object_id <> $1"
            try await shop.wait(for: "its message") { try !shop.rows(other, [old]).isEmpty }
            let made = try shop.value(other + " LIMIT 1", [old])
            #expect(try await shop.runCommand(["payments", id, "--done", old]).exit == .code(1))
            #expect(try await shop.runCommand(["payments", id, "--done", till.charge]).exit == .code(1))
            let done = try await shop.runCommand(["payments", id, "--done", made, "--as", "taro"])
            #expect(done.exit == .code(0), "\(done.output)")
            let line = #"{"operation":"\#(id)","session":"\#(till.webviewSession)","done":"--done"}"#
            #expect(done.output.contains(line), "\(done.output)")
            #expect(try !shop.ledger(made).isEmpty)
            #expect(try shop.value("SELECT object_id FROM payment_operation WHERE operation_id = $1", [id]) == made)
            #expect(try shop.value("SELECT reserved FROM payment_object WHERE object_id = $1", [till.charge]) == "0")
            #expect(try trail(shop) == [["taro", "payments --done", id, "true"]])
            // The merchant's repeat reads it.
            #expect(try await till.refund(3_000, mark: "second").json["id"]?.text == made)
            #expect(try await till.effects("CreateRefund") == 2)
        }
    }

    @Test func `about all that was given up resumes each, and names the operator once for each`() async throws {
        try await withShop(.merchant) { shop in
            let purchases = [try await stuck(shop), try await stuck(shop)]
            let resumed = try await shop.runCommand(["stuck", "--resume", "--all", "--as", "taro"])
            #expect(resumed.exit == .code(0), "\(resumed.output)")
            #expect(resumed.output == "{\"resumed\":2,\"of\":2}\n")
            #expect(Set(try trail(shop).compactMap { $0[2] }) == Set(purchases.map(\.webviewSession)))
            #expect(try shop.rows("SELECT 1 FROM webview_session_purchase WHERE stuck_at IS NOT NULL").isEmpty)
            let payments = try await shop.runCommand(["payments", "--resume", "--all"])
            #expect(payments.output == "{\"resumed\":0,\"of\":0}\n")
            let wrong = [
                ["stuck", "--all"], ["stuck", "--resume"], ["payments", "--all"], ["stuck", "--as", "a\u{1}"],
            ]
            for words in wrong {
                #expect(try await shop.runCommand(words).exit == .code(2), "\(words)")
            }
        }
    }

    @Test func `about keys and endpoints is kept with its name and without a secret`() async throws {
        try await withShop(.merchant) { shop in
            let created = try await shop.runCommand(
                ["keys", "create", "--name", "shop", "--scopes", "sessions:read", "--as", "taro"]
            )
            let secret = String(created.output.prefix { !$0.isNewline })
            let id = try shop.value("SELECT key_id FROM api_key WHERE name = 'shop'")
            _ = try await shop.runCommand(["keys", "revoke", id, "--as", "taro", "--reason", "left the shop"])
            // What cannot be recorded is not carried out.
            let refused = try await shop.runCommand(["keys", "rotate", id, "--reason", "a\nb"])
            #expect(refused.exit == .code(2) && refused.output.contains("--reason"), "\(refused.output)")
            _ = try await shop.runCommand(["keys", "list"])
            #expect(
                try trail(shop) == [["taro", "keys create", "shop", "true"], ["taro", "keys revoke", id, "true"]]
            )
            #expect(
                try shop.value("SELECT before ->> 'name' FROM operator_event ORDER BY event_id DESC LIMIT 1") == "shop"
            )
            #expect(secret.hasPrefix("swk_"))
            #expect(try !shop.dump().contains(secret))
            let listed = try await shop.runCommand(["audit", "--operators"])
            #expect(listed.exit == .code(0))
            #expect(listed.output.contains(#""operator":"taro","command":"keys revoke""#), "\(listed.output)")
            #expect(listed.output.contains(#""target":"\#(id)","reason":"left the shop""#), "\(listed.output)")
        }
    }

    @Test func `cannot be changed or made up by the program's role`() async throws {
        try await withShop(.merchant) { shop in
            _ = try await shop.runCommand(["keys", "create", "--name", "shop", "--scopes", "sessions:read"])
            for sql in [
                "UPDATE operator_event SET operator = 'nobody'", "DELETE FROM operator_event",
                "INSERT INTO operator_event (at, operator, command, target) VALUES (now(), 'a', 'b', 'c')",
            ] {
                let service = try shop.database.admin()
                try service.run("SET ROLE sallyport_service")
                #expect(throws: PostgresError.self, "\(sql)") { try service.run(sql) }
            }
            // What was completed is not completed again, and nothing of the last 400 days is forgotten.
            let before = try shop.rows("SELECT after::text, ended_at FROM operator_event")
            try shop.rows("SELECT operator_end(event_id, '{}', gen_random_uuid()) FROM operator_event")
            try shop.rows("SELECT operator_prune(interval '-1 day')")
            #expect(try shop.rows("SELECT after::text, ended_at FROM operator_event") == before)
        }
    }

    @Test func `is kept as long as the rows that are kept longest, and no longer`() async throws {
        var options = ShopOptions(["events.retention_days": "500"])
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            try shop.rows(
                """
                INSERT INTO operator_event (at, operator, command, target)
                SELECT now() - n * interval '1 day', 'taro', 'revoke', n::text FROM unnest(ARRAY[3, 490, 510]) AS n
                """
            )
            await shop.broker.nextJobRuns()
            #expect(try shop.rows("SELECT target FROM operator_event ORDER BY event_id") == [["3"], ["490"]])
        }
    }
}
