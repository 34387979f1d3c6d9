import Commerce
import FeatureTestKit
import HTTPCore
import MerchantAPI
import PostgresTestKit
import Primitives
import TestKit
import Testing

/// Text that is dear to compare, in every place of what other servers answer.
@Suite struct `Hostile text in an answer` {
    /// What stands between quotation marks: names and texts.
    private static func parts(_ json: String) -> [String] {
        json.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func `of the provider costs no more than its octets, in any place`() async throws {
        let count = Self.parts(ProviderBodies.session()).count
        try await withCheckout { shop in
            var number: UInt64 = 1
            for index in 0..<count where index % 2 == 1 {
                let growth = try await Growth.of(onLoop: "part \(index)", size: 12_000) { size in
                    // Each session may be read a few times only.
                    number += 1
                    let crossing = try Crossing(number)
                    var parts = Self.parts(ProviderBodies.session(mark: crossing.id))
                    parts[index] = HostileText.marks(size)
                    shop.provider.answer(200, parts.joined(separator: "\""))
                    shop.database.answer("webview_session_tab_read", crossing.look("opened"))
                    shop.database.answer("webview_session_review_choice", crossing.row("reviewed", "reviewed").whole)
                    let target = "/confirm_order?amazonCheckoutSessionId=\(Crossing.session)"
                    let answer = try await shop.ask(.get, target, cookies: crossing.tabCookies)
                    #expect(answer.status != 429)
                    #expect(shop.provider.complaints.isEmpty, "the provider is asked each time")
                    shop.database.clear()
                }
                #expect(growth.isLinear, "\(growth)")
            }
        }
    }

    @Test func `of a merchant's server costs no more than its octets, in any place`() throws {
        let crossing = try Crossing()
        let question = PostageQuestion(crossing.id, crossing.order, to: PostageQuestion.Destination(Address()))
        let parts = Self.parts(#"{"amount":{"amount":"540","currencyCode":"JPY"}}"#)
        for index in parts.indices where index % 2 == 1 {
            func answer(_ size: Int) -> [UInt8] {
                var hostile = parts
                hostile[index] = HostileText.marks(size)
                return Array(hostile.joined(separator: "\"").utf8)
            }
            let (small, large) = (answer(8_000), answer(16_000))
            let growth = Growth.of("postage, \(parts[index])", size: 8_000) { size in
                _ = try? question.reading(size == 8_000 ? small : large)
            }
            #expect(growth.isLinear, "\(growth)")
        }
    }

    @Test(arguments: ["retry-after", "date", "x-\u{300}"])
    func `costs no more than the octets of its fields`(name: String) {
        func answer(_ size: Int) -> InboundResponse {
            let marks = HostileText.marks(size)
            return InboundResponse(
                status: 429,
                fields: [(marks, "1"), (name, marks), ("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")]
            )
        }
        let (small, large) = (answer(32_000), answer(64_000))
        let growth = Growth.of(name, size: 32_000) { size in
            for _ in 0..<8 {
                _ = RetryAfter.pause(in: size == 32_000 ? small : large, at: WallTime(seconds: 1_790_000_000))
            }
        }
        #expect(growth.isLinear, "\(growth)")
    }
}
