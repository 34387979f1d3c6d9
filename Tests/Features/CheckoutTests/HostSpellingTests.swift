import FeatureTestKit
import HTTPCore
import Testing

@Suite("The web host in another spelling")
struct HostSpellingTests {
    static let spellings = [":443", ".", ".:443", ":"].map { ScriptedProgram.host + $0 } + ["Shop.Example:443"]

    @Test(arguments: spellings)
    func `is served: pages, messages and association files`(host: String) async throws {
        let apps = #"[{"prefix":"ABCDE12345","bundle":"com.example.shop"}]"#
        try await withCheckout(["apps.ios": apps]) { shop in
            let page = try await shop.ask(.get, "/browser/cart", host: host)
            #expect(page.status == 200)
            // What goes out has the spelling of the settings.
            #expect(!page.body.contains(host))
            #expect(try await shop.ask(.post, "/ipn/amazon-pay", host: host, body: "").status == 404)
            let link = host.lowercased().replacing(ScriptedProgram.host, with: ScriptedProgram.linkHost)
            let file = try await shop.ask(.get, "/.well-known/apple-app-site-association", host: link)
            #expect(file.status == 200)
        }
    }

    @Test(arguments: spellings)
    func `is the own origin of a form`(host: String) async throws {
        try await withCheckout { shop in
            for (origin, code) in [
                ("https://" + host, "invalid_request"), ("https://" + host + "x", "csrf_rejected"),
                ("http://" + host, "csrf_rejected"), ("https://evil.example:443", "csrf_rejected"),
            ] {
                let answer = try await shop.ask(.post, "/purchase", fields: [(.origin, origin)], body: "")
                #expect(answer.failure == code, "\(origin)")
            }
        }
    }

    @Test(
        arguments: [
            ([(.origin, "https://shop.example"), (.secFetchSite, "none")], "invalid_request"),
            ([(.secFetchSite, "none")], "csrf_rejected"),
            ([(.origin, "https://evil.example"), (.secFetchSite, "none")], "csrf_rejected"),
            ([(.origin, "https://shop.example"), (.secFetchSite, "cross-site")], "csrf_rejected"),
            ([(.origin, "https://shop.example"), (.secFetchSite, "same-site")], "csrf_rejected"),
        ] as [([(HTTPFieldName, String)], String)]
    )
    func `is the origin of a form that is sent again by hand`(
        fields: [(HTTPFieldName, String)],
        code: String
    ) async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.post, "/purchase", fields: fields, body: "")
            #expect(answer.failure == code)
        }
    }

    @Test func `leads a browser to the usual one where its cookies would be others`() async throws {
        try await withCheckout { shop in
            let navigation: [(HTTPFieldName, String)] = [(.secFetchMode, "navigate")]
            let host = ScriptedProgram.host
            let answer = try await shop.ask(.get, "/browser/cart?a=b%20c", host: host + ".:443", fields: navigation)
            #expect(answer.status == 303)
            #expect(answer[.location] == "https://shop.example/browser/cart?a=b%20c")
            #expect(answer.all(.setCookie).isEmpty)
            // To a browser the port makes no difference.
            #expect(try await shop.ask(.get, "/browser/cart", host: host + ":443", fields: navigation).status == 200)
        }
    }

    @Test(arguments: [":444", "..", ":443:443", ".evil.example", ":80a"])
    func `is no other host`(more: String) async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.get, "/browser/cart", host: ScriptedProgram.host + more)
            #expect(answer.status == 421)
        }
    }
}
