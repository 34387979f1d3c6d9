import IntegrationKit
import Testing

/// Large content is taken of no stranger: a message of the provider is small, too.
@Suite struct `A large body` {
    private func post(_ path: String, _ shop: Shop, count: Int = 100_000) async throws -> Int {
        try await shop.browser().request("POST", path, fields: [], body: Array(repeating: 0x20, count: count)).status
    }

    @Test func `is read on no path of the pages`() async throws {
        var options = ShopOptions.merchant
        options.takesNotifications = true
        try await withShop(options) { shop in
            for path in ["/ipn/amazon-pay", "/ipn/", "/ipn/amazon-pay/", "/ipn/other", "/purchase", "/nothing"] {
                let status = try await post(path, shop)
                #expect(status == 413, "\(path)")
            }
            let message = try await post("/ipn/amazon-pay", shop, count: 16_384)
            #expect(message == 400)
        }
    }

    @Test func `is not read before notifications are set up`() async throws {
        try await withShop { shop in
            let status = try await post("/ipn/amazon-pay", shop)
            #expect(status == 413)
        }
    }
}
