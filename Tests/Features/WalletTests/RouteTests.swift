import Accounts
import Cryptography
import HTTPCore
import Postgres
import Primitives
import ServerCore
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
            let (data, database) = (AccountData.wallet, wallet.part.loop.database)
            let exported = try await data.export(database, card.account)
            #expect(exported["name"]?.text == "山田 花子")
            #expect(try await data.erase(database, card.account).counts == ["passes": 1])
            #expect(try await data.erase(database, card.account).counts == [:])
            #expect(try await data.export(database, card.account) == .null)
            let rows = try wallet.admin.rows("SELECT count(*) FROM wallet_pass WHERE account_id IS NULL AND is_final")
            #expect(rows == [["1"]])
            #expect(try await wallet.fetch(card).status == 200)
        }
    }
}

@Suite struct `A program that was written for the sample` {
    @Test func `makes a member, sets points by the path alone, and sees what became of it`() async throws {
        try await withWallet(["wallet.sample_routes": "true"]) { wallet in
            let shop = try ShopProgram(wallet, scopes: "wallet:read,wallet:write")
            let (made, card) = try await shop.ask(.post, "/member", #"{"id":"m-1","name":"Hana"}"#)
            #expect(made == 201)
            let id = try #require(card["member_id"]?.text)
            let serial = try #require(card["serial_number"]?.text)
            #expect(card["wallet_url"]?.text?.hasPrefix("https://shop.example/wallet/\(id)?k=") == true)
            #expect(card.members.count == 3)

            let (changed, points) = try await shop.ask(.post, "/member/\(id)/point/1200")
            #expect(changed == 200)
            #expect(points == ["points": 1_200, "changed": true, "devices": 0])
            // By the shop's own id, too; nothing is made anew.
            let (same, unchanged) = try await shop.ask(.post, "/member/m-1/point/1200")
            #expect(same == 200)
            #expect(unchanged == ["points": 1_200, "changed": false, "devices": 0])
            #expect(try await shop.ask(.post, "/member/m-1/point", #"{"add":-1201}"#).status == 409)
            let (added, more) = try await shop.ask(.post, "/member/m-1/point", #"{"add":1}"#)
            #expect(added == 200)
            #expect(more["points"]?.integer == 1_201)

            let (read, member) = try await shop.ask(.get, "/member/m-1")
            #expect(read == 200)
            #expect(member["member_id"]?.text == id)
            #expect(member["serial_number"]?.text == serial)
            #expect(member["version"]?.integer == 3)
            #expect(member["events"]?.elements.compactMap { $0["kind"]?.text } == ["updated", "updated", "created"])
            let (listed, page) = try await shop.ask(.get, "/member?state=issued")
            #expect(listed == 200)
            #expect(page["members"]?.elements.map { $0["id"]?.text } == ["m-1"])
            #expect(page["next"] == nil)

            #expect(try await shop.ask(.post, "/pass-type/\(WalletFixture.passType)/push").status == 202)
            #expect(try await shop.ask(.post, "/pass-type/pass.of.nobody/push").status == 404)
            let (ended, last) = try await shop.ask(.delete, "/member/m-1")
            #expect(ended == 200)
            #expect(last["state"]?.text == "voided")
            #expect(last["name"] == nil)
            #expect(try await shop.ask(.post, "/member/m-1/point/1").status == 409)
        }
    }

    @Test(arguments: ["-1", "+1", "1000000000", "1.0", "1e3", "%31", "0x1", "01", "1%20", "99999999999999999999", "a"])
    func `sets points to whole numbers of nine digits alone`(text: String) async throws {
        try await withWallet(["wallet.sample_routes": "true"]) { wallet in
            let shop = try ShopProgram(wallet, scopes: "wallet:write")
            let card = try await wallet.member()
            #expect(try await shop.ask(.post, "/member/\(card.account)/point/\(text)").status == 400)
            #expect(try wallet.version(card) == 1)
        }
    }

    @Test func `repeats under a word without a second effect`() async throws {
        try await withWallet(["wallet.sample_routes": "true"]) { wallet in
            let shop = try ShopProgram(wallet, scopes: "wallet:write")
            let (_, card) = try await shop.ask(.post, "/member", "{}", word: "a")
            let (again, same) = try await shop.ask(.post, "/member", "{}", word: "a")
            let (_, other) = try await shop.ask(.post, "/member", #"{"name":"Jiro"}"#, word: "a")
            #expect(other["member_id"]?.text != nil && other["member_id"] != card["member_id"])
            #expect(again == 200)
            #expect(same == card)
            #expect(try await shop.ask(.post, "/member", "{}").value["member_id"] != card["member_id"])
            let path = "/member/\(try #require(card["member_id"]?.text))/point"
            for _ in 0..<2 {
                let (status, points) = try await shop.ask(.post, path, #"{"add":5}"#, word: "b")
                #expect(status == 200)
                #expect(points == ["points": 5, "changed": true, "devices": 0])
            }
            #expect(try await shop.ask(.post, path, #"{"add":6}"#, word: "b").status == 422)
            #expect(try await shop.ask(.post, path, #"{"add":6}"#, word: "b b").status == 400)
            #expect(try await shop.ask(.post, path, #"{"add":6}"#).value["points"]?.integer == 11)
        }
    }

    @Test func `needs a key that opens it, and the setting`() async throws {
        try await withWallet(["wallet.sample_routes": "true"]) { wallet in
            let card = try await wallet.member()
            let reader = try ShopProgram(wallet, scopes: "wallet:read")
            for (method, path) in Self.changes(card.account) {
                #expect(try await wallet.ask(method, path).status == 401)
                #expect(try await reader.ask(method, path).status == 403)
            }
            #expect(try wallet.version(card) == 1)
        }
        try await withWallet { wallet in
            for (method, path) in Self.changes(UUIDBytes(high: 1, low: 1)) {
                let reply = try await wallet.ask(method, path)
                #expect(reply.status == 404)
            }
        }
    }

    private static func changes(_ account: UUIDBytes) -> [(HTTPMethod, String)] {
        [
            (.post, "/member"), (.post, "/member/\(account)/point/5"), (.post, "/member/\(account)/point"),
            (.delete, "/member/\(account)"), (.post, "/pass-type/\(WalletFixture.passType)/push"),
        ]
    }
}

/// A program with a key.
struct ShopProgram {
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
