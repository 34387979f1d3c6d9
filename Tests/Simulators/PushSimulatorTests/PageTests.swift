import EventIO
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON
import TestKit
import Testing

@testable import PushSimulator

@Suite("Pages of phones")
struct PageTests {
    private static let browser = (name: HTTPFieldName.accept, value: "text/html,*/*;q=0.8")
    private static let elsewhere = (name: HTTPFieldName.origin, value: "https://evil.example")
    private static let form = (name: HTTPFieldName.contentType, value: "application/x-www-form-urlencoded")

    private func page(_ bench: PushBench, _ path: String, _ language: String = "en") async throws -> String {
        let fields = [Self.browser, (name: HTTPFieldName.acceptLanguage, value: language)]
        let answer = try await bench.ask("GET", path, fields: fields)
        #expect(answer.status == 200)
        #expect(answer.first("content-type") == "text/html; charset=utf-8")
        #expect(answer.first("content-security-policy")?.hasPrefix("default-src 'none'; style-src 'self';") == true)
        return String(decoding: answer.body, as: UTF8.self)
    }

    private func press(_ bench: PushBench, _ path: String, _ body: String = "") async throws -> SimulatorAnswer {
        try await bench.ask("POST", path, Array(body.utf8), fields: [Self.form, Self.browser])
    }

    @Test func `a program at the address of the pages is told where they and the calls are`() async throws {
        try await withPush { bench in
            let calls = try await bench.control("GET", "")["calls"]?.elements.compactMap(\.text) ?? []
            #expect(!calls.isEmpty)
            for call in calls {
                #expect(try await bench.ask("GET", String(call.dropFirst(5))).status == 200, "\(call)")
            }
        }
    }

    @Test func `a person makes a phone, gives it a card, and takes it away`() async throws {
        try await withPush { bench in
            let made = try await press(bench, "/phones")
            #expect(made.status == 303)
            #expect(made.first("location") == "/_sim/phones/1")
            #expect(try await page(bench, "/phones/1").contains("There is no card yet."))
            bench.shop.answers["GET /card?k=1"] = [PushBench.version(PushBench.pass(points: 1_200))]
            let phone = try bench.phone()
            bench.shop.answers["POST " + bench.registration(phone)] = [InboundResponse(status: 201)]
            bench.shop.answers["DELETE " + bench.registration(phone)] = [InboundResponse(status: 200)]
            let added = try await press(
                bench,
                "/phones/1/add",
                "url=" + PercentEncoding.encode(ScriptedShop.origin + "/card?k=1")
            )
            #expect(added.first("location") == "/_sim/phones/1")
            let shown = try await page(bench, "/phones/1")
            #expect(shown.contains("<dt>POINTS</dt><dd>1200</dd>"))
            #expect(shown.contains("registered"))
            #expect(try await page(bench, "").contains("<td>online</td><td>1</td>"))
            let removed = try await press(
                bench,
                "/phones/1/remove",
                "type=\(PushBench.topic)&serial=\(PushBench.serial)"
            )
            #expect(removed.status == 303)
            #expect(bench.shop.requests.last?.method == "DELETE")
            #expect(try await page(bench, "/phones/1").contains("There is no card yet."))
        }
    }

    @Test func `a change is marked with its message, and its steps have times`() async throws {
        let clock = ManualClock()
        try await withPush(clock: clock) { bench in
            let phone = try await bench.registered()
            bench.shop.answers[bench.list(phone)] = [PushBench.listed([PushBench.serial])]
            bench.shop.answers[PushBench.get] = [PushBench.version(PushBench.pass(points: 30))]
            _ = try await bench.push(to: phone)
            #expect(await waitUntil(bench.reactor) { (try? bench.phone().events.last?.kind) == .shown })
            let shown = try await page(bench, "/phones/1")
            #expect(
                shown.contains(
                    #"<div class="changed"><dt>POINTS</dt><dd>30</dd><dd class="message">Now 30 points</dd></div>"#
                )
            )
            for kind in ["pushed", "listed", "fetched", "shown"] { #expect(shown.contains("<tr class=\"\(kind)\">")) }
            #expect(shown.contains("<td>+0 ms</td><td>shown</td><td>Now 30 points</td>"))
        }
    }

    @Test func `its steps are told in the language of the page, and the card's messages in its own words`() async throws
    {
        try await withPush { bench in
            let phone = try await bench.registered()
            bench.shop.answers[bench.list(phone)] = [PushBench.listed([PushBench.serial])]
            let words: JSONValue = [
                "ja": ["Now %@ points": "%@ポイントになりました"], "en": ["Now %@ points": "Now %@ points"],
            ]
            let pass = JSONValue.object(PushBench.pass(points: 30).members + [JSONMember("strings", words)])
            bench.shop.answers[PushBench.get] = [PushBench.version(pass)]
            _ = try await bench.push(to: phone)
            #expect(await waitUntil(bench.reactor) { (try? bench.phone().events.last?.kind) == .shown })
            let rows = [
                ("added", "追加しました"), ("registered (201)", "登録しました (201)"),
                ("push for \(PushBench.topic)", "\(PushBench.topic) のプッシュ"),
                ("Now 30 points", "30ポイントになりました"),
            ]
            let (english, japanese) = (try await page(bench, "/phones/1"), try await page(bench, "/phones/1", "ja"))
            for (one, other) in rows {
                #expect(english.contains("<td>\(one)</td>") && !english.contains("<td>\(other)</td>"), "\(one)")
                #expect(japanese.contains("<td>\(other)</td>") && !japanese.contains("<td>\(one)</td>"), "\(other)")
            }
        }
    }

