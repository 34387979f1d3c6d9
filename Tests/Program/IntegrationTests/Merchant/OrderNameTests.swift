import EventIO
import HTTPCore
import IntegrationKit
import Postgres
import PostgresTestKit
import Program
import StrictJSON
import TestKit
import Testing

extension Shop {
    /// Writes names on an object at the provider behind the program's back.
    ///
    /// - Parameters:
    ///   - path: For example `chargePermissions/S01-…`.
    ///   - names: Members of its metadata; the others stay.
    func rename(_ path: String, _ names: JSONValue) async throws {
        let body: JSONValue = ["merchantMetadata": names]
        try await control.post("options", ["signature": "off"])
        let answer = try await browser().request(
            "PATCH",
            "\(simulator.url)/v2/\(path)",
            fields: [("content-type", "application/json")],
            body: body.bytes
        )
        #expect(answer.status == 200, "\(answer.text)")
        try await control.post("options", ["signature": "strict"])
    }

    /// What the payload of a button says of a session.
    static func namesOfAButton(_ session: String) -> JSONValue {
        ["merchantReferenceId": .string(session), "customInformation": ""]
    }
}

/// The names of an order at the provider: the merchant's reference, and our own mark beside it.
@Suite("The names of an order at the provider", .tags(.database))
struct OrderNameTests {
    private func options(_ log: CapturedLog = CapturedLog()) -> ShopOptions {
        var options = ShopOptions.merchants()
        options.jobPause = .milliseconds(2)
        options.logger = log.logger()
        return options
    }

    private func order(_ reference: String, _ more: [JSONMember] = []) -> JSONValue {
        MerchantClient.order([JSONMember("reference", .string(reference))] + more)
    }

    /// A purchase, with other names on the checkout session than the program wrote where told; the permission.
    private func buy(
        _ shop: Shop,
        _ merchant: MerchantClient,
        _ session: OpenSession,
        changed names: JSONValue? = nil
    ) async throws -> String {
        let tab = shop.tab()
        let confirm = try await tab.choose(try await tab.open(session.url))
        let form = try #require(confirm.form(to: "/confirm_order")).fields
        let sent = try await tab.browser.request("POST", "/confirm_order", form: form)
        let processing = try #require(sent[field: "location"])
        if let names { try await shop.rename("checkoutSessions/\(processing.suffix(36))", names) }
        let back = try #require(try await tab.browser.open(processing).link("purchase_link"))
        let paid = try await merchant.complete(session, back)
        #expect(paid.status == 200 && paid["state"]?.text == "paid", "\(paid.text)")
        return try #require(paid["chargePermissionId"]?.text)
    }

    private func names(_ shop: Shop, _ object: String) async throws -> (reference: String?, mark: String?) {
        let found = try await shop.control.object(object)["merchantMetadata"]
        return (found?["merchantReferenceId"]?.text, found?["customInformation"]?.text)
    }

    /// The mark of a session; the note to the buyer is the number of its order.
    private func mark(_ shop: Shop, _ session: OpenSession, _ object: String) async throws -> String {
        let number = try await shop.control.object(object)["merchantMetadata"]?["noteToBuyer"]?.text
        return "\(session.id) \(try #require(number))"
    }

    /// Has the permission read, and waits until it was.
    private func read(_ shop: Shop, _ permission: String) async throws {
        let before = try await shop.control.calls("GetChargePermission").count
        try shop.rows("UPDATE payment_poll SET next_at = now() WHERE object_id = $1", [permission])
        try await shop.wait(for: "the reading") {
            try await shop.control.calls("GetChargePermission").count > before
                && shop.value("SELECT count(*) FROM payment_poll WHERE lease_until IS NOT NULL") == "0"
        }
    }

    /// Loses everything of the only order; its charge.
    private func forget(_ shop: Shop) throws -> String {
        let charge = try shop.value("SELECT object_id FROM payment_object WHERE kind = 'charge'")
        let tables = ["merchant_order", "payment_object", "payment_poll", "webview_session"]
        try shop.database.admin().run(tables.map { "DELETE FROM \($0)" }.joined(separator: "; "))
        return charge
    }

    private static let lost: JSONValue = ["merchantReferenceId": "somebody's", "customInformation": ""]

