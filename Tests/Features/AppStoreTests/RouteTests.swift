import Accounts
import AppStoreTransactions
import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServiceAPI
import StrictJSON
import TestKit
import Testing

@testable import AppStore

@Suite struct `Purchases over HTTP` {
    @Test func `are granted to the account of a token, spent once for each word, and listed`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let client = try await Client.open(shop)
            let token = try await client.app(.get, "/customer")["appAccountToken"]?.text
            var text = XcodeText(transaction: "1", signed: 1_750_000_000_000)
            text.token = token.flatMap { UUIDBytes($0) }
            let granted = try await client.app(.post, "/transactions", json: text.submission)
            #expect(granted["outcome"]?.text == "granted" && granted["finish"]?.flag == true)
            #expect(granted["units"]?.integer == 10 && granted["balance"]?.integer == 10)
            #expect(try await client.app(.post, "/transactions", json: text.submission)["outcome"]?.text == "duplicate")
            for _ in 0..<2 {
                let spent = try await client.app(.post, "/spend", word: "a", json: #"{"units":3,"reference":"show"}"#)
                #expect(spent["units"]?.integer == 7 && spent["spendable"]?.integer == 7)
            }
            #expect(
                try await client.app(.post, "/spend", word: "b", json: #"{"units":8}"#)["code"]?.text == "units_too_few"
            )
            #expect(try await client.app(.get, "/balance")["units"]?.integer == 7)
            let entries = try await client.shop(.get, "/entries")["data"]?.elements ?? []
            #expect(entries.compactMap { $0["kind"]?.text } == ["spend", "purchase"])
            #expect(entries.first?["reference"]?.text == "show")
            let purchases = try await client.shop(.get, "/purchases")["data"]?.elements ?? []
            #expect(purchases.compactMap { $0["transactionId"]?.text } == ["1"])
        }
    }

    @Test func `are not spent by an app whose token was made without naming that`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let client = try await Client.open(shop, token: "{}")
            let text = XcodeText(transaction: "1", signed: 1_750_000_000_000)
            #expect(try await client.app(.post, "/transactions", json: text.submission)["units"]?.integer == 10)
            let refused = try await client.app(.post, "/spend", word: "a", json: #"{"units":3}"#)
            #expect(refused["code"]?.text == "scope_missing")
            #expect(try await client.app(.get, "/balance")["units"]?.integer == 10)
        }
    }

    @Test func `are entitlements while they last where they are no consumables`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let client = try await Client.open(shop)
            var text = XcodeText(
                transaction: "1",
                signed: 1_750_000_000_000,
                product: "premium",
                type: "Non-Consumable"
            )
            #expect(try await client.app(.post, "/transactions", json: text.submission)["units"]?.integer == 0)
            text.transaction = "2"
            text.type = "Auto-Renewable Subscription"
            text.expires = 1_750_000_000_001
            #expect(try await client.app(.post, "/transactions", json: text.submission)["outcome"]?.text == "granted")
            func lasting() async throws -> [String] {
                let list = try await client.app(.get, "/entitlements")["data"]?.elements ?? []
                return list.compactMap { $0["transactionId"]?.text }
            }
            #expect(try await lasting() == ["1"])
            text.signed += 1
            text.expires = 4_000_000_000_000
            _ = try await client.app(.post, "/transactions", json: text.submission)
            #expect(try await lasting() == ["2", "1"])
            text.signed += 1
            text.revoked = text.signed
            #expect(
                try await client.app(.post, "/transactions", json: text.submission)["code"]?.text == "purchase_revoked"
            )
            #expect(try await lasting() == ["1"])
        }
    }

    /// An app finishes what it is told to finish, and keeps everything else.
    @Test func `say whether the app finishes the transaction`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let (client, other) = (try await Client.open(shop), try await Client.open(shop))
            var text = XcodeText(transaction: "1", signed: 1_750_000_000_000)
            _ = try await other.app(.post, "/transactions", json: text.submission)
            try await client.expect(text, "purchase_of_other_account", 409, finish: true)
            text = XcodeText(transaction: "2", signed: 1_750_000_000_000, product: "not sold")
            try await client.expect(text, "product_unknown", 409, finish: false)
            text = XcodeText(transaction: "3", signed: 1_750_000_000_000)
            text.token = UUIDBytes(high: 1, low: 2)
            try await client.expect(text, "purchase_token_unknown", 409, finish: false)
            let token = try await other.app(.get, "/customer")["appAccountToken"]?.text
            text = XcodeText(transaction: "6", signed: 1_750_000_000_000)
            text.token = token.flatMap { UUIDBytes($0) }
            try await client.expect(text, "purchase_of_other_account", 409, finish: true)
            text = XcodeText(transaction: "4", signed: 1_750_000_000_000, ownership: "FAMILY_SHARED")
            try await client.expect(text, "purchase_not_granted", 409, finish: true)
            text = XcodeText(transaction: "5", signed: 1_750_000_000_000, bundle: "com.example.other")
            try await client.expect(text, "signed_text_refused", 422, finish: true)
            let nothing = try await client.app(.post, "/transactions", json: #"{"signedTransaction":"x.y.z"}"#)
            #expect(nothing["code"]?.text == "signed_text_refused" && nothing["reason"]?.text == "malformed")
            #expect(nothing["finish"]?.flag == false)
        }
    }

    @Test func `are kept for a product that is sold later`() async throws {
        let database = try appStoreDatabase()
        let text = XcodeText(transaction: "1", signed: 1_750_000_000_000, product: "new")
        try await withAppStore(XcodeText.settings, database: database) { shop in
            try await shop.open(UUIDBytes(high: 1, low: 1))
            #expect(await shop.submit(text.text, UUIDBytes(high: 1, low: 1)).outcome == "product_unknown")
        }
        try await withAppStore(XcodeText.settings, products: #"{"new":{"units":2}}"#, database: database) { shop in
            #expect(await shop.submit(text.text, UUIDBytes(high: 1, low: 1)).outcome == "granted")
            let sum = try await shop.balance(UUIDBytes(high: 1, low: 1), in: .xcode)
            #expect(sum == 2)
        }
    }

    @Test func `go with their account, and are granted to nobody else`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let (client, other) = (try await Client.open(shop), try await Client.open(shop))
            let text = XcodeText(transaction: "1", signed: 1_750_000_000_000)
            _ = try await client.app(.post, "/transactions", json: text.submission)
            _ = try await client.app(.post, "/spend", word: "a", json: #"{"units":3,"reference":"Hanako"}"#)
            let export = try await client.account(.get, "/export")["features"]?.elements.first?["data"]
            #expect(export?["ledgers"]?.elements.first?["purchases"]?.elements.count == 1)
            #expect(export?["ledgers"]?.elements.first?["entries"]?.elements.count == 2)
            #expect(try await client.account(.delete, "")["isComplete"]?.flag == true)
            #expect(try await client.app(.get, "/balance")["code"]?.text == "unauthenticated")
            #expect(try await client.shop(.get, "/balance")["code"]?.text == "not_found")
            try await other.expect(text, "purchase_of_other_account", 409, finish: true)
            #expect(try shop.falseSums().isEmpty)
            let left = try shop.admin.rows(
                """
                SELECT (SELECT count(*) FROM app_store_customer AS c WHERE c.account_id = '\(client.account)'),
                    (SELECT count(*) FROM app_store_ledger AS l WHERE l.account_id = '\(client.account)'),
                    (SELECT count(*) FROM app_store_entry AS e WHERE e.reference IS NOT NULL)
                """
            )
            #expect(left == [["0", "0", "0"]])
        }
    }

    @Test func `name an account by a token that no other account has`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let (client, other) = (try await Client.open(shop), try await Client.open(shop))
            let token = #"{"appAccountToken":"5B0C0B7E-3F1D-4A9A-9A51-2F6C9D1E7A01"}"#
            let set = try await client.shop(.put, "/customer", json: token)
            #expect(set["appAccountToken"]?.text == "5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01")
            #expect(set["replacedAppAccountToken"]?.text == nil)
            #expect(try await client.shop(.put, "/customer", json: token)["replacedAppAccountToken"]?.text == nil)
            let before = try await other.app(.get, "/customer")["appAccountToken"]?.text
            let own = #"{"appAccountToken":"5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a02"}"#
            #expect(try await other.shop(.put, "/customer", json: own)["replacedAppAccountToken"]?.text == before)
            #expect(try await other.shop(.put, "/customer", json: token)["code"]?.text == "app_account_token_taken")
            #expect(try await client.app(.get, "/customer")["appAccountToken"] == set["appAccountToken"])
        }
    }

    /// A mistyped id is no customer without purchases.
    @Test func `are not listed for an account that is not there or is erased`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let client = try await Client.open(shop)
            let lists = ["/purchases", "/entries", "/entitlements"]
            for list in lists {
                #expect(try await client.shop(.get, list)["data"]?.elements.isEmpty == true)
                let nobody = "/v1/app-store/accounts/\(UUIDBytes(high: 1, low: 2))\(list)"
                #expect(try await shop.program.ask(.get, nobody, key: client.key).status == 404)
            }
            _ = try await client.account(.delete, "")
            for list in lists { #expect(try await client.shop(.get, list)["code"]?.text == "not_found") }
        }
    }

    @Test func `are handed in by one of three proofs, all of which are named`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let client = try await Client.open(shop)
            let empty = try await client.app(.post, "/transactions", json: "{}")
            #expect(empty["code"]?.text == "invalid_request" && empty["field"]?.text == "signedTransaction")
            for name in ["signedTransaction", "transactionId", "receipt"] {
                #expect(empty["detail"]?.text?.contains("\"\(name)\"") == true, "\(empty)")
            }
        }
    }

    @Test func `say how many units can be spent at once`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let client = try await Client.open(shop)
            let refused = try await client.app(.post, "/spend", word: "a", json: #"{"units":0}"#)
            #expect(refused["detail"]?.text == #"The field "units" is not a whole number from 1 to 1000000000."#)
        }
    }

    @Test func `are asked for in an environment that is taken`() async throws {
        try await withAppStore(XcodeText.settings) { shop in
            let client = try await Client.open(shop)
            let off = try await client.app(.get, "/balance?environment=Production")
            #expect(off["code"]?.text == "environment_off" && off["field"]?.text == "environment")
            #expect(off["detail"]?.text == "Purchases are taken of these environments: Xcode.")
            #expect(try await client.app(.get, "/balance?environment=Xcode")["units"]?.integer == 0)
        }
    }
}

