import Cryptography
import EventIO
import HTTPCore
import Postgres
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import Wallet

/// A table of the test vectors; keys in them are public test keys.
private func cases(_ name: String) throws -> [JSONValue] {
    try JSONParser.parse(try Files.read("\(WalletFolders.vectors)/\(name).json"))["cases"]?.elements ?? []
}

@Suite struct `The table of` {
    @Test func `update tags holds`() async throws {
        let all = try cases("tag-cases")
        #expect(all.count == 14)
        try await withWallet { wallet in
            for (index, one) in all.enumerated() {
                let device = "device-\(index)"
                var names: [String: String] = [:]
                for member in one["passes"]?.members ?? [] {
                    let card = try await wallet.member("\(index)-\(member.name)")
                    try await wallet.register(device, card)
                    names[card.serial] = member.name
                    try wallet.admin.run(
                        "UPDATE wallet_pass SET tag = \(member.value.integer ?? 0) WHERE serial = '\(card.serial)'"
                    )
                }
                let type = one["unknown_type"]?.flag == true ? "pass.unknown" : WalletFixture.passType
                let query =
                    one["query_raw"]?.text
                    ?? (one["since_raw"] ?? one["since"])?.text.map { "passesUpdatedSince=\($0)" }
                let target = "/wallet/v1/devices/\(device)/registrations/\(type)" + (query.map { "?\($0)" } ?? "")
                let reply = try await wallet.ask(.get, target)
                let title = one["name"]?.text ?? ""
                #expect(reply.status == one["status"]?.integer, "\(title)")
                guard reply.status == 200 else {
                    #expect(reply.body.isEmpty)
                    continue
                }
                let value = try JSONParser.parse(reply.body)
                let serials = value["serialNumbers"]?.elements.compactMap { $0.text.flatMap { names[$0] } } ?? []
                #expect(Set(serials) == Set(one["serials"]?.elements.compactMap(\.text) ?? []), "\(title)")
                #expect(value["lastUpdated"]?.text == one["lastUpdated"]?.text, "\(title)")
            }
        }
    }

    @Test func `dates holds`() async throws {
        let all = try cases("http-date-cases")
        #expect(all.count == 14)
        let now = WallTime(seconds: 1_795_300_000)
        for one in all {
            let time = HTTPDate.time(ofAnyForm: one["value"]?.text ?? "", now: now)
            #expect(time?.seconds == one["epoch"]?.integer.map(Int64.init), "\(one)")
        }
        try await withWallet { wallet in
            let card = try await wallet.member()
            try wallet.admin.run("UPDATE wallet_pass SET modified_at = '2026-11-21 09:00:00+00'")
            for one in all {
                let reply = try await wallet.fetch(card, fields: [(.ifModifiedSince, one["value"]?.text ?? "")])
                #expect(reply.status == one["status"]?.integer, "\(one)")
                #expect(reply[.lastModified] == "Sat, 21 Nov 2026 09:00:00 GMT")
                #expect(reply.body.isEmpty == (reply.status == 304))
            }
        }
    }

    @Test(arguments: ["", "https://phones.example"])
    func `paths holds`(ownHost: String) async throws {
        let all = try cases("path-cases")
        #expect(all.count == 19)
        try await withWallet(["wallet.host": ownHost]) { wallet in
            let host = ownHost.isEmpty ? WalletFixture.host : "phones.example"
            for one in all {
                let path = (ownHost.isEmpty ? WalletFixture.base : "") + (one["path"]?.text ?? "")
                let method = HTTPMethod((one["method"]?.text ?? "").utf8Span.span)
                let reply = try await wallet.ask(method, path, host: host)
                switch (one["route"]?.text, one["status"]?.integer) {
                case ("list", _): #expect(reply.status == 204, "\(path)")
                // Without a body and a token the route is known by its refusal.
                case ("log", _): #expect(reply.status == 400, "\(path)")
                case (.some, _): #expect(reply.status == 401, "\(path)")
                case (nil, let status?):
                    #expect(reply.status == status, "\(path)")
                    #expect(reply[.allow] == one["allow"]?.text, "\(path)")
                case (nil, nil): #expect(reply.status == 404, "\(path)")
                }
                #expect(reply.body.isEmpty)
            }
        }
    }

    @Test func `registrations holds`() async throws {
        let all = try cases("register-cases")
        #expect(all.count == 30)
        try await withWallet { wallet in
            let cards = ["P1": try await wallet.member("1"), "P2": try await wallet.member("2")]
            for one in all {
                let words = (one["do"]?.text ?? "").split(separator: " ").map(String.init)
                let title = "\(one)"
                guard words[0] != "list" else {
                    let listed = try await wallet.list(words[1])
                    let serials = listed.map {
                        $0.serials.compactMap { serial in cards.first { $0.value.serial == serial }?.key }
                    }
                    #expect((listed == nil ? 204 : 200) == one["status"]?.integer, "\(title)")
                    #expect((serials ?? []) == (one["serials"]?.elements.compactMap(\.text) ?? []), "\(title)")
                    continue
                }
                var target =
                    cards[words[2]]?.registration(words[1])
                    ?? "/wallet/v1/devices/D1/registrations/\(WalletFixture.passType)/unknown"
                if words.count > 3 { target = target.replacing(WalletFixture.passType, with: "pass.com.example.other") }
                var authorization = one["auth"]?.text
                // A token may have such a word in it, so there is one replacement.
                if let (name, card) = cards.first(where: { authorization?.contains("T" + $0.key.dropFirst()) ?? false })
                {
                    authorization = authorization?.replacing("T" + name.dropFirst(), with: card.token)
                }
                var body = one["body_raw"]?.text ?? one["body"]?.description ?? ""
                body = body.replacing("<320 hex digits>", with: String(repeating: "ab", count: 160))
                let reply = try await wallet.ask(
                    words[0] == "register" ? .post : .delete,
                    target,
                    fields: authorization.map { [(.authorization, $0)] } ?? [],
                    body: Array(body.utf8)
                )
                #expect(reply.status == one["status"]?.integer, "\(title)")
                #expect(reply.body.isEmpty)
                if let token = one["push"]?.text {
                    let stored = try wallet.admin.rows(
                        "SELECT push_token FROM wallet_device WHERE device = '\(words[1])'"
                    )
                    #expect(stored == [[token]], "\(title)")
                }
            }
            #expect(try wallet.admin.rows("SELECT count(*) FROM wallet_pass") == [["2"]])
            #expect(try wallet.admin.rows("SELECT count(*) FROM wallet_device") == [["0"]])
        }
    }

    @Test func `lines of logs holds`() throws {
        let all = try cases("log-cases")
        #expect(all.count == 7)
        for one in all {
            let line = DeviceLogLine(one["line"]?.text ?? "")
            let parsed = try #require(one["parsed"])
            #expect(line.kind.rawValue == parsed["kind"]?.text)
            #expect(line.at.map { CalendarDate($0).extendedText } == parsed["at"]?.text)
            #expect(line.device == parsed["device"]?.text)
            #expect(line.passType == parsed["pass_type"]?.text)
            #expect(line.serial == parsed["serial"]?.text)
            #expect(line.tag == parsed["tag"]?.text)
            #expect(line.ifModifiedSince == parsed["if_modified_since"]?.text)
            if let message = parsed["message"]?.text { #expect(line.message == message) }
            #expect(line.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        }
    }
}
