import IntegrationKit
import Testing

/// T13 and T19 to T21 of docs/contract.md: requests that other sites cause, and values that somebody made up.
@Suite struct `A forged request` {
    @Test func `to the cart takes no app proof's place, and a buyer whom another site brings buys at once`()
        async throws
    {
        try await withShop { shop in
            let shopper = try await shop.shopper("browser")
            let link = try await shopper.toReturn()
            let elsewhere = try await shopper.app.open(shop.simulator.url + "/an/advertisement")
            let proof = try #require(shopper.app.cookie("swv-app"))
            let led = try await shopper.app.open("/browser/cart", from: elsewhere)
            #expect(led.status == 200 && led.all("set-cookie").isEmpty)
            #expect(shopper.app.cookie("swv-app") == proof)
            #expect(try await shopper.purchase(link).status == 200)
            // The first visit of all: the cart's own request gives the proof.
            let app = shop.browser()
            let cart = try await CartPage.load("browser", in: app, from: try await app.open(elsewhere.url.text))
            #expect(app.cookie("swv-app") == nil)
            let webviewSession = try await cart.checkOut().webviewSession
            #expect(app.cookie("swv-app") != nil)
            let ticket = try #require(cart.ticket)
            let way = try await shop.tab(in: app).cross("/button?secureWebviewSessionId=" + ticket)
            let fields = try ReturnFields(way)
            #expect(try await cart.purchase(fields.ticket, fields.accessToken, fields.order).status == 200)
            #expect(
                try shop.value(
                    "SELECT app_hash IS NOT NULL FROM webview_session WHERE webview_session_id = $1",
                    [webviewSession]
                ) == "t"
            )
        }
    }

    static let origins: [[(String, String)]] = [
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://localhost:8081")],
        [("Origin", "http://links.localhost:8080")], [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "none")],
        [("Origin", "http://localhost:8080"), ("Sec-Fetch-Site", "cross-site")],
    ]

    @Test func `of another site changes nothing on any route`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let cart = [("client", "iosApp"), ("hd8", "1"), ("hd10", "1")]
            let ticket = [("secureWebviewSessionId", link.ticket)]
            let launch = [("secureWebviewSessionId", shopper.ticket)]
            let posts: [(String, [(String, String)], TestBrowser)] = [
                ("/secureWebviewSession", cart, shopper.app), ("/purchase", link.form, shopper.app),
                ("/return", link.form, shopper.app), ("/secureWebviewSession/status", launch, shopper.app),
                ("/button", launch, shopper.tab.browser), ("/confirm_order", ticket, shopper.tab.browser),
                ("/checkout_cancel", ticket, shopper.tab.browser), ("/calc_postage", link.form, shopper.tab.browser),
            ]
            let before = try shop.footprint()
            for (path, form, browser) in posts {
                for fields in Self.origins {
                    let answer = try await browser.request("POST", path, fields: fields, form: form)
                    #expect(answer.status == 403, "\(path) \(fields)")
                    #expect(answer.error == "csrf_rejected")
                }
                let empty = try await browser.request("POST", path, form: [])
                #expect(empty.status == 400, "\(path) without parameters")
            }
            #expect(try shop.footprint() == before)
            #expect(try await shop.control.calls("CompleteCheckoutSession").isEmpty)
        }
    }

    @Test func `that does not say where it comes from opens no ticket`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let form = [("secureWebviewSessionId", shopper.ticket)]
            let silent = try await shop.browser().request("POST", "/button", form: form)
            #expect(silent.status == 403 && silent.error == "csrf_rejected")
            #expect(try shop.state(of: shopper.webviewSession) == "issued")
            for field in [("Origin", shop.web), ("Sec-Fetch-Site", "same-origin")] {
                let next = try await shop.shopper()
                let form = [("secureWebviewSessionId", next.ticket)]
                let answer = try await shop.browser().request("POST", "/button", fields: [field], form: form)
                #expect(answer.status == 303, "\(field)")
            }
        }
    }

    @Test func `with another host reaches nothing`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            for host in [
                "evil.example", "localhost", "localhost:8081", "localhost..:8080", "evil.example:8080", "[::1]:8080",
            ] {
                for path in ["/iosApp/cart", "/button", shopper.launchPath, "/index.html"] {
                    let answer = try await shop.browser().request("GET", path, fields: [("Host", host)])
                    #expect(answer.status == 421, "\(host) \(path)")
                    #expect(answer.text.isEmpty)
                }
            }
            #expect(try shop.state(of: shopper.webviewSession) == "issued")
        }
    }

    @Test func `with forwarded fields leaves no trace in any answer`() async throws {
        try await withShop { shop in
            let evil = "evil.example"
            let fields = [
                ("X-Forwarded-Host", evil), ("X-Forwarded-Proto", "gopher"), ("X-Forwarded-Port", "6666"),
                ("Forwarded", "host=\(evil);proto=gopher"), ("X-Original-URL", "https://\(evil)/"),
                ("X-Host", evil), ("Referer", "https://\(evil)/"),
            ]
            let shopper = try await shop.shopper()
            let tab = shopper.tab.browser
            var pages = [try await tab.request("GET", shopper.launchPath, fields: fields)]
            for path in ["/button", "/confirm_order", "/checkout_cancel", "/checkout_result", "/rescue", "/error"] {
                pages.append(try await tab.request("GET", path, fields: fields))
            }
            pages.append(try await shop.browser().request("GET", "/iosApp/cart", fields: fields))
            pages.append(try await shop.browser().request("GET", shop.link + "/index.html", fields: fields))
            for page in pages {
                #expect(!page.text.contains(evil), "\(page.url.text)")
                #expect(!page.head.contains { $0.contains(evil) || $0.contains("gopher") })
            }
            let payload = try #require(pages[1].form(to: "/checkout/start")?["payloadJSON"])
            #expect(payload.contains("\"checkoutReviewReturnUrl\":\"http://localhost:8080/confirm_order\""))
            #expect(payload.contains("\"checkoutCancelUrl\":\"http://localhost:8080/checkout_cancel\""))
        }
    }

    static let polyglots = [
        "//evil.example", "/\\evil.example", "https://evil.example", "https:evil.example", "@evil.example",
        "javascript:alert(1)", "%2F%2Fevil.example", "..%2f..%2fevil.example", "%0d%0aLocation:%20//evil.example",
        "'\"><script>alert(1)</script>", "%00evil.example", "evil.example%E2%80%A8", "{{evil.example}}",
    ]

    @Test func `with addresses in its parameters is sent nowhere else`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let paths = [
                "/button", "/confirm_order", "/checkout_result", "/checkout_cancel", "/thanks", "/rescue", "/error",
                "/iosApp/cart",
            ]
            let names = ["secureWebviewSessionId", "amazonCheckoutSessionId", "client", "token", "url", "redirect"]
            for text in Self.polyglots {
                for path in paths {
                    let query = names.map { "\($0)=\(FormCoding.escape(text))" }
                    for parameters in query + names.map({ "\($0)=\(text.filter { !" \"<>\\^`{|}".contains($0) })" }) {
                        let page = try await shopper.tab.browser.request("GET", "\(path)?\(parameters)")
                        let location = page[field: "location"] ?? "/"
                        #expect(location.hasPrefix("/") && !location.contains("evil"), "\(path)?\(parameters)")
                        #expect(page.status != 500, "\(path)?\(parameters)")
                        #expect(!page.text.contains("evil.example") && !page.text.contains("alert(1)"))
                    }
                }
                for index in link.form.indices {
                    var form = link.form
                    form[index].1 = text
                    let answer = try await shopper.app.fetch("/purchase", form)
                    #expect((400...422).contains(answer.status), "\(form[index].0)=\(text)")
                    #expect(!answer.text.contains("evil") && !answer.text.contains("alert"))
                }
            }
            #expect(try await shopper.purchase(link).status == 200)
        }
    }
}

