import DeviceAttestation
import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import TestKit
import Testing

@testable import DeviceCheck

@Suite struct `Devices over HTTP` {
    @Test func `are claimed for by an app and by the shop's program, with 200 for every decision`() async throws {
        try await withDevices { shop in
            let client = try await DeviceClient.open(shop)
            let claimed = try await client.app("/claim", #"{"purpose":"free-trial","deviceToken":"\#(client.token)"}"#)
            #expect(claimed.status == 200 && claimed["decision"]?.text == "allow" && claimed["isGranted"]?.flag == true)
            let denied = try await client.shop("/claim", #"{"purpose":"free-trial","deviceToken":"\#(client.token)"}"#)
            #expect(denied.status == 200 && denied["decision"]?.text == "deny")
            let checked = try await client.app("/check", #"{"purpose":"purchase","unsupported":"mac"}"#)
            #expect(checked.status == 200 && checked["needsReview"]?.flag == true)
            let genuine = try await client.app("/validate", #"{"deviceToken":"\#(client.token)"}"#)
            #expect(genuine.status == 200 && genuine["isGenuine"]?.flag == true)
            let waiting = try await client.shop("/mark", #"{"event":"fraud"}"#)
            #expect(waiting.status == 200 && waiting["isQueued"]?.flag == true)
            let marked = try await client.app("/mark", #"{"event":"purchased","deviceToken":"\#(client.token)"}"#)
            #expect(marked["state"]?.text == "blocked")
            let history = try await client.history()
            #expect(history.first?["kind"]?.text == "mark" && history.last?["outcome"]?.text == "never-set")
        }
    }

    @Test func `are refused with what the app has to do`() async throws {
        try await withDevices { shop in
            let client = try await DeviceClient.open(shop)
            func claim(_ text: String) async throws -> DeviceClient.Reply {
                try await client.app("/claim", #"{"purpose":"free-trial","deviceToken":"\#(text)"}"#)
            }
            let good = client.token
            for text in ["x", good + "\\n", good.replacing("A", with: "-"), String(good.dropLast()), "AAAA"] {
                let refused = try await claim(text)
                #expect(refused.status == 400 && refused["code"]?.text == "device_token_malformed", "\(text)")
            }
            #expect(try await client.app("/claim", #"{"purpose":"free-trial"}"#).status == 400)
            let both = #"{"purpose":"free-trial","deviceToken":"\#(good)","unsupported":"mac"}"#
            #expect(try await client.app("/claim", both).status == 400)
            let unknown = try await client.app("/claim", #"{"purpose":"other","deviceToken":"\#(good)"}"#)
            #expect(unknown.status == 400 && unknown["code"]?.text == "device_purpose_unknown")
            #expect(unknown["detail"]?.text?.contains("free-trial, ticket-gift") == true)
            #expect(try await claim(good).status == 200)
            let used = try await claim(good)
            #expect(used.status == 409 && used["newToken"]?.flag == true)
            // Apple does not know it: it is of another team, another environment or too old.
            let foreign = ScriptedDevices(9, on: shop.part.loop.reactor).token(of: 8)
            let refused = try await claim(foreign)
            #expect(refused.status == 422 && refused["newToken"]?.flag == true)
        }
    }

    @Test func `cannot be told of while Apple is away or refuses our key, which is never the app's fault`() async throws
    {
        try await withDevices { shop in
            let client = try await DeviceClient.open(shop)
            for answer in [DeviceCheckAnswer.unavailable, .credentials, .credentialsExpired, .badRequest, .throttled] {
                shop.apple.faults[.query] = .answer(answer, attempts: 1)
                let body = #"{"purpose":"free-trial","deviceToken":"\#(client.token)"}"#
                let away = try await client.app("/claim", body)
                #expect(away.status == 503 && away.retryAfter == "30", "\(answer)")
                #expect(away["code"]?.text == "device_check_unavailable")
                shop.apple.faults[.validate] = .answer(answer, attempts: 1)
                #expect(try await client.app("/validate", #"{"deviceToken":"\#(client.token)"}"#).status == 503)
            }
        }
    }

    @Test func `are asked about so often by an account`() async throws {
        try await withDevices(["device_check.account_rate": "3"]) { shop in
            let (client, other) = (try await DeviceClient.open(shop), try await DeviceClient.open(shop))
            var last = 200
            for _ in 0..<8 where last == 200 {
                last = try await client.app("/validate", #"{"deviceToken":"\#(client.token)"}"#).status
            }
            #expect(last == 429)
            #expect(try await other.app("/validate", #"{"deviceToken":"\#(client.token)"}"#).status == 200)
        }
    }

    @Test func `need a scope, and are nobody's once the account is erased`() async throws {
        try await withDevices { shop in
            let other = try await DeviceClient.open(shop, scopes: #"{"scopes":[]}"#)
            let client = try await DeviceClient.open(shop)
            let body = #"{"purpose":"free-trial","deviceToken":"\#(client.token)"}"#
            #expect(try await other.app("/claim", body).status != 200)
            try shop.admin.run(
                "UPDATE account SET erased_at = now(), external_id = NULL WHERE account_id = '\(client.account)'"
            )
            #expect(try await client.shop("/claim", body).status == 404)
        }
    }
}

/// An app and a shop's program that ask about devices of one account.
struct DeviceClient {
    /// An answer.
    struct Reply {
        let status: Int
        let retryAfter: String?
        private let json: JSONValue

        init(_ answer: Answer) throws {
            status = answer.status
            retryAfter = answer[.retryAfter]
            json = try JSONParser.parse(Array(answer.body.utf8))
        }

        subscript(name: String) -> JSONValue? { json[name] }
    }

    let fixture: DeviceFixture
    let account: UUIDBytes
    let key: String
    private let appToken: String

    /// A fresh token of the first device.
    var token: String { fixture.apple.token(of: 0) }

    static func open(_ shop: DeviceFixture, scopes: String = "{}") async throws -> DeviceClient {
        let minted = APIKey.mint(random: KernelRandom())
        try shop.admin.run(
            """
            INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes) VALUES (
                '\(minted.key.id)', now(), '\\x\(minted.key.hash.hexadecimal)', 'shop',
                '{accounts:read,accounts:write,devices:read,devices:write}')
            """
        )
        let key = minted.key.text
        let made = try await shop.program.ask(
            .post,
            "/v1/accounts",
            key: key,
            json: #"{"externalId":"\#(minted.key.id)"}"#
        )
        guard let account = try JSONParser.parse(Array(made.body.utf8))["id"]?.text.flatMap({ UUIDBytes($0) }) else {
            throw FixtureError(description: "no account: \(made.body)")
        }
        let issued = try await shop.program.ask(
            .post,
            "/v1/accounts/\(account)/tokens",
            key: key,
            fields: [(.idempotencyKey, "token")],
            json: scopes
        )
        let token = try JSONParser.parse(Array(issued.body.utf8))["token"]?.text ?? "none"
        return DeviceClient(fixture: shop, account: account, key: key, appToken: token)
    }

    /// - Parameter assertions: What the app shows beside its token.
    func app(_ path: String, _ json: String?, assertions: [String] = []) async throws -> Reply {
        let field = try #require(HTTPFieldName(AppRequest.fieldName))
        return try Reply(
            await fixture.program.ask(
                .post,
                "/app/v1/devices" + path,
                key: appToken,
                fields: assertions.map { (field, $0) },
                json: json
            )
        )
    }

    func shop(_ path: String, _ json: String) async throws -> Reply {
        let path = "/v1/devices/accounts/\(account)\(path)"
        return try Reply(await fixture.program.ask(.post, path, key: key, json: json))
    }

    func history() async throws -> [JSONValue] {
        let path = "/v1/devices/accounts/\(account)/history?limit=100"
        return try Reply(await fixture.program.ask(.get, path, key: key))["data"]?.elements ?? []
    }
}
