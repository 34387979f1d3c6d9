import IntegrationKit
import TestKit
import Testing

/// Settings that change what a browser is told or asked, each away from its default.
@Suite struct `A setting of the policy` {
    @Test(arguments: [("cross-site", 403), ("same-site", 403), ("same-origin", 303), ("none", 303), (nil, 303)])
    func `open.fetch_site=enforce refuses an open that another site caused, and uses up nothing`(
        _ site: String?,
        _ status: Int
    ) async throws {
        try await withShop(ShopOptions(["open.fetch_site": "enforce"])) { shop in
            let shopper = try await shop.shopper()
            let fields = site.map { [("Sec-Fetch-Site", $0)] } ?? []
            let answer = try await shopper.tab.browser.request("GET", shopper.launchPath, fields: fields)
            #expect(answer.status == status)
            #expect(answer.error == (status == 403 ? "wrong_browser" : ""))
            #expect(try shop.state(of: shopper.webviewSession) == (status == 403 ? "issued" : "opened"))
            if status == 403 { #expect(try await shopper.toButton().status == 200) }
        }
    }

    @Test func `open.fetch_site=observe only counts it`() async throws {
        try await withShop(ShopOptions(["open.fetch_site": "observe"])) { shop in
            let shopper = try await shop.shopper()
            let fields = [("Sec-Fetch-Site", "cross-site")]
            let answer = try await shopper.tab.browser.request("GET", shopper.launchPath, fields: fields)
            #expect(answer.status == 303)
        }
    }

    @Test func `csp.p2=report enforces our own part and reports the provider's`() async throws {
        try await withShop(ShopOptions(["csp.p2": "report"])) { shop in
            let shopper = try await shop.shopper()
            for page in [try await shopper.toButton(), try await shopper.tab.choose(try await shopper.toButton())] {
                let enforced = page.all("content-security-policy")
                let reported = page.all("content-security-policy-report-only")
                #expect(page.status == 200 && enforced.count == 1 && reported.count == 1)
                #expect(!enforced[0].contains(shop.simulator.url))
                #expect(enforced[0].hasPrefix("default-src 'none'; script-src 'nonce-"))
                // The buyer still gets to the provider.
                #expect(enforced[0].contains("frame-src https:; form-action 'self' https:; "))
                #expect(reported[0].contains("form-action 'self' https: \(shop.simulator.url);"))
                let nonces = Set((enforced + reported).map { $0.split(separator: "'")[3] })
                #expect(nonces.count == 1)
                #expect(reported[0].hasSuffix("; report-to csp"))
                #expect(page.all("reporting-endpoints") == [#"csp="/csp_report""#])
            }
        }
    }

    @Test func `a report is counted and its two words are logged, nothing else of it`() async throws {
        let log = CapturedLog()
        var options = ShopOptions()
        options.logger = log.logger()
        try await withShop(options) { shop in
            let body = #"""
                [{"type":"csp-violation","url":"https://shop/button?swa_secret","body":{"blockedURL":
                "https://fonts.example:8443/css?family=x","effectiveDirective":"style-src-elem"}}]
                """#
            let fields = [("Content-Type", "application/reports+json")]
            let answer = try await shop.browser().request("POST", "/csp_report", fields: fields, body: Array(body.utf8))
            #expect(answer.status == 204)
            let lines = log.lines(with: "page.policy_report")
            #expect(lines.count == 1)
            #expect(lines.joined().contains(#""directive":"style-src-elem","source":"https://fonts.example:8443""#))
            #expect(!lines.joined().contains("family") && !lines.joined().contains("secret"))
            let form = try await shop.browser().request("POST", "/csp_report", form: [("a", "b")])
            #expect(form.status == 400)
            let metrics = try await shop.browser().request("GET", shop.admin + "/metrics").text
            #expect(metrics.contains("sallyport_policy_reports_total 1\n"))
        }
    }
}
