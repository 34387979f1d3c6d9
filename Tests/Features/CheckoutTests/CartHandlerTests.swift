import FeatureTestKit
import HTTPCore
import Testing

@Suite struct `The cart page` {
    @Test(arguments: ["/iosApp/cart", "/androidApp/cart", "/browser/cart"])
    func `gives a jar without a proof one, for this host alone`(path: String) async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.get, path, fields: [Browser.english])
            #expect(answer.status == 200 && answer.headline == "Your cart")
            #expect(answer[.cacheControl] == "no-store")
            let nonce = try #require(answer.text(between: "nonce=\"", "\""))
            #expect(answer[.contentSecurityPolicy]?.contains("'nonce-\(nonce)'") == true)
            let cookie = try #require(answer.cookie(Jar.app))
            #expect(cookie.hasPrefix("swp_"))
            #expect(cookie.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200"))
        }
    }

    @Test func `leaves a jar its proof, and takes none that has another form`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let kept = try await shop.ask(.get, "/iosApp/cart", cookies: crossing.appCookies)
            #expect(kept.status == 200 && kept.all(.setCookie).isEmpty)
            let forged = try await shop.ask(.get, "/iosApp/cart", cookies: [(Jar.app, "swp_short")])
            #expect(forged.status == 400 && forged.failure == "invalid_request")
        }
    }

    @Test(arguments: [("standard", false), ("compat", true)])
    func `gives none to a visitor whom another site sends, but in profile compat`(
        profile: String,
        gives: Bool
    )
        async throws
    {
        try await withCheckout(["profile": profile]) { shop in
            let answer = try await shop.ask(.get, "/iosApp/cart", fields: [(.secFetchSite, "cross-site")])
            #expect(answer.status == 200)
            #expect(answer.all(.setCookie).isEmpty != gives)
        }
    }
}
