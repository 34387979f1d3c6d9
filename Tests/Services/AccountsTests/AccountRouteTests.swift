import FeatureTestKit
import HTTPCore
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

/// A feature that keeps shoes of accounts, and one whose switch is off.
private struct Shoes: Feature, FeatureProcess {
    static let card = FeatureCard("shoes", needs: [AccountsFeature.self], slots: [AccountData.shoes])

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) -> Shoes { self }

    func open(_ loop: LoopContext) -> Shelf {
        Shelf()
    }
}

private struct Hats: Feature, FeatureProcess {
    static let card = FeatureCard("hats", needs: [AccountsFeature.self], slots: [AccountData.hats])

    init(_ settings: inout SettingReader) {}

    var state: FeatureState { .off(set: ["hats"]) }

    func start(_ process: ProcessContext) -> Hats { self }

    func open(_ loop: LoopContext) -> Shelf { Shelf() }
}

private final class Shelf: FeaturePart {
    static let routes: [RouteGroup<Shelf>] = []
    static let erase = TypedStatement<Int, UUIDBytes>(name: "shoes_erase", sql: "SELECT shoes_erase($1)")
    static let export = TypedStatement<Int, UUIDBytes>(name: "shoes_export", sql: "SELECT shoes_export($1)")
}

extension AccountData {
    fileprivate static let shoes = AccountData(
        "shoes",
        erase: { database, account in
            AccountErasure(["pairs": try await database.work(Shelf.erase(account)).first()])
        },
        export: { database, account in
            let pairs = try await database.read(Shelf.export(account)).first()
            return ["pairs": JSONValue(pairs), "of": .string(account.description)]
        }
    )
    fileprivate static let hats = AccountData(
        "hats",
        erase: { _, _ in AccountErasure(["hats": 1]) },
        export: { _, _ in ["straw"] }
    )
}

private let id = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
private let opened = WallTime(seconds: 1_790_000_000)

private func withAccounts(
    _ others: [any Feature.Type] = [Shoes.self],
    _ body: @escaping @Sendable (ScriptedProgram) async throws -> Void
) async throws {
    try await ScriptedProgram.run(FeatureSet([ServiceFeature.self, AccountsFeature.self] + others), [:], body)
}

extension ScriptedProgram {
    /// Asks with a key that has both scopes unless others are given.
    fileprivate func send(
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        scopes: String = "accounts:read,accounts:write"
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

    /// The shelf has so many pairs.
    fileprivate func pairs(_ statement: String, _ count: Int = 2) {
        database.answer(statement, Parameters { $0.append(int64: Int64(count)) })
    }

    fileprivate func tokens(_ rows: Parameters...) { database.answer("account_token_page", rows: rows) }

    fileprivate func account(
        _ statement: String,
        _ externalID: String? = "a",
        erased: Bool = false,
        cleared: Bool = false
    ) {
        if statement == "account_erase" {
            database.answer("account_token_erase")
            database.answer("api_claim_erase") { sent in
                try #require(try sent.uuid(0, 0) == id)
                return Parameters { $0.append(int32: 1) }
            }
        }
        database.answer(
            statement,
            Parameters { row in
                row.append(uuid: id)
                row.append(timestamp: opened)
                row.append(text: externalID)
                row.append(timestamp: erased ? opened + .seconds(60) : nil)
                row.append(timestamp: cleared ? opened + .seconds(61) : nil)
            }
        )
    }
}

extension Answer {
    fileprivate var json: JSONValue { (try? JSONParser.parse(Array(body.utf8))) ?? .null }
    fileprivate var code: String? { json["code"]?.text }
}

@Suite struct `Accounts below v1` {
    @Test func `are not served where no feature keeps anything of them`() async throws {
        try await withAccounts([]) { program in
            for path in ["/v1/accounts", "/v1/openapi.json"] {
                let answer = try await program.ask(.get, path)
                #expect(answer.status == 404)
            }
        }
    }

    @Test func `are opened once for an external id, and need no Idempotency-Key`() async throws {
        try await withAccounts { program in
            for isNew in [true, false] {
                program.database.answer("account_open") { sent in
                    try #require(try sent.text(0, 0) == "Customer-1")
                    let fresh = try sent.uuid(0, 1)
                    return Parameters { $0.append(uuid: isNew ? fresh : id) }
                }
                program.account("account_read", "Customer-1")
                let answer = try await program.send(.post, "/v1/accounts", #"{"externalId":"Customer-1"}"#)
                #expect(answer.status == (isNew ? 201 : 200))
                #expect(
                    answer.body
                        == #"{"object":"account","id":"\#(id)","externalId":"Customer-1","createdAt":"2026-09-21T14:13:20Z","erasedAt":null}"#
                )
            }
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"externalId":""}"#, #"{"externalId":null}"#, #"{"externalId":1}"#, #"{"externalId":"a","x":1}"#,
        #"{"externalId":"a\u0000"}"#, #"{"externalId":" a"}"#, #"{"externalId":"a\n"}"#, #"{"externalId":"\u202Ea"}"#,
        #"{"externalId":"a\u200B"}"#, "[]", "", "{", #"{"externalId":"a","externalId":"a"}"#,
        #"{"externalId":"\#(String(repeating: "a", count: 129))"}"#, #"{"externalId":"\ud800"}"#,
    ])
    func `are not opened for what is no external id`(body: String) async throws {
        try await withAccounts { program in
            let answer = try await program.send(.post, "/v1/accounts", body)
            #expect(answer.status == 400 && answer.code == "invalid_request")
            #expect(program.database.names == ["api_key_find"])
        }
    }

