import EventIO
import IntegrationKit
import TestKit
import Testing

@testable import SallyportApp

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
