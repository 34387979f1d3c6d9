import Foundation
import IntegrationKit
import Primitives
import Telemetry
import TestKit
import Testing

/// T10 and T25 of docs/contract.md for merchants' sessions: what was secret is found nowhere afterwards.
@Suite struct `After whole purchases by merchants` {
    private let people = ["見本", "太郎", "tokyo@example.test", "153-0064", "下目黒1-8-1", "見本タワー", "0312345678"]

    /// The forms in which a secret might turn up; the id in front of it is none.
    private func forms(of token: String) throws -> [String] {
        let body = String(token.dropFirst(4))
        let bytes = try #require(Base64URL.decode(body)).suffix(32)
        return [
            body.count == 64 ? String(body.dropFirst(22)) : body, Hex.encode(Array(bytes)),
            Hex.encode(Array(token.utf8)), String(Base64URL.encode(Array(token.utf8)).dropLast(2)),
        ]
    }

    @Test func `no key, no token and no name is in log, database or metrics`() async throws {
        let log = CapturedLog()
        var options = ShopOptions.merchants(["log_level": "trace"])
        options.logger = log.logger(level: .trace)
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            var secrets = [merchant.key]
            for client in ["site", "iosApp"] {
                let session = try await merchant.open(MerchantClient.order(client: client), word: client)
                let tab = shop.tab()
                let back = try #require(try await tab.cross(session.url).link("purchase_link"))
                let paid = try await merchant.complete(session, back)
                #expect(paid.text.contains("見本"), "\(paid.text)")
                let buyer = try await merchant.get("/v1/sessions/\(session.id)/buyer")
                #expect(buyer.text.contains("見本"), "\(buyer.text)")
                _ = try await merchant.post("/v1/sessions", MerchantClient.order(client: client), word: client)
                _ = try await MerchantClient(shop, key: session.proof).get("/v1/sessions")
                secrets.append(session.proof)
                for text in tab.browser.visited + tab.browser.cookies.map(\.value) + [back] {
                    for match in text.matches(of: /sw[abc]_[A-Za-z0-9_-]{43,64}/) {
                        secrets.append(String(match.output))
                    }
                }
            }
            #expect(Set(secrets).count >= 9)
            let metrics = try await shop.browser().request("GET", shop.admin + "/metrics").text
            let counted = "sallyport_merchant_requests_total{route=\"completeSession\",code=\"200\"} 2"
            #expect(metrics.contains(counted))
            let places = [("log", log.lines.joined()), ("database", try shop.dump()), ("metrics", metrics)]
            for (place, text) in places {
                #expect(!text.isEmpty)
                for secret in Set(secrets) {
                    for form in try forms(of: secret) {
                        #expect(!text.contains(form), "\(secret.prefix(4)) in \(place)")
                    }
                }
                for person in people {
                    #expect(!text.contains(person), "\(person) in \(place)")
                    #expect(!text.contains(Hex.encode(Array(person.utf8))), "\(person) in \(place), hex")
                }
            }
        }
    }
}
