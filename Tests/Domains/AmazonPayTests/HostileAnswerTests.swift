import Commerce
import HTTPCore
import Primitives
import TestKit
import Testing

@testable import AmazonPay

/// Text that is dear to compare, in every place of every answer: the service passes on what buyers have typed.
@Suite("An answer with hostile text")
struct HostileAnswerTests {
    /// Recorded answers, and who reads them.
    private static let readers: [(name: String, read: @Sendable ([UInt8]) -> Void)] = [
        ("checkoutSession-after-review-redirect", { read(try? CheckoutSession(json: $0)) }),
        ("checkoutSession-after-update", { read(try? CheckoutSession(json: $0)) }),
        ("checkoutSession-completed", { read(try? CheckoutSession(json: $0)) }),
        (
            "charge-authorized",
            { if let charge = try? Charge(json: $0) { #expect(charge == charge && !charge.state.isEnd) } }
        ),
        (
            "chargePermission-in-progress",
            { if let found = try? ChargePermission(json: $0) { #expect(found == found) } }
        ),
        ("refund-initiated", { if let refund = try? Refund(json: $0) { #expect(refund == refund) } }),
        ("error", { _ = APIAnswer(InboundResponse(status: 400, body: $0)).reason }),
    ]

    /// Looks at everything that the program compares.
    private static func read(_ session: CheckoutSession?) {
        guard let session else { return }
        #expect(session == session)
        _ = (session.state == .completed, session.isFor(Yen(1)), session.namesCharge, session.chargeAmount?.isReadable)
        _ = session.shippingAddress.map { try? PostageRule.sample.postage(to: $0) }
        _ = try? RedirectPolicy(hosts: ["a.example"]).allows(session.redirectURL ?? "")
    }

    @Test(arguments: readers.map(\.name), ["\u{300}", "\\u0300"])
    func `costs no more than its octets in any place`(name: String, mark: String) throws {
        let reader = try #require(Self.readers.first { $0.name == name })
        let parts = String(decoding: try VectorFiles.object(name), as: UTF8.self)
            .split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices where index % 2 == 1 {
            func answer(_ size: Int) -> [UInt8] {
                var hostile = parts
                hostile[index] = HostileText.marks(size)
                if mark.hasPrefix("\\") {
                    hostile[index] = hostile[index].replacing("\u{300}", with: "\\u0300")
                        .unicodeScalars.map { $0 == "\u{316}" ? "\\u0316" : String($0) }.joined()
                }
                return Array(hostile.joined(separator: "\"").utf8)
            }
            let (small, large) = (answer(8_000), answer(16_000))
            let growth = Growth.of("\(name), \(parts[index])", size: 8_000) { reader.read($0 == 8_000 ? small : large) }
            #expect(growth.isLinear, "\(growth)")
        }
    }

    @Test(arguments: [
        ("{\"n\u{300}\":\"\u{300}\"}", "{\"n??\":\"\u{300}\"}"), ("{\"\\u0300a\" : 1}", "{\"??0300a\" : 1}"),
        ("{\"\\u0041\\n\\\"\":1}", "{\"\\u0041\\n\\\"\":1}"), ("[\"\u{300}\",\":\"]", "[\"\u{300}\",\":\"]"),
        ("{\"\u{300}", "{\"\u{300}"),
        ("{\"a\\", "{\"a\\"), ("{\"\\u00e9\":{\"\u{E9}\":[]}}", "{\"??00e9\":{\"??\":[]}}"), ("", ""),
    ])
    func `has names of ASCII alone, and texts as they came`(json: String, plain: String) {
        #expect(AnswerJSON.plainNames(Array(json.utf8)) == Array(plain.utf8))
    }

    @Test func `in another encoding is none`() {
        let text = #"{"checkoutSessionId":"\#(ClientBench.session)"}"#
        let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect((try? CheckoutSession(json: Array(text.utf8))) != nil && (try? CheckoutSession(json: wide)) == nil)
    }
}

extension Charge.State {
    fileprivate var isEnd: Bool { self == .captured || self == .canceled || self == .declined }
}
