import EventIO
import FeatureTestKit
import HTTPCore
import Operations
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import Settings
import StrictJSON
import TestKit
import Testing
import Web

@testable import Accounts

/// A feature that lets apps count the pairs of their account, and merchants those of any.
private struct Shoes: Feature, FeatureProcess {
    static let card = FeatureCard(
        "shoes",
        needs: [AccountsFeature.self, ServiceFeature.self],
        slots: [AccountData.shoes, AppScope.shoes, AppScope.socks, AppScope.laces, Scope.shoes]
    )

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) -> Shoes { self }

    func open(_ loop: LoopContext) throws -> Shelf {
        let shelf = Shelf()
        try loop.part(ServiceFeature.self).serve(shelf)
        return shelf
    }
}

private final class Shelf: ServiceRouted {
    static let routes: [RouteGroup<Shelf>] = []

    static let serviceRoutes = [
        ServiceRoute<Shelf>(.merchantShoes) { call throws(Failure) in
            ServiceAnswer(.ok, ["of": .string(try call.account.description)])
        },
        ServiceRoute(.appShoes) { call throws(Failure) in
            ServiceAnswer(.ok, ["of": .string(try call.account.description)])
        },
        ServiceRoute(.buyShoes) { call throws(Failure) in
            let claim = try call.claim()
            return ServiceAnswer(.ok, ["of": .string(claim.scope.description), "by": .string(claim.key.description)])
        },
    ]
}

extension AccountData {
    fileprivate static let shoes = AccountData(
        "shoes",
        erase: { _, _ in AccountErasure([:]) },
        export: { _, _ in .null }
    )
}

extension AppScope {
    fileprivate static let shoes = AppScope("shoes")
    fileprivate static let socks = AppScope("socks")
    fileprivate static let laces = AppScope("laces", isUsual: false)
}

extension Scope {
    fileprivate static let shoes = Scope("shoes:read")
}

extension RouteDescription {
    private static let shoes = Group("shoes", "shoes")
    private static let example = AnswerExample("Shoes", "shoes", [:])

    fileprivate static let merchantShoes = RouteDescription(
        .get,
        "/v1/shoes/accounts/{id}",
        "readShoes",
        shoes,
        Scope.shoes,
        "read",
        Shape(.ok, .any, example)
    )
    fileprivate static let appShoes = RouteDescription(
        .get,
        "/app/v1/shoes",
        "readOwnShoes",
        shoes,
        AppScope.shoes,
        "read",
        Shape(.ok, .any, example)
    )
    fileprivate static let buyShoes = RouteDescription(
        .post,
        "/app/v1/shoes",
        "buyShoes",
        shoes,
        AppScope.shoes,
        "buy",
        Shape(.ok, .any, example)
    )
}

private let account = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
private let other = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002)
private let now = WallTime(seconds: 1_790_000_000)
private let shown = "sat_" + Base64URL.encode(Array(1...48))

private func withTokens(
    _ settings: [String: String] = [:],
    _ body: @escaping @Sendable (ScriptedProgram) async throws -> Void
) async throws {
    let features = FeatureSet([ServiceFeature.self, AccountsFeature.self, Shoes.self])
    try await ScriptedProgram.run(features, settings, body)
}

extension ScriptedProgram {
    /// Asks with a key that has all scopes unless others are given.
    fileprivate func send(
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        scopes: String = "accounts:read,accounts:write,shoes:read"
    ) async throws -> Answer {
        database.answer(
            "api_key_find",
            Parameters { row in
                row.append(text: "till")
                row.append(text: scopes)
                row.append(bool: false)
            }
        )
        let key = "Bearer swk_" + Base64URL.encode(Array(1...48))
        return try await ask(method, path, fields: [(.authorization, key)], type: "application/json", body: body)
    }

    /// Asks as an app does.
    fileprivate func app(
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        word: String? = nil,
        token: String = shown
    ) async throws -> Answer {
        var fields: [(HTTPFieldName, String)] = [(.authorization, "Bearer " + token)]
        if let word { fields.append((.idempotencyKey, word)) }
        return try await ask(method, path, fields: fields, type: "application/json", body: body)
    }

