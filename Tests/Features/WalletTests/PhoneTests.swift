import Cryptography
import EventIO
import HTTPCore
import Postgres
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing
import WalletPass

@testable import Wallet

@Suite struct `A phone` {
    @Test func `installs a card by its link, and registers for it`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let reply = try await wallet.ask(.get, card.linkTarget)
            #expect(reply.status == 200)
            #expect(reply[.contentType] == "application/vnd.apple.pkpass")
            #expect(reply[.cacheControl] == "private, no-store")
            #expect(reply[.contentDisposition] == "attachment; filename=\"member.pkpass\"")
            let opened = try judged(reply.body, of: card)
            #expect(opened.pass["storeCard"]?["primaryFields"]?.elements.first?["value"]?.integer == 0)
            #expect(opened.pass["storeCard"]?["secondaryFields"]?.elements.first?["value"]?.text == "山田 花子")
            #expect(opened.pass["webServiceURL"]?.text == "https://shop.example/wallet")
            #expect(opened.pass["authenticationToken"]?.text == card.token)
            #expect(try await wallet.register("D1", card).status == 201)
            #expect(try await wallet.state(card) == "installed")
            // The same card each time.
            #expect(try await wallet.ask(.get, card.linkTarget).body == reply.body)
            let head = try await wallet.ask(.head, card.linkTarget)
            #expect(head.status == 200)
            #expect(head[.lastModified] == reply[.lastModified])
        }
    }

    @Test func `learns of new points, fetches them once, and has them then`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            try await wallet.register("D1", card)
            let first = try #require(try await wallet.list("D1"))
            let before = try await wallet.fetch(card)
            // Transactions of other tests on the server may have begun before the card: until they end it is listed again.
            let patience = Patience()
            var tag = first.tag
            while let again = try await wallet.list("D1", since: tag), patience.isLeft {
                #expect(again.serials == [card.serial])
                tag = again.tag
                await wallet.part.loop.reactor.nextTurn()
            }
            #expect(try await wallet.list("D1", since: tag) == nil)
            let result = try await wallet.change(card, .add(1_200))
            #expect(result.points == 1_200)
            #expect(result.devices == 1)
            let second = try #require(try await wallet.list("D1", since: tag))
            #expect(second.serials == [card.serial])
            let date = try #require(before[.lastModified])
            let after = try await wallet.fetch(card, fields: [(.ifModifiedSince, date)])
            #expect(after.status == 200)
            let opened = try judged(after.body, of: card)
            #expect(opened.pass["storeCard"]?["primaryFields"]?.elements.first?["value"]?.integer == 1_200)
            // Within the same second: the date is another one.
            #expect(after[.lastModified] != date)
            #expect(after[.cacheControl] == "private, no-cache")
            let known = [(HTTPFieldName.ifModifiedSince, try #require(after[.lastModified]))]
            let again = try await wallet.fetch(card, fields: known)
            #expect(again.status == 304)
            #expect(again[.lastModified] == after[.lastModified])
            #expect(again.body.isEmpty)
            let tagged = [(HTTPFieldName.ifNoneMatch, try #require(after[.entityTag]))]
            #expect(try await wallet.fetch(card, fields: tagged).status == 304)
            // An entity tag counts more than a date.
            let stale = [(HTTPFieldName.ifNoneMatch, try #require(before[.entityTag]))] + known
            #expect(try await wallet.fetch(card, fields: stale).status == 200)
            #expect(try await wallet.fetch(card, method: .head)[.lastModified] == after[.lastModified])
        }
    }

    @Test func `is woken where the card has changed before it registered`() async throws {
        try await withWallet { wallet in
            let jobs = "SELECT count(*) FROM wallet_push_job"
            let card = try await wallet.member()
            try await wallet.register("D1", card)
            #expect(try wallet.admin.rows(jobs) == [["0"]], "it has the first version")
            try await wallet.register("D2", card, pushToken: "bb")
            _ = try await wallet.change(card, .add(1))
            // Another phone has fetched the new version.
            try wallet.admin.run("UPDATE wallet_pass SET fetched_version = version")
            try await wallet.register("D3", card, pushToken: "cc")
            let woken = "SELECT string_agg(device, ' ' ORDER BY device) FROM wallet_push_job"
            #expect(try wallet.admin.rows(woken) == [["D1 D2 D3"]])
            // Not before the answer to the registration is there.
            let later = "due_at >= since + interval '2 seconds'"
            #expect(try wallet.admin.rows("SELECT device FROM wallet_push_job WHERE \(later)") == [["D3"]])
        }
    }

    @Test func `is refused in one and the same way, whatever is wrong`() async throws {
        try await withWallet { wallet in
            let (card, other) = (try await wallet.member("1"), try await wallet.member("2"))
            let unknown = "/wallet/v1/passes/\(WalletFixture.passType)/5A3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90"
            let elsewhere = card.path.replacing(WalletFixture.passType, with: "pass.com.example.other")
            var replies: [Reply] = []
            for token in [nil, "", "x", other.token, card.token + "x", card.token.lowercased()] {
                replies.append(try await wallet.ask(.get, card.path, token: token))
            }
            replies.append(try await wallet.ask(.get, unknown, token: card.token))
            replies.append(try await wallet.ask(.get, elsewhere, token: card.token))
            replies.append(try await wallet.ask(.get, card.path.lowercased(), token: card.token))
            let twice = [(HTTPFieldName.authorization, "ApplePass \(card.token)")]
            replies.append(try await wallet.ask(.get, card.path, token: card.token, fields: twice))
            for reply in replies {
                #expect(reply.status == 401)
                #expect(reply.body.isEmpty)
                #expect(reply.fields.map(\.value) == replies[0].fields.map(\.value))
            }
            let spelled = [(HTTPFieldName.authorization, "applepass   \(card.token)")]
            #expect(try await wallet.ask(.get, card.path, fields: spelled).status == 200)
            // A pass whose secret is another one than that of the token is not its.
            try wallet.admin.run("UPDATE wallet_pass SET token_key = 2")
            #expect(try await wallet.fetch(card).status == 401)
            #expect(try await wallet.register("D1", card).status == 401)
            #expect(try await wallet.ask(.delete, card.registration("D1"), token: card.token).status == 401)
        }
    }

    @Test func `is called removed when it unregisters, and lost when the push service says so`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            #expect(try await wallet.state(card) == "issued")
            try await wallet.register("D1", card)
            try await wallet.register("D2", card)
            #expect(try await wallet.ask(.delete, card.registration("D1"), token: card.token).status == 200)
            #expect(try await wallet.state(card) == "installed")
            #expect(try await wallet.ask(.delete, card.registration("D2"), token: card.token).status == 200)
            #expect(try await wallet.state(card) == "removed")
            try await wallet.register("D1", card)
            let lose = "SELECT wallet_lose('D1', '\(WalletFixture.passType)', "
            // It has registered again since the token of before died.
            #expect(try wallet.admin.rows(lose + "now() - interval '1 hour')") == [["0"]])
            #expect(try await wallet.state(card) == "installed")
            #expect(try wallet.admin.rows(lose + "now() + interval '1 hour')") == [["1"]])
            #expect(try await wallet.state(card) == "lost")
            let events = try wallet.admin.rows("SELECT type FROM event ORDER BY sequence").map { $0[0] }
            #expect(
                events == [
                    "wallet.pass.installed", "wallet.pass.removed", "wallet.pass.installed", "wallet.pass.lost",
                ]
            )
            let kinds = try wallet.admin.rows("SELECT kind FROM wallet_history ORDER BY history_id").map { $0[0] }
            #expect(
                kinds == [
                    "created", "registered", "registered", "unregistered", "unregistered", "registered", "push_dead",
                ]
            )
            // Whoever reads the history learns no identifier that lists passes.
            #expect(try wallet.admin.rows("SELECT count(*) FROM wallet_history WHERE device LIKE '%D%'") == [["0"]])
        }
    }

    @Test func `gets a last version when the membership ends, and nothing of the person`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            try await wallet.register("D1", card)
            _ = try await wallet.change(card, .set(500))
            let tag = try #require(try await wallet.list("D1")).tag
            try await wallet.part.end(card.account)
            #expect(try #require(try await wallet.list("D1", since: tag)).serials == [card.serial])
            let reply = try await wallet.fetch(card)
            #expect(reply.status == 200)
            let opened = try judged(reply.body, of: card, isFinal: true)
            #expect(opened.pass["voided"]?.flag == true)
            #expect(opened.pass["webServiceURL"] == nil)
            #expect(opened.pass["barcodes"] == nil)
            #expect(!opened.pass.description.contains("山田"))
            #expect(try await wallet.ask(.get, card.linkTarget).status == 404)
            #expect(try wallet.admin.rows("SELECT name, points FROM wallet_member") == [[nil, "0"]])
            #expect(try await wallet.ask(.delete, card.registration("D1"), token: card.token).status == 200)
            try await wallet.part.end(card.account)
            await #expect(throws: (any Error).self) { _ = try await wallet.change(card, .add(1)) }
        }
    }

    @Test func `that has the newest version is noted once a day and version`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            func noted() async throws -> [[String?]] {
                while let fetches = wallet.process.recorder.take() {
                    _ = try await wallet.part.loop.database.work(UpkeepStatement.fetched(fetches))
                }
                return try wallet.admin.rows(
                    "SELECT kind, detail->>'version' FROM wallet_history WHERE kind <> 'updated' ORDER BY history_id"
                )
            }
            func ask() async throws -> Int {
                let date = try #require(try await wallet.fetch(card, method: .head)[.lastModified])
                return try await wallet.fetch(card, fields: [(.ifModifiedSince, date)]).status
            }
            for _ in 0..<3 { #expect(try await ask() == 304) }
            #expect(try await noted() == [["created", nil], ["not_modified", "1"]])
            #expect(try await ask() == 304)
            #expect(try await noted() == [["created", nil], ["not_modified", "1"]])
            _ = try await wallet.change(card, .set(1))
            #expect(try await ask() == 304)
            #expect(try await noted().last == ["not_modified", "2"])
            // Nobody has fetched anything.
            #expect(try wallet.admin.rows("SELECT fetched_at FROM wallet_pass") == [[nil]])
        }
    }

    @Test(arguments: ["", "?k=", "?k=x", "?k=AAAAAAAAAAAAAAAAAAAAAA", "?k=a&k=b"])
    func `gets no card without the key of the link`(query: String) async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let path = try #require(card.linkTarget.split(separator: "?").first)
            let wrong = try await wallet.ask(.get, path + query)
            let unknown = try await wallet.ask(.get, "/wallet/\(UUIDBytes(high: 1, low: 1))" + query)
            #expect(wrong.status == 404)
            #expect(unknown.status == 404)
            #expect(wrong.body == unknown.body)
        }
    }

    @Test func `has the link of before no more when there is a new one`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let answer = try await wallet.part.renewLink(card.account)
            let url = try #require(answer.content["walletUrl"]?.text)
            #expect(url != card.link)
            #expect(try await wallet.ask(.get, card.linkTarget).status == 404)
            #expect(try await wallet.ask(.get, String(url.dropFirst("https://shop.example".count))).status == 200)
        }
    }

    @Test func `is on so many phones and no more`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            #expect(try await wallet.register("D1", card).status == 201)
            try wallet.admin.run("UPDATE wallet_pass SET devices = 2000")
            #expect(try await wallet.register("D2", card).status == 403)
            #expect(try await wallet.register("D1", card, pushToken: "bb22").status == 200)
            try wallet.admin.run("UPDATE wallet_pass SET devices = 1999")
            #expect(try await wallet.register("D2", card).status == 201)
        }
    }

    @Test func `has a link for as long as the settings say`() async throws {
        try await withWallet(["wallet.link_lifetime": "1h"]) { wallet in
            let card = try await wallet.member()
            #expect(try await wallet.ask(.get, card.linkTarget).status == 200)
            try wallet.admin.run("UPDATE wallet_member SET link_at = link_at - interval '1 hour'")
            #expect(try await wallet.ask(.get, card.linkTarget).status == 404)
            let answer = try await wallet.part.renewLink(card.account)
            let url = try #require(answer.content["walletUrl"]?.text)
            #expect(try await wallet.ask(.get, String(url.dropFirst("https://shop.example".count))).status == 200)
        }
    }

    @Test(arguments: ["", "{", "[]", "{\"logs\":5}", "{\"logs\":[5]}", "{\"logs\":{}}"])
    func `sends a log, and nothing else to its route`(body: String) async throws {
        try await withWallet { wallet in
            let wrong = try await wallet.ask(.post, "/wallet/v1/log", body: Array(body.utf8))
            #expect(wrong.status == 400)
            let large = try await wallet.ask(.post, "/wallet/v1/log", body: [UInt8](repeating: 0x20, count: 262_145))
            #expect(large.status == 413)
        }
    }

    @Test func `sends logs within bounds`() async throws {
        try await withWallet(["wallet.log_rate": "2"]) { wallet in
            let card = try await wallet.member()
            let line =
                "[2026-11-21 18:00:00 +0900] Get pass task (pass type \(WalletFixture.passType), serial number \(card.serial), if-modified-since x; with web service url https://shop.example/wallet/) encountered error: Received invalid pass data."
            let lines = [line, String(repeating: "é", count: 3_000)] + Array(repeating: "x\r\ny", count: 200)
            let body = JSONValue.object([JSONMember("logs", .array(lines.map(JSONValue.string)))]).bytes
            for _ in 0..<4 { #expect(try await wallet.ask(.post, "/wallet/v1/log", body: body).status == 200) }
            let count = try wallet.admin.rows(
                "SELECT count(*), count(*) FILTER (WHERE serial = '\(card.serial)') FROM wallet_device_log"
            )
            #expect(count == [["200", "2"]])
            let longest = try wallet.admin.rows(
                "SELECT max(octet_length(message)) <= 4096, bool_or(message ~ '[[:cntrl:]]') FROM wallet_device_log"
            )
            #expect(longest == [["t", "f"]])
            let shown = try JSONParser.parse(try await wallet.part.member(card.account))
            let errors = shown["passes"]?.elements.first?["errors"]?.elements ?? []
            #expect(errors.first?["message"]?.text == "Received invalid pass data.")
        }
    }
}

