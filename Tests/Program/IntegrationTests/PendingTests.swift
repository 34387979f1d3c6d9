import EventIO
import HTTPCore
import IntegrationKit
import Program
import StrictJSON
import Testing

/// Complete may succeed before the bank has spoken.
///
/// The shop does not ask for that; should a session allow it all the same, an order is paid only once its charge is.
@Suite struct `A payment that the bank decides later` {
    /// A buyer who has agreed, with a session that was changed behind the shop's back.
    private func placed(_ shop: Shop, card: String) async throws -> (Shopper, ReturnFields) {
        var shopper = try await shop.shopper()
        shopper.tab.buyer.card = card
        let confirm = try await shopper.toConfirm()
        let form = try #require(confirm.form(to: "/confirm_order")).fields
        let browser = shopper.tab.browser
        let sent = try await browser.request("POST", "/confirm_order", form: form)
        let processing = try #require(sent[field: "location"])
        let session = "\(shop.simulator.url)/v2/checkoutSessions/\(processing.suffix(36))"
        let patch = #"{"paymentDetails":{"paymentIntent":"Authorize","canHandlePendingAuthorization":true}}"#
        // However slow the machine is, the bank does not speak before the test says so.
        try await shop.control.post("options", ["signature": "off", "bankDelay": "PT1H"])
        let patched = try await browser.request(
            "PATCH",
            session,
            fields: [("content-type", "application/json")],
            body: Array(patch.utf8)
        )
        #expect(patched.status == 200, "\(patched.text)")
        try await shop.control.post("options", ["signature": "strict"])
        return (shopper, try ReturnFields(try await browser.open(processing)))
    }