    /// The token that is shown opens something of the account.
    fileprivate func letIn(_ scopes: String = "shoes", of subject: UUIDBytes = account) {
        database.answer(
            "account_token_find",
            Parameters { row in
                row.append(uuid: subject)
                row.append(timestamp: now)
                row.append(text: scopes)
            }
        )
    }

    fileprivate func found(erased: Bool = false) {
        database.answer(
            "account_read",
            Parameters { row in
                row.append(uuid: account)
                row.append(timestamp: now)
                row.append(text: nil)
                row.append(timestamp: erased ? now : nil)
                row.append(timestamp: nil)
            }
        )
    }

    fileprivate func issue() {
        database.answer("account_token_issue") { sent in
            let (id, account, scopes) = (try sent.uuid(0, 0), try sent.uuid(0, 1), try sent.text(0, 3))
            return row(id, account, scopes)
        }
    }
}

private func row(_ id: UUIDBytes, _ account: UUIDBytes, _ scopes: String) -> Parameters {
    Parameters { row in
        row.append(uuid: id)
        row.append(uuid: account)
        row.append(timestamp: now)
        row.append(timestamp: now + .seconds(3_600))
        row.append(text: scopes)
    }
}

extension Answer {
    fileprivate var json: JSONValue { (try? JSONParser.parse(Array(body.utf8))) ?? .null }
    fileprivate var code: String? { json["code"]?.text }
}

private let tokens = "/v1/accounts/\(account)/tokens"

