import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import Testing

@Suite struct `Issuing a launch ticket` {
    private static let target = "/secureWebviewSession"
    private static let cart = "client=iosApp&hd8=1&hd10=2"

    @Test func `stores the order at our prices, and gives a ticket and a proof`() async throws {
        try await withCheckout { shop in
            shop.database.answer("webview_session_issue")
            let answer = try await shop.ask(.post, Self.target, fields: [Browser.ownOrigin], body: Self.cart)
            #expect(answer.status == 200 && answer[.contentType] == "application/json; charset=utf-8")
            #expect(answer[.cacheControl] == "no-store")
            let text = try #require(answer.text(between: "{\"secureWebviewSessionId\":\"", "\"}"))
            let ticket = try #require(LaunchTicket.parse(text))
            #expect(answer[.webviewSessionID] == ticket.webviewSession.description)
            #expect(answer.cookie(Jar.app)?.hasPrefix("swp_") == true)
            let asked = try #require(shop.database.asked.first).parameters
            let (hash, subtotal, client) = (try asked.digest(0, 9), try asked.int64(0, 6), try asked.text(0, 8))
            #expect(hash == ticket.hash && subtotal == 9_878 + 2 * 17_578 && client == "iosApp")
        }
    }

    @Test func `binds it to the proof that the jar has`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_issue")
            let answer = try await shop.ask(.post, Self.target, cookies: crossing.appCookies, body: Self.cart)
            #expect(answer.status == 200 && answer.all(.setCookie).isEmpty)
            let bound = try #require(shop.database.asked.first).parameters.digest(0, 10)
            #expect(bound == crossing.proof.hash)
        }
    }

    @Test(
        arguments: [
            ("hd8=1&hd10=1", "invalid_request"), ("client=&hd8=1&hd10=1", "invalid_request"),
            ("client=site&hd8=1&hd10=1", "invalid_request"), ("client=mobileApp&hd8=1&hd10=1", "invalid_request"),
            ("client=iosApp&hd8=1", "invalid_request"), ("client=iosApp&hd8=100&hd10=0", "quantity_invalid"),
            ("client=iosApp&hd8=-1&hd10=0", "quantity_invalid"), ("client=iosApp&hd8=0&hd10=0", "quantity_invalid"),
            ("client=iosApp&hd8=1&hd10=1&price=1", "invalid_request"),
            ("client=iosApp&hd8=1&hd8=1&hd10=1", "invalid_request"),
            ("client=iosApp&hd8=1&hd10=1&code_challenge_method=S256", "invalid_request"),
            ("client=iosApp&hd8=1&hd10=1&code_challenge=short&code_challenge_method=S256", "invalid_request"),
            ("client=iosApp&hd8=1&hd10=1&code_challenge=\(String(repeating: "A", count: 43))", "invalid_request"),
        ]
    )
    func `takes nothing but a cart`(body: String, code: String) async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.post, Self.target, body: body)
            #expect(answer.status == 400 && answer.failure == code && answer.all(.setCookie).isEmpty)
        }
    }

    @Test func `in profile strict asks an app for a challenge`() async throws {
        try await withCheckout(["profile": "strict"]) { shop in
            let without = try await shop.ask(.post, Self.target, body: Self.cart)
            #expect(without.status == 400 && without.failure == "invalid_request")
            shop.database.answer("webview_session_issue")
            let challenge = "&code_challenge_method=S256&code_challenge=" + String(repeating: "A", count: 43)
            let with = try await shop.ask(.post, Self.target, body: Self.cart + challenge)
            #expect(with.status == 200)
        }
    }

    @Test func `in profile compat binds it to no proof that the jar did not show`() async throws {
        try await withCheckout(["profile": "compat"]) { shop in
            shop.database.answer("webview_session_issue")
            let answer = try await shop.ask(.post, Self.target, body: Self.cart)
            #expect(answer.cookie("swv-app")?.hasPrefix("swp_") == true)
            let asked = try #require(shop.database.asked.first).parameters
            let (isUnbound, outcome) = (try asked.isNull(0, 10), try asked.text(0, 3))
            #expect(isUnbound && outcome == "issued_unbound")
        }
    }

    @Test func `is refused an install that has too many sessions, once the store has looked`() async throws {
        let crossing = try Crossing()
        try await withCheckout(["limits.webview_sessions_per_app": "1"]) { shop in
            shop.database.answer("webview_session_issue")
            let first = try await shop.ask(.post, Self.target, cookies: crossing.appCookies, body: Self.cart)
            let text = try #require(first.text(between: "Id\":\"", "\""))
            let id = try #require(LaunchTicket.parse(text)).webviewSession
            shop.database.answer("webview_session_live_among", Parameters { $0.append(uuid: id) })
            let second = try await shop.ask(.post, Self.target, cookies: crossing.appCookies, body: Self.cart)
            #expect(second.status == 429 && second.failure == "rate_limited" && second[.retryAfter] == "60")
            // What has ended meanwhile makes room.
            shop.database.answer("webview_session_live_among")
            shop.database.answer("webview_session_issue")
            let third = try await shop.ask(.post, Self.target, cookies: crossing.appCookies, body: Self.cart)
            #expect(third.status == 200)
        }
    }

    @Test func `is refused an address that asks too often`() async throws {
        try await withCheckout(["limits.issue_per_minute": "1"]) { shop in
            shop.database.answer("webview_session_issue")
            let first = try await shop.ask(.post, Self.target, body: Self.cart)
            let second = try await shop.ask(.post, Self.target, body: Self.cart)
            #expect(first.status == 200 && second.status == 429 && second.failure == "rate_limited")
            #expect(second[.retryAfter].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
        }
    }

    @Test func `is refused at once where the database has no room`() async throws {
        try await withCheckout { shop in
            shop.database.admission = .overloaded
            let answer = try await shop.ask(.post, Self.target, body: Self.cart)
            #expect(answer.status == 503 && answer.failure == "unavailable" && answer[.retryAfter] == "1")
            #expect(answer[.contentType] == "application/json; charset=utf-8")
        }
    }
}
