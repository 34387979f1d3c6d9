import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import TestKit
import Testing

/// A request that has the right form, and the first statement that it comes to.
struct Ask: Sendable, CustomTestStringConvertible {
    let method: HTTPMethod
    let path: String
    let statement: String
    var query: String?
    /// `A`, `C` and `S` stand for launch ticket, return ticket and checkout session.
    var body: String?
    var isPage = true

    var testDescription: String { "\(method.text) \(path)\(query.map { "?" + $0 } ?? "")" }

    /// Everything that asks the store.
    static let all = [
        Ask(method: .get, path: "/button", statement: "webview_session_open_first", query: "secureWebviewSessionId=A"),
        Ask(method: .get, path: "/button", statement: "webview_session_tab_read"),
        Ask(method: .post, path: "/button", statement: "webview_session_open_first", body: "secureWebviewSessionId=A"),
        Ask(
            method: .post,
            path: "/secureWebviewSession",
            statement: "webview_session_issue",
            body: "client=iosApp&hd8=1&hd10=0",
            isPage: false
        ),
        Ask(method: .get, path: "/confirm_order", statement: "webview_session_tab_read_sealed"),
        Ask(
            method: .get,
            path: "/confirm_order",
            statement: "webview_session_tab_read",
            query: "amazonCheckoutSessionId=S"
        ),
        Ask(
            method: .post,
            path: "/confirm_order",
            statement: "webview_session_agree",
            body: "secureWebviewSessionId=C"
        ),
        Ask(method: .get, path: "/checkout_result", statement: "webview_session_tab_read"),
        Ask(
            method: .post,
            path: "/purchase",
            statement: "webview_session_begin_attempt",
            body: "secureWebviewSessionId=C&orderReferenceId=S",
            isPage: false
        ),
        Ask(
            method: .get,
            path: "/thanks",
            statement: "webview_session_show_receipt",
            query: "secureWebviewSessionId=C"
        ),
        Ask(method: .get, path: "/checkout_cancel", statement: "webview_session_tab_read"),
        Ask(
            method: .post,
            path: "/checkout_cancel",
            statement: "webview_session_tab_read",
            body: "secureWebviewSessionId=C"
        ),
        Ask(
            method: .post,
            path: "/calc_postage",
            statement: "webview_session_tab_read",
            body: "secureWebviewSessionId=C&orderReferenceId=S",
            isPage: false
        ),
        Ask(
            method: .post,
            path: "/return",
            statement: "webview_session_check_purchase",
            body: "secureWebviewSessionId=C&orderReferenceId=S",
            isPage: false
        ),
        Ask(
            method: .post,
            path: "/secureWebviewSession/status",
            statement: "webview_session_status",
            body: "secureWebviewSessionId=A",
            isPage: false
        ),
        Ask(method: .get, path: "/rescue", statement: "webview_session_tab_read"),
    ]

    /// Those that change something.
    static let posts = all.filter { $0.method == .post }
    /// Those that read the tab's cookie.
    static let ofTab = all.filter { !["/secureWebviewSession", "/secureWebviewSession/status"].contains($0.path) }

    /// Asks, with all cookies unless others are given.
    func send(
        _ shop: ScriptedProgram,
        _ crossing: Crossing,
        fields: [(HTTPFieldName, String)] = [Browser.english],
        cookies: [(String, String)]? = nil,
        type: String = "application/x-www-form-urlencoded",
        body: String? = nil
    ) async throws -> Answer {
        func filled(_ text: String) -> String {
            text.replacing("=A", with: "=" + crossing.launch.text).replacing("=C", with: "=" + crossing.ticket.text)
                .replacing("=S", with: "=" + Crossing.session)
        }
        // The form of the page between says where it comes from.
        let fields = path == "/button" && method == .post && fields.count == 1 ? fields + [Browser.ownOrigin] : fields
        return try await shop.ask(
            method,
            path + (query.map { "?" + filled($0) } ?? ""),
            fields: fields,
            cookies: cookies ?? crossing.appCookies + crossing.tabCookies,
            type: type,
            body: (body ?? self.body).map(filled)
        )
    }
}

@Suite struct `Every handler that asks the store` {
    @Test(arguments: Ask.all)
    func `says that it is away, when to come again, and nothing else`(ask: Ask) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let failures: [(PostgresError.Code, Int, String, String?)] = [
                (.unavailable, 503, "unavailable", "5"), (.overloaded, 503, "unavailable", "1"),
                (.rejected(sqlState: "55P03"), 503, "unavailable", "5"),
                (.rejected(sqlState: "42P01"), 500, "internal_error", nil), (.decoding, 500, "internal_error", nil),
            ]
            for (code, status, name, seconds) in failures {
                shop.database.fail(ask.statement, code)
                let answer = try await ask.send(shop, crossing)
                #expect(answer.status == status && answer.failure == name && answer[.retryAfter] == seconds)
                #expect(answer[.cacheControl] == "no-store" && answer.all(.setCookie).isEmpty)
                #expect(answer[.contentType]?.hasPrefix(ask.isPage ? "text/html" : "application/json") == true)
                #expect(!answer.body.contains("script says") && !answer.body.contains(ask.statement))
            }
            // An operator is told what the client is not.
            #expect(shop.log.lines(with: "the script says so").count == failures.count)
        }
    }

    @Test(arguments: Ask.all)
    func `takes a row of another shape for a fault`(ask: Ask) async throws {
        guard ask.statement != "webview_session_issue" else { return }
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer(ask.statement, Parameters { $0.append(text: "nonsense") })
            let answer = try await ask.send(shop, crossing)
            #expect(answer.failure == "internal_error" || ask.statement.hasPrefix("webview_session_tab_read"))
            #expect(answer.status >= 400 || ask.path == "/rescue")
        }
    }
}

