import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// What a shop reads to go on: why, when, and what else there is.
@Suite("Answers to a merchant", .tags(.database))
struct AnswerTests {
    /// The newest event of a session; its data is the session with `object`.
    private static func newest(_ till: Till) throws -> JSONValue {
        let data = try till.shop.value(
            "SELECT data FROM event WHERE subject_id = $1 ORDER BY sequence DESC LIMIT 1",
            [till.webviewSession]
        )
        return try JSONParser.parse(Array(data.utf8))
    }

    @Test func `say of a refund what was said of it, in the charge, the list and the event alike`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            let shipped = MerchantKey.amount(20_000, #","reason":"shipped","metadata":{"parcel":"1"}"#)
            let captured = try await till.post("/v1/charges/\(till.charge)/capture", shipped, mark: "c")
            #expect(captured.json["reason"]?.text == "shipped" && captured.json["refunds"]?.elements.isEmpty == true)
            let time = try #require(captured.json["capturedAt"]?.text)
            let path = "/v1/charges/\(till.charge)/refunds"
            let metadata = #"{"case":"7","who":"花子 \"<&>"}"#
            let body = MerchantKey.amount(700, #","reason":"破損","metadata":\#(metadata)"#)
            let first = try await till.post(path, body, mark: "one")
            #expect(first.status == 201 && first.json["reason"]?.text == "破損", "\(first.text)")
            #expect(first.json["metadata"]?.description == metadata)
            #expect(try await till.post(path, body, mark: "one").response.body == first.response.body)
            let other = MerchantKey.amount(700, #","reason":"another""#)
            #expect(try await till.post(path, other, mark: "one").code == "idempotency_key_reused")
            // The provider's times are whole seconds.
            try await shop.control.advanceClock(by: "PT2S")
            #expect(try await till.refund(300, mark: "two").status == 201)

            let session = try await till.get("/v1/sessions/\(till.webviewSession)").json
            let charge = try #require(session["charges"]?.elements.first)
            let refunds = charge["refunds"]?.elements ?? []
            #expect(refunds.compactMap { $0["amount"]?["amount"]?.text } == ["700", "300"])
            #expect(refunds.first?["metadata"]?.description == metadata && refunds.first?["reason"]?.text == "破損")
            #expect(
                refunds.last?["reason"] == nil && refunds.last?["metadata"]?.members.isEmpty == true
            )
            #expect(charge["reason"]?.text == "shipped" && charge["capturedAt"]?.text == time)
            #expect(try await till.get("/v1/charges/\(till.charge)").json == charge)
            let listed = try await till.get("/v1/charges/\(till.charge)/refunds?limit=1").json
            #expect(listed["data"]?.elements == [refunds[0]] && listed["hasMore"]?.flag == true)
            let next = try #require(listed["nextCursor"]?.text)
            #expect(try await till.get(path + "?after=\(next)").json["data"]?.elements == [refunds[1]])
            let id = try #require(refunds[0]["id"]?.text)
            #expect(try await till.get("/v1/refunds/\(id)").json == refunds[0])
            // The session of the event is that of the interface, member for member.
            let event = try Self.newest(till)
            for member in session.members where member.name != "updatedAt" {
                #expect((event[member.name] ?? .null) == member.value, "\(member.name)")
            }
        }
    }

    @Test(arguments: [("card-3434", "Declined"), ("card-3064", "BuyerCanceled")])
    func `say why and when a payment was declined`(card: String, reason: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp()
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["lastDecline"] == nil)
            var app = MobileApp(shop)
            app.buyer.card = card
            let declined = try await merchant.finalize(session, try await app.checkOut(session.launch))
            #expect(declined.status == 402, "\(declined.text)")
            let decline = try #require(declined["lastDecline"])
            #expect(decline["reasonCode"]?.text == reason && decline["at"]?.text?.hasSuffix("Z") == true)
            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read["lastDecline"] == decline && read["expiresAt"]?.text != nil)
            let event = try shop.value("SELECT data FROM event WHERE type = 'session.declined'")
            #expect(try JSONParser.parse(Array(event.utf8))["lastDecline"] == decline)
            app.buyer.card = "card-1111"
            let paid = try await merchant.finalize(session, try await app.checkOut(session.launch))
            #expect(paid.status == 200 && paid["lastDecline"] == decline, "\(paid.text)")
            #expect(paid["expiresAt"] == nil)
        }
    }

    @Test func `come from Amazon where the merchant asks for a charge now`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            try await shop.control.force("charges/" + till.charge, "Canceled", "ExpiredUnused")
            #expect(try shop.ledger(till.charge) == "Authorized")
            let answer = try await till.post("/v1/charges/\(till.charge)/refresh", "{}", mark: "r")
            #expect((answer.status, answer.json["state"]?.text) == (200, "canceled"), "\(answer.text)")
            let state = try till.state
            #expect(answer.json["reasonCode"]?.text == "ExpiredUnused" && state == "expired")
            var last = 200
            // One comes back every five seconds, so no machine is too slow to run into it.
            for number in 0..<500 where last == 200 {
                last = try await till.post("/v1/charges/\(till.charge)/refresh", "{}", mark: "\(number)").status
            }
            #expect(last == 429)
        }
    }
}
