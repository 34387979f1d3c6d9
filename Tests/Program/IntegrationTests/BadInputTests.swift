import IntegrationKit
import Testing

/// The rules for all routes and T38 of docs/contract.md: malformed requests get the documented code and write nothing.
@Suite struct `A malformed request` {
    private static let form = ("Content-Type", "application/x-www-form-urlencoded")

    /// Bodies that no route takes, with their media type.
    static let bodies: [(String, [(String, String)], String)] = [
        ("no media type", [], "secureWebviewSessionId=x"),
        ("JSON", [("Content-Type", "application/json")], #"{"secureWebviewSessionId":"x"}"#),
        ("multipart", [("Content-Type", "multipart/form-data; boundary=x")], "--x--"),
        ("half an escape", [form], "secureWebviewSessionId=%2"),
        ("no hexadecimal", [form], "secureWebviewSessionId=%zz"),
        ("no UTF-8", [form], "secureWebviewSessionId=%ff%fe"),
        ("surrogate", [form], "secureWebviewSessionId=%ed%a0%80"),
        ("NUL", [form], "secureWebviewSessionId=a%00b"), ("line end", [form], "secureWebviewSessionId=a%0d%0ab"),
        ("twice", [form], "secureWebviewSessionId=x&secureWebviewSessionId=x"), ("stranger", [form], "stranger=1"),
        ("nothing", [form], ""), ("marks", [form], "&&==&"), ("no value", [form], "secureWebviewSessionId"),
        ("empty", [form], "secureWebviewSessionId=&orderReferenceId=&accessToken="),
        ("too many", [form], Array(repeating: "a=1", count: 65).joined(separator: "&")),
    ]

    static let posts = [
        "/secureWebviewSession", "/purchase", "/return", "/secureWebviewSession/status", "/button", "/confirm_order",
        "/checkout_cancel", "/calc_postage",
    ]

    @Test func `with such a body is refused on every route`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            _ = try await shopper.toReturn()
            let before = try shop.footprint()
            for path in Self.posts {
                let isTab = ["/confirm_order", "/checkout_cancel", "/calc_postage"].contains(path)
                let browser = isTab ? shopper.tab.browser : shopper.app
                for (name, fields, body) in Self.bodies {
                    let answer = try await browser.request("POST", path, fields: fields, body: Array(body.utf8))
                    #expect(answer.status == 400, "\(path) \(name)")
                    #expect(answer.error == "invalid_request", "\(path) \(name)")
                }
                let large = [UInt8](repeating: 0x61, count: 17_000)
                let answer = try await browser.request("POST", path, fields: [Self.form], body: large)
                #expect(answer.status == 413, "\(path)")
            }
            #expect(try shop.footprint() == before)
        }
    }

    @Test func `whose comparison is with nothing is refused, and one without it is not`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let whole = link.form + [("old_secureWebviewSessionId", link.launch)]
            let before = try shop.footprint()
            for path in ["/purchase", "/return"] {
                for name in ["accessToken", "old_secureWebviewSessionId"] {
                    let form = whole.map { $0.0 == name ? (name, "") : $0 }
                    let answer = try await shopper.app.fetch(path, form)
                    #expect(answer.status == 400 && answer.error == "invalid_request", "\(path) \(name)")
                }
            }
            #expect(try shop.footprint() == before)
            let bare = whole.filter { $0.0 != "accessToken" && $0.0 != "old_secureWebviewSessionId" }
            #expect(try await shopper.app.fetch("/purchase", bare).status == 200)
        }
    }

    static let queries: [(String, Int)] = [
        ("/button?secureWebviewSessionId=a&secureWebviewSessionId=a", 400), ("/button?secureWebviewSessionId=%zz", 400),
        ("/button?secureWebviewSessionId=%ff", 400), ("/button?secureWebviewSessionId=%00", 400),
        ("/button?secureWebviewSessionId=swa_", 404), ("/button?secureWebviewSessionId='%20OR%201=1--", 404),
        ("/confirm_order?amazonCheckoutSessionId=x&amazonCheckoutSessionId=x", 400),
        ("/confirm_order?amazonCheckoutSessionId=../../v2/charges", 400),
        ("/confirm_order?amazonCheckoutSessionId=%", 400),
        ("/checkout_result?amazonCheckoutSessionId=%c3%28", 400), ("/thanks?secureWebviewSessionId=%", 400),
        ("/thanks?secureWebviewSessionId=swc_", 404),
    ]

    @Test func `with such a query is refused`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            _ = try await shopper.toButton()
            let before = try shop.footprint()
            for (path, status) in Self.queries {
                let answer = try await shopper.tab.browser.request("GET", path)
                #expect(answer.status == status, "\(path)")
            }
            let long = try await shopper.tab.browser.request(
                "GET",
                "/button?x=" + String(repeating: "a", count: 17_000)
            )
            #expect(long.status == 431 || long.status == 414)
            let many = (0..<80).map { ("X-Field-\($0)", "1") }
            #expect(try await shopper.tab.browser.request("GET", "/iosApp/cart", fields: many).status == 431)
            #expect(try shop.footprint() == before)
        }
    }

    @Test func `with a guessed token writes nothing`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let before = try shop.footprint()
            // The webview session's id is known, the secret behind it is not.
            func guess(_ token: String) -> String { String(token.prefix(26)) + String(repeating: "A", count: 42) }
            var form = link.form
            form[0].1 = guess(link.ticket)
            #expect(try await shopper.app.fetch("/purchase", form).status == 404)
            #expect(
                try await shop.browser().open("/button?secureWebviewSessionId=" + guess(shopper.ticket)).status == 404
            )
            let tab = guess(shopper.tab.browser.cookie("secureWebviewSessionId") ?? "")
            let cookie = [("Cookie", "__Host-secureWebviewSessionId=" + tab)]
            #expect(try await shop.browser().request("GET", "/confirm_order", fields: cookie).status == 403)
            #expect(try shop.footprint() == before)
        }
    }

    @Test func `too often is told to wait, and other addresses go on`() async throws {
        try await withShop(ShopOptions(["limits.unknown_per_minute": "1", "limits.issue_per_minute": "1"])) { shop in
            let app = shop.browser()
            let cart = [("client", "iosApp"), ("hd8", "1"), ("hd10", "1")]
            var answers: [Page] = []
            for _ in 0..<5 { answers.append(try await app.fetch("/secureWebviewSession", cart)) }
            #expect(answers.map(\.status) == [200, 429, 429, 429, 429])
            let issued = answers[0].text.split(separator: "\"").first { $0.hasPrefix("swa_") }.map(String.init) ?? ""
            #expect(answers[4].error == "rate_limited")
            #expect(answers[4][field: "retry-after"] != nil)
            #expect(try shop.value("SELECT count(*) FROM webview_session") == "1")
            let ticket = "swa_" + String(repeating: "A", count: 64)
            var statuses: [Int] = []
            for _ in 0..<8 {
                statuses.append(try await shop.browser().open("/button?secureWebviewSessionId=" + ticket).status)
            }
            #expect(statuses.first == 404)
            #expect(statuses.suffix(2) == [429, 429])
            // What is valid goes on, from that address too.
            #expect(try await shop.browser().open("/button?secureWebviewSessionId=" + issued).status == 200)
        }
    }
}
