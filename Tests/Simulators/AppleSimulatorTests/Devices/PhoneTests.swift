import EventIO
import HTTPCore
import HTTPServer
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Phones with an app")
struct PhoneTests {
    private static let given: JSONValue = [
        "object": "deviceClaim", "decision": "allow", "reason": "accepted", "state": "trial-used", "isGranted": true,
    ]
    private static let denied: JSONValue = [
        "object": "deviceClaim", "decision": "deny", "reason": "state", "state": "trial-used", "isGranted": false,
    ]

    private func press(_ bench: DeviceCheckBench, _ path: String, _ body: String) async throws -> InboundResponse {
        let fields = [
            ("accept", "text/html"), ("content-type", "application/x-www-form-urlencoded"), ("accept-language", "en"),
        ]
        return try await bench.send("POST", "/_sim/devices" + path, Array(body.utf8), fields: fields)
    }

    private func page(_ bench: DeviceCheckBench, _ language: String = "en") async throws -> String {
        let fields = [("accept", "text/html,*/*;q=0.8"), ("accept-language", language)]
        let answer = try await bench.send("GET", "/_sim", fields: fields)
        #expect(answer.status == 200)
        #expect(answer.first("content-security-policy")?.hasPrefix("default-src 'none'; style-src 'self';") == true)
        return String(decoding: answer.body, as: UTF8.self)
    }

    @Test func `ask the developer's server with a token of their own, each time a new one`() async throws {
        try await withDeveloper { bench, shop in
            let device = try await bench.device()
            let path = "/devices/\(device)"
            let early = try await bench.send("POST", "/_sim\(path)/claim")
            #expect(early.status == 409)
            let session: JSONValue = ["account": "Hana", "server": .string(shop.origin), "token": "sat_secret"]
            #expect(try await bench.send("POST", "/_sim\(path)/sign-in", session.bytes).status == 409)
            try await bench.control("POST", "\(path)/install", ["environment": "development"])
            try await bench.control("POST", "\(path)/sign-in", session)
            shop.answers = [(200, Self.given), (503, ["code": "device_check_unavailable"])]
            let first = try await bench.control("POST", "\(path)/claim", ["purpose": "ticket-gift"])
            #expect(first["app"]?["answer"] == Self.given)
            let second = try await bench.control("POST", "\(path)/check")
            #expect(
                second["story"] == [
                    "Hana: claim ticket-gift → 200 allow accepted trial-used given",
                    "Hana: check → 503 device_check_unavailable",
                ]
            )
            #expect(shop.requests.map(\.path) == ["/app/v1/devices/claim", "/app/v1/devices/check"])
            #expect(shop.requests.allSatisfy { $0.token == "Bearer sat_secret" })
            let bodies = try shop.requests.map { try JSONParser.parse($0.body) }
            #expect(bodies.map { $0["purpose"] } == ["ticket-gift", "free-trial"])
            let tokens = try bodies.map { try #require($0["deviceToken"]?.text) }
            #expect(tokens[0] != tokens[1])
            #expect(try await bench.query(tokens[0], in: "development") == DeviceCheckBench.neverSet)
            #expect(!second.description.contains("sat_secret") && !second.description.contains(tokens[1].prefix(40)))
        }
    }

