import EventIO
import HTTPCore
import HTTPServer
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("The app on a device")
struct DeviceTests {
    @Test func `hands purchases in, and finishes them where the server says so, and never otherwise`() async throws {
        try await withShop { bench, shop in
            let id = try await bench.ticket()
            let unknown = try await bench.send("POST", "/_sim/purchases/\(id)/submit")
            #expect(unknown.status == 409)
            try await bench.control("POST", "/device/app", ["server": .string(shop.origin), "token": "sat_secret"])
            shop.answers = [
                (503, ["code": "app_store_unavailable", "finish": false]),
                (200, ["outcome": "granted", "balance": 3, "finish": true]),
                (200, ["object": "appStoreBalance", "units": 7, "spendable": 7]),
            ]
            let first = try await bench.control("POST", "/purchases/\(id)/submit")
            #expect(first["unfinished"]?.elements.count == 1)
            let second = try await bench.control("POST", "/purchases/\(id)/submit")
            #expect(second["unfinished"] == [])
            #expect(second["balance"] == 3)
            #expect(
                second["answers"]?.elements == [
                    .string("\(id): 503 app_store_unavailable"), .string("\(id): 200 granted, finished"),
                ]
            )
            #expect(try await bench.control("POST", "/device/balance")["balance"] == 7)
            #expect(
                shop.requests.map(\.path) == [
                    "/app/v1/app-store/transactions", "/app/v1/app-store/transactions", "/app/v1/app-store/balance",
                ]
            )
            #expect(shop.requests.allSatisfy { $0.token == "Bearer sat_secret" })
            let body = try JSONParser.parse(shop.requests[0].body)
            let text = try await bench.verified(try #require(body["signedTransaction"]?.text))
            #expect(text["transactionId"] == .string(id))
            #expect(body["deviceVerificationId"] == second["deviceVerificationId"])
            #expect(!second.description.contains("sat_secret"))
        }
    }

    @Test func `keeps a purchase whose server does not answer`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            try await bench.control("POST", "/device/app", ["server": "http://127.0.0.1:1", "token": "sat_secret"])
            let device = try await bench.control("POST", "/purchases/\(id)/submit")
            #expect(device["unfinished"]?.elements.count == 1)
            #expect(device["answers"] == [.string("\(id): no answer")])
            #expect(try await bench.control("POST", "/device/balance")["balance"] == nil)
        }
    }

    @Test func `is signed in at addresses of this machine or with TLS, by testers of this machine`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            for server in ["http://shop.example.com", "ftp://localhost", ""] {
                let body: JSONValue = ["server": .string(server), "token": "t"]
                #expect(try await bench.send("POST", "/_sim/device/app", body.bytes).status == 400, "\(server)")
            }
            let elsewhere = [("origin", "https://evil.example")]
            let answer = try await bench.send("POST", "/_sim/purchases/\(id)/submit", fields: elsewhere)
            #expect(answer.status == 403)
        }
    }

    @Test func `is played on the page, which never shows the token`() async throws {
        try await withShop { bench, shop in
            let fields = [
                ("accept", "text/html"), ("content-type", "application/x-www-form-urlencoded"),
                ("accept-language", "en"),
            ]
            let id = try await bench.ticket()
            let view = "viewCustomer=customer-1&viewEnvironment=Sandbox"
            let form = Array((view + "&token=sat_secret&server=" + shop.origin).utf8)
            #expect(try await bench.send("POST", "/_sim/device/app", form, fields: fields).status == 303)
            shop.answers = [(200, ["outcome": "granted", "balance": 12, "finish": true])]
            let path = "/_sim/purchases/\(id)/submit"
            #expect(try await bench.send("POST", path, Array(view.utf8), fields: fields).status == 303)
            let page = try await bench.send("GET", "/_sim", fields: fields)
            let shown = String(decoding: page.body, as: UTF8.self)
            #expect(shown.contains("<b id=\"balance\">12</b>"))
            #expect(shown.contains("<td data-label=\"State\">finished</td>"))
            #expect(shown.contains("200 granted, finished"))
            #expect(!shown.contains("sat_secret"))
        }
    }
}

/// Runs a test with a store and a developer's server.
private func withShop(_ body: @escaping @Sendable (StoreBench, Shop) async throws -> Void) async throws {
    try await withStore { bench in
        let (shop, server) = try Shop.start(on: bench.reactor)
        try await body(bench, shop)
        await server.drain()
    }
}
