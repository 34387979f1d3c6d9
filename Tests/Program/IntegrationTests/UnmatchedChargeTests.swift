import EventIO
import IntegrationKit
import Postgres
import PostgresTestKit
import Program
import StrictJSON
import TestKit
import Testing

/// A charge at the provider that bears our mark, and whose session is unpaid here.
@Suite("A charge that no order has", .tags(.database, .slow))
struct UnmatchedChargeTests {
    private func options(_ log: CapturedLog) -> ShopOptions {
        var options = ShopOptions.merchant
        options.jobPause = .milliseconds(2)
        options.takesNotifications = true
        options.logger = log.logger()
        return options
    }

    /// A session that was paid at the provider and ended in a state here; its messages came two minutes ago and more.
    ///
    /// - Parameter meanwhile: What happens at the provider before they are followed.
    private func unpaid(
        _ shop: Shop,
        _ state: String,
        meanwhile: (Shop) async throws -> Void = { _ in }
    ) async throws -> (webviewSession: String, permission: String) {
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
            UPDATE webview_session SET state = '\(state)' WHERE webview_session_id = '\(shopper.webviewSession)';
            UPDATE merchant_order SET state = '\(state == "expired" ? "expired" : "canceled")';
            DELETE FROM webview_session_purchase
            """
        )
        try await shop.control.clearFaults()
        try await meanwhile(shop)
        try shop.rows("UPDATE notification SET received_at = received_at - interval '3 minutes', asked = false")
        return (shopper.webviewSession, permission)
    }

    @Test(arguments: [false, true])
    func `is followed although nothing waits, and its session is paid after all`(isOfBefore: Bool) async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let (webviewSession, permission) = try await unpaid(shop, "expired") { shop in
                guard isOfBefore else { return }
                let session = try shop.value("SELECT webview_session_id FROM webview_session")
                let paid = try shop.value("SELECT order_ref FROM webview_session")
                let permission = try await shop.control.object(paid)["chargePermissionId"]?.text ?? ""
                try await shop.rename("chargePermissions/\(permission)", Shop.namesOfAButton(session))
            }
            try await shop.wait(for: "the payment") { try shop.state(of: webviewSession) == "authorized" }
            #expect(
                try shop.value("SELECT state FROM merchant_order WHERE webview_session_id = $1", [webviewSession])
                    == "paid"
            )
            #expect(try !shop.ledger(permission).isEmpty)
            #expect(try shop.trail(of: webviewSession).contains("reclaim recover"))
            let line = try #require(log.lines(with: "purchase.reclaimed").first)
            #expect(line.contains("error") && line.contains(webviewSession) && line.contains(permission), "\(line)")
            // What was paid is paid once, whatever is told again.
            #expect(try await shop.effectiveCompletions() == 1)
            let events = "SELECT type FROM event WHERE subject_id = $1 AND type = 'session.paid'"
            #expect(try shop.rows(events, [webviewSession]).count == 1)
        }
    }

    @Test func `of a session that was ended on purpose is left to a person, and shown until there is an end`()
        async throws
    {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let (webviewSession, permission) = try await unpaid(shop, "revoked")
            try await shop.wait(for: "the line") { !log.lines(with: "notification.charge_unpaid").isEmpty }
            let line = try #require(log.lines(with: "notification.charge_unpaid").first)
            #expect(line.contains("error") && line.contains(webviewSession) && line.contains(permission), "\(line)")
            #expect(try shop.state(of: webviewSession) == "revoked")
            let listed = try await shop.runCommand(["stuck"])
            #expect(listed.output.contains(#""unmatchedPermission":"\#(permission)""#), "\(listed.output)")
            let report = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2000-01-01"])
            #expect(report.exit == .code(1), "\(report.output)")
            #expect(
                report.output.contains("\(webviewSession) permission \(permission) stuck since "),
                "\(report.output)"
            )
            let paid = try await shop.runCommand(["stuck", webviewSession, "--paid", "--permission", permission])
            #expect(paid.exit == .code(0), "\(paid.output)")
            #expect(try shop.state(of: webviewSession) == "authorized")
            #expect(try await shop.runCommand(["stuck"]).output.isEmpty)
        }
    }

    @Test func `is followed again where the provider gave no answer`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let (webviewSession, _) = try await unpaid(shop, "expired") { shop in
                try await shop.control.fault("GetChargePermission", count: 1_000_000, ["status": 503])
            }
            for _ in 0..<3 { await shop.broker.nextJobRuns() }
            #expect(try shop.state(of: webviewSession) == "expired")
            try await shop.control.clearFaults()
            try await shop.wait(for: "the payment") { try shop.state(of: webviewSession) == "authorized" }
        }
    }

    @Test(arguments: ["expired", "revoked"])
    func `that holds nothing any more is nobody's money`(state: String) async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let (webviewSession, _) = try await unpaid(shop, state) { shop in
                let session = try shop.value("SELECT order_ref FROM webview_session")
                let charge = try #require(try await shop.control.object(session)["chargeId"]?.text)
                try await shop.control.force("charges/" + charge, "Canceled", "MerchantCanceled")
            }
            try await shop.wait(for: "the follower") {
                try shop.rows("SELECT 1 FROM notification WHERE NOT asked AND outcome = 'unknown'").isEmpty
            }
            #expect(try shop.state(of: webviewSession) == state)
            #expect(try shop.rows("SELECT 1 FROM notification WHERE outcome = 'unpaid'").isEmpty)
            #expect(log.lines(with: "purchase.reclaimed").isEmpty)
            #expect(try shop.rows("SELECT 1 FROM event WHERE type = 'session.paid'").isEmpty)
        }
    }

    @Test func `that was given back by a person is shown until that was read`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let (webviewSession, permission) = try await unpaid(shop, "revoked")
            try await shop.wait(for: "the line") { !log.lines(with: "notification.charge_unpaid").isEmpty }
            let words = ["stuck", webviewSession, "--refunded", "--permission", permission]
            let early = try await shop.runCommand(words)
            #expect(early.exit == .code(1))
            #expect(early.output.contains("holds money still"), "\(early.output)")
            let session = try shop.value("SELECT order_ref FROM webview_session")
            let charge = try #require(try await shop.control.object(session)["chargeId"]?.text)
            try await shop.control.force("charges/" + charge, "Canceled", "MerchantCanceled")
            let stranger = ["stuck", "01a20445-43a0-72c9-954e-eabfe6522989", "--refunded", "--permission", permission]
            let other = try await shop.runCommand(stranger + ["--charge", charge])
            #expect(other.exit == .code(1))
            #expect(other.output.contains("of another session"), "\(other.output)")
            let done = try await shop.runCommand(words)
            #expect(done.exit == .code(0), "\(done.output)")
            #expect(try await shop.runCommand(["stuck"]).output.isEmpty)
            #expect(try await shop.runCommand(["audit", "--operators"]).output.contains("stuck --refunded"))
            #expect(try shop.state(of: webviewSession) == "revoked")
        }
    }

    @Test func `that its order has by now costs no question`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let paid = try await shop.paid()
            try await shop.wait(for: "its messages") { try shop.rows("SELECT 1 FROM notification").count > 1 }
            // Each has its object read.
            try await shop.wait(for: "quiet") {
                try shop.rows("SELECT 1 FROM payment_poll WHERE notified OR lease_until IS NOT NULL").isEmpty
            }
            let before = try await shop.control.calls("GetChargePermission").count
            try shop.rows(
                """
                UPDATE notification SET outcome = 'unknown', received_at = received_at - interval '3 minutes', asked = false
                WHERE object_id = $1
                """,
                [paid.charge]
            )
            try await shop.wait(for: "the follower") {
                try shop.rows("SELECT 1 FROM notification WHERE NOT asked AND outcome = 'unknown'").isEmpty
            }
            #expect(try await shop.control.calls("GetChargePermission").count == before)
        }
    }
}
