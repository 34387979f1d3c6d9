import EventIO
import IntegrationKit
import TestKit
import Testing

@testable import Program

/// Health for everybody, figures for who has the token.
@Suite struct `The administration listener beyond loopback` {
    @Test func `keeps its figures for the token and tells health to everybody`() async throws {
        let token = String(repeating: "k", count: 40)
        let path = try ProcessFolder.makeFolder("admin") + "/token"
        try Files.write(path, Array(token.utf8) + [0x0A], mode: 0o600)
        try await withShop(ShopOptions(["admin_listen": "0.0.0.0:0", "admin.token_file": path])) { shop in
            let anyone = shop.browser()
            for (path, state) in [("/healthz", "ok"), ("/readyz", "ready")] {
                let answer = try await anyone.request("GET", shop.admin + path, fields: [("Host", "broker.svc")])
                #expect(answer.status == 200)
                #expect(answer.text == "\(state)\nversion \(ProgramVersion.text)\n")
            }
            for fields in [[], [("Authorization", "Bearer " + String(token.dropLast()))]] {
                let refused = try await anyone.request("GET", shop.admin + "/metrics", fields: fields)
                #expect(refused.status == 401)
                #expect(refused.text.isEmpty)
                #expect(refused[field: "www-authenticate"] == "Bearer realm=\"sallyport\"")
            }
            let shown = [("Authorization", "Bearer " + token)]
            let figures = try await anyone.request("GET", shop.admin + "/metrics", fields: shown)
            #expect(figures.status == 200)
            #expect(figures.text.contains("sallyport_http_responses_total"))
        }
    }

    @Test func `has every counter from the start, and says what runs and what it takes`() async throws {
        try await withShop(.merchants()) { shop in
            func figures() async throws -> [String: Double] {
                let text = try await shop.browser().request("GET", shop.admin + "/metrics").text
                let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
                let pairs = lines.compactMap { line -> (String, Double)? in
                    guard let blank = line.lastIndex(of: " "), let value = Double(line[line.index(after: blank)...])
                    else { return nil }
                    return (String(line[..<blank]), value)
                }
                #expect(pairs.count == lines.count && Set(pairs.map(\.0)).count == pairs.count)
                return Dictionary(pairs) { $1 }
            }
            let before = try await figures()
            let build = #"sallyport_build_info{version="\#(ProgramVersion.text)",commit="\#(ProgramVersion.commit)"}"#
            #expect(before[build] == 1)
            for name in ["cpu_seconds_total", "resident_memory_bytes", "open_fds", "max_fds", "start_time_seconds"] {
                #expect((before["process_" + name] ?? 0) > 0, "\(name)")
            }
            let requests = #"sallyport_merchant_requests_total{route="listSessions",code="200"}"#
            func answers(_ figures: [String: Double]) -> Double {
                let counts = figures.filter { $0.key.hasPrefix("sallyport_http_request_duration_seconds_count") }
                return counts.values.reduce(0, +)
            }
            #expect(before[requests] == 0)
            #expect(before[#"sallyport_merchant_requests_total{route="captureCharge",code="503"}"#] == 0)
            #expect(before[#"sallyport_payment_operations_total{kind="refund",outcome="stuck"}"#] == 0)
            #expect(before[#"sallyport_open_fetch_site_total{site="none",client="site"}"#] == 0)
            _ = try await shop.merchant().get("/v1/sessions")
            let after = try await figures()
            #expect(after[requests] == 1)
            #expect(answers(after) > answers(before))
            #expect(Set(before.keys).isSuperset(of: after.keys.filter { $0.hasPrefix("sallyport_merchant_requests") }))
        }
    }

    @Test func `and on loopback answers no page of another site`() async throws {
        try await withShop { shop in
            for path in ["/metrics", "/healthz"] {
                let answer = try await shop.browser()
                    .request("GET", shop.admin + path, fields: [("Host", "evil.example:8444")])
                #expect(answer.status == 421)
                #expect(answer.text.isEmpty)
            }
        }
    }
}
