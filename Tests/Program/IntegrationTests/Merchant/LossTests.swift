import HTTPCore
import IntegrationKit
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// The database comes back without its last commits; who repeats what had an answer pays nothing again.
@Suite("After a loss of commits", .tags(.database, .slow), .serialized)
struct LossTests {
    @Test func `by a failover to an asynchronous standby everything has one effect`() async throws {
        let pair = try ReplicatedDatabase(migrations: "migrations", features: migrationFolders)
        var options = ShopOptions.merchant
        options.database = TestDatabase(pair)
        try await withShop(options) { shop in
            let four = try await FourOrders.open(shop)
            try pair.cutReplication()
            let before = try await four.act()
            try pair.failOver()
            try await four.expectNothingKnown()
            try await four.expectTheSame(before)
        }
        withExtendedLifetime(pair) {}
    }

    @Test func `by a restore to a point before everything has one effect`() async throws {
        try await withShop(.merchant) { shop in
            let four = try await FourOrders.open(shop)
            let copy = try shop.database.backup()
            let before = try await four.act()
            try shop.database.restore(copy)
            try await four.expectNothingKnown()
            try await four.expectTheSame(before)
        }
    }

    @Test func `a repeat with other octets is refused, and the first one is not forgotten for it`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            let other = try await Till.open(shop)
            try await till.captureAll()
            let copy = try shop.database.backup()
            let paid = try await till.insist("/v1/charges/\(till.charge)/refunds", MerchantKey.amount(300), mark: "r")
            #expect(paid.status == 201)
            let path = "/v1/charges/\(other.charge)/capture"
            let captured = try await other.insist(path, MerchantKey.amount(20_000), mark: "c")
            #expect(captured.status == 200)
            try shop.database.restore(copy)
            let refused = try await till.insist(
                "/v1/charges/\(till.charge)/refunds",
                MerchantKey.amount(400),
                mark: "r"
            )
            #expect((refused.status, refused.code) == (422, "idempotency_key_reused"))
            let less = try await other.insist(path, MerchantKey.amount(10_000), mark: "c")
            #expect((less.status, less.code) == (422, "idempotency_key_reused"))
            let again = try await till.insist("/v1/charges/\(till.charge)/refunds", MerchantKey.amount(300), mark: "r")
            #expect((again.status, again.json["id"]?.text) == (201, paid.json["id"]?.text))
            #expect(try await other.insist(path, MerchantKey.amount(20_000), mark: "c").status == 200)
            #expect(try await till.effects("CreateRefund") == 1)
            #expect(try await till.effects("CaptureCharge") == 2)
        }
    }
}

/// Once more, where nothing was lost but the key or the patience.
@Suite("A repeat of a payment", .tags(.database, .slow))
struct RepeatedPaymentTests {
    @Test func `under another API key of the account gets the same answer`() async throws {
        try await withShop(.merchant) { shop in
            let four = try await FourOrders.open(shop)
            let before = try await four.act()
            let key = try await shop.makeKey()
            try shop.rows("UPDATE api_key SET revoked_at = now() WHERE name = 'test' AND key_id::text LIKE '01020304%'")
            try await four.expectTheSame(before, key: key)
        }
    }

    @Test func `of an opening under another API key names the session and opens no second one`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let opened = try await merchant.open(word: "open")
            let next = MerchantClient(shop, key: try await shop.makeKey())
            let replayed = try await next.post("/v1/sessions", MerchantClient.order(), word: "open")
            #expect((replayed.status, replayed.code) == (409, "replay_unavailable"))
            #expect(replayed.text.contains(opened.id))
            #expect(try shop.value("SELECT count(*) FROM merchant_order") == "1")
            let cancelled = try await merchant.post("/v1/sessions/\(opened.id)/cancel", [:], word: "cancel")
            #expect(cancelled.status == 200, "\(cancelled.text)")
            let again = try await next.post("/v1/sessions/\(opened.id)/cancel", [:], word: "cancel")
            #expect((again.status, again.text) == (200, cancelled.text))
        }
    }

    @Test func `after four days gets the same answer`() async throws {
        var options = ShopOptions.merchant
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            let four = try await FourOrders.open(shop)
            let before = try await four.act()
            try await TimeTravel(shop).advance(by: .seconds(4 * 86_400), step: .seconds(86_400))
            try await four.expectTheSame(before, isPurchaseOver: true)
        }
    }
}

