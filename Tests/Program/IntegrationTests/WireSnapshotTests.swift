import Foundation
import HTTPCore
import IntegrationKit
import Primitives
import TestKit
import Testing
import Web

@testable import Program

/// What every path answers to requests of every kind that are not part of a checkout: status, code and head, against the file
/// that was kept.
///
/// `SALLYPORT_UPDATE_GOLDEN=1 swift test --filter 'The wire'` writes the file anew; read the difference before keeping it.
@Suite struct `The wire` {
    private static let isUpdating = ProcessInfo.processInfo.environment["SALLYPORT_UPDATE_GOLDEN"] == "1"
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/wire.txt")

    @Test func `is the kept one`() async throws {
        let found = try await withShop(ShopOptions.merchant) { shop in
            try await WireSnapshot(shop, key: try await shop.makeKey()).text()
        }
        if Self.isUpdating { try Data(found.utf8).write(to: Self.file) }
        let kept = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
        if kept != found { Attachment.record(found, named: "wire.txt") }
        let known = Set(kept.split(separator: "\n"))
        #expect(found.split(separator: "\n").filter { !known.contains($0) } == [], "not in Golden/wire.txt")
        #expect(kept == found, "differs from Golden/wire.txt")
    }
}

/// Asks every path of a shop, and writes down what comes back.
private struct WireSnapshot {
    private let shop: Shop
    private let key: String
    private let others: Set<String>

    init(_ shop: Shop, key: String) throws {
        self.shop = shop
        self.key = key
        others = try ["Routes", "For the shop's programs", "For apps"].reduce(into: []) { names, section in
            names.formUnion(try FeaturePage.names(section))
        }
    }

    /// A request, beside its method and path.
    private struct Question {
        let name: String
        let methods: [String]
        var fields: [(String, String)] = []
        var body: [UInt8] = []
    }

    private static let form = ("Content-Type", "application/x-www-form-urlencoded")
    private static let json = ("Content-Type", "application/json")

    private var questions: [Question] {
        let bearer = ("Authorization", "Bearer " + key)
        let word = ("Idempotency-Key", "wire")
        return [
            Question(name: "bare", methods: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]),
            Question(name: "form", methods: ["POST"], fields: [Self.form], body: Array("client=&client=".utf8)),
            Question(name: "json", methods: ["POST"], fields: [Self.json], body: Array("{}".utf8)),
            Question(name: "20 KB", methods: ["POST"], body: Array(repeating: 0x20, count: 20_000)),
            Question(name: "200 KB", methods: ["POST"], body: Array(repeating: 0x20, count: 200_000)),
            Question(name: "key", methods: ["GET", "HEAD"], fields: [bearer]),
            Question(name: "key", methods: ["POST"], fields: [bearer, word, Self.json], body: Array("{}".utf8)),
            Question(name: "key, no word", methods: ["POST"], fields: [bearer, Self.json], body: Array("{}".utf8)),
            Question(name: "key, no JSON", methods: ["POST"], fields: [bearer, word], body: Array("{}".utf8)),
            Question(name: "page", methods: ["GET", "POST"], fields: [("Origin", "https://other.example")]),
        ]
    }

    /// Every path that a route has, and some that none has, whatever the order in which features mount them.
    private var places: [(site: String, path: String)] {
        let id = "01900000-0000-7000-8000-000000000000"
        // A feature that brings its page along tests its own routes.
        var places = RoutesCommand.routes.filter { !others.contains("\($0.method.text) \($0.path)") }.map { card in
            (
                card.site.text,
                card.path.replacing("{id}", with: id).replacing(#/\{\w+\}/#, with: "S01-0000000-0000000-C000000")
            )
        }
        for path in [
            "/nothing", "/button/", "//button", "/button?a=1&a=1", "/Button", "/v1", "/v1/", "/v1/nothing",
            "/styles.css",
        ] {
            places += ["web", "link", "admin"].map { ($0, path) }
        }
        places += ["/button", "/v1/sessions", "/index.html", "/healthz", "/styles.css"].map { ("stranger", $0) }
        var seen: Set<String> = []
        return places.filter { seen.insert("\($0.0) \($0.1)").inserted }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    }

    /// Each answer in a line, which names its head by number; then the heads.
    func text() async throws -> String {
        var heads: [String] = []
        var lines: [String] = []
        for place in places {
            for question in questions where place.path.hasPrefix("/v1") || !question.name.hasPrefix("key") {
                for method in question.methods {
                    let answer = try await ask(place.site, method, place.path, question)
                    let head = normal(answer)
                    let number = heads.firstIndex(of: head) ?? heads.count
                    if number == heads.count { heads.append(head) }
                    let asked = "\(place.site) \(method) \(place.path) (\(question.name))"
                    lines.append("\(asked): \(answer.status) \(code(of: answer)) head \(number + 1)")
                }
            }
        }
        let blocks = heads.enumerated().map { "\nhead \($0.offset + 1)\n\($0.element)" }
        return (lines + blocks).joined(separator: "\n") + "\n"
    }

    private func ask(_ site: String, _ method: String, _ path: String, _ question: Question) async throws -> Page {
        let origin =
            switch site {
            case "link": shop.link
            case "admin": shop.admin
            default: shop.web
            }
        var fields = question.fields
        if site == "stranger" { fields.append(("Host", "stranger.example")) }
        return try await shop.browser().request(method, origin + path, fields: fields, body: question.body)
    }

    private func code(of answer: Page) -> String {
        let code = answer.error.isEmpty ? answer.member("code") ?? "" : answer.error
        if !code.isEmpty { return code }
        return answer.text.firstMatch(of: #/"code":"(\w+)"/#).map { String($0.1) } ?? "-"
    }

    /// The head without what differs from one answer to the next.
    private func normal(_ answer: Page) -> String {
        let lines = answer.head.filter { !$0.hasPrefix("date: ") }.map { line in
            var line = line.replacing(shop.simulator.url, with: "SIMULATOR").replacing(
                shop.simulator.authority,
                with: "SIMULATOR"
            )
            for name in ["content-length", "etag", "webview-session-id", "x-request-id"]
            where line.hasPrefix(name + ": ") {
                line = name + ": (differs)"
            }
            line = line.replacing(#/'nonce-[^']+'/#, with: "'nonce-R'")
            return line.replacing(#/^(set-cookie: [^=]+=)[^;]+/#) { "\($0.1)(differs)" }
        }
        return lines.sorted().joined(separator: "\n")
    }
}
