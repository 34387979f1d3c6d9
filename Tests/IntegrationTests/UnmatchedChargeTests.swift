import EventIO
import IntegrationKit
import Postgres
import PostgresTestKit
import StrictJSON
import TestKit
import Testing

/// A charge at the provider that bears our mark, and whose session is unpaid here.
@Suite("A charge that no order has", .tags(.database, .slow))
struct UnmatchedChargeTests {
    private func options(_ log: CapturedLog) -> ShopOptions {
        var options = ShopOptions.merchant
        options.roundPause = .milliseconds(2)
        options.takesNotifications = true
        options.logger = log.logger()
        return options
    }

    /// A session that was paid at the provider and ended in a state here; its messages came two minutes ago and more.
    private func unpaid(_ shop: Shop, _ state: String) async throws -> (flow: String, permission: String) {
        let shopper = try await shop.shopper()
        let link = try await shopper.toReturn()
        try await shop.control.fault("GetChargePermission", count: 1_000_000, ["status": 500])
        try await shop.control.fault("CompleteCheckoutSession", count: 9, ["resetAfter": true])
        try await shop.control.fault("GetCheckoutSession", count: 1_000_000, ["status": 403])
        #expect(try await shopper.purchase(link).status == 409)
        let session = try await shop.control.object(link.order)
        let permission = session["chargePermissionId"]?.text ?? ""
        try await shop.wait(for: "the messages") {
            try shop.rows("SELECT 1 FROM notification WHERE object_id LIKE $1 || '%'", [permission]).count > 1
        }
        try shop.database.admin().run(
            """
            UPDATE flow SET state = '\(state)' WHERE flow_id = '\(shopper.flow)';
            UPDATE merchant_order SET state = '\(state == "expired" ? "expired" : "cancelled")';
            DELETE FROM flow_purchasing
            """
        )
        try await shop.control.clearFaults()
        try shop.rows("UPDATE notification SET received_at = received_at - interval '3 minutes', asked = false")
        return (shopper.flow, permission)
    }

    @Test func `is followed although nothing waits, and its session is paid after all`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let (flow, permission) = try await unpaid(shop, "expired")
            try await shop.wait(for: "the payment") { try shop.state(of: flow) == "authorized" }
            #expect(try shop.value("SELECT state FROM merchant_order WHERE flow_id = $1", [flow]) == "paid")
            #expect(try !shop.ledger(permission).isEmpty)
            #expect(try shop.trail(of: flow).contains("reclaim recover"))
            let line = try #require(log.lines(with: "purchase.reclaimed").first)
            #expect(line.contains("error") && line.contains(flow) && line.contains(permission), "\(line)")
            // What was paid is paid once, whatever is told again.
            #expect(try await shop.effectiveCompletions() == 1)
            let events = "SELECT type FROM merchant_event WHERE flow_id = $1 AND type = 'session.paid'"
            #expect(try shop.rows(events, [flow]).count == 1)
        }
    }

    @Test func `of a session that was ended on purpose is left to a person, and shown until there is an end`()
        async throws
    {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let (flow, permission) = try await unpaid(shop, "revoked")
            try await shop.wait(for: "the line") { !log.lines(with: "notification.charge_unpaid").isEmpty }
            let line = try #require(log.lines(with: "notification.charge_unpaid").first)
            #expect(line.contains("error") && line.contains(flow) && line.contains(permission), "\(line)")
            #expect(try shop.state(of: flow) == "revoked")
            let listed = try await shop.runCommand(["stuck"])
            #expect(listed.output.contains(#""unmatchedPermission":"\#(permission)""#), "\(listed.output)")
            let report = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2000-01-01"])
            #expect(report.exit == .code(1), "\(report.output)")
            #expect(report.output.contains("\(flow) permission \(permission) stuck since "), "\(report.output)")
            let paid = try await shop.runCommand(["stuck", flow, "--paid", "--permission", permission])
            #expect(paid.exit == .code(0), "\(paid.output)")
            #expect(try shop.state(of: flow) == "authorized")
            #expect(try await shop.runCommand(["stuck"]).output.isEmpty)
        }
    }

    @Test func `that its order has by now costs no question`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let paid = try await shop.paid()
            try await shop.wait(for: "its messages") { try shop.rows("SELECT 1 FROM notification").count > 1 }
            let before = try await shop.control.calls("GetChargePermission").count
            try shop.rows(
                """
                UPDATE notification SET verdict = 'unknown', received_at = received_at - interval '3 minutes', asked = false
                WHERE object_id = $1
                """,
                [paid.charge]
            )
            try await shop.wait(for: "the follower") {
                try shop.rows("SELECT 1 FROM notification WHERE NOT asked AND verdict = 'unknown'").isEmpty
            }
            #expect(try await shop.control.calls("GetChargePermission").count == before)
        }
    }
}
