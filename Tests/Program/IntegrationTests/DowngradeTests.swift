import IntegrationKit
import Program
import Testing

/// T18 of docs/contract.md: the http port says where https is, and burns what must not travel in clear.
@Suite struct `The http port` {
    private static let settings = ShopOptions(["redirect_listen": "127.0.0.1:0"])

    /// A browser that is sent to http.
    private func browser(_ shop: Shop) throws -> TestBrowser {
        let address = try #require(shop.broker.redirectAddresses.first)
        let truth = "http://\(address)"
        return TestBrowser(
            HostTable(["http://localhost": [truth], "http://links.localhost": [truth], "http://evil.example": [truth]]),
            home: "http://localhost",
            language: "en"
        )
    }

    private static let head = [
        "x-content-type-options: nosniff", "x-frame-options: DENY",
        "permissions-policy: camera=(), microphone=(), geolocation=(), browsing-topics=()",
        "cache-control: no-store", "referrer-policy: no-referrer",
        "content-security-policy: default-src 'none'; frame-ancestors 'none'", "x-robots-tag: noindex, nofollow",
    ]

    @Test(arguments: [
        ("http://localhost/iosApp/cart", "http://localhost:8080/iosApp/cart"),
        ("http://localhost/iosApp/cart?a=1&hd8=2", "http://localhost:8080/iosApp/cart"),
        ("http://localhost//evil.example/x", "http://localhost:8080/"),
        ("http://localhost/nothing/%20here", "http://localhost:8080/"),
        ("http://localhost/iosApp/cart/", "http://localhost:8080/"),
        ("http://localhost/index.html", "http://localhost:8080/"),
        ("http://localhost/v1/sessions", "http://localhost:8080/"),
        ("http://links.localhost/index.html", "http://links.localhost:8080/index.html"),
        ("http://links.localhost/iosApp/cart", "http://links.localhost:8080/"),
        ("http://localhost/?swa_short=swb_", "http://localhost:8080/"),
    ])
    func `sends a GET without a token to the same page, and copies neither a query nor another path`(
        _ url: String,
        _ target: String
    )
        async throws
    {
        try await withShop(Self.settings) { shop in
            for method in ["GET", "HEAD"] {
                let answer = try await browser(shop).request(method, url)
                #expect(answer.status == 303)
                let own = answer.head.filter { !$0.hasPrefix("date:") && !$0.hasPrefix("content-length:") }
                #expect(Set(own) == Set(Self.head + ["location: " + target]))
                #expect(answer.text.isEmpty)
            }
        }
    }

    @Test func `refuses every other method, and every other host`() async throws {
        try await withShop(Self.settings) { shop in
            let post = try await browser(shop).request("POST", "/secureWebviewSession", form: [("client", "iosApp")])
            #expect(post.status == 403 && post[field: "location"] == nil)
            let foreign = try await browser(shop).request("GET", "http://evil.example/iosApp/cart")
            #expect(foreign.status == 421 && foreign[field: "location"] == nil)
            #expect(try shop.value("SELECT count(*) FROM webview_session") == "0")
        }
    }

    @Test func `burns a launch ticket that was seen, and never repeats it`() async throws {
        try await withShop(Self.settings) { shop in
            let shopper = try await shop.shopper()
            let answer = try await browser(shop).request("GET", "http://localhost" + shopper.launchPath)
            #expect(answer.status == 403)
            #expect(!(answer.head.joined() + answer.text).contains(shopper.ticket))
            #expect(answer[field: "location"] == nil)
            #expect(try shop.state(of: shopper.webviewSession) == "revoked")
            #expect(try shop.trail(of: shopper.webviewSession).last?.hasSuffix(" plaintext") == true)
            #expect(try await shopper.toButton().error == "session_revoked")
            let story = try await shop.runCommand(["audit", "--alerts"])
            #expect(story.output.contains(shopper.webviewSession) && story.output.contains("plaintext"))
        }
    }

    @Test func `burns a ticket that was seen under another host`() async throws {
        try await withShop(Self.settings) { shop in
            let shopper = try await shop.shopper()
            let answer = try await browser(shop).request("GET", "http://evil.example" + shopper.launchPath)
            #expect(answer.status == 403 && answer[field: "location"] == nil)
            #expect(try shop.state(of: shopper.webviewSession) == "revoked")
            let host = [("Host", "localhost.:80")]
            let dotted = try await browser(shop).request("GET", "http://localhost/", fields: host)
            #expect(dotted.status == 303 && dotted[field: "location"]?.contains("localhost.") == false)
        }
    }

    @Test func `burns a token wherever it stands: in a cookie, in a form, in the path`() async throws {
        try await withShop(Self.settings) { shop in
            let link = try await shop.shopper().toReturn()
            _ = try await browser(shop).request("POST", "/purchase", form: link.form)
            let tab = try await shop.shopper()
            _ = try await tab.toButton()
            let token = try #require(tab.tab.browser.cookie("secureWebviewSessionId"))
            let cookie = [("Cookie", "__Host-secureWebviewSessionId=\(token)")]
            #expect(try await browser(shop).request("GET", "/button", fields: cookie).status == 403)
            let path = try await shop.shopper()
            #expect(try await browser(shop).request("HEAD", "/x/" + path.ticket).status == 403)
            #expect(try shop.value("SELECT string_agg(DISTINCT state::text, ' ') FROM webview_session") == "revoked")
        }
    }

    /// A token as forms, gateways and rewriters write it.
    private static let spellings: [@Sendable (String) -> String] = [
        { $0.replacing("_", with: "%5F") }, { $0.replacing("_", with: "%5f") }, { "%73" + $0.dropFirst() },
        { $0.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined() },
        { $0.replacing("_", with: "%255F") }, { $0.replacing("_", with: "%25255f") }, { "%25%37%33" + $0.dropFirst() },
    ]

    @Test(arguments: Self.spellings.indices)
    func `burns a token however its characters are written, and never repeats it`(spelling: Int) async throws {
        try await withShop(Self.settings) { shop in
            func spelt(_ shopper: Shopper) -> String { Self.spellings[spelling](shopper.ticket) }
            let query = try await shop.shopper()
            var url = "http://localhost/button?secureWebviewSessionId=" + spelt(query)
            let answers = [try await browser(shop).request("GET", url)]
            let path = try await shop.shopper()
            url = "http://localhost/button/" + spelt(path)
            let head = try await browser(shop).request("HEAD", url)
            let field = try await shop.shopper()
            let referrer = [("Referer", "https://mail.example/go?to=" + spelt(field)), ("Cookie", "a=b")]
            let referred = try await browser(shop).request("GET", "http://localhost/", fields: referrer)
            let body = try await shop.shopper()
            let form = try await browser(shop).request(
                "POST",
                "http://localhost/purchase",
                fields: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("a=b&secureWebviewSessionId=\(spelt(body))&c=d%".utf8)
            )
            for answer in answers + [head, referred, form] {
                #expect(answer.status == 403 && answer[field: "location"] == nil)
            }
            for shopper in [query, path, field, body] {
                #expect(try shop.state(of: shopper.webviewSession) == "revoked")
                #expect(try shop.trail(of: shopper.webviewSession).last?.hasSuffix(" plaintext") == true)
            }
        }
    }

    @Test func `is not there unless it is set`() async throws {
        try await withShop { shop in #expect(shop.broker.redirectAddresses.isEmpty) }
    }
}
