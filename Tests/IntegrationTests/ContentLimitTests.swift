import IntegrationKit
import Testing

/// Large content is taken where a message of the provider is, and nowhere else.
@Suite struct `A large body` {
    private func post(_ path: String, _ shop: Shop) async throws -> Int {
        try await shop.browser().request("POST", path, fields: [], body: Array(repeating: 0x20, count: 100_000)).status
    }

    @Test func `is read at the path of notifications alone`() async throws {
        var options = ShopOptions.merchant
        options.takesNotifications = true
        try await withShop(options) { shop in
            let message = try await post("/ipn/amazon-pay", shop)
            #expect(message == 400)
            for path in ["/ipn/", "/ipn/amazon-pay/", "/ipn/other", "/purchase", "/nothing"] {
                let status = try await post(path, shop)
                #expect(status == 413, "\(path)")
            }
        }
    }

    @Test func `is not read before notifications are set up`() async throws {
        try await withShop { shop in
            let status = try await post("/ipn/amazon-pay", shop)
            #expect(status == 413)
        }
    }
}
