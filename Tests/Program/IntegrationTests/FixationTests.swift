import HTTPClient
import IntegrationKit
import Testing

/// T01 to T03 and T40 of docs/contract.md: two people, one ticket; whichever process hears of whichever step.
@Suite struct `A launch ticket in foreign hands` {
    /// The attacker's app asks for a ticket, and the victim's tab goes all the way with it.
    private func fixate(_ shop: Shop) async throws -> (attacker: Shopper, link: ReturnFields) {
        let attacker = try await shop.shopper()
        var victim = attacker
        victim.tab = shop.tab()
        return (attacker, try await victim.toReturn())
    }

    /// What was decided: within seconds of the first open the second is asked for again before.
    private func judgedTrail(_ shop: Shop, _ shopper: Shopper) throws -> [String] {
        try shop.trail(of: shopper.webviewSession).filter { $0 != "open doubled" }
    }

    @Test(arguments: HTTPVersion.allCases, [1, 2])
    func `the victim's app refuses a mailed ticket, and so does the server where the app does not`(
        version: HTTPVersion,
        processes: Int
    ) async throws {
        try await withShop(.over(version, processes: processes)) { shop in
            let (attacker, link) = try await fixate(shop)
            let app = try await SeedIOSApp(shop)
            _ = try await app.tapButton()
            guard case .error = try await app.openLink(link.link) else {
                Issue.record("the app's own comparison did not notice")
                return
            }
            let answer = try await app.page.purchase(link.ticket, link.accessToken, link.order)
            #expect(answer.status == 403)
            #expect(answer.error == "proof_mismatch")
            #expect(try shop.state(of: attacker.webviewSession) == "revoked")
            #expect(
                try shop.trail(of: attacker.webviewSession) == [
                    "issue issued", "open opened", "review reviewed", "place placed", "purchase proof_mismatch",
                ]
            )
            #expect(try await shop.control.calls("CompleteCheckoutSession").isEmpty)
        }
    }

    @Test(arguments: HTTPVersion.allCases, [1, 2])
    func `the attacker gets nowhere with ticket and proof, before and after the victim`(
        version: HTTPVersion,
        processes: Int
    ) async throws {
        try await withShop(.over(version, processes: processes)) { shop in
            let (attacker, link) = try await fixate(shop)
            // The attacker holds A and P, and knows the order reference at best.
            for path in ["/purchase", "/return"] {
                let form = [
                    ("secureWebviewSessionId", attacker.ticket), ("accessToken", "sealed"),
                    ("orderReferenceId", link.order),
                ]
                let answer = try await attacker.app.fetch(path, form)
                #expect(answer.status == 404, "\(path)")
            }
            let status = try await attacker.app.fetch(
                "/secureWebviewSession/status",
                [("secureWebviewSessionId", attacker.ticket)]
            )
            #expect(status.text == #"{"state":"reviewed"}"#)
            #expect(try await attacker.app.open("/confirm_order").status == 403)
            #expect(try await attacker.app.open("/checkout_result").status == 403)
            #expect(try await attacker.app.open("/rescue").text.contains(link.ticket) == false)
            #expect(try await attacker.app.open("/thanks").status == 404)
            #expect(try await attacker.app.open("/thanks?secureWebviewSessionId=" + attacker.ticket).status == 404)
            // The ticket once more, in the attacker's own tab: both tabs die.
            let second = try await attacker.tab.open(attacker.launchPath)
            #expect(second.status == 409)
            #expect(second.error == "session_reused")
            #expect(try shop.state(of: attacker.webviewSession) == "revoked")
            let late = try await attacker.purchase(link)
            #expect(late.status == 410)
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }

    @Test(arguments: HTTPVersion.allCases, [1, 2])
    func `a ticket of client browser opens only where it was issued`(
        version: HTTPVersion,
        processes: Int
    ) async throws {
        try await withShop(.over(version, processes: processes)) { shop in
            let attacker = try await shop.shopper("browser")
            let victim = try await CartPage.load("browser", in: shop.browser())
            let page = try await victim.browser.open(attacker.launchPath)
            #expect(page.status == 403)
            #expect(page.error == "wrong_browser")
            #expect(try shop.state(of: attacker.webviewSession) == "issued")
            #expect(victim.browser.cookie("secureWebviewSessionId") == nil)
        }
    }

    @Test(arguments: HTTPVersion.allCases, [1, 2])
    func `a second open after the first tab was seen revokes both`(
        version: HTTPVersion,
        processes: Int
    ) async throws {
        try await withShop(.over(version, processes: processes)) { shop in
            let attacker = try await shop.shopper()
            let first = try await attacker.toButton()
            #expect(first.status == 200)
            let victim = shop.tab()
            let second = try await victim.open(attacker.launchPath)
            #expect(second.status == 409)
            #expect(victim.browser.cookie("secureWebviewSessionId") == nil)
            #expect(try await attacker.tab.browser.open("/button").status == 403)
            #expect(try await victim.browser.open("/button").status == 403)
            #expect(try judgedTrail(shop, attacker) == ["issue issued", "open opened", "open reused"])
        }
    }

    @Test(arguments: HTTPVersion.allCases, [1, 2])
    func `a second open before the first tab was seen replaces its token, and the orphan revokes`(
        version: HTTPVersion,
        processes: Int
    ) async throws {
        try await withShop(.over(version, processes: processes)) { shop in
            let attacker = try await shop.shopper()
            let unseen = try await attacker.tab.browser.request("GET", attacker.launchPath)
            #expect(unseen.status == 303)
            let victim = shop.tab()
            #expect(try await victim.open(attacker.launchPath).status == 200)
            #expect(try await attacker.tab.browser.open("/confirm_order").status == 403)
            #expect(try shop.state(of: attacker.webviewSession) == "revoked")
            #expect(try await victim.browser.open("/button").status == 403)
            #expect(
                try judgedTrail(shop, attacker) == ["issue issued", "open opened", "open reopened", "tab orphan"]
            )
        }
    }

    @Test(arguments: HTTPVersion.allCases, [1, 2])
    func `a stolen link buys nothing from a clean jar, and is dead after five tries`(
        version: HTTPVersion,
        processes: Int
    ) async throws {
        try await withShop(.over(version, processes: processes)) { shop in
            let owner = try await shop.shopper()
            let link = try await owner.toReturn()
            for attempt in 1...5 {
                let thief = shop.browser()
                let answer = try await thief.fetch("/purchase", link.form)
                #expect(answer.status == 403)
                #expect(answer.error == "proof_required")
                let state = try shop.state(of: owner.webviewSession)
                #expect(state == (attempt < 5 ? "placed" : "revoked"))
            }
            #expect(try await owner.purchase(link).status == 410)
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }

    @Test(arguments: HTTPVersion.allCases, [1, 2])
    func `a stolen link shows no receipt to a clean jar`(
        version: HTTPVersion,
        processes: Int
    ) async throws {
        try await withShop(.over(version, processes: processes)) { shop in
            let owner = try await shop.shopper()
            let link = try await owner.toReturn()
            #expect(try await owner.purchase(link).status == 200)
            let thief = shop.browser()
            let page = try await thief.open("/thanks?secureWebviewSessionId=" + link.ticket)
            #expect(page.status == 404)
            #expect(!page.text.contains("見本"))
            thief.plant("__Host-swv-receipt", link.ticket)
            #expect(try await thief.open("/thanks").status == 404)
        }
    }

    @Test(arguments: HTTPVersion.allCases, [1, 2])
    func `a browser that keeps no cookies is told so, and the ticket opens once more`(
        version: HTTPVersion,
        processes: Int
    ) async throws {
        try await withShop(.over(version, processes: processes)) { shop in
            let owner = try await shop.shopper()
            let inApp = shop.browser()
            _ = try await inApp.request("GET", owner.launchPath)
            inApp.forgetCookies()
            let page = try await inApp.open("/button")
            #expect(page.status == 403)
            #expect(page.text.contains("cookie"))
            #expect(try await owner.toButton().status == 200)
            #expect(try shop.state(of: owner.webviewSession) == "opened")
        }
    }
}
