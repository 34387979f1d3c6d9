import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import TestKit
import Testing

/// What anybody can bring about, and what an operator has to see all the same.
@Suite("The log of refusals")
struct RefusalLogTests {
    private static func body(_ crossing: Crossing, _ reference: String = Crossing.session) -> String {
        "secureWebviewSessionId=\(crossing.ticket.text)&orderReferenceId=\(reference)"
    }

    @Test(arguments: ["/purchase", "/return"])
    func `has no line about a mismatch that nobody looked up`(path: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let body = Self.body(crossing, "x")
            let answer = try await shop.ask(.post, path, cookies: crossing.appCookies, body: body)
            #expect(answer.failure == "order_mismatch" && answer[.webviewSessionID] == crossing.id.description)
            #expect(shop.log.lines(with: "order_mismatch").isEmpty)
        }
    }

    @Test
    func `has a line about a mismatch behind a look-up, and one about a failure after a flood of them`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            func purchase() async throws -> Answer {
                try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: Self.body(crossing))
            }
            for _ in 0..<60 {
                let row = crossing.row("order_mismatch", "placed").whole
                shop.database.answer("webview_session_begin_attempt", row)
                let refusal = try await purchase()
                #expect(refusal.failure == "order_mismatch")
            }
            #expect(!shop.log.lines(with: "request.refused").isEmpty)
            shop.database.fail("webview_session_begin_attempt", .rejected(sqlState: "XX000"))
            let failure = try await purchase()
            #expect(failure.failure == "internal_error")
            #expect(shop.log.lines(with: "request.failed").count == 1)
        }
    }
}
