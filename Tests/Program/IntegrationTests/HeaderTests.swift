import EventIO
import HTTPCore
import IntegrationKit
import Primitives
import TestKit
import Testing
import Web

@testable import Program

/// The routes of a shop; those of a feature's page are that feature's to test.
private func ownRoutes() throws -> [RouteCard] {
    let others = try FeaturePage.names("Routes")
    return RoutesCommand.pageRoutes.filter { !others.contains("\($0.method.text) \($0.path)") }
}

/// The response headers of docs/contract.md, route by route: the exact head of every answer.
@Suite struct `The head of every answer` {
    private static let common = [
        "strict-transport-security: max-age=63072000; includeSubDomains", "x-content-type-options: nosniff",
        "x-frame-options: DENY",
        "permissions-policy: camera=(), microphone=(), geolocation=(), browsing-topics=()",
    ]
    /// Of what goes out in clear, where transport security is not claimed.
    private static let clear = Array(common.dropFirst())
    private static let noStore = "cache-control: no-store"
    private static let noReferrer = "referrer-policy: no-referrer"
    private static let robots = "x-robots-tag: noindex, nofollow"
    private static let isolated = [
        "cross-origin-opener-policy: same-origin", "cross-origin-resource-policy: same-origin",
    ]
    private static let closed = "content-security-policy: default-src 'none'; frame-ancestors 'none'"
    private static let plain = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    private static let p0 = plain + "form-action 'none'; frame-ancestors 'none'"
    private static let form = plain + "form-action 'self'; frame-ancestors 'none'"
    private static let p1 =
        "default-src 'none'; script-src 'nonce-R'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    private static let fallback =
        "default-src 'none'; script-src 'nonce-R'; style-src 'nonce-R'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

    private static func p2(_ simulator: RunningSimulator) -> String {
        let pages = "\(simulator.url) https://\(simulator.authority)"
        return "default-src 'none'; script-src 'nonce-R' \(simulator.url); style-src 'self' \(simulator.url); "
            + "style-src-attr 'unsafe-inline'; img-src 'self' data: \(simulator.url); connect-src 'self' \(pages); "
            + "frame-src https: \(simulator.url); form-action 'self' https: \(simulator.url); base-uri 'none'; "
            + "frame-ancestors 'none'; "
            + "report-to csp"
    }

    private static let reports = ["reporting-endpoints: csp=\"/csp_report\""]

    private static func page(_ referrer: String, _ policy: String, robots isHidden: Bool = true) -> [String] {
        common + isolated + [
            "content-type: text/html; charset=utf-8", noStore, "referrer-policy: " + referrer,
            "content-security-policy: " + policy,
        ] + (isHidden ? [robots] : [])
    }

    /// A page with the provider's script: the windows that it opens keep their opener.
    private static func providerPage(_ simulator: RunningSimulator) -> [String] {
        page("strict-origin", p2(simulator)).filter { !$0.hasPrefix("cross-origin-opener-policy") } + reports
            + ["cross-origin-opener-policy: same-origin-allow-popups"]
    }

    private static func redirect(_ location: String) -> [String] {
        common + isolated + [noStore, noReferrer, closed, robots, "location: " + location]
    }

    private static let json =
        common + [
            "content-type: application/json; charset=utf-8", noStore, noReferrer, closed,
            "cross-origin-resource-policy: same-origin",
        ]
    private static let neutral = page("no-referrer", p0, robots: false)
    private static let association =
        common + [
            "content-type: application/json", "cache-control: public, max-age=3600", noReferrer,
            "cross-origin-resource-policy: cross-origin", "content-security-policy: default-src 'none'", "etag: T",
        ]
    private static let admin =
        clear + [noStore, noReferrer, closed, robots, "content-type: text/plain; version=0.0.4; charset=utf-8"]

