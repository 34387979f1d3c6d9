import HTTPCore
import Postgres
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing
import WalletPass
import Web

@testable import Wallet

@Suite struct `A member` {
    @Test func `has one card and one link, however often it is asked for`() async throws {
        try await withWallet { wallet in
            let draft = try Self.draft(#"{"externalId":"m-1","name":"山田 花子","points":7,"fields":{}}"#)
            let (first, answer) = try await wallet.part.issue(draft)
            #expect(answer.status == .created)
            let (second, again) = try await wallet.part.issue(draft)
            #expect(again.status == .ok)
            #expect(second.serial == first.serial)
            #expect(again.content == answer.content)
            let shown = try JSONParser.parse(try await wallet.part.member(first.account))
            #expect(shown["points"]?.integer == 7)
            #expect(shown["state"]?.text == "issued")
            // Neither token, nor key of the link.
            let text = shown.description
            let token = try #require(
                wallet.part.secrets.token(of: first.serial ?? "", WalletFixture.passType, secret: 1)
            )
            #expect(!text.contains(token.reveal()))
            #expect(!text.contains("k="))
        }
    }

    @Test(arguments: [
        "{}", #"{"externalId":5}"#, #"{"externalId":""}"#, #"{"externalId":"a\u0000"}"#,
        #"{"externalId":"a","points":-1}"#,
        #"{"externalId":"a","points":1000000000}"#, #"{"externalId":"a","points":"1"}"#, #"{"externalId":"a","x":1}"#,
        #"{"externalId":"a","name":"a\u202Eb"}"#, #"{"externalId":"a","fields":{"points":1}}"#,
        #"{"externalId":"a","fields":{"a b":"x"}}"#, #"{"externalId":"a","fields":{"a":1.5}}"#,
        #"{"externalId":"a","fields":[]}"#,
    ])
    func `is not made of anything else`(body: String) throws {
        #expect(throws: Failure.self) { _ = try Self.draft(body) }
    }

    @Test func `gets no card that no phone could take`() async throws {
        try await withWallet { wallet in
            // The template has a barcode in ISO 8859-1.
            let draft = try Self.draft(#"{"externalId":"会員"}"#)
            let failure = await #expect(throws: Failure.self) { _ = try await wallet.part.issue(draft) }
            #expect(failure?.code == .invalidRequest)
            let unknown = try Self.draft(#"{"externalId":"a","template":"gold"}"#)
            #expect(
                await #expect(throws: Failure.self) { _ = try await wallet.part.issue(unknown) }?.field == "template"
            )
            #expect(try wallet.admin.rows("SELECT count(*) FROM account") == [["0"]])
        }
    }

    @Test func `has between none and 999999999 points`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            func refusal(_ change: PointsChange) async -> FailureCode? {
                await #expect(throws: Failure.self) { _ = try await wallet.change(card, change) }?.code
            }
            #expect(try await wallet.change(card, .set(999_999_999)).points == 999_999_999)
            #expect(await refusal(.add(1)) == .pointsOutOfRange)
            #expect(try await wallet.change(card, .add(-999_999_999)).points == 0)
            #expect(await refusal(.add(-1)) == .pointsOutOfRange)
            #expect(await refusal(.add(.max)) == .pointsOutOfRange)
            #expect(await refusal(.add(.min)) == .pointsOutOfRange)
            let unknown = UUIDBytes(high: 1, low: 1)
            let failure = await #expect(throws: Failure.self) {
                _ = try await wallet.change(unknown, .set(1), word: "x")
            }
            #expect(failure?.code == .notFound)
        }
    }

    @Test func `keeps a hostile name for a name`() async throws {
        try await withWallet { wallet in
            let name = #"","x":"{{points}}%@POINTS<a href='x'>"#
            let (pass, answer) = try await wallet.part.issue(MemberDraft(externalID: "m", name: name))
            let url = try #require(answer.content["walletUrl"]?.text)
            let reply = try await wallet.ask(.get, String(url.dropFirst("https://shop.example".count)))
            let token = try #require(
                wallet.part.secrets.token(of: pass.serial ?? "", WalletFixture.passType, secret: 1)
            )
            let card = Card(account: pass.account, serial: pass.serial ?? "", token: token.reveal(), link: url)
            let opened = try judged(reply.body, of: card)
            #expect(opened.pass["storeCard"]?["secondaryFields"]?.elements.first?["value"]?.text == name)
        }
    }

    @Test func `is found by state, name and the shop's own name`() async throws {
        try await withWallet { wallet in
            var cards: [Card] = []
            for index in 0..<5 { cards.append(try await wallet.member("m-\(index)")) }
            try await wallet.register("D1", cards[3])
            func listed(_ query: MemberQuery) async throws -> [String?] {
                try await wallet.part.members(query, limit: 10).map {
                    try JSONParser.parse($0.json.utf8)["externalId"]?.text
                }
            }
            #expect(try await listed(MemberQuery()) == ["m-0", "m-1", "m-2", "m-3", "m-4"])
            #expect(try await listed(MemberQuery(after: cards[2].account)) == ["m-3", "m-4"])
            #expect(try await listed(MemberQuery(filter: .state("installed"))) == ["m-3"])
            #expect(try await listed(MemberQuery(filter: .state("issued"), after: cards[1].account)) == ["m-2", "m-4"])
            #expect(try await listed(MemberQuery(filter: .name("山田"))).count == 5)
            #expect(try await listed(MemberQuery(filter: .name("花"))) == [])
            #expect(try await listed(MemberQuery(filter: .externalID("m-4"))) == ["m-4"])
        }
    }

    private static func draft(_ body: String) throws -> MemberDraft {
        try MemberDraft(try JSONReader(try JSONParser.parse(Array(body.utf8))))
    }
}