    @Test func `is paid only once the charge says so`() async throws {
        try await withShop { shop in
            let (shopper, link) = try await placed(shop, card: "card-0701")
            for _ in 0..<2 {
                let early = try await shopper.purchase(link)
                #expect(early.status == 409, "\(early.text)")
                #expect(early.error == "purchase_in_progress")
                #expect(early[field: "retry-after"] != nil)
                #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
                #expect(try shop.value("SELECT state || ' ' || events FROM merchant_order") == "payment_pending 1")
                // The second look finds a session that is completed already.
                try shop.endLease(of: shopper.webviewSession)
            }
            try await shop.control.advanceClock(by: "PT61M")
            let answer = try await shop.purchaseAfterLease(shopper, link)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await shop.effectiveCompletions() == 1)
            #expect(try shop.value("SELECT state || ' ' || events FROM merchant_order") == "paid 3")
        }
    }

    @Test func `is refused when the bank refuses`() async throws {
        try await withShop { shop in
            let (shopper, link) = try await placed(shop, card: "card-4354")
            #expect(try await shopper.purchase(link).status == 409)
            try await shop.control.advanceClock(by: "PT61M")
            let answer = try await shop.purchaseAfterLease(shopper, link)
            #expect(answer.status == 402, "\(answer.text)")
            #expect(answer.error == "payment_declined")
            #expect(try shop.state(of: shopper.webviewSession) == "declined")
        }
    }

    @Test func `stays under way while the charge cannot be read`() async throws {
        try await withShop { shop in
            let (shopper, link) = try await placed(shop, card: "card-0701")
            try await shop.control.fault("GetCharge", count: 1, ["status": 403])
            #expect(try await shopper.purchase(link).status == 409)
            try await shop.control.advanceClock(by: "PT61M")
            #expect(try await shop.purchaseAfterLease(shopper, link).status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `worries nobody for the day that the bank may take`() async throws {
        var options = ShopOptions()
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            let (shopper, link) = try await placed(shop, card: "card-0701")
            #expect(try await shopper.purchase(link).status == 409)
            func oldest() async throws -> String {
                let metrics = try await shop.browser().request("GET", shop.admin + "/metrics").text
                let name = "sallyport_purchases_oldest_seconds{state=\"paying\"} "
                return metrics.split(separator: "\n").first { $0.hasPrefix(name) }.map {
                    String($0.dropFirst(name.count))
                } ?? ""
            }
            let travel = TimeTravel(shop)
            try await travel.passWithoutProvider(.seconds(24 * 3_600), step: .seconds(3_600))
            let quiet = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(quiet.exit == .code(0) && !quiet.output.contains("under way"), "\(quiet.output)")
            try await shop.wait(for: "the figure") { try await oldest() == "0" }
            try await travel.passWithoutProvider(.seconds(2 * 3_600), step: .seconds(3_600))
            let late = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(late.exit == .code(1) && late.output.contains(" under way since "), "\(late.output)")
            try await shop.wait(for: "the figure") { (Int(try await oldest()) ?? 0) > 25 * 3_600 }
        }
    }

    // MARK: Messages

    private var listening: ShopOptions {
        var options = ShopOptions()
        options.jobPause = .milliseconds(2)
        options.takesNotifications = true
        return options
    }

    /// A purchase that was looked at until the pauses are long: nobody looks at it for many minutes now.
    private func paused(_ shop: Shop) async throws -> Shopper {
        let (shopper, link) = try await placed(shop, card: "card-0701")
        #expect(try await shopper.purchase(link).status == 409)
        let session = try await shop.control.object(try shop.value("SELECT order_ref FROM webview_session"))
        let own = Set(["chargeId", "chargePermissionId"].compactMap { session[$0]?.text })
        // A busy machine is told late, and its own messages look like those of the test then.
        try await shop.wait(for: "its own messages") {
            Set(try shop.rows("SELECT object_id FROM notification").compactMap { $0[0] }).isSuperset(of: own)
        }
        let isLong = "SELECT next_at > now() + interval '5 minutes' FROM webview_session_purchase"
        for _ in 0..<240 where try shop.value(isLong) != "t" {
            try await TimeTravel(shop).passWithoutProvider(.seconds(60), step: .seconds(60))
        }
        #expect(try shop.value(isLong) == "t")
        return shopper
    }

    private func looks(_ shop: Shop) async throws -> Int {
        try await shop.control.calls("GetCheckoutSession").count
    }

    /// Returns when every message was followed to its end, and whatever that woke was looked at.
    private func quiet(_ shop: Shop) async throws {
        let waiting = "SELECT 1 FROM notification WHERE NOT asked"
        let awake = "SELECT 1 FROM webview_session_purchase WHERE next_at <= now() + interval '1 minute'"
        try await shop.wait(for: "quiet") {
            guard try shop.rows(waiting).isEmpty else { return false }
            // A message counts as asked about before the provider has answered; the next round begins when that one is over.
            await shop.broker.nextJobRuns()
            return try shop.rows(awake).isEmpty
        }
    }

    @Test func `is paid as soon as a message tells of it, whatever pause the purchase is in`() async throws {
        try await withShop(listening) { shop in
            let shopper = try await paused(shop)
            try shop.endLease(of: shopper.webviewSession)
            let recoveries = try shop.value("SELECT recoveries FROM webview_session_purchase")
            for _ in 0..<5 { await shop.broker.nextJobRuns() }
            #expect(try shop.value("SELECT recoveries FROM webview_session_purchase") == recoveries)
            try await shop.control.advanceClock(by: "PT61M")
            try await shop.wait(for: "the end of the purchase") {
                try shop.state(of: shopper.webviewSession) == "authorized"
            }
            #expect(try await shop.effectiveCompletions() == 1)
            let charge = try shop.value("SELECT charge FROM webview_session")
            try await shop.wait(for: "the ledger") { try shop.ledger(charge) == "Authorized" }
        }
    }

    @Test func `is left to whoever holds the lease when a message comes, and looked at then`() async throws {
        try await withShop(listening) { shop in
            let shopper = try await paused(shop)
            try shop.endLease(of: shopper.webviewSession)
            try await quiet(shop)
            try shop.rows("UPDATE webview_session SET lease_until = now() + interval '1 hour'")
            let before = try await looks(shop)
            let recoveries = try shop.value("SELECT recoveries FROM webview_session_purchase")
            // The state stays as it is: the look finds nothing new and is not counted.
            let charge = try #require(
                try await shop.control.object(try shop.value("SELECT order_ref FROM webview_session"))["chargeId"]?.text
            )
            try await shop.control.post("ipn", ["objectId": .string(charge)])
            try await shop.wait(for: "the message") {
                try shop.value("SELECT woken FROM webview_session_purchase") == "t"
            }
            for _ in 0..<5 { await shop.broker.nextJobRuns() }
            #expect(try await looks(shop) == before)
            try shop.endLease(of: shopper.webviewSession)
            try await shop.wait(for: "the look") { try await looks(shop) == before + 1 }
            try await shop.wait(for: "the pause") {
                try shop.value("SELECT woken FROM webview_session_purchase") == "f"
            }
            #expect(try shop.value("SELECT recoveries FROM webview_session_purchase") == recoveries)
            #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
        }
    }

    @Test func `is followed again until the provider gives an answer`() async throws {
        try await withShop(listening) { shop in
            let shopper = try await paused(shop)
            try shop.endLease(of: shopper.webviewSession)
            let waiting = "SELECT 1 FROM notification WHERE NOT asked"
            try await quiet(shop)
            let before = try await shop.control.calls("GetChargePermission").count
            try await shop.control.fault("GetChargePermission", count: 1_000_000, ["status": 200, "htmlBody": true])
            try shop.rows(
                """
                INSERT INTO notification (message_id, received_at, kind, object_id, outcome)
                SELECT 'm' || n, now(), 'CHARGE', 'S03-1234567-1' || n || '-C123456', 'unknown'
                FROM generate_series(100001, 100020) AS n
                """
            )
            for _ in 0..<5 { await shop.broker.nextJobRuns() }
            #expect(try await shop.control.calls("GetChargePermission").count >= before + 10, "two in each run")
            #expect(try shop.rows(waiting).count == 20)
            try await shop.control.clearFaults()
            try await shop.wait(for: "the last of them") { try shop.rows(waiting).isEmpty }
        }
    }

    @Test func `costs one question for each message of a flood, a few at a time, and no look`() async throws {
        try await withShop(listening) { shop in
            let shopper = try await paused(shop)
            try shop.endLease(of: shopper.webviewSession)
            try await quiet(shop)
            let before = (try await looks(shop), try await shop.control.calls("GetChargePermission").count)
            let earlier = try await shop.control.deliveries().count
            for number in 100_001...100_020 {
                let stranger = "S03-1234567-1\(number)-C123456"
                try await shop.control.post("ipn", ["objectId": .string(stranger), "objectType": "CHARGE"])
            }
            try await shop.wait(for: "the flood") {
                guard try await shop.control.deliveries().count >= earlier + 20 else { return false }
                return try shop.rows("SELECT 1 FROM notification WHERE NOT asked").isEmpty
            }
            for _ in 0..<5 { await shop.broker.nextJobRuns() }
            let asked = try await shop.control.calls("GetChargePermission").count - before.1
            #expect(asked == 20)
            #expect(try await looks(shop) == before.0)
        }
    }
}
