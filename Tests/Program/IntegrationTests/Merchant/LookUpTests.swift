import IntegrationKit
import StrictJSON
import Testing

/// What people have of an order: the number on the page, and what the provider's console shows.
@Suite("A session that is looked up", .tags(.database))
struct LookUpTests {
    @Test func `is found by its number and by each id at the provider, and by nothing of another account`() async throws
    {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            let paid = try await merchant.complete(session, back)
            _ = try await merchant.open()
            let charge = try #require(paid["charges"]?.elements.first?["id"]?.text)
            let sum: JSONValue = ["amount": MerchantClient.yen(1_000)]
            #expect(try await merchant.post("/v1/charges/\(charge)/capture", sum).status == 200)
            let refund = try await merchant.post("/v1/charges/\(charge)/refunds", sum)
            let checkout = try #require(paid["checkoutSessionId"]?.text)
            let marks = try await shop.control.object(checkout)["merchantMetadata"]
            let queries = [
                "number=\(marks?["noteToBuyer"]?.text ?? "")", "checkoutSessionId=\(checkout)", "chargeId=\(charge)",
                "chargePermissionId=\(paid["chargePermissionId"]?.text ?? "")",
                "refundId=\(refund["id"]?.text ?? "")",
            ]
            for query in queries {
                let found = try await merchant.get("/v1/sessions?" + query)
                #expect(found["data"]?.elements.map { $0["id"]?.text } == [session.id], "\(query): \(found.text)")
            }
            try shop.rows("UPDATE merchant_order SET account = 'A0ANOTHER'")
            for query in queries {
                let found = try await merchant.get("/v1/sessions?" + query)
                #expect(found.text == #"{"object":"list","data":[],"nextCursor":null,"hasMore":false}"#, "\(query)")
            }
        }
    }
}
