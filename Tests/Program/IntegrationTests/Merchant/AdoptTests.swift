import EventIO
import IntegrationKit
import PostgresTestKit
import StrictJSON
import TestKit
import Testing

/// `sallyport adopt`, as an operator runs it when commits were lost.
@Suite("An adoption", .tags(.database, .slow))
struct AdoptTests {
    private var options: ShopOptions {
        var options = ShopOptions.merchants()
        options.jobPause = .milliseconds(20)
        return options
    }

    /// The permission and the charge of the newest order.
    private func newest(_ shop: Shop) throws -> (webviewSession: String, permission: String, charge: String) {
        let rows = try shop.rows(
            """
            SELECT o.webview_session_id, o.charge_permission, p.object_id FROM merchant_order AS o
            JOIN payment_object AS p ON p.webview_session_id = o.webview_session_id AND p.kind = 'charge' ORDER BY o.webview_session_id DESC LIMIT 1
            """
        )
        let row = try #require(rows.first)
        return (try #require(row[0]), try #require(row[1]), try #require(row[2]))
    }

    private func backup(_ shop: Shop) async throws -> String {
        let copy = try shop.database.backup()
        try await waitForConnections(shop)
        return copy
    }

    private func restore(_ shop: Shop, _ copy: String) async throws {
        try shop.database.restore(copy)
        try await waitForConnections(shop)
    }

    private func isConnected(_ shop: Shop) throws -> Bool {
        try shop.value(
            "SELECT count(*) >= 2 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sallyport'"
        ) == "t"
    }

    /// Those of before were ended, so these are new ones.
    private func waitForConnections(_ shop: Shop) async throws {
        try await shop.wait(for: "the broker's connections") {
            guard try isConnected(shop) else { return false }
            return try await shop.browser().request("GET", shop.admin + "/readyz").status == 200
        }
    }

    private func paidSession(_ merchant: MerchantClient, _ shop: Shop) async throws {
        let session = try await merchant.open()
        let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
        #expect(try await merchant.complete(session, back).status == 200)
    }

    @Test func `of an order that is lost entirely brings it back, paid, once`() async throws {
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            let copy = try await backup(shop)
            try await paidSession(merchant, shop)
            let lost = try newest(shop)
            try await restore(shop, copy)
            #expect(try shop.value("SELECT count(*) FROM merchant_order") == "0")

            for words in [["adopt", lost.permission], ["adopt", lost.permission, "--fix"]] {
                let blind = try await shop.runCommand(words)
                #expect(blind.exit == .code(1))
                #expect(blind.output.contains("--charges"), "\(blind.output)")
            }
            let words = ["adopt", lost.permission, "--charges", lost.charge, "--reference", "A-1001"]
            let look = try await shop.runCommand(words)
            #expect(look.exit == .code(0), "\(look.output)")
            let line = try JSONParser.parse(Array(look.output.utf8))
            #expect(line["session"]?.text == lost.webviewSession)
            #expect(line["isInLedger"]?.flag == false)
            #expect(line["order"]?.text == "missing")
            #expect(line["charges"]?.elements.first?["amount"]?["amount"]?.text == "3180")
            #expect(try shop.value("SELECT count(*) FROM merchant_order") == "0", "a look changes nothing")

            #expect(try await shop.runCommand(words + ["--fix"]).exit == .code(0))
            let again = try await shop.runCommand(words + ["--fix"])
            #expect(again.exit == .code(0), "\(again.output)")
            let session = try await merchant.get("/v1/sessions/\(lost.webviewSession)")
            #expect(session["state"]?.text == "paid", "\(session.text)")
            #expect(session["reference"]?.text == "A-1001")
            #expect(session["amounts"]?["total"]?["amount"]?.text == "3180")
            #expect(session["charges"]?.elements.first?["id"]?.text == lost.charge)
            let events = try shop.rows("SELECT type FROM event ORDER BY sequence").compactMap { $0[0] }
            #expect(events.filter { $0 == "session.paid" }.count == 1, "\(events)")
            let body: JSONValue = ["amount": MerchantClient.yen(3_180)]
            #expect(try await merchant.post("/v1/charges/\(lost.charge)/capture", body).status == 200)
            #expect(try await merchant.get("/v1/sessions/\(lost.webviewSession)")["state"]?.text == "captured")
            let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(report.exit == .code(0), "\(report.output)")
        }
    }

    @Test func `of an order that has ended unpaid makes it paid, with its own lines, and a trail`() async throws {
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            let copy = try await backup(shop)
            #expect(try await merchant.complete(session, back).status == 200)
            let lost = try newest(shop)
            try await restore(shop, copy)

            let early = try await shop.runCommand(["adopt", lost.permission, "--fix"])
            #expect(early.exit == .code(1))
            #expect(early.output.contains("has not ended"), "\(early.output)")
            #expect(try await merchant.post("/v1/sessions/\(session.id)/cancel", [:]).status == 200)
            let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(report.exit == .code(1), "\(report.output)")
            // The checkout session names the charge. It has to be over what the buyer agreed to.
            try shop.rows("UPDATE webview_session SET total = total - 1, tax_included = tax_included - 1")
            let other = try await shop.runCommand(["adopt", lost.permission, "--fix"])
            #expect(other.exit == .code(1))
            #expect(other.output.contains("no known charge has the total of the order"), "\(other.output)")
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["state"]?.text == "canceled")
            try shop.rows("UPDATE webview_session SET total = total + 1, tax_included = tax_included + 1")
            let fixed = try await shop.runCommand(["adopt", lost.permission, "--fix"])
            #expect(fixed.exit == .code(0), "\(fixed.output)")
            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read["state"]?.text == "paid")
            #expect(read["lines"]?.elements.first?["name"]?.text == "煎茶 100g")
            #expect(read["charges"]?.elements.first?["id"]?.text == lost.charge)
            #expect(try shop.trail(of: session.id).last == "adopt adopted")
            #expect(
                try shop.rows("SELECT 1 FROM operator_event WHERE after IS NULL").isEmpty,
                "a refusal is an outcome"
            )
            let operators = try await shop.runCommand(["audit", "--operators"])
            #expect(operators.output.contains("adopt --fix") && operators.output.contains(lost.permission))
            #expect(try await shop.runCommand(["reconcile", "--rate", "1000"]).exit == .code(0))
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `of a payment that is not ours, or another order's, is refused`() async throws {
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            try await paidSession(merchant, shop)
            let paid = try newest(shop)
            let unknown = try await shop.runCommand(["adopt", "S03-0000000-0000000", "--fix"])
            #expect(unknown.exit == .code(1))
            #expect(unknown.output.contains("ResourceNotFound"), "\(unknown.output)")
            let foreign = "S03-0000000-0000000-C000001"
            for words in [["adopt"], ["adopt", "S03"], ["adopt", paid.permission, "--charges", foreign]] {
                #expect(try await shop.runCommand(words).exit == .code(2), "\(words)")
            }
            // The order has got another permission meanwhile.
            try shop.rows("UPDATE webview_session SET state = 'expired'")
            try shop.rows("UPDATE payment_object SET object_id = 'S03-1111111-1111111' WHERE kind = 'permission'")
            try shop.rows("DELETE FROM payment_object WHERE kind = 'charge'")
            let taken = try await shop.runCommand(["adopt", paid.permission, "--charges", paid.charge, "--fix"])
            #expect(taken.exit == .code(1))
            #expect(taken.output.contains("another permission"), "\(taken.output)")
        }
    }
}