    /// What of a head is compared: everything but what differs from one answer to the next.
    private static func head(of page: Page) -> Set<String> {
        let others = ["date: ", "content-length: ", "webview-session-id: ", "connection: ", "set-cookie: "]
        let lines = page.head.filter { line in !others.contains { line.hasPrefix($0) } }
        return Set(
            lines.map { line in
                if line.hasPrefix("etag: ") { return "etag: T" }
                var parts = line.split(separator: "'nonce-", omittingEmptySubsequences: false).map(String.init)
                for index in parts.indices.dropFirst() {
                    parts[index] = "'nonce-R" + parts[index].drop { $0 != "'" }
                }
                return parts.joined()
            }
        )
    }

    /// Compares an answer with its row and takes its route off the list.
    private final class Checklist {
        private(set) var open: Set<String>

        init() throws {
            open = Set(try ownRoutes().map { "\($0.site.text) \($0.method.text) \($0.path)" })
        }

        func check(_ route: String, _ answer: Page, _ status: Int, _ expected: [String], cookies: [String] = []) {
            open.remove(route)
            #expect(answer.status == status, "\(route)")
            let found = head(of: answer)
            let missing = Set(expected).subtracting(found).sorted()
            let extra = found.subtracting(expected).sorted()
            #expect(missing.isEmpty && extra.isEmpty, "\(route) \(answer.status): lacks \(missing), adds \(extra)")
            #expect(answer.all("set-cookie") == cookies, "\(route)")
        }
    }

    @Test func `is exactly its row of the table`() async throws {
        try await withShop { shop in
            let list = try Checklist()
            try await Self.checkApp(shop, list)
            try await Self.checkTab(shop, list)
            try await Self.checkRest(shop, list)
            #expect(list.open == [], "routes without a row")
        }
    }

    private static func checkApp(_ shop: Shop, _ list: Checklist) async throws {
        for client in ["iosApp", "androidApp", "browser"] {
            let app = shop.browser()
            let cart = try await app.request("GET", "/\(client)/cart")
            let proof = app.cookie("swv-app") ?? "none"
            let cookie = "__Host-swv-app=\(proof); Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200"
            let row = page("same-origin", p1, robots: false)
            list.check("web GET /\(client)/cart", cart, 200, row, cookies: [cookie])
            list.check("web GET /\(client)/cart", try await app.request("GET", "/\(client)/cart"), 200, row)
        }
        let shopper = try await shop.shopper()
        let cart = [("client", "iosApp"), ("hd8", "1"), ("hd10", "1")]
        list.check(
            "web POST /secureWebviewSession",
            try await shopper.app.fetch("/secureWebviewSession", cart),
            200,
            json
        )
        let launch = [("secureWebviewSessionId", shopper.ticket)]
        let status = try await shopper.app.fetch("/secureWebviewSession/status", launch)
        list.check("web POST /secureWebviewSession/status", status, 200, json)
        let link = try await shopper.toReturn()
        list.check("web POST /return", try await shopper.app.fetch("/return", link.form), 200, json)
        let quote = try await shopper.tab.browser.fetch("/calc_postage", link.form)
        list.check("web POST /calc_postage", quote, 200, json)
        let receipt = "__Host-swv-receipt=\(link.ticket); Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=900"
        list.check("web POST /purchase", try await shopper.purchase(link), 200, json, cookies: [receipt])
        let thanks = page("no-referrer", p0, robots: false)
        list.check("web GET /thanks", try await shopper.app.request("GET", "/thanks"), 200, thanks)
        let named = try await shopper.app.request("GET", "/thanks?secureWebviewSessionId=" + link.ticket)
        list.check("web GET /thanks", named, 303, redirect("/thanks"), cookies: [receipt])
        list.check("web GET /thanks", try await shop.browser().request("GET", "/thanks"), 404, neutral)
        list.check("web POST /purchase", try await shop.browser().fetch("/purchase", link.form), 403, json)
    }