@Suite struct `Every handler that changes something` {
    @Test(arguments: Ask.posts)
    func `refuses what another site has caused`(ask: Ask) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let foreign: [[(HTTPFieldName, String)]] = [
                [(.origin, "https://evil.example")], [(.origin, "null")], [(.origin, "http://shop.example")],
                [(.origin, "https://links.example")], [(.secFetchSite, "cross-site")], [(.secFetchSite, "same-site")],
                [(.secFetchSite, "none")], [Browser.ownOrigin, (.origin, "https://evil.example")],
                [Browser.ownOrigin, (.secFetchSite, "cross-site")],
            ]
            for fields in foreign {
                let answer = try await ask.send(shop, crossing, fields: fields + [Browser.english])
                #expect(answer.status == 403 && answer.failure == "csrf_rejected", "\(fields)")
                #expect(answer.all(.setCookie).isEmpty && answer[.webviewSessionID] == nil)
            }
        }
    }

    @Test(arguments: Ask.posts)
    func `takes one form with names that it knows, each once`(ask: Ask) async throws {
        let crossing = try Crossing()
        let body = try #require(ask.body)
        try await withCheckout { shop in
            let forms = [
                ("application/json", body), ("multipart/form-data; boundary=x", body),
                ("application/x-www-form-urlencoded", body + "&more=1"),
                ("application/x-www-form-urlencoded", body + "&" + body),
                ("application/x-www-form-urlencoded", body + "&%zz=1"), ("application/x-www-form-urlencoded", "&"),
            ]
            for (type, body) in forms {
                let answer = try await ask.send(shop, crossing, type: type, body: body)
                #expect(answer.status == 400 && answer.failure == "invalid_request", "\(type) \(body)")
            }
        }
    }
}

@Suite struct `Every handler of a tab` {
    @Test(arguments: Ask.ofTab)
    func `refuses a cookie that comes twice or has another form`(ask: Ask) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let jars: [[(String, String)]] = [
                [(Jar.tab, crossing.tab.text), (Jar.tab, crossing.tab.text)], [(Jar.tab, "")], [(Jar.tab, "swb_short")],
                [(Jar.tab, crossing.launch.text)], [(Jar.tab, crossing.tab.text + "A")],
            ]
            for jar in jars {
                let answer = try await ask.send(shop, crossing, cookies: jar)
                #expect(answer.status == 400 && answer.failure == "invalid_request", "\(jar)")
                #expect(answer.all(.setCookie).isEmpty)
            }
        }
    }

    @Test(arguments: Ask.ofTab.filter { $0.statement.hasPrefix("webview_session_tab_read") && $0.isPage })
    func `tells the tab of an order that was completed so`(ask: Ask) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let columns = { (row: Parameters) in ask.statement.hasSuffix("sealed") ? row.sealed(nil) : row }
            shop.database.answer(ask.statement, columns(crossing.look("authorized", "closed")))
            let answer = try await ask.send(shop, crossing)
            #expect(!answer.body.contains("/cart"))
            #expect(answer.status == 403 && answer.headline == "Your order is complete")
            #expect(!answer.body.contains("start again"))
            // The jar keeps the token, which says so again when the page is loaded anew.
            #expect(answer.all(.setCookie).isEmpty)
        }
    }

    @Test(arguments: Ask.ofTab.filter { $0.statement.hasPrefix("webview_session_tab_read") && $0.path != "/rescue" })
    func `shows the neutral page where the token is of no use, and has the jar forget it`(ask: Ask) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let columns = { (row: Parameters) in ask.statement.hasSuffix("sealed") ? row.sealed(nil) : row }
            for (outcome, state) in [("", ""), ("closed", "revoked"), ("orphan", "opened"), ("expired", "opened")] {
                if outcome.isEmpty {
                    shop.database.answer(ask.statement)
                } else {
                    shop.database.answer(ask.statement, columns(crossing.look(state, outcome)))
                }
                // What a look finds out of time is written down.
                if state == "opened" {
                    shop.database.answer("webview_session_tab_touch", crossing.row(outcome, "revoked").opening)
                }
                let answer = try await ask.send(shop, crossing)
                if ask.isPage {
                    #expect(answer.status == 403 && answer.headline == "This page has expired", "\(outcome)")
                    #expect(answer.clears(Jar.tab) && answer.clears(Jar.launch) && answer[.webviewSessionID] == nil)
                } else {
                    #expect(answer.status == 404 || answer.status == 410)
                }
                // A dead token is remembered, so the next case has another database of its own.
                if outcome == "closed" { break }
            }
        }
    }

    @Test func `is limited where an address shows unknown tokens`() async throws {
        try await withCheckout(["limits.unknown_per_minute": "2"]) { shop in
            for number in 0..<50 {
                shop.database.answer("webview_session_tab_read")
                let tab = "swb_" + String(repeating: "A", count: 62) + String(number + 10)
                let answer = try await shop.ask(.get, "/checkout_result", cookies: [(Jar.tab, tab)])
                guard answer.status != 403 else { continue }
                #expect(number >= 2 && answer.status == 429 && answer.failure == "rate_limited")
                #expect(answer[.retryAfter].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
                return shop.database.clear()
            }
            Issue.record("50 unknown tokens were looked up")
        }
    }
}
