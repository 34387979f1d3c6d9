import HTTPClient
import IntegrationKit
import Testing

@Suite("A browser whose jar is full of other cookies")
struct FullJarTests {
    /// Over HTTP/2 browsers send each cookie as a field of its own.
    @Test func `gets its pages over HTTP/2`() async throws {
        try await withShop(.over(.http2)) { shop in
            let browser = shop.browser()
            for count in [1, 55, 250] {
                let jar = (0..<count).map { ("Cookie", "analytics\($0)=value\($0)") }
                let page = try await browser.request("GET", "/iosApp/cart", fields: jar)
                #expect(page.status == 200, "\(count) cookies")
            }
            // Octets count as ever.
            let large = (0..<60).map { ("Cookie", "analytics\($0)=" + String(repeating: "v", count: 300)) }
            #expect(try await browser.request("GET", "/iosApp/cart", fields: large).status == 431)
        }
    }
}
