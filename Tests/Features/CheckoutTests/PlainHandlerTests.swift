import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import TestKit
import Testing

@Suite struct `Pages that ask nobody` {
    @Test(arguments: [HTTPMethod.get, .post])
    func `are the last resort of the shop's pages`(method: HTTPMethod) async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(
                method,
                "/error",
                fields: [Browser.english],
                body: method == .post ? "x" : nil
            )
            #expect(answer.status == 200 && answer.headline == "Something went wrong")
            #expect(answer.failure == "internal_error" && answer[.cacheControl] == "no-store")
            #expect(answer[.contentSecurityPolicy]?.contains("script-src") != true)
        }
    }

    @Test(arguments: [
        ([:], "My Sweet Shop"), (["provider.store_name": "Tea"], "Tea"),
        (["provider.store_name": "Tea", "shop.name": "Tea House"], "Tea House"),
    ])
    func `have the shop's name, or that of the store at Amazon`(settings: [String: String], name: String) async throws {
        try await withCheckout(settings) { shop in
            let answer = try await shop.ask(.get, "/error", fields: [Browser.english])
            #expect(answer.body.contains(" | \(name)</title>"))
        }
    }

    @Test(arguments: [true, false])
    func `say what a demo is about, in a demo`(isDemo: Bool) async throws {
        try await withCheckout(isDemo: isDemo) { shop in
            let answer = try await shop.ask(.get, "/", fields: [Browser.english])
            #expect(answer.status == (isDemo ? 200 : 404) && answer.failure == (isDemo ? nil : "not_found"))
            #expect((answer.headline == "A checkout that leaves the app and comes back") == isDemo)
            let authority = try await shop.ask(.get, "/crt/sample.crt")
            #expect(authority.status == (isDemo ? 200 : 404))
            if isDemo {
                #expect(authority.body == "authority" && authority[.contentType] == "application/x-x509-ca-cert")
            }
        }
    }

    @Test func `show a link that did not open the app, on the link host alone`() async throws {
        try await withCheckout { shop in
            let host = ScriptedProgram.linkHost
            let answer = try await shop.ask(.get, "/index.html?x=1", host: host, fields: [Browser.english])
            #expect(answer.status == 200 && answer.headline == "The app did not open")
            #expect(answer[.referrerPolicy] == "no-referrer" && answer.all(.setCookie).isEmpty)
            // The page needs no file of this host.
            #expect(!answer.body.contains("/static/"))
            let web = try await shop.ask(.get, "/index.html", fields: [Browser.english])
            #expect(web.status == 404 && web.failure == "not_found")
            let absent = try await shop.ask(.get, "/absent", host: host, fields: [Browser.english])
            #expect(absent.status == 404 && absent.headline == "Page not found")
        }
    }

    @Test func `come in the language that is asked for`() async throws {
        try await withCheckout { shop in
            let rows: [(String?, String)] = [
                (nil, "ja"), ("ja", "ja"), ("en", "en"), ("de", "en"), ("en;q=0.5, ja", "ja"),
                ("ja;q=0.1, en-GB", "en"),
            ]
            for (asked, language) in rows {
                let fields = asked.map { [(HTTPFieldName.acceptLanguage, $0)] } ?? []
                for path in ["/iosApp/cart", "/error", "/absent", "/rescue", "/button"] {
                    let answer = try await shop.ask(.get, path, fields: fields)
                    #expect(answer.body.contains("<html lang=\"\(language)\""), "\(path) \(asked ?? "")")
                }
            }
        }
    }
}

@Suite struct `Association files` {
    private static let apps = [
        "apps.ios": #"[{"prefix":"ABCDE12345","bundle":"example.shop"}]"#,
        "apps.android": #"[{"package":"example.shop","fingerprints":["\#(fingerprint)"]}]"#,
    ]
    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")

    @Test(
        arguments: [
            ("/.well-known/apple-app-site-association", "ABCDE12345.example.shop"),
            ("/apple-app-site-association", "ABCDE12345.example.shop"),
            ("/.well-known/assetlinks.json", "example.shop"),
        ]
    )
    func `name the apps of the settings, on the link host`(path: String, app: String) async throws {
        try await withCheckout(Self.apps) { shop in
            let answer = try await shop.ask(.get, path, host: ScriptedProgram.linkHost)
            #expect(answer.status == 200 && answer.body.contains(app))
            #expect(answer[.contentType] == "application/json" && answer[.cacheControl] == "public, max-age=3600")
            #expect(answer[.crossOriginResourcePolicy] == "cross-origin")
            let web = try await shop.ask(.get, path)
            #expect(web.status == 404)
        }
        try await withCheckout { shop in
            let answer = try await shop.ask(.get, path, host: ScriptedProgram.linkHost)
            #expect(answer.status == 404)
        }
    }
}

@Suite struct `A browser's report` {
    @Test(
        arguments: [
            (
                "application/csp-report",
                #"{"csp-report":{"effective-directive":"script-src","blocked-uri":"https://evil.example/x?token=1"}}"#
            ),
            (
                "application/reports+json",
                #"[{"body":{"effectiveDirective":"script-src","blockedURL":"https://evil.example/x"}}]"#
            ),
        ]
    )
    func `is counted, and the two words that matter are logged`(type: String, body: String) async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.post, "/csp_report", type: type, body: body)
            #expect(answer.status == 204 && answer.body.isEmpty)
            let lines = shop.log.lines(with: "page.policy_report")
            #expect(lines.count == 1 && lines[0].contains("script-src") && lines[0].contains("https://evil.example"))
            #expect(!lines[0].contains("token"))
        }
    }

    @Test func `of another type is refused`() async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.post, "/csp_report", body: "a=b")
            #expect(answer.status == 400 && answer.failure == "invalid_request")
            #expect(answer[.contentType] == "application/json; charset=utf-8")
        }
    }
}
