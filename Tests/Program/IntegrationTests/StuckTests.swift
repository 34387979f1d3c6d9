import EventIO
import HTTPCore
import IntegrationKit
import Postgres
import PostgresTestKit
import StrictJSON
import TestKit
import Testing

/// Money whose outcome nobody knows: it is asked about a last time, and from then on shown wherever somebody looks.
@Suite("Stuck money", .tags(.database, .slow))
struct StuckTests {
    private static let hour = Duration.seconds(3_600)

    private var options: ShopOptions {
        var options = ShopOptions.merchant
        options.jobPause = .milliseconds(2)
        return options
    }

    /// A purchase that was paid at the provider, and whose answer was lost.
    private func strand(_ shop: Shop) async throws -> Shopper {
        let shopper = try await shop.shopper()
        let link = try await shopper.toReturn()
        try await shop.control.fault("CompleteCheckoutSession", count: 9, ["resetAfter": true])
        try await shop.control.fault("GetCheckoutSession", count: 1_000_000, ["status": 403])
        #expect(try await shopper.purchase(link).status == 409)
        return shopper
    }

    private func gauge(_ name: String, _ shop: Shop) async throws -> String? {
        let text = try await shop.browser().request("GET", shop.admin + "/metrics").text
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    /// What the merchant was told, but for the charge of a payment.
    private func events(_ webviewSession: String, _ shop: Shop) throws -> [String] {
        try shop.rows(
            "SELECT type FROM event WHERE subject_id = $1 ORDER BY sequence",
            [webviewSession]
        )
        .compactMap { $0[0] }.filter { !$0.hasPrefix("charge.") }
    }

    private func session(_ webviewSession: String, _ shop: Shop) async throws -> JSONValue {
        try shop.rows(MerchantKey.insertion)
        let fields = MerchantKey.fields(nil)
        return try await shop.browser().request("GET", "/v1/sessions/\(webviewSession)", fields: fields).json
    }

    // MARK: The last question

    @Test func `a purchase is asked about once more after a weekend, and nothing is sent`() async throws {
        try await withShop(options) { shop in
            let shopper = try await strand(shop)
            // Recovery cannot take it up for longer than it would go on asking.
            try shop.refuse(updatesOf: "webview_session_purchase", where: "NEW.next_at > OLD.next_at")
            try await TimeTravel(shop).advance(by: StuckTests.hour * 60)
            try await shop.control.clearFaults()
            let sent = try await shop.control.calls("CompleteCheckoutSession").count
            try shop.rows("DROP TRIGGER refuse ON webview_session_purchase")
            try await shop.wait(for: "the answer") { try shop.state(of: shopper.webviewSession) == "authorized" }
            #expect(
                try shop.value(
                    "SELECT state FROM merchant_order WHERE webview_session_id = $1",
                    [shopper.webviewSession]
                )
                    == "paid"
            )
            #expect(try await shop.control.calls("CompleteCheckoutSession").count == sent)
            #expect(try events(shopper.webviewSession, shop) == ["session.paid"])
        }
    }

    @Test func `an operation is tried once more after a weekend`() async throws {
        try await withShop(options) { shop in
            let till = try await Till.open(shop)
            try await shop.control.fault("CaptureCharge", count: 1_000, ["resetBefore": true])
            #expect(try await till.capture(mark: "m").code == "outcome_unknown")
            try shop.refuse(updatesOf: "payment_operation_open", where: "NEW.next_at > OLD.next_at")
            try await TimeTravel(shop).advance(by: StuckTests.hour * 60)
            try await shop.control.clearFaults()
            try shop.rows("DROP TRIGGER refuse ON payment_operation_open")
            try await shop.wait(for: "the capture") { try till.state == "captured" }
            #expect(try await till.effects("CaptureCharge") == 1)
            #expect(try !till.events.contains("payment.stuck"))
        }
    }

    // MARK: What is shown

