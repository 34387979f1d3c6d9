import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Pages of the store")
struct PageTests {
    private static let form = "application/x-www-form-urlencoded"

    private func page(_ bench: StoreBench, _ path: String, _ language: String = "en") async throws -> String {
        let answer = try await bench.send(
            "GET",
            path,
            fields: [("accept", "text/html,*/*;q=0.8"), ("accept-language", language)]
        )
        #expect(answer.status == 200)
        #expect(answer.first("content-security-policy")?.hasPrefix("default-src 'none'; style-src 'self';") == true)
        return String(decoding: answer.body, as: UTF8.self)
    }

    private func press(_ bench: StoreBench, _ path: String, _ body: String) async throws -> InboundResponse {
        let fields = [("accept", "text/html"), ("content-type", Self.form), ("accept-language", "en")]
        return try await bench.send("POST", "/_sim" + path, Array(body.utf8), fields: fields)
    }

    @Test func `let a person buy, agree, finish and give back`() async throws {
        try await withStore { bench in
            let view = "viewCustomer=Taro+%26+Co&viewEnvironment=Sandbox"
            let bought = try await press(bench, "/purchases", view + "&product=ticket.1&quantity=2&askToBuy=true")
            #expect(bought.status == 303)
            let place = try #require(bought.first("location"))
            #expect(place == "/_sim?environment=Sandbox&customer=Taro%20%26%20Co")
            let purchases = try await bench.control("GET", "/purchases")["purchases"]?.elements ?? []
            let id = try #require(purchases.first?["transactionId"]?.text)
            #expect(purchases.first?["customer"] == "Taro & Co")
            var shown = try await page(bench, place)
            #expect(shown.contains(">\(id)</td>") && shown.contains("<td data-label=\"State\">waits for approval</td>"))
            #expect(shown.contains("Taro &amp; Co"))
            for (step, state) in [
                ("approve", "unfinished"), ("finish", "finished"), ("request-consumption", "refund requested"),
                ("refund", "refunded 100%"), ("reverse-refund", "finished"),
            ] {
                #expect(try await press(bench, "/purchases/\(id)/\(step)", view).status == 303, "\(step)")
                shown = try await page(bench, place)
                #expect(shown.contains("<td data-label=\"State\">\(state)</td>"), "\(step)")
            }
            _ = try await press(bench, "/purchases/\(id)/refund", view + "&percentage=50000")
            #expect(try await page(bench, place).contains("refunded 50%"))
            #expect(try await bench.transaction(id)["revocationPercentage"] == 50_000)
            #expect(try await page(bench, "/_sim?customer=nobody").contains(id) == false)
        }
    }

    @Test func `say what is wrong, and show nothing of others as it came`() async throws {
        try await withStore { bench in
            let refused = try await press(bench, "/purchases", "product=a+b")
            #expect(refused.status == 400)
            #expect(String(decoding: refused.body, as: UTF8.self).contains("id=\"complaint\""))
            let shown = try await page(bench, "/_sim?customer=%3Cscript%3E")
            #expect(shown.contains("&lt;script&gt;"))
            #expect(!shown.contains("<script>"))
            let elsewhere = try await bench.send(
                "POST",
                "/_sim/purchases",
                Array("product=a".utf8),
                fields: [("accept", "text/html"), ("content-type", Self.form), ("origin", "https://evil.example")]
            )
            #expect(elsewhere.status == 403)
            #expect(try await bench.control("GET", "/purchases")["purchases"] == [])
            let view = [("accept", "text/html"), ("host", "evil.example")]
            #expect(try await bench.send("GET", "/_sim", fields: view).status == 403)
        }
    }

    @Test func `speak two languages, and have a style`() async throws {
        try await withStore { bench in
            #expect(try await page(bench, "/_sim", "en").contains("A device with the App Store"))
            let japanese = try await page(bench, "/_sim", "ja")
            #expect(japanese.contains("<html lang=\"ja\">"))
            #expect(japanese.contains("App Store の端末"))
            let style = try await bench.send("GET", "/_sim/style.css")
            #expect(style.first("content-type") == "text/css; charset=utf-8")
            let program = try await bench.control("GET", "")
            for path in program["calls"]?.elements.compactMap(\.text) ?? [] where !path.hasSuffix("device") {
                #expect(try await bench.send("GET", path).status == 200, "\(path)")
            }
        }
    }

    @Test func `keep what a tester had set, and come back to it`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            try await bench.control("POST", "/snapshot", ["keep": "before"])
            try await bench.control("POST", "/purchases/\(id)/refund")
            try await bench.control("POST", "/snapshot", ["restore": "before"])
            #expect(try await bench.transaction(id)["revocationDate"] == nil)
            try await bench.control("POST", "/reset")
            #expect(try await bench.call("GET", "/v1/transactions/\(id)").status == 404)
            let next = try await bench.ticket()
            #expect(next != id)
        }
    }
}
