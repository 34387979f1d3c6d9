import EventIO
import IntegrationKit
import StrictJSON
import TestKit
import Testing

@Suite("A session of an account", .tags(.database))
struct SessionOfAccountTests {
    @Test func `names it in answers and events, is exported with it, and is nobody's when it is erased`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant(allScopes + ",accounts:read,accounts:write")
            let made = try await merchant.post("/v1/accounts", ["externalId": "customer-1"])
            let account = try #require(made["id"]?.text)
            let order = MerchantClient.order([JSONMember("accountId", .string(account))])
            let session = try await merchant.open(order)
            #expect(session.reply["accountId"]?.text == account)
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            let paid = try await merchant.complete(session, back)
            #expect(paid.status == 200 && paid["accountId"]?.text == account, "\(paid.text)")
            let other = try await merchant.open()
            _ = try await merchant.post("/v1/sessions/\(other.id)/cancel", [:])
            let told = try shop.rows("SELECT type, data ->> 'accountId' FROM event WHERE subject_id = $1", [session.id])
            #expect(told.count > 1 && told.allSatisfy { $0[1] == account }, "\(told)")
            let untold = try shop.rows("SELECT data ->> 'accountId' FROM event WHERE subject_id = $1", [other.id])
            #expect(untold == [[nil]])

            let export = try await merchant.get("/v1/accounts/\(account)/export")
            let kept = export["features"]?.elements.first { $0["feature"]?.text == "merchant" }?["data"]
            let orders = kept?["orders"]?.elements ?? []
            #expect(orders.map { $0["sessionId"]?.text } == [session.id], "\(export.text)")
            #expect(orders.first?["state"]?.text == paid["state"]?.text)

            let (exit, report) = try await shop.runCommand([
                "accounts", "erase", account, "--yes", "--reason", "letter",
            ])
            #expect(exit == .code(0) && report.contains("orders"), "\(report)")
            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read.status == 200 && !read.text.contains("accountId"), "\(read.text)")
            let late = try await merchant.post("/v1/sessions", order)
            #expect(late.status == 410 && late["code"]?.text == "account_erased", "\(late.text)")
            let nobody = "01977f3e-0000-7000-8000-00000000000a"
            let unknown = MerchantClient.order([JSONMember("accountId", .string(nobody))])
            let refused = try await merchant.post("/v1/sessions", unknown)
            #expect(refused.status == 422 && refused["code"]?.text == "account_unknown", "\(refused.text)")
            #expect(try shop.rows("SELECT count(*) FROM webview_session") == [["2"]], "nothing is left of those")
        }
    }
}