    private static func checkTab(_ shop: Shop, _ list: Checklist) async throws {
        let shopper = try await shop.shopper()
        let tab = shopper.tab.browser
        let ahead = try await tab.request("GET", shopper.launchPath, fields: [("Sec-Purpose", "prefetch")])
        let prefetch = common + [noStore, noReferrer, closed, "retry-after: 0", "vary: Sec-Purpose"]
        list.check("web GET /button", ahead, 503, prefetch)
        let opened = try await tab.request("GET", shopper.launchPath)
        let life = "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=7200"
        let cookies = [
            "__Host-secureWebviewSessionId=\(tab.cookie("secureWebviewSessionId") ?? "")\(life)",
            "__Host-old_secureWebviewSessionId=\(shopper.ticket)\(life)",
        ]
        let open = redirect("/button") + ["vary: Sec-Purpose, Cookie"]
        list.check("web GET /button", opened, 303, open, cookies: cookies)
        let button = try await tab.request("GET", "/button")
        list.check("web GET /button", button, 200, providerPage(shop.simulator))
        list.check("web GET /button", try await shop.browser().request("GET", "/button"), 403, neutral)
        let unknown = try await shop.browser().request("GET", "/button?secureWebviewSessionId=swa_x")
        list.check("web GET /button", unknown, 404, neutral)
        let confirm = try await shopper.tab.choose(button)
        list.check("web GET /confirm_order", confirm, 200, providerPage(shop.simulator))
        let order = try shop.value(
            "SELECT order_ref FROM webview_session WHERE webview_session_id = $1",
            [shopper.webviewSession]
        )
        let review = try await tab.request("GET", "/confirm_order?amazonCheckoutSessionId=" + order)
        list.check("web GET /confirm_order", review, 303, redirect("/confirm_order"))
        let form = try #require(confirm.form(to: "/confirm_order")).fields
        let agreed = try await tab.request("POST", "/confirm_order", form: form)
        let target = agreed[field: "location"] ?? ""
        #expect(target.hasPrefix(shop.simulator.url + "/checkout/processing?amazonCheckoutSessionId=" + order))
        list.check("web POST /confirm_order", agreed, 303, redirect(target))
        let result = try await tab.request("GET", "/checkout_result")
        list.check("web GET /checkout_result", result, 200, page("same-origin", p1))
        list.check("web GET /rescue", try await tab.request("GET", "/rescue"), 200, page("same-origin", p0))
        let cancel = try await tab.request("GET", "/checkout_cancel")
        list.check("web GET /checkout_cancel", cancel, 200, page("same-origin", Self.form))
        let ended = try await tab.request("POST", "/checkout_cancel", form: [form[0]])
        let over = ["secureWebviewSessionId", "old_secureWebviewSessionId"].map { name in
            "__Host-\(name)=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"
        }
        list.check("web POST /checkout_cancel", ended, 200, page("same-origin", Self.form), cookies: over)
        let other = try await shop.shopper()
        let posted = try await other.tab.browser.request(
            "POST",
            "/button",
            fields: [("Origin", shop.web)],
            form: [("secureWebviewSessionId", other.ticket)]
        )
        list.check("web POST /button", posted, 303, open, cookies: posted.all("set-cookie"))
        #expect(posted.all("set-cookie").count == 2)
    }