/// T21 of docs/contract.md.
@Suite struct `Prices` {
    static let quantities = [
        "-1", "1.5", "1e1", "１", "100", "0x1", "+1", " 1", "1 ", "", "9999999999999999999", "NaN", "01", "1,0", "٣",
    ]

    @Test func `come from the server, whatever quantities are sent`() async throws {
        try await withShop { shop in
            let app = shop.browser()
            for text in Self.quantities {
                let form = [("client", "iosApp"), ("hd8", text), ("hd10", "1")]
                let answer = try await app.fetch("/secureWebviewSession", form)
                #expect(answer.status == 400, "\(text)")
            }
            let cart = [("client", "iosApp"), ("hd8", "1"), ("hd10", "1")]
            for extra in [("price", "1"), ("hd8", "2"), ("item0008", "1"), ("totalPrice", "1")] {
                #expect(try await app.fetch("/secureWebviewSession", cart + [extra]).status == 400, "\(extra)")
            }
            let none = [("client", "iosApp"), ("hd8", "0"), ("hd10", "0")]
            #expect(try await app.fetch("/secureWebviewSession", none).error == "quantity_invalid")
            #expect(try shop.value("SELECT count(*) FROM webview_session") == "0")
        }
    }

    static let zones = [
        ("tokyo@example.test", "27,996"), ("hokkaido@example.test", "28,536"), ("okinawa@example.test", "28,536"),
        ("threelines@example.test", "27,996"),
    ]

    @Test(arguments: zones)
    func `are the same on the page, in the order, at Amazon and in the database`(
        _ buyer: String,
        _ total: String
    ) async throws {
        try await withShop { shop in
            var shopper = try await shop.shopper()
            shopper.tab.buyer.email = buyer
            let confirm = try await shopper.toConfirm()
            #expect(confirm.text.contains("¥\(total)"))
            let link = try ReturnFields(try await shopper.tab.agree(confirm))
            let quote = try await shopper.tab.browser.fetch("/calc_postage", link.form)
            #expect(quote.member("totalPrice") == total)
            for wrong in ["1", "27,456", "0"] {
                let answer = try await shopper.app.fetch("/purchase", link.form + [("totalPrice", wrong)])
                #expect(answer.status == 409)
                #expect(answer.error == "price_changed")
            }
            let answer = try await shopper.app.fetch("/purchase", link.form + [("totalPrice", total)])
            #expect(answer.status == 200)
            let digits = total.filter { $0 != "," }
            let amounts = try await shop.control.calls().filter(\.isEffective).compactMap(\.amount)
            #expect(Set(amounts) == [digits])
            #expect(try shop.value("SELECT total FROM webview_session") == digits)
            #expect(try await shopper.cart.thanks().text.contains(total))
        }
    }
}
