import Cryptography
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// A content that opens no session.
struct BadSession: Sendable, CustomTestStringConvertible {
    let body: String
    let status: Int
    let code: String
    let field: String?
    var settings: [String: String] = [:]

    var testDescription: String { "\(code) \(field ?? "")" }

    init(_ body: String, _ status: Int, _ code: String, _ field: String?, _ settings: [String: String] = [:]) {
        self.body = body
        self.status = status
        self.code = code
        self.field = field
        self.settings = settings
    }

    private static func changed(_ old: String, _ new: String) -> String {
        SessionBodies.site(replacing: old, with: new)
    }

    static let ofOrder = [
        BadSession(changed("iosApp", "browser"), 400, "invalid_request", "client"),
        BadSession(changed("A-1001", ""), 400, "invalid_request", "reference"),
        BadSession(changed(#""currency":"JPY""#, #""currency":"QQQ""#), 422, "currency_not_supported", "currency"),
        BadSession(changed(#""lines":[{"#, #""lines":["#), 400, "invalid_request", nil),
        BadSession(changed(#""quantity":2"#, #""quantity":0"#), 400, "invalid_request", "lines[0].quantity"),
        BadSession(changed(#""quantity":2"#, #""quantity":"2""#), 400, "invalid_request", "lines[0].quantity"),
        BadSession(changed(#""quantity":2"#, #""quantity":2,"more":1"#), 400, "invalid_request", "lines[0].more"),
        BadSession(
            changed(#""quantity":2"#, #""quantity":2,"sum":\#(Sample.yen(1))"#),
            422,
            "sum_mismatch",
            "lines[0].sum"
        ),
        BadSession(changed(Sample.yen(1_200), Sample.yen(-1)), 400, "invalid_amount", "lines[0].unitPrice"),
        BadSession(
            changed(Sample.yen(240), #"{"amount":"240","currencyCode":"USD"}"#),
            400,
            "invalid_amount",
            "tax.currencyCode"
        ),
        BadSession(changed(#""tax":\#(Sample.yen(240)),"#, ""), 400, "invalid_request", "tax"),
        BadSession(changed(#"{"amount":\#(Sample.yen(540))}"#, "{}"), 400, "invalid_request", "postage"),
        BadSession(
            changed(
                #"{"amount":\#(Sample.yen(540))}"#,
                #"{"amount":\#(Sample.yen(540)),"callback":"https://a.example/"}"#
            ),
            400,
            "invalid_request",
            "postage"
        ),
        BadSession(
            changed(#"{"amount":\#(Sample.yen(540))}"#, #"{"callback":"https://a.example/"}"#),
            422,
            "postage_callback_not_allowed",
            "postage.callback"
        ),
        BadSession(
            SessionBodies.site(#","adjustments":[{"name":"Coupon","amount":\#(Sample.yen(-9_999))}]"#),
            400,
            "invalid_amount",
            "adjustments"
        ),
    ]

    /// The order with prices that include tax.
    private static func taxed(_ more: String = "", line: String = #","taxRate":8"#, postage: String = "") -> String {
        SessionBodies.site(more, replacing: #""tax":\#(Sample.yen(240)),"#, with: #""pricesIncludeTax":true,"#)
            .replacing(#""quantity":2"#, with: #""quantity":2\#(line)"#)
            .replacing(#"{"amount":\#(Sample.yen(540))}"#, with: #"{"amount":\#(Sample.yen(540))\#(postage)}"#)
    }

    static let ofTax = [
        BadSession(taxed(#","tax":\#(Sample.yen(0))"#), 400, "invalid_request", "tax"),
        BadSession(taxed(line: ""), 400, "invalid_request", "lines[0].taxRate"),
        BadSession(taxed(line: #","taxRate":9"#), 400, "invalid_request", "lines[0].taxRate"),
        BadSession(taxed(line: #","taxRate":"8""#), 400, "invalid_request", "lines[0].taxRate"),
        BadSession(taxed(postage: #","taxRate":5"#), 400, "invalid_request", "postage.taxRate"),
        BadSession(
            taxed(#","adjustments":[{"name":"Points","amount":\#(Sample.yen(-541)),"taxRate":10}]"#),
            400,
            "invalid_amount",
            "adjustments"
        ),
        BadSession(
            SessionBodies.site(#","pricesIncludeTax":true"#),
            400,
            "invalid_request",
            "lines[0].taxRate"
        ),
        BadSession(
            changed(#""quantity":2"#, #""quantity":2,"taxRate":8"#),
            400,
            "invalid_request",
            "lines[0].taxRate"
        ),
        BadSession(
            changed(#"{"amount":\#(Sample.yen(540))}"#, #"{"amount":\#(Sample.yen(540)),"taxRate":10}"#),
            400,
            "invalid_request",
            "postage.taxRate"
        ),
        BadSession(
            SessionBodies.site(#","adjustments":[{"name":"Points","amount":\#(Sample.yen(-1)),"taxRate":8}]"#),
            400,
            "invalid_request",
            "adjustments[0].taxRate"
        ),
    ]

    static let ofWay = [
        BadSession(changed("iosApp", "site"), 400, "invalid_request", "returnUrl"),
        BadSession(
            SessionBodies.site(#","returnUrl":"https://other.example/paid""#, replacing: "iosApp", with: "site"),
            422,
            "return_url_not_allowed",
            "returnUrl",
            ["merchant.return_origins": "https://back.example"]
        ),
        BadSession(
            SessionBodies.site(
                #","returnUrl":"https://back.example/?order%52eferenceId=1""#,
                replacing: "iosApp",
                with: "site"
            ),
            400,
            "invalid_request",
            "returnUrl",
            ["merchant.return_origins": "https://back.example"]
        ),
        BadSession(SessionBodies.site(#","codeChallenge":"short""#), 400, "invalid_request", "codeChallenge"),
        BadSession(SessionBodies.site(#","captureMode":"later""#), 400, "invalid_request", "captureMode"),
        BadSession(SessionBodies.site(#","uniqueReference":"yes""#), 400, "invalid_request", "uniqueReference"),
        BadSession(SessionBodies.site(#","metadata":{"a":1}"#), 400, "invalid_request", "metadata.a"),
        BadSession(SessionBodies.site, 400, "invalid_request", "codeChallenge", ["proof.verifier": "required"]),
        BadSession(changed("iosApp", "mobileApp"), 400, "invalid_request", "mobile"),
        BadSession(SessionBodies.mobile().replacing("mobileApp", with: "iosApp"), 400, "invalid_request", "mobile"),
        BadSession(SessionBodies.mobile(), 422, "return_url_not_allowed", "mobile.resultUrl"),
        BadSession(
            SessionBodies.mobile(#","canHandlePendingAuthorization":true"#, of: #","captureMode":"automatic""#),
            400,
            "invalid_request",
            "mobile.canHandlePendingAuthorization",
            SessionBodies.mobileSettings
        ),
        BadSession(
            SessionBodies.mobile(#","shippingAddress":{"name":"A","countryCode":"JP"}"#),
            400,
            "invalid_request",
            "mobile.shippingAddress.addressLine1",
            SessionBodies.mobileSettings
        ),
    ]
}

@Suite struct `The opening of a session by a merchant` {
    private static let request = MerchantRequest.all[0]

    @Test(arguments: ["iosApp", "androidApp"])
    func `stores order and answer in one statement, and no token in clear`(client: String) async throws {
        try await withMerchants { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let body = SessionBodies.site(
                #","note":"Enjoy","metadata":{"cart":"7"}"#,
                replacing: "iosApp",
                with: client
            )
            let answer = try await shop.send(Self.request, body: body)
            #expect(answer.status == 201 && answer.json["state"]?.text == "created")
            #expect(answer[.contentType]?.hasPrefix("application/json") == true && answer.all(.setCookie).isEmpty)
            let stored = try shop.parameters("session_open_app")
            let (id, word, secret) = (try stored.uuid(0, 0), try stored.text(0, 4), try stored.bytes(0, 23))
            #expect(
                answer[.webviewSessionID] == id.description && answer.json["id"]?.text == id.description
                    && word == "word-1"
            )
            let launch = try #require(answer.json["launch"])
            let (ticket, proof) = (try #require(launch["ticket"]?.text), try #require(launch["appProof"]?.text))
            #expect(launch["url"]?.text == "https://shop.example/button?secureWebviewSessionId=" + ticket)
            #expect(ticket.hasPrefix("swa_") && proof.hasPrefix("swp_") && launch["expiresAt"] != nil)
            let (ticketHash, proofHash) = (try stored.digest(0, 11), try stored.digest(0, 12))
            #expect(ticketHash == SHA256.digest(of: Array(ticket.utf8)))
            #expect(proofHash == SHA256.digest(of: Array(proof.utf8)))
            let status = try stored.int64(0, 22)
            #expect(status == 201 && !String(decoding: secret, as: UTF8.self).contains("swa_"))
            let (subtotal, beforePostage, postage) = (
                try stored.int64(0, 8), try stored.int64(0, 9), try stored.int64(0, 17)
            )
            #expect(subtotal == 2_400 && beforePostage == 2_640 && postage == 540)
            let (kind, reference, environment) = (
                try stored.text(0, 10), try stored.text(0, 18), try stored.text(0, 20)
            )
            #expect(kind == client && reference == "A-1001" && environment == "sandbox")
            let (note, metadata) = (try stored.text(0, 25), try stored.text(0, 24))
            #expect(note == "Enjoy" && metadata == #"{"cart":"7"}"# && answer.json["metadata"]?["cart"]?.text == "7")
            let (key, tax, isUnique) = (try stored.uuid(0, 26), try stored.int64(0, 27), try stored.bool(0, 29))
            #expect(key.description == MerchantKey.id && tax == 240 && !isUnique)
            #expect(answer.json["amounts"]?["total"]?["amount"]?.text == "3180")
            #expect(shop.log.lines(with: ticket).isEmpty)
        }
    }

    @Test func `of a site remembers where its buyer goes back to`() async throws {
        try await withMerchants(["merchant.return_origins": "https://back.example"]) { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let more = #","returnUrl":"https://back.example/paid","captureMode":"automatic""#
            let body = SessionBodies.site(more, replacing: "iosApp", with: "site")
            let answer = try await shop.send(Self.request, body: body)
            #expect(answer.status == 201 && answer.json["client"]?.text == "site")
            let stored = try shop.parameters("session_open_app")
            let terms = try JSONParser.parse(Array(try stored.text(0, 15).utf8))
            #expect(terms["returnUrl"]?.text == "https://back.example/paid" && terms["capture"]?.text == "automatic")
            #expect(terms["postage"]?.integer == 540)
        }
    }

    @Test func `of an app hands out what the provider's library needs, and no ticket`() async throws {
        try await withMerchants(SessionBodies.mobileSettings) { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let body = SessionBodies.mobile(#","shippingAddress":\#(SessionBodies.address)"#)
            let answer = try await shop.send(Self.request, body: body)
            #expect(answer.status == 201)
            let launch = try #require(answer.json["launch"])
            #expect(
                launch["ticket"] == nil && launch["url"] == nil && launch["appProof"]?.text?.hasPrefix("swp_") == true
            )
            let mobile = try #require(launch["mobile"])
            #expect(mobile["productType"]?.text == "PayAndShip" && mobile["sandbox"]?.flag == true)
            let payload = try JSONParser.parse(Array(try #require(mobile["payloadJSON"]?.text).utf8))
            let id = try #require(answer.json["id"]?.text)
            let mark = payload["merchantMetadata"]?["customInformation"]?.text
            #expect(mark?.hasPrefix(id + " ") == true && mobile["signature"] != nil)
            let stored = try shop.parameters("session_open_app")
            let (terms, kind, life) = (try stored.text(0, 15), try stored.text(0, 10), try stored.int64(0, 6))
            let absolute = try stored.int64(0, 7)
            #expect(terms.contains("addressMark") && !terms.contains("見本") && kind == "mobileApp" && life == absolute)
        }
    }

    @Test(arguments: BadSession.ofOrder + BadSession.ofTax + BadSession.ofWay)
    func `is refused with the member that is wrong, and nothing is stored`(bad: BadSession) async throws {
        try await withMerchants(bad.settings) { shop in
            let answer = try await shop.send(Self.request, body: bad.body)
            #expect(answer.status == bad.status && answer.code == bad.code, "\(answer.body)")
            if let field = bad.field { #expect(answer.field == field) }
            #expect(answer[.webviewSessionID] == nil && shop.statements.isEmpty)
        }
    }

    @Test(arguments: [
        (
            "Sencha", "Sencha\u{202E}", "lines[0].name",
            "The text has a character that turns the direction of a line, U+202E RIGHT-TO-LEFT OVERRIDE."
        ), ("Sencha", #"Sencha\u0007"#, "lines[0].name", "The text has a control character, U+0007."),
        ("sku-1", "\u{200B}", "lines[0].id", "The text is empty."), ("A-1001", "", "reference", "The text is empty."),
        ("A-1001", String(repeating: "a", count: 101), "reference", "The text has more than 100 characters."),
    ])
    func `with a text that is not taken is told which rule it breaks`(
        old: String,
        new: String,
        field: String,
        message: String
    ) async throws {
        try await withMerchants { shop in
            let answer = try await shop.send(Self.request, body: SessionBodies.site(replacing: old, with: new))
            #expect(answer.status == 400 && answer.code == "invalid_request" && answer.field == field)
            #expect(answer.message == message)
        }
    }

    @Test func `has the texts of a catalogue without what nobody sees`() async throws {
        try await withMerchants(SessionBodies.mobileSettings) { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let address = SessionBodies.address.replacing("見本町1-1", with: #"\t見本町\r\n1-1\u200B"#)
                .replacing("花子", with: "花子\u{E0100}")
            let more = #"""
                ,"note":"\uFEFF お届けは\n平日 ","metadata":{" cart\u200B":"7\u00AD"},\#
                "adjustments":[{"name":"ポイント\t利用 ","amount":\#(Sample.yen(-100))}]
                """#
            let body = SessionBodies.mobile(#","shippingAddress":\#(address)"#, of: more)
                .replacing("A-1001", with: #" A-1001\u2060"#).replacing("sku-1", with: #"sku-1\uFEFF"#)
                .replacing("Sencha", with: #"煎茶\n\n 👨\u200D👩\u200D"#)
            let answer = try await shop.send(Self.request, body: body)
            #expect(answer.status == 201, "\(answer.body)")
            let (json, line) = (answer.json, answer.json["lines"]?.elements.first)
            #expect(json["reference"]?.text?.octets == "A-1001" && json["note"]?.text?.octets == "お届けは 平日")
            #expect(json["metadata"]?["cart"]?.text?.octets == "7")
            #expect(json["adjustments"]?.elements.first?["name"]?.text?.octets == "ポイント 利用")
            #expect(line?["id"]?.text?.octets == "sku-1" && line?["name"]?.text?.octets == "煎茶 👨\u{200D}👩")
            let stored = try shop.parameters("session_open_app")
            let (reference, note) = (try stored.text(0, 18), try stored.text(0, 25))
            #expect(reference.octets == "A-1001" && note.octets == "お届けは 平日")
            let payload = try JSONParser.parse(
                Array(try #require(json["launch"]?["mobile"]?["payloadJSON"]?.text).utf8)
            )
            let sent = payload["addressDetails"]
            #expect(
                sent?["addressLine1"]?.text?.octets == "見本町 1-1"
                    && sent?["name"]?.text?.octets == "見本 花子\u{E0100}".octets
            )
        }
    }

    @Test(arguments: [
        (#","metadata":{"cart":"1","cart\u200B":"2"}"#, "metadata.cart", "Two names differ only in what nobody sees."),
        (
            #","metadata":{"cart":"\u202E1"}"#, "metadata.cart",
            "The text has a character that turns the direction of a line, U+202E RIGHT-TO-LEFT OVERRIDE."
        ), (#","metadata":{"\u200B":"1"}"#, "metadata", "A name is empty."),
    ])
    func `with names that meet when they are cleaned is refused`(
        more: String,
        field: String,
        message: String
    ) async throws {
        try await withMerchants { shop in
            let answer = try await shop.send(Self.request, body: SessionBodies.site(more))
            #expect(answer.status == 400 && answer.field == field && answer.message == message, "\(answer.body)")
            let line = #""quantity":2},{"id":"sku-1\u200B","name":"B","unitPrice":\#(Sample.yen(1)),"quantity":1}"#
            let body = SessionBodies.site(replacing: #""quantity":2}"#, with: line)
            let twice = try await shop.send(Self.request, body: body)
            #expect(twice.field == "lines[1].id" && twice.message == "Another line has the same id.")
        }
    }

    @Test func `has no note where nothing is left of it, and no part of an address`() async throws {
        try await withMerchants(SessionBodies.mobileSettings) { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let address = SessionBodies.address.replacing(
                "}",
                with: #","addressLine2":"","city":"\u200B","district":" "}"#
            )
            let body = SessionBodies.mobile(#","shippingAddress":\#(address)"#, of: #","note":" \u200B""#)
            let answer = try await shop.send(Self.request, body: body)
            #expect(answer.status == 201 && answer.body.contains(#""note":null"#), "\(answer.body)")
            let hasNoNote = try shop.parameters("session_open_app").isNull(0, 25)
            #expect(hasNoNote)
        }
    }

    @Test(arguments: [
        ("", "The address is empty."), ("shop.example.com", "The address does not begin with https://."),
        ("http://back.example/", "The address is http, and has to be https."),
        ("https://back.example/#paid", "The address has a fragment, which begins with #."),
        ("https://back.example/a b", "The address has a blank, which is written as %20."),
        ("https://back.example/[1]", "The address has the character [, which is written as %5B."),
        ("https://BACK.example/", "The host has capital letters, an underscore, or a dot at its end."),
        ("https://a@back.example/", "The address has a user name before its host."),
        ("https://back.example?a", "The address has a query without a path: put a slash before the question mark."),
        ("https://back.example:0/", "The address has no host that can be found, or an impossible port."),
    ])
    func `is told what is wrong with an address`(address: String, message: String) async throws {
        try await withMerchants(SessionBodies.mobileSettings) { shop in
            let bodies = [
                ("returnUrl", SessionBodies.site(#","returnUrl":"\#(address)""#)),
                (
                    "postage.callback",
                    SessionBodies.site(replacing: #""amount":\#(Sample.yen(540))"#, with: #""callback":"\#(address)""#)
                ),
                ("mobile.resultUrl", SessionBodies.mobile().replacing("https://app.example/result", with: address)),
            ]
            for (field, body) in bodies {
                let answer = try await shop.send(Self.request, body: body)
                let isPlainLink = field == "mobile.resultUrl" && address == "shop.example.com"
                let schemes =
                    "The address begins neither with https:// nor with a private scheme like com.example.shop:."
                #expect(answer.field == field && answer.message == (isPlainLink ? schemes : message), "\(answer.body)")
            }
        }
    }

    @Test func `is answered again with the same octets`() async throws {
        try await withMerchants { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let first = try await shop.send(Self.request)
            let stored = try shop.parameters("session_open_app")
            let (id, sealed, print) = (try stored.uuid(0, 0), try stored.bytes(0, 23), try stored.bytes(0, 5))
            #expect(first[.idempotentReplayed] == nil)
            shop.database.answer("session_open_app")
            shop.database.answer("api_claim_state", ClaimRow.answered(201, sealed, of: id))
            let again = try await shop.send(Self.request)
            #expect(
                again.status == 201 && again.body == first.body && again[.webviewSessionID] == first[.webviewSessionID]
            )
            #expect(again[.idempotentReplayed] == "true")
            let asked = try shop.parameters("api_claim_state")
            let (word, repeated) = (try asked.text(0, 1), try asked.bytes(0, 2))
            #expect(word == "word-1" && repeated == print)
        }
    }

    @Test func `is the same request in another spelling, and another one with another value`() async throws {
        try await withMerchants { shop in
            typealias Claimed = (word: String, print: [UInt8])
            func claimed(_ word: String, _ body: String) async throws -> Claimed {
                shop.database.clear()
                shop.database.answer("session_open_app", Cell.time(Sample.time))
                #expect(try await shop.send(Self.request, word: word, body: body).status == 201)
                let sent = shop.database.asked.filter { $0.name == "session_open_app" }
                guard let stored = sent.last?.parameters else { return ("", []) }
                return (try stored.text(0, 4), try stored.bytes(0, 5))
            }
            let body = try #require(Self.request.body)
            let members = try JSONParser.parse(Array(body.utf8)).members
            let turned = JSONValue.object(members.reversed()).indented
            let changed = body.replacing("A-1001", with: "A-1002")
            let first = try await claimed("order:1", body)
            let spelt = try await claimed("\"order:1\"", turned)
            let other = try await claimed("order:1", changed)
            #expect(first.word == "order:1" && spelt.word == "order:1")
            #expect(first.print.count == 32 && first.print == spelt.print && first.print != other.print)
        }
    }

    @Test func `that was answered to another secret cannot be shown, and names the session`() async throws {
        try await withMerchants { shop in
            shop.database.answer("session_open_app")
            let sealed = [UInt8](repeating: 1, count: 64)
            shop.database.answer("api_claim_state", ClaimRow.answered(201, sealed))
            let answer = try await shop.send(Self.request)
            #expect(
                answer.status == 409 && answer.code == "replay_unavailable"
                    && answer[.webviewSessionID] == Sample.session
            )
            #expect(answer.message?.hasSuffix("The session is \(Sample.session).") == true)
        }
    }

    @Test(
        arguments: [
            (ClaimRow.running, 409, "request_in_progress", "2"), (ClaimRow.reused, 422, "idempotency_key_reused", nil),
            (nil, 409, "request_in_progress", "2"),
        ] as [(Parameters?, Int, String, String?)]
    )
    func `that somebody else has claimed is refused`(
        state: Parameters?,
        status: Int,
        code: String,
        retryAfter: String?
    )
        async throws
    {
        try await withMerchants { shop in
            shop.database.answer("session_open_app")
            if let state {
                shop.database.answer("api_claim_state", state)
            } else {
                shop.database.answer("api_claim_state")
            }
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.retryAfter] == retryAfter)
        }
    }

    @Test(arguments: [Sample.id, nil])
    func `of a reference that another session holds names that one`(holder: UUIDBytes?) async throws {
        try await withMerchants { shop in
            shop.database.fail("session_open_app", .rejected(sqlState: "SY001"))
            shop.database.answer("session_reference_holder", Cell.uuid(holder))
            let answer = try await shop.send(Self.request, body: SessionBodies.site(#","uniqueReference":true"#))
            #expect(answer.status == 409 && answer.code == "reference_held")
            #expect(answer.json["sessionId"]?.text == holder?.description)
            #expect(answer[.webviewSessionID] == holder?.description)
            let (isUnique, reference) = (
                try shop.parameters("session_open_app").bool(0, 29),
                try shop.parameters("session_reference_holder").text(0, 0)
            )
            #expect(isUnique && reference == "A-1001")
        }
    }

    @Test func `whose commit nobody saw is there if its claim has the answer`() async throws {
        try await withMerchants { shop in
            shop.database.fail("session_open_app", .outcomeUnknown)
            shop.database.answer("api_claim_state") { _ in
                let opened = try #require(shop.database.asked.last { $0.name == "session_open_app" }).parameters
                return ClaimRow.answered(201, try opened.bytes(0, 23), of: try opened.uuid(0, 0))
            }
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 201 && answer.json["launch"]?["ticket"] != nil)
        }
    }

    @Test(
        arguments: [
            (ClaimRow.running, 503, "outcome_unknown", "5"), (nil, 503, "outcome_unknown", "5"),
            (ClaimRow.reused, 422, "idempotency_key_reused", nil),
            (ClaimRow.answered(201, []), 409, "replay_unavailable", nil),
        ] as [(Parameters?, Int, String, String?)]
    )
    func `whose commit nobody saw is unknown, or somebody else's`(
        state: Parameters?,
        status: Int,
        code: String,
        retryAfter: String?
    ) async throws {
        try await withMerchants { shop in
            shop.database.fail("session_open_app", .outcomeUnknown)
            if let state {
                shop.database.answer("api_claim_state", state)
            } else {
                shop.database.answer("api_claim_state")
            }
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.retryAfter] == retryAfter)
        }
    }

    @Test(arguments: StoreFailure.all)
    func `says that the database does not answer about a claim or a reference`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            shop.database.answer("session_open_app")
            shop.database.fail("api_claim_state", failure.error)
            let claimed = try await shop.send(Self.request)
            #expect(claimed.status == failure.status && claimed.code == failure.code)
            shop.database.fail("session_open_app", .rejected(sqlState: "SY001"))
            shop.database.fail("session_reference_holder", failure.error)
            let held = try await shop.send(Self.request)
            #expect(held.status == failure.status && held.code == failure.code)
            #expect(held[.retryAfter] == failure.retryAfter)
        }
    }
}