    private static func checkRest(_ shop: Shop, _ list: Checklist) async throws {
        let report = try await shop.browser().request(
            "POST",
            "/csp_report",
            fields: [("Content-Type", "application/reports+json")],
            body: Array("[]".utf8)
        )
        let noted = common + isolated + [noStore, noReferrer, closed, robots]
        list.check("web POST /csp_report", report, 204, noted)
        let anyone = shop.browser()
        let pushed = try await anyone.request("POST", "/ipn/amazon-pay", fields: [], body: Array("{}".utf8))
        list.check("web POST /ipn/amazon-pay", pushed, 404, json)
        for method in ["GET", "POST"] {
            let answer = try await anyone.request(method, "/error", form: method == "POST" ? [("a", "b")] : nil)
            list.check("web \(method) /error", answer, 200, neutral)
        }
        // A shop has a front of its own: only a demo says what it is about.
        list.check("web GET /", try await anyone.request("GET", "/"), 404, neutral)
        list.check("web GET /crt/sample.crt", try await anyone.request("GET", "/crt/sample.crt"), 404, json)
        for path in [
            "/.well-known/apple-app-site-association", "/apple-app-site-association", "/.well-known/assetlinks.json",
        ] {
            let answer = try await anyone.request("GET", shop.link + path)
            list.check("link GET \(path)", answer, 200, association)
            #expect(answer[field: "content-length"] == "\(answer.text.utf8.count)")
            let tag = try #require(answer[field: "etag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""), "a strong tag")
            let known = try await anyone.request("GET", shop.link + path, fields: [("If-None-Match", tag)])
            #expect(known.status == 304)
            #expect(known.text.isEmpty)
            #expect(known[field: "etag"] == tag)
            let head = try await anyone.request("HEAD", shop.link + path)
            list.check("link GET \(path)", head, 200, association)
            #expect(head.text.isEmpty)
            #expect(try await anyone.request("GET", shop.web + path).status == 404)
        }
        for (face, base) in [("web", shop.web), ("link", shop.link)] {
            let answer = try await anyone.request("GET", base + "/.well-known/security.txt")
            let row = face == "web" ? neutral : page("no-referrer", fallback)
            list.check("\(face) GET /.well-known/security.txt", answer, 404, row)
        }
        let index = try await anyone.request("GET", shop.link + "/index.html?secureWebviewSessionId=swc_x")
        list.check("link GET /index.html", index, 200, page("no-referrer", fallback))
        for path in ["/", "/healthz", "/readyz", "/metrics"] {
            list.check("admin GET \(path)", try await anyone.request("GET", shop.admin + path), 200, admin)
        }
    }

    @Test func `of security.txt is its row, with contact and end, on both hosts`() async throws {
        let contact = "mailto:security@shop.example"
        try await withShop(ShopOptions(["security.contact": contact])) { shop in
            let list = try Checklist()
            for (face, base) in [("web", shop.web), ("link", shop.link)] {
                let answer = try await shop.browser().request("GET", base + "/.well-known/security.txt")
                let fields = [Self.noStore, Self.noReferrer, Self.closed, "content-type: text/plain; charset=utf-8"]
                list.check("\(face) GET /.well-known/security.txt", answer, 200, Self.common + fields)
                let lines = answer.text.split(separator: "\n").map(String.init)
                #expect(lines.count == 2 && lines.first == "Contact: " + contact)
                let end = try #require(lines.last?.dropFirst("Expires: ".count))
                #expect(try #require(CalendarDate.time(of: String(end))) > SystemClock().now())
            }
        }
    }

    @Test func `of a page between ticket and open is its row too`() async throws {
        try await withShop(ShopOptions(["open.mode": "auto_post"])) { shop in
            let list = try Checklist()
            let shopper = try await shop.shopper()
            let answer = try await shopper.tab.browser.request("GET", shopper.launchPath)
            let policy =
                "default-src 'none'; script-src 'nonce-R'; style-src 'self'; img-src 'self'; form-action 'self'; "
                + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
            list.check("web GET /button", answer, 200, Self.page("same-origin", policy))
            #expect(try shop.state(of: shopper.webviewSession) == "issued")
        }
    }