    @Test func `speaks Japanese unless a browser asks for something else`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            #expect(try await page(bench, "/phones/1", "ja").contains("カードがありません。"))
            #expect(try await page(bench, "/phones/1", "en-US,en;q=0.9").contains("There is no card yet."))
        }
    }

    @Test func `a hostile pass is text and nothing else`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            let script = "</style><script>alert(1)</script>\"'"
            let field: JSONValue = ["key": .string(script), "label": .string(script), "value": .string(script)]
            let pass: JSONValue = [
                "passTypeIdentifier": .string(script), "serialNumber": .string(script), "logoText": .string(script),
                "organizationName": .string(script), "backgroundColor": "rgb(1,2,3);} body{background:url(//x)",
                "foregroundColor": "rgb(300,0,0)", "labelColor": .string(script),
                "generic": ["primaryFields": [field], "backFields": [field], "headerFields": [field]],
                "barcodes": [["format": .string(script), "message": .string(script), "altText": .string(script)]],
            ]
            #expect(try await bench.add(pass).status == 200)
            let shown = try await page(bench, "/phones/1")
            #expect(!shown.contains("<script"))
            #expect(shown.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;"))
            let css = try await bench.ask("GET", "/phones/1/style.css")
            #expect(
                String(decoding: css.body, as: UTF8.self)
                    == ".card.c0 { background: rgb(70, 70, 74); color: rgb(255, 255, 255); }\n"
                    + ".card.c0 dt { color: rgb(255, 255, 255); }\n"
            )
        }
    }

    @Test(
        arguments: [
            ("rgb(1, 2, 3)", "rgb(1, 2, 3)"), ("rgb(255,0,10)", "rgb(255, 0, 10)"), ("rgb(256,0,0)", nil),
            ("rgb(1,2)", nil), ("#fff", nil), ("rgb(1,2,3", nil), ("rgb(-1,2,3)", nil),
            ("rgb( 1 ,2,3 )", "rgb(1, 2, 3)"),
            ("rgb()", nil), ("rgb(1 2,2,3)", nil),
        ] as [(String, String?)]
    )
    func `reads a colour as three numbers`(text: String, colour: String?) {
        #expect(CardPicture.colour(text) == colour)
    }

    @Test func `shows pictures of the pass, and no other file of it`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            let judge = try PhoneJudge(rootsPEM: PassCertificates.root)
            let archive = try RealPassTests.vector("member-points-0.pkpass")
            guard case .good(let opened) = judge.judge(archive, at: WallTime(seconds: 1_796_000_000)) else { return }
            let card = try #require(Card(opened, archive: archive))
            bench.simulator.model.phones[1]?.cards = [card]
            let logo = try await bench.ask("GET", "/phones/1/cards/0/logo.png")
            #expect(logo.first("content-type") == "image/png")
            #expect(logo.body == opened.files["logo@2x.png"])
            #expect(try await page(bench, "/phones/1").contains(#"src="/_sim/phones/1/cards/0/logo.png""#))
            #expect(try await page(bench, "/phones/1").contains("<svg viewBox="))
            let file = try await bench.ask("GET", "/phones/1/cards/0/pass.pkpass")
            #expect(file.body == archive)
            for name in ["pass.json", "signature", "../1", "strip2.png"] {
                #expect(try await bench.ask("GET", "/phones/1/cards/0/" + name).status == 404)
            }
            #expect(try await bench.ask("GET", "/phones/1/cards/1/logo.png").status == 404)
        }
    }

    @Test func `a refusal is a page for a person`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            let answer = try await press(bench, "/phones/1/add", "url=https%3A%2F%2Fnowhere.example%2F%3Cb%3E")
            #expect(answer.status == 409)
            #expect(answer.first("content-type") == "text/html; charset=utf-8")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("connectFailed"))
        }
    }

    @Test func `a program that sends JSON as curl does gets JSON`() async throws {
        try await withPush { bench in
            let made = try await bench.ask("POST", "/phones", Array(#"{"count":2}"#.utf8), fields: [Self.form])
            #expect(try JSONParser.parse(made.body) == ["phones": [1, 2]])
            for body in [#"{"on":false}"#, "on=false"] {
                let answer = try await bench.ask("POST", "/phones/1/updates", Array(body.utf8), fields: [Self.form])
                #expect(try JSONParser.parse(answer.body)["updates"] == false)
            }
        }
    }

    @Test func `a page of another site reaches no phone`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            let answer = try await bench.ask("POST", "/phones/1/wipe", fields: [Self.form, Self.elsewhere])
            #expect(answer.status == 403)
            #expect(bench.simulator.model.phones[1]?.events.isEmpty == true)
        }
    }

    @Test func `another machine reaches no phone`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            let stranger = PeerAddress(ipv4: 0xC000_0201)
            #expect(try await bench.ask("GET", "/phones/1", fields: [Self.browser], from: stranger).status == 403)
            #expect(try await bench.ask("POST", "/phones/1/wipe", from: stranger).status == 403)
        }
    }
}