@Suite struct `Texts of test tools` {
    @Test func `are not taken by a server that customers reach, nor in their database`() async throws {
        let database = try appStoreDatabase()
        let admin = try database.admin()
        try admin.run(
            """
            INSERT INTO app_store_purchase (
                purchase_id, signed_at, granted, taken, quantity, environment, bundle_id, transaction_id, original_id, product_id, type, ownership)
            VALUES (gen_random_uuid(), now(), 0, 0, 1, 'Production', 'x', '1', '1', 'x', 'Consumable', 'PURCHASED')
            """
        )
        await #expect(throws: (any Error).self) {
            try await withAppStore(XcodeText.settings, database: database) { _ in }
        }
    }
}

/// An account with its app and its shop's program.
struct Client {
    let program: StoredProgram
    let account: UUIDBytes
    let key: String
    private let token: String

    /// Opens an account, and asks for a token of its app, which spends where nothing else is asked for.
    static func open(
        _ shop: AppStoreFixture,
        token wish: String = #"{"scopes":["app_store","app_store:spend"]}"#
    ) async throws -> Client {
        let minted = APIKey.mint(random: KernelRandom())
        try shop.admin.run(
            """
            INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes) VALUES (
                '\(minted.key.id)', now(), '\\x\(minted.key.hash.hexadecimal)', 'shop',
                '{accounts:read,accounts:write,app_store:read,app_store:write}')
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
            json: wish
        )
        guard let token = try JSONParser.parse(Array(issued.body.utf8))["token"]?.text else {
            throw FixtureError(description: "no token: \(issued.body)")
        }
        return Client(program: shop.program, account: account, key: key, token: token)
    }

    /// What the app is answered.
    func app(
        _ method: HTTPMethod,
        _ path: String,
        word: String? = nil,
        json: String? = nil
    ) async throws -> JSONValue {
        let fields = word.map { [(HTTPFieldName.idempotencyKey, $0)] } ?? []
        let answer = try await program.ask(method, "/app/v1/app-store" + path, key: token, fields: fields, json: json)
        return try JSONParser.parse(Array(answer.body.utf8))
    }

    /// What the shop's program is answered about the account's purchases.
    func shop(_ method: HTTPMethod, _ path: String, json: String? = nil) async throws -> JSONValue {
        let answer = try await program.ask(method, "/v1/app-store/accounts/\(account)\(path)", key: key, json: json)
        return try JSONParser.parse(Array(answer.body.utf8))
    }

    /// What the shop's program is answered about the account.
    func account(_ method: HTTPMethod, _ path: String) async throws -> JSONValue {
        let answer = try await program.ask(method, "/v1/accounts/\(account)\(path)", key: key)
        return try JSONParser.parse(Array(answer.body.utf8))
    }

    /// Hands a text in and expects it to be refused.
    func expect(_ text: XcodeText, _ code: String, _ status: Int, finish: Bool) async throws {
        let problem = try await app(.post, "/transactions", json: text.submission)
        #expect(problem["code"]?.text == code)
        #expect(problem["status"]?.integer == status)
        #expect(problem["finish"]?.flag == finish)
    }
}
