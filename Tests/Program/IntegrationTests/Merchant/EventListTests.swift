import EventIO
import Foundation
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// A shop whose ledger changes only by what the test does.
private struct StillShop {
    let shop: Shop
    let merchant: MerchantClient

    init(_ shop: Shop) async throws {
        self.shop = shop
        merchant = try await shop.merchant(
            "sessions:read,sessions:write,payments:write,refunds:write,events:read"
        )
        try shop.rows("CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        try shop.rows(
            "CREATE TRIGGER never BEFORE INSERT ON payment_poll FOR EACH ROW EXECUTE FUNCTION never()"
        )
    }

    /// A session that is paid.
    func paid(_ order: JSONValue = MerchantClient.order()) async throws -> (session: OpenSession, paid: MerchantReply) {
        let session = try await merchant.open(order)
        let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
        let paid = try await merchant.complete(session, back)
        #expect(paid.status == 200, "\(paid.text)")
        return (session, paid)
    }

    /// Compares the newest events of a session with the session as it is read, member by member.
    func compare(_ session: String, newest types: [String]) async throws {
        let read = try await merchant.get("/v1/sessions/\(session)").body
        let rows = try shop.rows(
            "SELECT type, data FROM event WHERE subject_id = $1 ORDER BY sequence DESC LIMIT \(types.count)",
            [session]
        )
        #expect(rows.map { $0[0] ?? "" } == types)
        for row in rows {
            let data = try JSONParser.parse(Array((row[1] ?? "").utf8))
            #expect(data.members.map(\.name) == read.members.map(\.name) + ["about"])
            for member in read.members {
                // A reader finds `null` and nothing to be the same.
                let told = data.members.first { $0.name == member.name }?.value
                #expect(told?.description == member.value.description, "\(types): \(member.name)")
            }
            let isOfSession = (row[0] ?? "").hasPrefix("session.")
            #expect((data["about"] == nil) == isOfSession, "\(types)")
        }
    }
}

@Suite("The data of an event", .tags(.database))
struct EventDataTests {
    @Test func `is the session as the interface shows it, member by member, whatever happened`() async throws {
        try await withShop(.merchants()) { shop in
            let still = try await StillShop(shop)
            let merchant = still.merchant
            let metadata: JSONValue = ["cart": "7", "shelf": "\"日本\" \u{1F375}\\"]
            let (session, paid) = try await still.paid(
                MerchantClient.order([JSONMember("metadata", metadata)])
            )
            let charge = try #require(paid["charges"]?.elements.first?["id"]?.text)
            #expect(paid["environment"]?.text == "sandbox" && session.reply["environment"]?.text == "sandbox")
            // Both in the commit of the purchase: who is told of it can capture without asking.
            try await still.compare(session.id, newest: ["charge.authorized", "session.paid"])
            let captured = try await merchant.post(
                "/v1/charges/\(charge)/capture",
                ["amount": MerchantClient.yen(3_000)]
            )
            #expect(captured.status == 200, "\(captured.text)")
            try await still.compare(session.id, newest: ["charge.captured"])
            let refund = try await merchant.post("/v1/charges/\(charge)/refunds", ["amount": MerchantClient.yen(1_000)])
            #expect(refund.status == 201, "\(refund.text)")
            try await still.compare(session.id, newest: ["refund.created"])
            let further = try await merchant.post("/v1/sessions/\(session.id)/close", [:])
            #expect(further.status == 200, "\(further.text)")
            try await still.compare(session.id, newest: ["permission.closed"])
            let text = try shop.rows("SELECT data FROM event").compactMap { $0[0] }.joined()
            for word in ["@", "見本", "東京都", "swp_", "swa_", "swc_"] { #expect(!text.contains(word), "\(word)") }
        }
    }

    @Test func `is so for a session that ends without a payment`() async throws {
        try await withShop(.merchants()) { shop in
            let still = try await StillShop(shop)
            let cancelled = try await still.merchant.open()
            _ = try await still.merchant.post("/v1/sessions/\(cancelled.id)/cancel", [:])
            try await still.compare(cancelled.id, newest: ["session.canceled"])
            // With a price that the buyer's address decided, which only the webview session knows.
            let reviewed = try await still.merchant.open()
            _ = try await shop.tab().cross(reviewed.url)
            _ = try await still.merchant.post("/v1/sessions/\(reviewed.id)/cancel", [:])
            try await still.compare(reviewed.id, newest: ["session.canceled"])
        }
    }
}

@Suite("The events of the interface", .tags(.database))
struct EventListTests {
    @Test func `are listed as webhooks bring them, part by part, to who may read them`() async throws {
        try await withShop(.merchants(["merchant.secret_file": try HookedShop.secretPath()])) { shop in
            let receiver = try await WebhookReceiver.start()
            defer { receiver.stop() }
            let endpoint = try await shop.add(receiver)
            let hooks = HookedShop(shop: shop, receiver: receiver, endpoint: endpoint)
            let still = try await StillShop(shop)
            let merchant = still.merchant
            let empty = try await merchant.get("/v1/events")
            #expect(empty.text == #"{"object":"list","data":[],"nextCursor":null,"hasMore":false}"#)
            _ = try await still.paid()
            try await hooks.arrived(2)
            // Other tests' transactions hold the list up: it is one server.
            try await withLoop { reactor in
                _ = try await poll(reactor, "both events") {
                    try await merchant.get("/v1/events")["data"]?.elements.count == 2 ? true : nil
                }
            }
            let first = try await merchant.get("/v1/events?limit=1")
            #expect(first["hasMore"]?.description == "true")
            let cursor = try #require(first["nextCursor"]?.text)
            let second = try await merchant.get("/v1/events?after=\(cursor)")
            #expect(second["hasMore"]?.description == "false")
            let listed = [first, second].flatMap { $0["data"]?.elements ?? [] }
            let brought = hooks.receiver.accepted.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(listed.map(\.description) == brought)
            #expect(listed.map { $0["type"]?.text } == ["session.paid", "charge.authorized"])
            let last = try #require(second["nextCursor"]?.text)
            let end = try await merchant.get("/v1/events?after=\(last)")
            #expect(end.text == #"{"object":"list","data":[],"nextCursor":"\#(last)","hasMore":false}"#)
            // What merchants of before have does not open it.
            let other = try await shop.merchant("sessions:read,sessions:write,payments:write,refunds:write")
            #expect(try await other.get("/v1/events").code == "scope_missing")
            // Sessions can be listed by their change, too.
            for (time, count) in [("2020-01-01T00:00:00Z", 1), ("2100-01-01T00:00:00Z", 0)] {
                let sessions = try await merchant.get("/v1/sessions?updatedAfter=\(time)")
                #expect(sessions["data"]?.elements.count == count, "\(sessions.text)")
            }
            #expect(try await merchant.get("/v1/sessions?updatedAfter=2020-01-01").field == "updatedAfter")
            for query in ["after=x", "after=\(String(cursor.dropLast()))A", "limit=0", "limit=101", "since=1"] {
                let refused = try await merchant.get("/v1/events?\(query)")
                #expect(refused.status == 400, "\(query): \(refused.text)")
            }
        }
    }
}
