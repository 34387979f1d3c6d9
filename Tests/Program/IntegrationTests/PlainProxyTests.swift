import EventIO
import IntegrationKit
import Program
import Testing

/// What proxies and health checks send that browsers do not: HTTP/1.0, targets in absolute-form, no Host.
@Suite struct `Behind a plain proxy` {
    /// The status and the body that curl gets.
    private func curl(_ words: String...) async throws -> (status: String, text: String) {
        let plan = ChildPlan("/usr/bin/curl", ["-sS", "--max-time", "300", "-w", "\n%{http_code}"] + words)
        let result = try plan.run(atMost: .seconds(300))
        let output = String(decoding: result.output, as: UTF8.self)
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    @Test func `HTTP/1.0 is served on every listener`() async throws {
        try await withShop(ShopOptions(["redirect_listen": "127.0.0.1:0"])) { shop in
            let address = try #require(shop.broker.addresses.first)
            let (web, link) = (String(shop.web.dropFirst(7)), String(shop.link.dropFirst(7)))
            let cart = try await curl("--http1.0", "-H", "Host: \(web)", "http://\(address)/browser/cart")
            #expect(cart.status == "200")
            #expect(cart.text.contains("</html>"))
            let path = "/.well-known/apple-app-site-association"
            #expect(try await curl("--http1.0", "-H", "Host: \(link)", "http://\(address)\(path)").status == "200")
            #expect(try await curl("--http1.0", "\(shop.admin)/readyz").status == "200")
            let redirect = try #require(shop.broker.redirectAddresses.first)
            #expect(try await curl("--http1.0", "-H", "Host: localhost", "http://\(redirect)/").status == "303")
        }
    }

    @Test func `without a Host only the administration listener answers`() async throws {
        try await withShop(ShopOptions(["redirect_listen": "127.0.0.1:0"])) { shop in
            let address = try #require(shop.broker.addresses.first)
            let redirect = try #require(shop.broker.redirectAddresses.first)
            for other in ["\(address)", "\(redirect)"] {
                #expect(try await curl("--http1.0", "-H", "Host:", "http://\(other)/browser/cart") == ("421", ""))
            }
            for path in ["/healthz", "/readyz"] {
                #expect(try await curl("--http1.0", "-H", "Host:", shop.admin + path).status == "200")
            }
        }
    }

    @Test func `a target in absolute-form is held against the list of hosts`() async throws {
        try await withShop { shop in
            let address = try #require(shop.broker.addresses.first)
            let (web, link) = (String(shop.web.dropFirst(7)), String(shop.link.dropFirst(7)))
            func status(_ target: String, host: String) async throws -> String {
                try await curl("--request-target", target, "-H", "Host: \(host)", "http://\(address)/").status
            }
            #expect(try await status("http://\(web)/browser/cart", host: web) == "200")
            #expect(try await status("https://\(web)/browser/cart", host: web) == "200")
            #expect(try await status("http://\(link)/browser/cart", host: link) == "404")
            #expect(try await status("http://evil.example/browser/cart", host: "evil.example") == "421")
            #expect(try await status("http://evil.example/browser/cart", host: web) == "400")
            #expect(try await status("http://\(web)/browser/cart", host: "evil.example") == "400")
            #expect(try await status("http://\(web)/browser/cart", host: link) == "400")
        }
    }
}