    @Test func `to a wrong method names the right ones, to a wrong path is neutral`() async throws {
        try await withShop { shop in
            let anyone = shop.browser()
            let bases = ["web": shop.web, "link": shop.link, "admin": shop.admin]
            for route in try ownRoutes() {
                let base = try #require(bases[route.site.text])
                for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"] {
                    let answer = try await anyone.request(method, base + "\(route.path)")
                    #expect(answer.status == 405, "\(method) \(route.path)")
                    let allow = answer[field: "allow"] ?? ""
                    #expect(allow.contains("\(route.method.text)"), "\(route.path): \(allow)")
                    Self.expectSafe(answer, isClear: base == shop.admin)
                }
            }
            for path in [
                "/", "/nothing", "/button/", "//button", "/BUTTON", "/static/", "/static/../migrations", "/.env",
            ] {
                for base in [shop.web, shop.link] {
                    let answer = try await anyone.request("GET", base + path)
                    #expect(answer.status == 404, "\(base)\(path)")
                    Self.expectSafe(answer)
                    // That host has no static files.
                    if base == shop.link {
                        #expect(Self.head(of: answer) == Set(Self.page("no-referrer", Self.fallback)), "\(path)")
                        #expect(answer.text.contains("<style nonce=") && !answer.text.contains("/static/"))
                        #expect(answer.error == "not_found" && answer.link("rescue") == shop.web + "/rescue")
                    }
                }
            }
            let elsewhere = try await anyone.request("GET", "/iosApp/cart", fields: [("Host", "evil.example")])
            #expect(elsewhere.status == 421)
            #expect(Self.head(of: elsewhere) == Set(Self.common))
        }
    }

    private static func expectSafe(_ answer: Page, isClear: Bool = false) {
        let head = head(of: answer)
        #expect(Set(isClear ? clear : common).isSubset(of: head), "\(answer.url.text)")
        #expect(isClear != head.contains { $0.hasPrefix("strict-transport-security: ") }, "\(answer.url.text)")
        #expect(head.contains(noStore), "\(answer.url.text)")
        #expect(head.contains { $0.hasPrefix("content-security-policy: ") }, "\(answer.url.text)")
        #expect(!head.contains { $0.hasPrefix("server:") || $0.hasPrefix("access-control-") })
        #expect(answer.all("set-cookie").isEmpty)
    }

    @Test func `of a static file says that it never changes`() async throws {
        try await withShop { shop in
            let page = try await shop.browser().open("/iosApp/cart")
            let files =
                page.tags("link").compactMap { $0["href"] } + page.tags("script").compactMap { $0["src"] }
                + page.tags("img").compactMap { $0["src"] }
            let paths = Set(files.filter { $0.hasPrefix("/static/") })
            #expect(paths.count >= 5)
            for path in paths {
                let answer = try await shop.browser().request("GET", path)
                #expect(answer.status == 200)
                let others = Self.head(of: answer).subtracting(
                    Self.common + [
                        "cache-control: public, max-age=31536000, immutable", Self.noReferrer, "etag: T",
                        "cross-origin-resource-policy: same-origin", "content-security-policy: default-src 'none'",
                    ]
                )
                #expect(others.count == 1 && others.first?.hasPrefix("content-type: ") == true, "\(path): \(others)")
                let tag = answer[field: "etag"] ?? ""
                let known = try await shop.browser().request("GET", path, fields: [("If-None-Match", tag)])
                #expect(known.status == 304)
                let wrong = try await shop.browser().request("POST", path, form: [])
                #expect(wrong.status == 405)
                #expect(wrong[field: "allow"] == "GET, HEAD")
            }
        }
    }

    @Test func `has another nonce every time, and no page with a ticket in its address loads from elsewhere`()
        async throws
    {
        try await withShop { shop in
            let one = try await shop.browser().request("GET", "/iosApp/cart")
            let two = try await shop.browser().request("GET", "/iosApp/cart")
            let nonces = [one, two].map { page in
                page.tags("script").compactMap { $0["nonce"] }
            }
            #expect(Set(nonces[0]).count == 1)
            #expect(nonces[0] != nonces[1])
            let link = shop.link + "/index.html?secureWebviewSessionId=swc_x&old_secureWebviewSessionId=swa_x"
            let page = try await shop.browser().request("GET", link)
            for name in ["script", "link", "img", "iframe"] {
                for tag in page.tags(name) {
                    #expect(tag["src"] == nil && tag["href"]?.hasPrefix("data:") != false, "\(tag)")
                }
            }
            #expect(!page.text.contains("swc_x"))
        }
    }

    @Test func `is the same over TLS`() async throws {
        var options = ShopOptions()
        options.isSecure = true
        options.isSimulatorSecure = true
        try await withShop(options) { shop in
            let shopper = try await shop.shopper()
            #expect(shopper.app.cookies.map(\.name) == ["__Host-swv-app"])
            let link = try await shopper.toReturn()
            #expect(link.link.hasPrefix("https://links.localhost:8443/index.html?"))
            let answer = try await shopper.purchase(link)
            #expect(answer.status == 200)
            #expect(Self.head(of: answer) == Set(Self.json))
        }
    }
}