    @Test func `are there as soon as the buyer agrees, and a purchase makes no call for them`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(order("A-77"))
            let permission = try await buy(shop, merchant, session)
            let checkout = try shop.value("SELECT order_ref FROM webview_session")
            for object in [checkout, permission] {
                let (reference, mark) = try await names(shop, object)
                #expect(reference == "A-77")
                #expect(mark == (try await self.mark(shop, session, object)))
            }
            for _ in 0..<3 { await shop.broker.nextJobRuns() }
            #expect(try await shop.control.calls("UpdateChargePermission").isEmpty)
            #expect(try await shop.control.calls("GetChargePermission").isEmpty)
            #expect(try await shop.control.calls("UpdateCheckoutSession").count == 1)
            let due = "SELECT next_at < now() + interval '29 days' FROM payment_poll WHERE kind = 'permission'"
            #expect(try shop.value(due) == "f")
            #expect(log.lines(with: "order.n").isEmpty)
        }
    }

    @Test func `of the shop's own orders are number and mark`() async throws {
        try await withShop(options()) { shop in
            let paid = try await shop.paid()
            let number = try shop.value("SELECT reference FROM merchant_order")
            let (reference, mark) = try await names(shop, paid.permission)
            #expect(reference == number && mark == "\(paid.webviewSession) \(number)")
        }
    }

    @Test func `that the provider has lost are written on the permission until a reading shows them`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(order("A-77"))
            try await shop.control.fault("UpdateChargePermission", count: 3, ["status": 500])
            let permission = try await buy(shop, merchant, session, changed: Self.lost)
            let mark = try await mark(shop, session, permission)
            try await shop.wait(for: "the first try") {
                try shop.value("SELECT namings FROM payment_poll WHERE kind = 'permission'") == "1"
            }
            #expect(try await names(shop, permission).reference == "somebody's")
            // Each reading that does not show them sends them again.
            try await read(shop, permission)
            #expect(try await names(shop, permission) == ("A-77", mark))
            try await shop.rename("chargePermissions/\(permission)", Self.lost)
            try await read(shop, permission)
            #expect(try await names(shop, permission) == ("A-77", mark))
            #expect(try shop.value("SELECT namings FROM payment_poll WHERE kind = 'permission'") == "3")

            try await read(shop, permission)
            #expect(log.lines(with: "order.named").count == 1 && log.lines(with: "order.not_named").isEmpty)
            #expect(try shop.rows("SELECT namings FROM payment_poll WHERE kind = 'permission'") == [[nil]])
            // Whoever writes something else there from then on has a reason.
            try await shop.rename("chargePermissions/\(permission)", Self.lost)
            let sent = try await shop.control.calls("UpdateChargePermission").count
            try await read(shop, permission)
            #expect(try await shop.control.calls("UpdateChargePermission").count == sent)
        }
    }

    @Test func `that the provider refuses change nothing of the purchase, and are sent once`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(order("A-77"))
            let refusal: JSONValue = ["status": 422, "reasonCode": "ChargePermissionNotModifiable"]
            try await shop.control.fault("UpdateChargePermission", count: 1_000, refusal)
            let permission = try await buy(shop, merchant, session, changed: Self.lost)
            try await shop.wait(for: "the line") { !log.lines(with: "order.not_named").isEmpty }
            for _ in 0..<3 { try await read(shop, permission) }
            #expect(try await shop.control.calls("UpdateChargePermission").count == 1)
            let lines = log.lines(with: "order.not_named")
            #expect(lines.count == 1 && lines[0].contains("info") && lines[0].contains(session.id), "\(lines)")
            #expect(lines[0].contains("ChargePermissionNotModifiable") && !lines[0].contains("A-77"))

            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read["state"]?.text == "paid" && read["reference"]?.text == "A-77")
            let charge = try #require(read["charges"]?.elements.first?["id"]?.text)
            let taken = try await merchant.post("/v1/charges/\(charge)/capture", ["amount": MerchantClient.yen(3_180)])
            #expect(taken.status == 200, "\(taken.text)")
        }
    }

    @Test func `that the provider never shows are not sent for ever`() async throws {
        let log = CapturedLog()
        try await withShop(options(log)) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(order("A-77"))
            try await shop.control.fault("UpdateChargePermission", count: 100_000, ["status": 503])
            let permission = try await buy(shop, merchant, session, changed: Self.lost)
            try await shop.wait(for: "the end") {
                try shop.rows("UPDATE payment_poll SET next_at = now() WHERE object_id = $1", [permission])
                return !log.lines(with: "order.not_named").isEmpty
            }
            let sent = try await shop.control.calls("UpdateChargePermission").count
            for _ in 0..<3 { try await read(shop, permission) }
            #expect(try await shop.control.calls("UpdateChargePermission").count == sent)
            #expect(log.lines(with: "order.not_named").count == 1)
        }
    }

    @Test func `of a button's payload are known, and followed by those of the order`() async throws {
        try await withShop(options()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(order("A-77"))
            let permission = try await buy(shop, merchant, session, changed: Shop.namesOfAButton(session.id))
            let mark = try await mark(shop, session, permission)
            try await shop.wait(for: "the names") { try await names(shop, permission) == ("A-77", mark) }
        }
    }

    @Test func `of two orders with the same reference, or with the id of the other as theirs, are never mixed`()
        async throws
    {
        try await withShop(options()) { shop in
            let merchant = try await shop.merchant()
            let first = try await merchant.open(order("A-77"))
            let second = try await merchant.open(order("A-77"))
            let hostile = try await merchant.open(order(first.id))
            let (own, other, third) = (shop.tab(), shop.tab(), shop.tab())
            let placed = try await own.agree(try await own.choose(try await own.open(first.url)))
            let back = try #require(placed.link("purchase_link"))
            let checkout = MerchantClient.parameter("orderReferenceId", of: back)
            // The other buyers bring the first one's checkout session.
            for (tab, session) in [(other, second), (third, hostile)] {
                _ = try await tab.open(session.url)
                let stolen = try await tab.browser.open("/confirm_order?amazonCheckoutSessionId=\(checkout)")
                #expect(stolen.status == 422 && stolen.text.contains("order_mismatch"), "\(stolen.text)")
            }
            // And the first buyer that of the order which is called as the first one's session.
            let named = try await third.agree(try await third.choose(try await third.open(hostile.url)))
            let foreign = MerchantClient.parameter("orderReferenceId", of: try #require(named.link("purchase_link")))
            let swapped = try await merchant.complete(
                first,
                back.replacing("orderReferenceId=\(checkout)", with: "orderReferenceId=\(foreign)")
            )
            #expect(swapped.status == 422, "\(swapped.text)")
            #expect(try await merchant.complete(first, back).status == 200)
            let permission = try shop.value(
                "SELECT charge_permission FROM merchant_order WHERE webview_session_id = $1",
                [first.id]
            )
            #expect(try await names(shop, permission) == ("A-77", try await mark(shop, first, permission)))
            let states = try shop.rows("SELECT state FROM merchant_order ORDER BY webview_session_id")
            #expect(states.map { $0[0] } == ["paid", "created", "created"])
        }
    }

    @Test(arguments: [
        ("A-77", ["A-77", ""]), (String(repeating: "茶", count: 100), ["", " " + String(repeating: "茶", count: 100)]),
    ])
    func `give an order that was lost its reference back`(reference: String, places: [String]) async throws {
        try await withShop(options()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(order(reference))
            let permission = try await buy(shop, merchant, session)
            let mark = try await mark(shop, session, permission)
            let shown = places[0].isEmpty ? String(mark.suffix(11)) : places[0]
            #expect(try await names(shop, permission) == (shown, mark + places[1]))
            let charge = try forget(shop)
            let words = ["adopt", permission, "--charges", charge]
            let look = try await shop.runCommand(words)
            #expect(look.exit == .code(0), "\(look.output)")
            let line = try JSONParser.parse(Array(look.output.utf8))
            #expect(line["session"]?.text == session.id && line["reference"]?.text == reference)
            #expect(try await shop.runCommand(words + ["--fix"]).exit == .code(0))
            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read["state"]?.text == "paid" && read["reference"]?.text == reference, "\(read.text)")
        }
    }

    @Test func `of a button's payload are read by an adoption, and have no reference`() async throws {
        try await withShop(options()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(order("A-77"))
            let permission = try await buy(shop, merchant, session)
            try await shop.rename("chargePermissions/\(permission)", Shop.namesOfAButton(session.id))
            let charge = try forget(shop)
            let words = ["adopt", permission, "--charges", charge]
            let look = try await shop.runCommand(words)
            #expect(look.exit == .code(0), "\(look.output)")
            let line = try JSONParser.parse(Array(look.output.utf8))
            #expect(line["session"]?.text == session.id && line["reference"]?.text == nil)
            #expect(try await shop.runCommand(words + ["--reference", "A-77", "--fix"]).exit == .code(0))
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["reference"]?.text == "A-77")
            // A stranger's permission names nobody.
            try await shop.rename("chargePermissions/\(permission)", Self.lost)
            let stranger = try await shop.runCommand(["adopt", permission])
            #expect(stranger.exit == .code(1) && stranger.output.contains("name no session"), "\(stranger.output)")
        }
    }
}