/// Four orders, one for each way of moving money: what is done to them is done twice, with a loss in between.
private struct FourOrders: Sendable {
    let shop: Shop
    /// Captured; to be refunded.
    let captured: Till
    /// Authorised; to be captured.
    let held: Till
    /// Its charge was cancelled; to be charged anew.
    let freed: Till
    /// The buyer has agreed; to be purchased.
    let shopper: Shopper
    let fields: ReturnFields

    static func open(_ shop: Shop) async throws -> FourOrders {
        let (captured, held, freed) = (try await Till.open(shop), try await Till.open(shop), try await Till.open(shop))
        #expect(try await captured.capture(mark: "before").status == 200)
        #expect(try await freed.post("/v1/charges/\(freed.charge)/cancel", "{}", mark: "cancel").status == 200)
        let shopper = try await shop.shopper()
        let fields = try await shopper.toReturn()
        return FourOrders(shop: shop, captured: captured, held: held, freed: freed, shopper: shopper, fields: fields)
    }

    func post(_ path: String, _ body: String, mark: String, key: String) async throws -> Page {
        let fields = [
            ("Authorization", "Bearer " + key), ("Content-Type", "application/json"), ("Idempotency-Key", mark),
        ]
        return try await shop.browser().request("POST", path, fields: fields, body: Array(body.utf8))
    }

    /// The three requests of the merchant, by what they do at the provider.
    private var requests: [(operation: String, path: String, body: String)] {
        [
            ("CreateRefund", "/v1/charges/\(captured.charge)/refunds", MerchantKey.amount(1_200)),
            ("CaptureCharge", "/v1/charges/\(held.charge)/capture", MerchantKey.amount(27_996)),
            ("CreateCharge", "/v1/sessions/\(freed.webviewSession)/charges", MerchantKey.amount(9_000)),
        ]
    }

    /// Does all four things, until there is an answer.
    func act() async throws -> [String: Page] {
        var answers: [String: Page] = [:]
        for request in requests {
            let answer = try await insist(request.path, request.body, mark: request.operation, key: MerchantKey.text)
            #expect((200...201).contains(answer.status), "\(request.operation): \(answer.text)")
            answers[request.operation] = answer
        }
        let purchased = try await purchase()
        #expect(purchased.status == 200, "\(purchased.text)")
        return answers
    }

    /// Does them again, and finds the same results, the same objects, and one effect of each at the provider.
    func expectTheSame(
        _ before: [String: Page],
        key: String = MerchantKey.text,
        isPurchaseOver: Bool = false
    ) async throws {
        for request in requests {
            let answer = try await insist(request.path, request.body, mark: request.operation, key: key)
            #expect(answer.status == before[request.operation]?.status, "\(request.operation): \(answer.text)")
            #expect(answer.json["id"]?.text == before[request.operation]?.json["id"]?.text, "\(request.operation)")
        }
        if !isPurchaseOver { #expect(try await purchase().status == 200) }
        #expect(try await captured.effects("CreateRefund") == 1)
        #expect(try await captured.effects("CaptureCharge") == 2, "one of them before")
        #expect(try await captured.effects("CreateCharge") == 1)
        #expect(try await captured.effects("CompleteCheckoutSession") == 4, "three of them before")
        #expect(try shop.value("SELECT count(*) FROM payment_operation_open") == "0")
        #expect(
            try shop.value("SELECT state FROM webview_session WHERE webview_session_id = $1", [shopper.webviewSession])
                == "authorized"
        )
        let refunds = "SELECT count(*) FROM payment_object WHERE kind = 'refund'"
        #expect(try shop.value(refunds) == "1")
    }

    /// The database has lost all of it, so the test is about something.
    func expectNothingKnown() async throws {
        #expect(
            try shop.value("SELECT count(*) FROM api_idempotency WHERE idem IN ('CreateRefund', 'CaptureCharge')")
                == "0"
        )
        #expect(
            try shop.value("SELECT state FROM webview_session WHERE webview_session_id = $1", [shopper.webviewSession])
                == "placed"
        )
    }

    private func insist(_ path: String, _ body: String, mark: String, key: String) async throws -> Page {
        try await insist { try await post(path, body, mark: mark, key: key) }
    }

    private func purchase() async throws -> Page {
        try await insist { try await shopper.purchase(fields) }
    }

    /// Asks until the database is back and there is an answer.
    private func insist(_ ask: () async throws -> Page) async throws -> Page {
        let patience = Patience()
        var answer = try await ask()
        while [409, 503].contains(answer.status) || answer.status == 202, patience.isLeft {
            answer = try await ask()
        }
        return answer
    }
}