    @Test func `are opened for 128 characters of any script, and not for a large body`() async throws {
        try await withAccounts { program in
            let longest = String(repeating: "顧", count: 128)
            program.database.answer("account_open", Parameters { $0.append(uuid: id) })
            program.account("account_read", longest)
            let answer = try await program.send(.post, "/v1/accounts", "{\"externalId\":\"\(longest)\"}")
            #expect(answer.status == 200)
            let large = try await program.ask(.post, "/v1/accounts", body: String(repeating: " ", count: 4_097))
            #expect(large.status == 413 && large.code == "content_too_large")
        }
    }

    @Test(arguments: [
        ("GET", "/v1/accounts", "accounts:write"), ("GET", "/v1/accounts/\(id)", "accounts:write"),
        ("GET", "/v1/accounts/\(id)/export", "accounts:write"), ("POST", "/v1/accounts", "accounts:read"),
        ("DELETE", "/v1/accounts/\(id)", "accounts:read"),
    ])
    func `open for their scope alone`(method: String, path: String, other: String) async throws {
        let methods: [String: HTTPMethod] = ["GET": .get, "POST": .post, "DELETE": .delete]
        try await withAccounts { program in
            let method = try #require(methods[method])
            let answer = try await program.send(method, path, method == .post ? "{}" : nil, scopes: other)
            #expect(answer.status == 403 && answer.code == "scope_missing")
            let none = try await program.ask(method, path)
            #expect(none.status == 401)
        }
    }

    @Test func `are found by their external id, octet by octet`() async throws {
        try await withAccounts { program in
            program.account("account_find", "Ä b")
            let answer = try await program.send(.get, "/v1/accounts?externalId=%C3%84%20b")
            #expect(answer.json["data"]?.elements.first?["id"]?.text == id.description)
            #expect(try program.database.asked.last?.parameters.text(0, 0).utf8.elementsEqual("Ä b".utf8) == true)
            for query in [
                "externalId=", "externalId=a%00", "externalId=a&externalId=b", "other=a", "limit=0", "after=x",
            ] {
                let refused = try await program.send(.get, "/v1/accounts?" + query)
                #expect(refused.status == 400, "\(query)")
            }
        }
    }

    @Test func `are listed page by page`() async throws {
        try await withAccounts { program in
            let row = Parameters { row in
                row.append(uuid: id)
                row.append(timestamp: opened)
                row.append(text: "a")
                row.append(timestamp: nil)
                row.append(timestamp: nil)
            }
            program.database.answer("account_page", row, row)
            let first = try await program.send(.get, "/v1/accounts?limit=1")
            #expect(first.json["hasMore"]?.description == "true" && first.json["nextCursor"]?.text == id.description)
            program.database.answer("account_page")
            let last = try await program.send(.get, "/v1/accounts?limit=1&after=\(id)")
            #expect(last.json["hasMore"]?.description == "false" && last.json["nextCursor"]?.text == id.description)
        }
    }

    @Test func `are not found under what is no id`() async throws {
        try await withAccounts { program in
            for method in [HTTPMethod.get, .delete] {
                let answer = try await program.send(method, "/v1/accounts/nobody")
                #expect(answer.status == 404 && answer.code == "not_found")
            }
            program.database.answer("account_read")
            #expect(try await program.send(.get, "/v1/accounts/\(id)").status == 404)
            program.database.answer("account_erase")
            #expect(try await program.send(.delete, "/v1/accounts/\(id)").status == 404)
            #expect(program.database.names.last == "account_erase", "nothing is erased")
        }
    }

