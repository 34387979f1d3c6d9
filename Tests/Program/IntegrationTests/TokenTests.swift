import IntegrationKit
import Testing

/// T16, T17, T31 to T33 and T37 of docs/contract.md: tokens in other places than their own.
@Suite struct `A token in the wrong place` {
    /// Every token of a webview session that is ready to be purchased.
    private struct Tokens {
        let launch: String
        let tab: String
        let back: String
        let proof: String

        init(_ shopper: Shopper, _ link: ReturnFields) throws {
            launch = shopper.ticket
            tab = try #require(shopper.tab.browser.cookie("secureWebviewSessionId"))
            back = link.ticket
            proof = try #require(shopper.app.cookie("swv-app"))
        }

        /// All four, without the one that belongs.
        func others(than right: String) -> [String] { [launch, tab, back, proof].filter { $0 != right } }
    }

    @Test func `opens nothing`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let tokens = try Tokens(shopper, link)
            let before = try shop.footprint()
            for token in tokens.others(than: tokens.launch) {
                #expect(try await shop.browser().open("/button?secureWebviewSessionId=" + token).status == 404)
                let form = [("secureWebviewSessionId", token)]
                #expect(try await shopper.app.fetch("/secureWebviewSession/status", form).status == 404)
                #expect(try await shopper.tab.browser.fetch("/button", form).status == 404)
                let old = link.form + [("old_secureWebviewSessionId", token)]
                #expect(try await shopper.app.fetch("/purchase", old).status == 400)
            }
            for token in tokens.others(than: tokens.back) {
                var form = link.form
                form[0].1 = token
                #expect(try await shopper.app.fetch("/purchase", form).status == 404)
                #expect(try await shopper.app.fetch("/return", form).status == 404)
                #expect(try await shopper.tab.browser.fetch("/calc_postage", form).status == 404)
                let single = [("secureWebviewSessionId", token)]
                #expect(try await shopper.tab.browser.fetch("/confirm_order", single).status == 404)
                #expect(try await shopper.tab.browser.fetch("/checkout_cancel", single).status == 404)
                #expect(try await shopper.app.open("/thanks?secureWebviewSessionId=" + token).status == 404)
            }
            #expect(try shop.footprint() == before)
            #expect(try await shopper.purchase(link).status == 200)
        }
    }

    @Test func `is refused in every cookie`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let tokens = try Tokens(shopper, link)
            let before = try shop.footprint()
            for token in tokens.others(than: tokens.tab) {
                let cookie = [("Cookie", "__Host-secureWebviewSessionId=\(token)")]
                for path in ["/button", "/confirm_order", "/checkout_result", "/checkout_cancel", "/rescue"] {
                    let page = try await shop.browser().request("GET", path, fields: cookie)
                    #expect(page.status == 400, "\(path)")
                    #expect(page.error == "invalid_request")
                }
            }
            for token in tokens.others(than: tokens.proof) {
                let cookie = [("Cookie", "__Host-swv-app=\(token)")]
                let answer = try await shop.browser().request("POST", "/purchase", fields: cookie, form: link.form)
                #expect(answer.status == 400)
                #expect(try await shop.browser().request("GET", "/iosApp/cart", fields: cookie).status == 400)
            }
            for token in tokens.others(than: tokens.back) {
                let cookie = [("Cookie", "__Host-swv-receipt=\(token)")]
                #expect(try await shop.browser().request("GET", "/thanks", fields: cookie).status == 400)
            }
            #expect(try shop.footprint() == before)
        }
    }

    @Test func `is refused when it comes twice, and not seen under another name`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            _ = try await shopper.toButton()
            let mine = try #require(shopper.tab.browser.cookie("secureWebviewSessionId"))
            let other = try await shop.shopper()
            _ = try await other.toButton()
            let planted = try #require(other.tab.browser.cookie("secureWebviewSessionId"))
            let name = "__Host-secureWebviewSessionId"
            for pair in [(mine, planted), (planted, mine), (mine, mine)] {
                let cookie = [("Cookie", "\(name)=\(pair.0); \(name)=\(pair.1)")]
                #expect(try await shop.browser().request("GET", "/button", fields: cookie).status == 400)
            }
            let names = ["secureWebviewSessionId", "__host-secureWebviewSessionId", "__HOST-SECUREWEBVIEWSESSIONID"]
            for name in names {
                let cookie = [("Cookie", "\(name)=\(planted)")]
                #expect(try await shop.browser().request("GET", "/button", fields: cookie).status == 403)
                let both = [("Cookie", "\(name)=\(planted); __Host-secureWebviewSessionId=\(mine)")]
                #expect(
                    try await shop.browser().request("GET", "/button", fields: both).webviewSession
                        == shopper.webviewSession
                )
            }
        }
    }

    @Test func `in the memory of the tab leads nowhere, and revokes nothing`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let tab = try #require(shopper.tab.browser.cookie("secureWebviewSessionId"))
            let forged = String(shopper.ticket.dropLast()) + (shopper.ticket.hasSuffix("A") ? "B" : "A")
            let other = try await shop.shopper()
            for memory in [forged, other.ticket] {
                let jar = "__Host-secureWebviewSessionId=\(tab); __Host-old_secureWebviewSessionId=\(memory)"
                for path in ["/checkout_result", "/rescue"] {
                    let page = try await shop.browser().request("GET", path, fields: [("Cookie", jar)])
                    #expect(page.status == 409 && page.error == "session_mismatch", "\(path)")
                    #expect(!page.text.contains(memory))
                }
            }
            #expect(try shop.state(of: shopper.webviewSession) == "placed")
            #expect(try await shopper.purchase(link).status == 200)
        }
    }

    @Test func `of another checkout in the same browser changes nothing`() async throws {
        try await withShop { shop in
            let first = try await shop.shopper()
            let confirm = try await first.toConfirm()
            var second = try await shop.shopper()
            second.tab = first.tab
            let newer = try await second.toConfirm()
            let form = try #require(confirm.form(to: "/confirm_order"))
            let page = try await first.tab.browser.submit(form, on: confirm)
            #expect(page.status == 409)
            #expect(page.error == "session_mismatch")
            let cancel = try #require(confirm.form(to: "/checkout_cancel"))
            #expect(try await first.tab.browser.submit(cancel, on: confirm).status == 409)
            #expect(try shop.state(of: second.webviewSession) == "reviewed")
            #expect(try shop.state(of: first.webviewSession) == "reviewed")
            let link = try ReturnFields(try await second.tab.agree(newer))
            #expect(try await second.purchase(link).status == 200)
        }
    }
}

