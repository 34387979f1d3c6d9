import Accounts
import Cryptography
import HTTPCore
import Postgres
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import Wallet

@Suite struct `A program of the shop` {
    @Test func `makes members, changes points once for each word, and ends memberships`() async throws {
        try await withWallet { wallet in
            let shop = try ShopProgram(wallet, scopes: "wallet:read,wallet:write")
            let (status, card) = try await shop.ask(.post, "/v1/wallet/members", #"{"externalId":"m-1","name":"Hana"}"#)
            #expect(status == 201)
            let account = try #require(card["accountId"]?.text)
            #expect(card["walletUrl"]?.text?.hasPrefix("https://shop.example/wallet/\(account)?k=") == true)
            let (again, same) = try await shop.ask(.post, "/v1/wallet/members", #"{"externalId":"m-1"}"#)
            #expect(again == 200)
            #expect(same == card)

            let points = "/v1/wallet/members/\(account)/points"
            let (changed, first) = try await shop.ask(.post, points, #"{"add":100}"#, word: "a")
            #expect(changed == 200)
            #expect(first["points"]?.integer == 100)
            #expect(first["changed"]?.flag == true)
            let (repeated, second) = try await shop.ask(.post, points, #"{"add":100}"#, word: "a")
            #expect(repeated == 200)
            #expect(second == first)
            #expect(try await shop.ask(.post, points, #"{"add":200}"#, word: "a").status == 422)
            #expect(try await shop.ask(.post, points, #"{"add":-101}"#, word: "b").status == 409)
            // What was refused has used nothing up.
            #expect(try await shop.ask(.post, points, #"{"add":100}"#, word: "c").value["points"]?.integer == 200)
            #expect(try await shop.ask(.post, points, #"{"add":-101}"#, word: "b").value["points"]?.integer == 99)
            #expect(try await shop.ask(.post, points, #"{"set":99}"#, word: "d").value["changed"]?.flag == false)
            #expect(try await shop.ask(.post, points, #"{"set":99}"#).status == 400)

            let (read, member) = try await shop.ask(.get, "/v1/wallet/members/\(account)")
            #expect(read == 200)
            #expect(member["name"]?.text == "Hana")
            let kinds = member["passes"]?.elements.first?["history"]?.elements.compactMap { $0["kind"]?.text }
            #expect(kinds == ["updated", "updated", "updated", "created"])
            let (listed, page) = try await shop.ask(.get, "/v1/wallet/members?state=issued&limit=1")
            #expect(listed == 200)
            #expect(page["data"]?.elements.first?["accountId"]?.text == account)
            #expect(page["hasMore"]?.flag == false)

            let (renewed, link) = try await shop.ask(.post, "/v1/wallet/members/\(account)/link", "{}")
            #expect(renewed == 200)
            #expect(link["walletUrl"] != card["walletUrl"])
            let push = "/v1/wallet/pass-types/\(WalletFixture.passType)/push"
            #expect(try await shop.ask(.post, push, "{}").status == 202)
            #expect(try await shop.ask(.post, push.replacing("member", with: "other"), "{}").status == 404)

            let (ended, last) = try await shop.ask(.delete, "/v1/wallet/members/\(account)")
            #expect(ended == 200)
            #expect(last["state"]?.text == "voided")
            #expect(last["name"] == nil)
            #expect(try await shop.ask(.post, points, #"{"set":1}"#, word: "e").status == 409)
            #expect(try await shop.ask(.post, "/v1/wallet/members", #"{"externalId":"m-1"}"#).status == 409)
        }
    }

    @Test(arguments: [
        "{}", #"{"set":1,"add":1}"#, #"{"set":-1}"#, #"{"set":1000000000}"#, #"{"add":"1"}"#, #"{"add":1.5}"#,
        #"{"set":1,"x":1}"#, "[]", "{",
    ])
    func `changes points in no other way`(body: String) async throws {
        try await withWallet { wallet in
            let shop = try ShopProgram(wallet, scopes: "wallet:write")
            let card = try await wallet.member()
            let reply = try await shop.ask(.post, "/v1/wallet/members/\(card.account)/points", body, word: "w")
            #expect(reply.status == 400)
            #expect(try wallet.version(card) == 1)
        }
    }

    @Test func `does what its key opens`() async throws {
        try await withWallet { wallet in
            let shop = try ShopProgram(wallet, scopes: "wallet:read")
            let card = try await wallet.member()
            #expect(try await shop.ask(.get, "/v1/wallet/members/\(card.account)").status == 200)
            #expect(try await shop.ask(.delete, "/v1/wallet/members/\(card.account)").status == 403)
            #expect(try await wallet.ask(.get, "/v1/wallet/members/\(card.account)").status == 401)
            let unknown = try await shop.ask(.get, "/v1/wallet/members/\(UUIDBytes(high: 1, low: 1))")
            #expect(unknown.status == 404)
            for query in ["state=gone", "state=", "x=1", "name=a&state=lost", "after=x", "limit=0"] {
                #expect(try await shop.ask(.get, "/v1/wallet/members?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test func `has an account erased, with all that the card knows of the person`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            try await wallet.register("D1", card)
            let exported = try await wallet.part.export(card.account)
            #expect(exported["name"]?.text == "山田 花子")
            #expect(try await wallet.part.erase(card.account).counts == ["passes": 1])
            #expect(try await wallet.part.erase(card.account).counts == [:])
            #expect(try await wallet.part.export(card.account) == .null)
            let rows = try wallet.admin.rows("SELECT count(*) FROM wallet_pass WHERE account_id IS NULL AND is_final")
            #expect(rows == [["1"]])
            #expect(try await wallet.fetch(card).status == 200)
        }
    }
}

/// A program with a key.
private struct ShopProgram {
    private static let key = "swk_" + Base64URL.encode(Array(1...48))
    private let wallet: WalletFixture

    init(_ wallet: WalletFixture, scopes: String) throws {
        self.wallet = wallet
        try wallet.admin.run(
            """
            INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes)
            VALUES ('01020304-0506-0708-090a-0b0c0d0e0f10', now(), sha256('\(Self.key)'), 'shop', '{\(scopes)}')
            """
        )
    }

    func ask(
        _ method: HTTPMethod,
        _ target: String,
        _ body: String? = nil,
        word: String? = nil
    ) async throws -> (status: Int, value: JSONValue) {
        var fields: [(HTTPFieldName, String)] = [(.authorization, "Bearer \(Self.key)")]
        if body != nil { fields.append((.contentType, "application/json")) }
        if let word { fields.append((.idempotencyKey, word)) }
        let reply = try await wallet.ask(method, target, fields: fields, body: Array((body ?? "").utf8))
        return (reply.status, try JSONParser.parse(reply.body))
    }
}