    @Test func `are erased in every feature, and again without an effect`() async throws {
        try await withAccounts { program in
            for isRepeat in [false, true] {
                program.account("account_erase", nil, erased: true, cleared: isRepeat)
                let count = isRepeat ? 0 : 2
                program.pairs("shoes_erase", count)
                program.database.answer("account_clear")
                let answer = try await program.send(.delete, "/v1/accounts/\(id)")
                #expect(answer.status == 200)
                #expect(
                    answer.body
                        == #"{"object":"accountErasure","accountId":"\#(id)","erasedAt":"2026-09-21T14:14:20Z","isComplete":true,"#
                        + #""wasComplete":\#(isRepeat),"features":[{"feature":"shoes","outcome":"erased","#
                        + #""erased":[{"kind":"pairs","count":\#(count)}]}]}"#
                )
            }
        }
    }

    @Test func `stay marked where a feature fails, until a repeat`() async throws {
        try await withAccounts { program in
            program.account("account_erase", nil, erased: true)
            program.database.fail("shoes_erase", .unavailable)
            let answer = try await program.send(.delete, "/v1/accounts/\(id)")
            #expect(answer.status == 202 && answer[.retryAfter] == "60")
            #expect(answer.json["isComplete"]?.description == "false")
            #expect(answer.json["features"]?.description == #"[{"feature":"shoes","outcome":"failed"}]"#)
            #expect(
                !answer.body.contains("script") && program.log.lines.contains { $0.contains("account.erase_failed") }
            )
            program.account("account_erase", nil, erased: true)
            program.pairs("shoes_erase")
            program.database.answer("account_clear")
            #expect(try await program.send(.delete, "/v1/accounts/\(id)").status == 200)
        }
    }

    @Test func `are erased and exported in a feature that is off, too`() async throws {
        try await withAccounts([Shoes.self, Hats.self]) { program in
            program.account("account_erase", nil, erased: true)
            program.pairs("shoes_erase")
            program.database.answer("account_clear")
            let answer = try await program.send(.delete, "/v1/accounts/\(id)")
            #expect(answer.status == 200)
            #expect(
                answer.json["features"]?.elements.last?.description
                    == #"{"feature":"hats","outcome":"erased","erased":[{"kind":"hats","count":1}]}"#
            )
            program.account("account_read")
            program.tokens()
            program.pairs("shoes_export")
            let export = try await program.send(.get, "/v1/accounts/\(id)/export")
            #expect(export.json["features"]?.elements.last?.description == #"{"feature":"hats","data":["straw"]}"#)
        }
    }

    @Test func `are exported whole or not at all, with the tokens that speak for them`() async throws {
        try await withAccounts { program in
            let row = Parameters { row in
                row.append(uuid: id)
                row.append(uuid: id)
                row.append(timestamp: opened)
                row.append(timestamp: opened + .seconds(3_600))
                row.append(text: "shoes")
            }
            program.account("account_read")
            program.tokens(row)
            program.pairs("shoes_export")
            let answer = try await program.send(.get, "/v1/accounts/\(id)/export")
            #expect(
                answer.json["tokens"]?.description
                    == #"[{"object":"accountToken","id":"\#(id)","accountId":"\#(id)","scopes":["shoes"],"#
                    + #""createdAt":"2026-09-21T14:13:20Z","expiresAt":"2026-09-21T15:13:20Z"}]"#
            )
            #expect(answer.status == 200 && answer.json["account"]?["externalId"]?.text == "a")
            #expect(
                answer.json["features"]?.description == #"[{"feature":"shoes","data":{"pairs":2,"of":"\#(id)"}}]"#
            )
            program.account("account_read", nil, erased: true)
            let erased = try await program.send(.get, "/v1/accounts/\(id)/export")
            #expect(erased.status == 410 && erased.code == "account_erased")
            program.account("account_read")
            program.tokens()
            program.database.fail("shoes_export", .unavailable)
            #expect(try await program.send(.get, "/v1/accounts/\(id)/export").status == 503)
        }
    }

    @Test func `are exported and erased by their own scopes alone`() async throws {
        try await withAccounts { program in
            for (method, path, scopes) in [
                (HTTPMethod.get, "/v1/accounts/\(id)/export", "accounts:write"),
                (.delete, "/v1/accounts/\(id)", "accounts:read"),
            ] {
                let answer = try await program.send(method, path, scopes: scopes)
                #expect(answer.status == 403 && answer.code == "scope_missing", "\(path)")
            }
            #expect(program.database.names.allSatisfy { $0 == "api_key_find" })
        }
    }

    @Test func `are described, and nothing of another feature with them`() async throws {
        try await withAccounts { program in
            let document = try await program.ask(.get, "/v1/openapi.json").json
            let paths = document["paths"]?.members.map(\.name)
            #expect(
                paths == [
                    "/v1/accounts", "/v1/accounts/{id}", "/v1/accounts/{id}/export", "/v1/accounts/{id}/tokens",
                    "/v1/accounts/{id}/tokens/{token}", "/app/v1/account", "/app/v1/token", "/v1/openapi.json",
                ]
            )
            #expect(document["tags"]?.elements.map { $0["name"]?.text } == ["accounts", "app", "description"])
            let creation = document["paths"]?["/v1/accounts"]?["post"]
            #expect(creation?["parameters"]?.elements.isEmpty == true)
            #expect(creation?["responses"]?.members.map(\.name).contains("422") == false)
            let text = document.description
            for word in ["Webview-Session-Id\":", "lastDecline", "sessions:read", "idempotency_key_missing"] {
                #expect(!text.contains(word), "\(word)")
            }
            #expect(document["components"]?["schemas"]?["Problem"] != nil)
        }
    }
}