/// T31 of docs/contract.md: whoever a client says it is, each webview session needs the two halves that it was issued for.
@Suite struct `A webview session is purchased with the evidence of its own client` {
    enum Evidence: String, CaseIterable, Sendable {
        case appProof
        case tabToken
        case both
    }

    @Test(arguments: ["iosApp", "androidApp", "browser"], Evidence.allCases)
    func `and with no other`(_ client: String, _ evidence: Evidence) async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper(client)
            let link = try await shopper.toReturn()
            let proof = try #require(shopper.app.cookie("swv-app"))
            let tab = try #require(shopper.tab.browser.cookie("secureWebviewSessionId"))
            let jar = shop.browser()
            if evidence != .tabToken { jar.plant("__Host-swv-app", proof) }
            if evidence != .appProof { jar.plant("__Host-secureWebviewSessionId", tab) }
            let answer = try await jar.fetch("/purchase", link.form)
            let isEnough = client == "browser" ? evidence != .appProof : evidence != .tabToken
            #expect(answer.status == (isEnough ? 200 : 403), "\(answer.text)")
            #expect(try await shop.effectiveCompletions() == (isEnough ? 1 : 0))
        }
    }
}

/// T32 and T33 of docs/contract.md.
@Suite struct `An order of another webview session` {
    @Test func `cannot be planted in the tab`() async throws {
        try await withShop { shop in
            let attacker = try await shop.shopper()
            let foreign = try await attacker.toReturn()
            let victim = try await shop.shopper()
            _ = try await victim.toButton()
            let path = "/confirm_order?amazonCheckoutSessionId=" + foreign.order
            let page = try await victim.tab.browser.open(path)
            #expect(page.status == 422)
            #expect(page.error == "order_mismatch")
            #expect(try shop.state(of: victim.webviewSession) == "opened")
            let unknown = "/confirm_order?amazonCheckoutSessionId=00000000-0000-4000-8000-000000000000"
            #expect(try await victim.tab.browser.open(unknown).status == 422)
        }
    }

    @Test func `cannot be swapped into the return`() async throws {
        try await withShop { shop in
            let one = try await shop.shopper()
            let first = try await one.toReturn()
            let two = try await shop.shopper()
            let second = try await two.toReturn()
            var form = first.form
            form[2].1 = second.order
            let answer = try await one.app.fetch("/purchase", form)
            #expect(answer.status == 422)
            #expect(answer.error == "order_mismatch")
            form = first.form
            form[1].1 = "Atza|someone-elses"
            #expect(try await one.app.fetch("/purchase", form).status == 422)
            #expect(try await shop.control.calls("CompleteCheckoutSession").isEmpty)
        }
    }

    @Test func `and a receipt without proof show nothing`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let tab = try #require(shopper.tab.browser.cookie("secureWebviewSessionId"))
            #expect(try await shopper.purchase(link).status == 200)
            let bare = shop.browser()
            #expect(try await bare.open("/thanks").status == 404)
            let other = try await shop.shopper()
            #expect(try await other.app.open("/thanks?secureWebviewSessionId=" + link.ticket).status == 404)
            // The tab holds B and never sees the receipt of an app's webview session.
            let page = try await shopper.tab.browser.open("/thanks?secureWebviewSessionId=" + link.ticket)
            #expect(page.status == 404)
            #expect(try await shopper.tab.browser.open("/thanks?secureWebviewSessionId=" + tab).status == 404)
            #expect(try await shopper.tab.browser.open("/confirm_order").status == 403)
            #expect(try await shopper.cart.thanks().status == 200)
            try shop.rows("UPDATE webview_session SET receipt_until = now() - interval '1 second'")
            let late = try await shopper.cart.thanks()
            #expect(late.status == 410)
            #expect(!late.text.contains("見本"))
            #expect(
                late.all("set-cookie") == [
                    "__Host-swv-receipt=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0"
                ]
            )
        }
    }
}