    @Test func `that make no token say so`() async throws {
        try await withDeveloper { bench, shop in
            let device = try await bench.device(["supported": false])
            try await bench.control("POST", "/devices/\(device)/install")
            let session: JSONValue = ["server": .string(shop.origin), "token": "t"]
            try await bench.control("POST", "/devices/\(device)/sign-in", session)
            try await bench.control("POST", "/devices/\(device)/claim")
            let body = try JSONParser.parse(try #require(shop.requests.first).body)
            #expect(body["deviceToken"] == nil)
            #expect(body["unsupported"] == "not-supported")
        }
    }

    @Test func `are sold with their bits, and without the app`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device(["owner": "Hana"])
            try await bench.control("POST", "/devices/\(device)/install")
            try await bench.update(try await bench.token(device), true, false)
            let sold = try await bench.control("POST", "/devices/\(device)/erase", ["owner": "Taro"])
            #expect(sold["owner"] == "Taro")
            #expect(sold["app"] == nil)
            #expect(sold["records"]?.elements.first?["bit0"] == true)
            let early = try await bench.send("POST", "/_sim/devices/\(device)/claim")
            #expect(early.status == 409)
        }
    }

    @Test func `tell the server of a sale, and of a code from support, which nobody sees again`() async throws {
        try await withDeveloper { bench, shop in
            let device = try await bench.device()
            try await bench.control("POST", "/devices/\(device)/install")
            let session: JSONValue = ["server": .string(shop.origin), "token": "t"]
            try await bench.control("POST", "/devices/\(device)/sign-in", session)
            shop.answers = [(200, ["state": "known"]), (422, ["code": "device_token_refused"])]
            try await bench.control("POST", "/devices/\(device)/release")
            let shown = try await bench.control("POST", "/devices/\(device)/reset", ["code": "ABCD-2345"])
            #expect(shown["story"] == ["release → 200 known", "reset → 422 device_token_refused"])
            #expect(shop.requests.map(\.path) == ["/app/v1/devices/release", "/app/v1/devices/reset"])
            let bodies = try shop.requests.map { try JSONParser.parse($0.body) }
            #expect(bodies.map { $0["code"] } == [nil, "ABCD-2345"])
            #expect(bodies.allSatisfy { $0["deviceToken"] != nil && $0["purpose"] == nil })
        }
    }

    @Test func `keep quiet where the server does not answer`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            try await bench.control("POST", "/devices/\(device)/install")
            let session: JSONValue = ["server": "http://127.0.0.1:1", "token": "t"]
            try await bench.control("POST", "/devices/\(device)/sign-in", session)
            let shown = try await bench.control("POST", "/devices/\(device)/claim")
            #expect(shown["story"] == ["claim → no answer"])
            let elsewhere = [("origin", "https://evil.example")]
            #expect(try await bench.send("POST", "/_sim/devices/1/claim", fields: elsewhere).status == 403)
            let unknown: JSONValue = ["purposes": "x"]
            #expect(try await bench.send("POST", "/_sim/devices/1/claim", unknown.bytes).status == 400)
        }
    }

    @Test func `are played on the page: two phones, a gift, another account, a sale`() async throws {
        try await withDeveloper { bench, shop in
            var shown = try await page(bench)
            #expect(shown.contains("value=\"Phone A\""))
            let made = try await press(bench, "", "name=Phone+A&owner=Hana+%26+Co&supported=true")
            #expect(made.status == 303)
            #expect(made.first("location") == "/_sim#phone-1")
            _ = try await press(bench, "", "name=Phone+B&owner=Taro&supported=false")
            #expect(try await press(bench, "/1/install", "environment=production").status == 303)
            let session = "account=hana&token=sat_secret&server=" + shop.origin
            #expect(try await press(bench, "/1/sign-in", session).status == 303)
            shop.answers = [(200, Self.given), (200, Self.denied)]
            #expect(try await press(bench, "/1/claim", "purpose=free-trial").first("location") == "/_sim#phone-1")
            _ = try await press(bench, "/1/claim", "purpose=free-trial")
            try await bench.control("POST", "/devices/1/bits", ["bit0": true, "last_update_time": "2026-11"])
            shown = try await page(bench)
            #expect(shown.contains("<li>hana: claim free-trial → 200 allow accepted trial-used given</li>"))
            #expect(shown.contains("<li>hana: claim free-trial → 200 deny state trial-used</li>"))
            #expect(shown.contains("<td>production</td><td>1</td><td>0</td><td>2026-11</td>"))
            #expect(shown.contains("Hana &amp; Co") && shown.contains("Phone B"))
            #expect(!shown.contains("sat_secret"))
            #expect(try await press(bench, "/1/erase", "owner=Jiro").status == 303)
            shown = try await page(bench, "ja")
            #expect(shown.contains("アプリは入っていません。") && shown.contains("Jiro"))
            #expect(shown.contains("<li>erased, and given to Jiro</li>"))
            let refused = try await press(bench, "/2/claim", "purpose=free-trial")
            #expect(refused.status == 409)
            #expect(String(decoding: refused.body, as: UTF8.self).contains("id=\"complaint\""))
        }
    }
}

/// Runs a test with phones and a developer's server.
private func withDeveloper(_ body: @escaping @Sendable (DeviceCheckBench, Shop) async throws -> Void) async throws {
    try await withDeviceCheck { bench in
        let (shop, server) = try Shop.start(on: bench.reactor)
        try await body(bench, shop)
        await server.drain()
    }
}