@Suite struct `Tokens below v1` {
    @Test func `are made for all that needs no naming unless a request says otherwise, and only the hash is kept`()
        async throws
    {
        try await withTokens { program in
            for (body, scopes, seconds) in [
                ("{}", "shoes,socks", 3_600), (#"{"scopes":["socks"]}"#, "socks", 3_600),
                (#"{"scopes":["socks","shoes"],"lifetime":60}"#, "shoes,socks", 60),
                (#"{"lifetime":86400}"#, "shoes,socks", 86_400),
                (#"{"scopes":["laces","shoes"]}"#, "shoes,laces", 3_600),
            ] {
                program.issue()
                let answer = try await program.send(.post, tokens, body)
                #expect(answer.status == 201 && answer[.cacheControl] == "no-store")
                let text = try #require(answer.json["token"]?.text)
                let token = try #require(AppToken(text))
                let sent = try #require(program.database.asked.last?.parameters)
                #expect(try sent.uuid(0, 0) == token.id && sent.uuid(0, 1) == account)
                #expect(try sent.bytes(0, 2) == token.hash.bytes && sent.text(0, 3) == scopes)
                #expect(try sent.int64(0, 4) == Int64(seconds))
                let list = scopes.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ",")
                #expect(
                    answer.body
                        == #"{"object":"accountToken","token":"\#(text)","id":"\#(token.id)","accountId":"\#(account)","scopes":[\#(list)],"#
                        + #""createdAt":"2026-09-21T14:13:20Z","expiresAt":"2026-09-21T15:13:20Z"}"#
                )
            }
        }
    }

    @Test(arguments: [
        (#"{"scopes":[]}"#, "scopes"), (#"{"scopes":["hats"]}"#, "scopes"),
        (#"{"scopes":["shoes","shoes"]}"#, "scopes"),
        (#"{"scopes":["shoes","hats"]}"#, "scopes"), (#"{"scopes":"shoes"}"#, "scopes"),
        (#"{"scopes":["Shoes"]}"#, "scopes"),
        (#"{"lifetime":59}"#, "lifetime"), (#"{"lifetime":86401}"#, "lifetime"), (#"{"lifetime":-1}"#, "lifetime"),
        (#"{"lifetime":"60"}"#, "lifetime"), (#"{"lifetime":1e2}"#, "lifetime"), (#"{"token":"sat_x"}"#, "token"),
    ])
    func `are not made of what is no wish for one`(body: String, field: String) async throws {
        try await withTokens { program in
            let answer = try await program.send(.post, tokens, body)
            #expect(answer.status == 400 && answer.code == "invalid_request")
            #expect(answer.json["field"]?.text?.hasPrefix(field) == true, "\(answer.body)")
            #expect(program.database.names == ["api_key_find"])
        }
    }

    @Test func `are not made for nobody, nor for who was erased`() async throws {
        try await withTokens { program in
            program.database.answer("account_token_issue")
            program.found(erased: true)
            let erased = try await program.send(.post, tokens, "{}")
            #expect(erased.status == 410 && erased.code == "account_erased")
            program.database.answer("account_token_issue")
            program.database.answer("account_read")
            #expect(try await program.send(.post, tokens, "{}").status == 404)
            #expect(try await program.send(.post, "/v1/accounts/nobody/tokens", "{}").status == 404)
        }
    }

    @Test func `are listed without what opens anything`() async throws {
        try await withTokens { program in
            program.database.answer("account_token_page", row(other, account, "shoes"), row(account, account, ""))
            let answer = try await program.send(.get, tokens + "?limit=1")
            #expect(answer.status == 200 && !answer.body.contains("sat_") && !answer.body.contains("token\":"))
            #expect(answer.json["data"]?.elements.map { $0["id"]?.text } == [other.description])
            #expect(answer.json["hasMore"]?.flag == true && answer.json["nextCursor"]?.text == other.description)
            program.database.answer("account_token_page")
            program.found()
            #expect(try await program.send(.get, tokens).json["data"]?.elements.isEmpty == true)
            program.database.answer("account_token_page")
            program.database.answer("account_read")
            #expect(try await program.send(.get, tokens).status == 404)
        }
    }

    @Test func `are ended one by one or all together, and again without an effect`() async throws {
        try await withTokens { program in
            let one = Parameters { $0.append(int32: 1) }
            program.database.answer("account_token_revoke", one)
            let ended = try await program.send(.delete, tokens + "/\(other)")
            #expect(
                ended.body == #"{"object":"accountTokenRevocation","accountId":"\#(account)","revoked":1}"#
            )
            let sent = try #require(program.database.asked.last?.parameters)
            #expect(try sent.uuid(0, 0) == account && sent.uuid(0, 1) == other)
            program.database.answer("account_token_revoke_all", one, one)
            #expect(try await program.send(.delete, tokens).json["revoked"]?.integer == 2)
            program.database.answer("account_token_revoke_all")
            program.found()
            #expect(try await program.send(.delete, tokens).json["revoked"]?.integer == 0)
            program.database.answer("account_token_revoke")
            program.database.answer("account_read")
            #expect(try await program.send(.delete, tokens + "/\(other)").status == 404)
            #expect(try await program.send(.delete, tokens + "/nothing").status == 404)
        }
    }

    @Test(arguments: [
        ("GET", tokens, "accounts:write"), ("POST", tokens, "accounts:read"), ("DELETE", tokens, "accounts:read"),
        ("DELETE", tokens + "/\(other)", "accounts:read"),
    ])
    func `open for their scope alone`(method: String, path: String, scopes: String) async throws {
        let methods: [String: HTTPMethod] = ["GET": .get, "POST": .post, "DELETE": .delete]
        try await withTokens { program in
            let method = try #require(methods[method])
            let answer = try await program.send(method, path, method == .post ? "{}" : nil, scopes: scopes)
            #expect(answer.status == 403 && answer.code == "scope_missing")
        }
    }
}

@Suite struct `A route below app v1` {
    private static let all = (AccountsPart.descriptions + Shelf.descriptions).filter {
        $0.path.text.hasPrefix("/app/v1/")
    }

    private static func content(_ route: RouteDescription) -> String? { route.method == .post ? "{}" : nil }

    @Test(arguments: all.indices)
    func `is open for tokens with its scope, and for nothing else`(index: Int) async throws {
        let route = Self.all[index]
        let (method, path, body) = (route.method, route.path.text, Self.content(route))
        try await withTokens { program in
            let none = try await program.ask(method, path, body: body)
            #expect(none.status == 401 && none.code == "unauthenticated")
            let key = "swk_" + shown.dropFirst(4)
            #expect(try await program.app(method, path, body, token: key).status == 401)
            #expect(program.database.names.isEmpty, "nothing is looked up")
            program.database.answer("account_token_find")
            #expect(try await program.app(method, path, body).status == 401)
            guard route.principal != .app(nil) else { return }
            program.letIn("other")
            #expect(try await program.app(method, path, body).code == "scope_missing")
        }
    }
}

@Suite struct `A route below v1` {
    private static let all = (AccountsPart.descriptions + Shelf.descriptions).filter { $0.path.text.hasPrefix("/v1/") }

    @Test(arguments: all.indices)
    func `is closed for tokens, and looks none up`(index: Int) async throws {
        let route = Self.all[index]
        let path = route.path.text.replacing("{id}", with: account.description).replacing("{token}", with: "x")
        try await withTokens { program in
            let answer = try await program.app(route.method, path, route.method == .post ? "{}" : nil)
            #expect(answer.status == 401 && answer.code == "unauthenticated")
            #expect(program.database.names.isEmpty)
        }
    }
}

@Suite struct `An app` {
    @Test func `is told for whom it speaks, with one statement`() async throws {
        try await withTokens { program in
            program.letIn("socks,hats")
            let answer = try await program.app(.get, "/app/v1/account")
            #expect(
                answer.body
                    == #"{"object":"account","id":"\#(account)","scopes":["socks"],"expiresAt":"2026-09-21T14:13:20Z"}"#
            )
            #expect(answer[.rateLimitPolicy] == #""account";q=120;w=60"# && answer[.xRequestID] != nil)
            #expect(program.database.names == ["account_token_find"])
            let sent = try #require(program.database.asked.last?.parameters)
            #expect(try sent.uuid(0, 0).bytes == Array(1...16))
            #expect(try sent.bytes(0, 1) == AppToken(shown)?.hash.bytes)
        }
    }

    @Test func `ends its own token`() async throws {
        try await withTokens { program in
            program.letIn("")
            program.database.answer("account_token_revoke", Parameters { $0.append(int32: 1) })
            let answer = try await program.app(.delete, "/app/v1/token")
            #expect(answer.status == 200 && answer.json["revoked"]?.integer == 1)
            let sent = try #require(program.database.asked.last?.parameters)
            #expect(try sent.uuid(0, 0) == account && sent.uuid(0, 1) == AppToken(shown)?.id)
        }
    }

    @Test func `sees its own account, and a merchant's program the one in the path`() async throws {
        try await withTokens { program in
            program.letIn()
            #expect(try await program.app(.get, "/app/v1/shoes").json["of"]?.text == account.description)
            let merchant = try await program.send(.get, "/v1/shoes/accounts/\(other)")
            #expect(merchant.json["of"]?.text == other.description)
            #expect(try await program.send(.get, "/v1/shoes/accounts/nobody").status == 404)
        }
    }

    @Test func `has claims of its account, which meet those of no other`() async throws {
        try await withTokens { program in
            for mine in [account, other] {
                program.letIn(of: mine)
                let answer = try await program.app(.post, "/app/v1/shoes", word: "a")
                #expect(
                    answer.json["of"]?.text == mine.description
                        && answer.json["by"]?.text == AppToken(shown)?.id.description
                )
            }
            program.letIn()
            let none = try await program.app(.post, "/app/v1/shoes")
            #expect(none.status == 400 && none.code == "idempotency_key_missing")
        }
    }

    @Test func `gets nothing for another scope`() async throws {
        try await withTokens { program in
            for scopes in ["", "socks", "shoes2", "Shoes"] {
                program.letIn(scopes)
                let answer = try await program.app(.get, "/app/v1/shoes")
                #expect(answer.status == 403 && answer.code == "scope_missing")
                #expect(answer.json["detail"]?.text == "The token does not have the scope shoes.")
            }
        }
    }

    @Test func `is the same stranger with no token, another's key, and one that opens nothing`() async throws {
        try await withTokens { program in
            let key = "swk_" + shown.dropFirst(4)
            var bodies: Set<String> = []
            for path in ["/app/v1/account", "/app/v1/shoes"] {
                program.database.answer("account_token_find")
                for fields: [(HTTPFieldName, String)] in [
                    [], [(.authorization, "Bearer " + shown)], [(.authorization, "Bearer " + key)],
                    [(.authorization, shown)], [(.authorization, "Bearer sat_short")],
                    [(.authorization, "Bearer " + shown), (.authorization, "Bearer " + shown)],
                ] {
                    let answer = try await program.ask(.get, path, fields: fields)
                    #expect(answer.status == 401 && answer[.wwwAuthenticate] == "Bearer", "\(fields)")
                    bodies.insert(answer.body.replacing(answer[.xRequestID] ?? "", with: ""))
                }
            }
            #expect(bodies.count == 1)
            #expect(program.database.names == ["account_token_find", "account_token_find"])
        }
    }

    @Test func `is no browser`() async throws {
        try await withTokens { program in
            for path in ["/app/v1/account", "/app/v1/shoes"] {
                let fields: [(HTTPFieldName, String)] = [(.authorization, "Bearer " + shown), (.origin, "null")]
                let answer = try await program.ask(.get, path, fields: fields)
                #expect(answer.status == 403 && answer.code == "browser_not_allowed")
            }
            #expect(program.database.names.isEmpty)
        }
    }

    @Test func `uses up its own rate, and not that of another account or of the merchant`() async throws {
        try await withTokens(["service.app_requests_per_minute": "3", "merchant.requests_per_minute": "10"]) {
            program in
            for _ in 0..<3 {
                program.letIn()
                #expect(try await program.app(.get, "/app/v1/account").status == 200)
            }
            program.letIn()
            let refused = try await program.app(.get, "/app/v1/account")
            #expect(refused.status == 429 && refused[.rateLimitPolicy] == #""account";q=3;w=60"#)
            program.letIn(of: other)
            #expect(try await program.app(.get, "/app/v1/account").status == 200)
            #expect(try await program.send(.get, "/v1/shoes/accounts/\(account)").status == 200)
        }
    }

    @Test func `at an address that guesses is let in with a token that is known`() async throws {
        try await withTokens(["limits.unknown_per_minute": "2"]) { program in
            program.letIn()
            #expect(try await program.app(.get, "/app/v1/account").status == 200)
            let guess = "sat_" + Base64URL.encode([UInt8](repeating: 3, count: 48))
            var statuses: [Int] = []
            let start = ContinuousClock.now
            for _ in 0..<20 {
                program.database.answer("account_token_find")
                statuses.append(try await program.app(.get, "/app/v1/account", token: guess).status)
                program.database.clear()
            }
            #expect(statuses.prefix(2) == [401, 401] && statuses.contains(429))
            // The known token, two guesses and five more at once; then one every fifth of a second, however long this takes.
            let most = 8 + Int((ContinuousClock.now - start) / .milliseconds(200))
            #expect(program.database.names.count <= most + 1, "guesses are looked up five times a second")
            program.letIn()
            #expect(try await program.app(.get, "/app/v1/account").status == 200)
            let key = try await program.send(.get, "/v1/shoes/accounts/\(account)")
            #expect(key.status == 200, "keys are another matter")
        }
    }

    @Test func `is told in problems what is wrong`() async throws {
        try await withTokens { program in
            for (method, path) in [(HTTPMethod.get, "/app/v1/nothing"), (.put, "/app/v1/account")] {
                let answer = try await program.ask(method, path)
                #expect(answer[.contentType]?.hasPrefix("application/problem+json") == true, "\(path)")
                #expect(answer.status == (method == .get ? 404 : 405))
            }
            program.database.fail("account_token_find", .unavailable)
            let away = try await program.app(.get, "/app/v1/account")
            #expect(away.status == 503 && !away.body.contains("script"))
            #expect(program.log.lines.contains { $0.contains("app.request_failed") })
        }
    }

    @Test func `is in the description, with its token and its own words`() async throws {
        try await withTokens { program in
            let document = try await program.ask(.get, "/v1/openapi.json").json
            let app = document["paths"]?["/app/v1/shoes"]?["get"]
            #expect(app?["security"]?.description == #"[{"token":["shoes"]}]"#)
            #expect(app?["responses"]?["401"]?["description"]?.text?.contains("API key") == false)
            let key = document["paths"]?["/v1/shoes/accounts/{id}"]?["get"]
            #expect(key?["security"]?.description == #"[{"key":["shoes:read"]}]"#)
            #expect(document["paths"]?["/app/v1/account"]?["get"]?["security"]?.description == #"[{"token":[]}]"#)
            #expect(document["components"]?["securitySchemes"]?.members.map(\.name) == ["key", "token"])
        }
    }
}
