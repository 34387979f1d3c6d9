import EventIO
import Foundation
import HTTPClient
import IntegrationKit
import Primitives
import StrictJSON
import Testing

/// What stands before every handler of the interface for merchants' programs.
@Suite struct `The door of the merchants' interface` {
    private let served = ShopOptions(["merchant.api": "true"])

    @Test func `is not there unless it was asked for`() async throws {
        try await withShop { shop in
            let page = try await shop.browser().request("GET", "/v1/openapi.json")
            #expect(page.status == 404)
            #expect(page.text.contains("<html"))
        }
    }

    @Test func `describes itself to everybody, and the same twice`() async throws {
        try await withShop(served) { shop in
            let page = try await shop.browser().request("GET", "/v1/openapi.json")
            #expect(page.status == 200)
            let document = try JSONParser.parse(Array(page.text.utf8))
            #expect(document["openapi"]?.text == "3.1.0")
            #expect(document["paths"]?["/v1/openapi.json"] != nil)
            #expect(page[field: "cache-control"] == "no-cache")
            let tag = try #require(page[field: "etag"])
            let again = try await shop.browser().request(
                "GET",
                "/v1/openapi.json",
                fields: [("If-None-Match", tag)]
            )
            #expect(again.status == 304)
        }
    }

    @Test func `answers an unknown path and a wrong method in its own form`() async throws {
        try await withShop(served) { shop in
            let unknown = try await shop.browser().request("GET", "/v1/nothing")
            #expect(unknown.status == 404)
            #expect(
                unknown.text.hasPrefix(
                    #"{"type":"/v1/openapi.json#/components/examples/not_found","title":"Not found","status":404,"#
                )
            )
            #expect(unknown[field: "content-type"] == "application/problem+json")
            #expect(unknown[field: "x-request-id"]?.count == 16)
            #expect(unknown[field: "cache-control"] == "no-store")
            let wrong = try await shop.browser().request("DELETE", "/v1/openapi.json")
            #expect(wrong.status == 405)
            #expect(wrong[field: "allow"] == "GET, HEAD")
            #expect(wrong.text.contains(#""method_not_allowed""#))
        }
    }

    @Test(arguments: [ClientConfiguration.Version.http1, .http2])
    func `asks for a key where a script has an empty one`(version: ClientConfiguration.Version) async throws {
        try await withShop(.over(version, served.settings)) { shop in
            for empty in ["Bearer ", "Bearer", "Bearer \t", " "] {
                let answer = try await shop.browser()
                    .request("GET", "/v1/sessions", fields: [("Authorization", empty)])
                #expect(answer.status == 401, "\(empty)")
                #expect(answer.text.contains(#","code":"unauthenticated"}"#), "\(answer.text)")
                #expect(answer[field: "www-authenticate"] == "Bearer")
            }
        }
    }

    @Test(arguments: [ClientConfiguration.Version.http1, .http2])
    func `answers content that is too large in its own form too`(version: ClientConfiguration.Version) async throws {
        try await withShop(.over(version, served.settings)) { shop in
            let large = Array(repeating: UInt8(ascii: " "), count: 196_609)
            let answer = try await shop.browser().request("POST", "/v1/sessions", fields: [], body: large)
            #expect(answer.status == 413)
            #expect(
                answer.text.hasPrefix(
                    #"{"type":"/v1/openapi.json#/components/examples/content_too_large","title":"Content too large","#
                        + #""status":413,"detail":"The content is larger than 196608 bytes.","instance":"request:"#
                )
            )
            #expect(answer[field: "x-request-id"]?.count == 16)
            #expect(answer[field: "content-type"] == "application/problem+json")
            // Who sends this much elsewhere is answered as before.
            let page = try await shop.browser().request("POST", "/purchase", fields: [], body: large)
            #expect((page.status, page.text) == (413, ""))
        }
    }

    @Test func `leaves the pages as they were`() async throws {
        try await withShop(served) { shop in
            let shopper = try await shop.shopper()
            let answer = try await shopper.purchase(try await shopper.toReturn())
            #expect(answer.status == 200)
        }
    }
}

/// `sallyport keys`, run as an operator does.
@Suite struct `The keys command` {
    @Test func `makes a key, lists it without its secret, rotates and revokes it`() async throws {
        try await withShop { shop in
            let key = try await shop.makeKey("sessions:read")
            #expect(key.hasPrefix("swk_") && key.count == 68)
            let (_, list) = try await shop.runCommand(["keys", "list"])
            let line = try JSONParser.parse(Array(list.utf8))
            let id = try #require(line["id"]?.text)
            #expect(line["name"]?.text == "test")
            #expect(line["scopes"]?.text == "sessions:read")
            #expect(line["revoked"] == nil)
            #expect(!list.contains("swk_"))
            let (rotated, next) = try await shop.runCommand(["keys", "rotate", id, "--overlap", "15m"])
            #expect(rotated == .code(0))
            #expect(next.hasPrefix("swk_") && !next.hasPrefix(key))
            let overlap = "SELECT previous_until - now() BETWEEN interval '10 m' AND interval '15 m' FROM api_key"
            #expect(try shop.value(overlap) == "t")
            #expect(try await shop.runCommand(["keys", "revoke", id]).exit == .code(0))
            #expect(try await shop.runCommand(["keys", "revoke", id]).exit == .code(1))
            #expect(try await shop.runCommand(["keys", "rotate", id]).exit == .code(1))
        }
    }

    @Test(
        arguments: [
            ("all", "\"all\""), ("sessions:read,sessions:writ", "\"sessions:writ\""), ("sessions:read,", "\"\""),
            ("events:read, sessions:read", "\" sessions:read\""),
            ("events:read,events:read", "events:read comes twice"),
        ]
    )
    func `names the part of a list that is no scope`(list: String, words: String) async throws {
        let command = ["keys", "create", "--name", "x", "--scopes", list]
        let program = try await withShop { shop in try await shop.runCommand(command) }
        #expect(program.exit == .code(2) && program.output.contains("--scopes: " + words), "\(program.output)")
    }

    @Test(
        arguments: [
            ["keys"], ["keys", "make"], ["keys", "create", "--name", "x"],
            ["keys", "create", "--scopes", "all", "--name", "x"],
            ["keys", "create", "--scopes", "sessions:read", "--name", ""], ["keys", "revoke"], ["keys", "revoke", "x"],
            ["keys", "rotate", "00000000-0000-4000-8000-000000000000", "--overlap", "soon"],
            ["keys", "list", "--name", "x"],
        ]
    )
    func `refuses what it does not understand, before it looks at the database`(_ words: [String]) async throws {
        let program = try await withShop { shop in try await shop.runCommand(words) }
        #expect(program.exit == .code(2), "\(program.output)")
        #expect(program.output.hasPrefix("sallyport: keys:"))
    }
}