@Suite struct `What phones report` {
    @Test func `is kept up to the limit of a day`() async throws {
        try await withWallet { wallet in
            func kept(_ count: Int) async throws -> Int {
                let lines = JSONValue.array(Array(repeating: ["kind": "other", "message": "x"], count: count))
                return try await wallet.part.loop.database.write(PhoneStatement.log(lines.description, 5, 2)).first()
            }
            #expect(try await kept(3) == 3)
            #expect(try await kept(3) == 2)
            #expect(try await kept(1) == 0)
            #expect(try wallet.admin.rows("SELECT count(*) FROM wallet_device_log") == [["5"]])
            // The next day begins with none.
            try wallet.admin.run("UPDATE wallet_device_log_day SET day = day - 1")
            #expect(try await kept(4) == 4)
            #expect(try wallet.admin.rows("SELECT lines FROM wallet_device_log_day") == [["4"]])
        }
    }

    /// Otherwise whoever sends lines of nothing would have the shop hear of no phone that day.
    @Test func `of a card is kept on a day that is full of other lines`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let other = ["kind": "other", "message": "x"] as JSONValue
            let of =
                [
                    "kind": "get", "type": .string(WalletFixture.passType), "serial": .string(card.serial),
                    "message": "x",
                ] as JSONValue
            func kept(_ lines: [JSONValue]) async throws -> Int {
                let text = JSONValue.array(lines).description
                return try await wallet.part.loop.database.write(PhoneStatement.log(text, 5, 2)).first()
            }
            #expect(try await kept(Array(repeating: other, count: 9)) == 5)
            #expect(try await kept([other, of]) == 1)
            #expect(try await kept([of, other, of]) == 1)
        }
    }
}

/// What a phone makes of a file: it conforms in every respect.
func judged(_ file: [UInt8], of card: Card, isFinal: Bool = false) throws -> OpenedPass {
    let root = try X509Certificate(try Files.read("\(WalletFolders.vectors)/pki/root.pem"))
    var expectations = PassJudge.Expectations()
    expectations.passType = WalletFixture.passType
    expectations.serialNumber = card.serial
    if !isFinal { expectations.authenticationToken = Secret(card.token) }
    expectations.isStrict = true
    let verdict = PassJudge(trust: [root], expecting: expectations).judge(file, at: SystemClock().now())
    #expect(verdict.isConforming, "\(verdict.findings)")
    return try #require(verdict.pass)
}

extension WalletFixture {
    /// What the shop's screen calls the card.
    func state(_ card: Card) async throws -> String? {
        try JSONParser.parse(try await part.member(card.account))["state"]?.text
    }
}