    @Test func `a purchase that is given up is shown everywhere, and is read again once a day`() async throws {
        try await withShop(options) { shop in
            let shopper = try await strand(shop)
            let webviewSession = shopper.webviewSession
            try await shop.wait(for: "1 in the gauge of purchases that are paying") {
                try await gauge(#"sallyport_purchases{state="paying"}"#, shop) == "1"
            }
            #expect(try await session(webviewSession, shop)["needsAttention"] == nil)
            let travel = TimeTravel(shop)
            try await travel.advance(by: StuckTests.hour * 3, step: .seconds(900))
            let early = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(early.exit == .code(1), "\(early.output)")
            #expect(early.output.contains("\(webviewSession) session "), "\(early.output)")
            #expect(early.output.contains(" under way since "), "\(early.output)")

            try await travel.advance(by: StuckTests.hour * 48, step: StuckTests.hour)
            #expect(try shop.trail(of: webviewSession).last == "give_up stuck")
            try await shop.wait(for: "1 in the gauge of purchases that are stuck") {
                try await gauge(#"sallyport_purchases{state="stuck"}"#, shop) == "1"
            }
            let age = try await gauge(#"sallyport_purchases_oldest_seconds{state="stuck"}"#, shop).flatMap { Int($0) }
            #expect(age ?? 0 >= 2 * 86_400)
            #expect(try events(webviewSession, shop) == ["session.stuck"])
            let reason = "SELECT data -> 'about' ->> 'reasonCode' FROM event WHERE subject_id = $1"
            #expect(try shop.value(reason, [webviewSession]) == "time")
            let read = try await session(webviewSession, shop)
            #expect(read["state"]?.text == "paying")
            #expect(read["needsAttention"]?.flag == true)
            let report = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2000-01-01", "--json"])
            #expect(report.exit == .code(1), "\(report.output)")
            #expect(report.output.contains(#""stuck":true"#), "\(report.output)")
            try await shop.wait(for: "the time of the report") {
                try await gauge("sallyport_ledger_last_report_timestamp_seconds", shop).flatMap { Int($0) } ?? 0 > 0
            }
            let listed = try await shop.runCommand(["stuck"])
            #expect(listed.output.contains(#""reason":"time""#), "\(listed.output)")

            // The provider tells again: nobody has to do anything.
            try await shop.control.clearFaults()
            try await travel.advance(by: StuckTests.hour * 25)
            try await shop.wait(for: "the payment") { try shop.state(of: webviewSession) == "authorized" }
            #expect(try events(webviewSession, shop) == ["session.stuck", "session.paid"])
            #expect(try await session(webviewSession, shop)["needsAttention"] == nil)
            try await shop.wait(for: "0 in the gauge of purchases that are stuck") {
                try await gauge(#"sallyport_purchases{state="stuck"}"#, shop) == "0"
            }
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `an operation that is given up is shown everywhere`() async throws {
        try await withShop(options) { shop in
            let till = try await Till.open(shop)
            try await shop.control.fault("CaptureCharge", count: 1_000_000, ["resetBefore": true])
            #expect(try await till.capture(mark: "m").code == "outcome_unknown")
            try await shop.wait(for: "1 in the gauge of payments that are open") {
                try await gauge(#"sallyport_payments{state="open"}"#, shop) == "1"
            }
            try await TimeTravel(shop).advance(by: StuckTests.hour * 50, step: StuckTests.hour)
            #expect(try shop.value("SELECT state FROM payment_operation") == "stuck")
            try await shop.wait(for: "1 in the gauge of payments that are stuck") {
                try await gauge(#"sallyport_payments{state="stuck"}"#, shop) == "1"
            }
            #expect(try till.events.last == "payment.stuck")
            #expect(try await session(till.webviewSession, shop)["needsAttention"]?.flag == true)
            let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(report.exit == .code(1), "\(report.output)")
            #expect(
                report.output.contains("\(till.webviewSession) charge \(till.charge) stuck since "),
                "\(report.output)"
            )
            let listed = try await shop.runCommand(["payments"])
            #expect(listed.output.contains(#""reason":"time""#), "\(listed.output)")
        }
    }

    // MARK: Another amount

    @Test func `a session that was completed with another amount is never let go`() async throws {
        try await withShop(options) { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            try await shop.control.fault("CompleteCheckoutSession", count: 9, ["resetAfter": true])
            try await shop.control.fault("GetCheckoutSession", count: 2, ["status": 403])
            #expect(try await shopper.purchase(link).status == 409)
            try await shop.control.clearFaults()
            // As if the session, which is completed, had held another amount, and this were the first call.
            try shop.database.admin().run(
                """
                UPDATE webview_session SET state = 'placed', lease_until = NULL, total = total + 1;
                UPDATE merchant_order SET total = total + 1; DELETE FROM webview_session_purchase
                """
            )
            #expect(try await shopper.purchase(link).status == 409)
            #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
            #expect(try shop.trail(of: shopper.webviewSession).last == "give_up stuck")
            #expect(try shop.value("SELECT reason FROM webview_session_purchase") == "amount")
            #expect(try events(shopper.webviewSession, shop) == ["session.stuck"])
            // It stays so, whoever asks.
            try await TimeTravel(shop).advance(by: StuckTests.hour * 72, step: StuckTests.hour * 12)
            #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
        }
    }
}
