import IntegrationKit
import Program
import Testing

/// Inserts need a partition for the time they are made at.
@Suite struct `How far partitions reach` {
    private func days(_ shop: Shop) async throws -> String? {
        let text = try await shop.browser().request("GET", shop.admin + "/metrics").text
        return text.split(separator: "\n").first { $0.hasPrefix("sallyport_partition_days_left ") }.map(String.init)
    }

    /// Takes a day's partition of sealed data away, and leaves its name taken.
    private func detach(_ day: Int, _ shop: Shop) throws -> String {
        let name = try #require(
            shop.rows("SELECT to_char(now() + \(day) * interval '1 day', '\"webview_session_private_\"YYYYMMDD')")[0][0]
        )
        _ = try shop.rows("ALTER TABLE webview_session_private DETACH PARTITION \(name)")
        return name
    }

    @Test func `is a metric, and makes the program unready only where an insert would fail now`() async throws {
        var options = ShopOptions()
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            let browser = shop.browser()
            await shop.broker.nextJobRuns()
            #expect(try await days(shop) == "sallyport_partition_days_left 10")
            let later = try detach(4, shop)
            await shop.broker.nextJobRuns()
            #expect(try await days(shop) == "sallyport_partition_days_left 3")
            #expect(try await browser.request("GET", shop.admin + "/readyz").status == 200)
            let today = try detach(0, shop)
            await shop.broker.nextJobRuns()
            #expect(try await days(shop) == "sallyport_partition_days_left 0")
            let answer = try await browser.request("GET", shop.admin + "/readyz")
            #expect(answer.status == 503)
            #expect(answer.text.hasPrefix("partition missing\n"))
            for name in [later, today] { _ = try shop.rows("DROP TABLE \(name)") }
            await shop.broker.nextJobRuns()
            #expect(try await days(shop) == "sallyport_partition_days_left 10")
            #expect(try await browser.request("GET", shop.admin + "/readyz").status == 200)
            let shopper = try await shop.shopper()
            #expect(try await shopper.purchase(try await shopper.toReturn()).status == 200)
        }
    }
}
