import Foundation
import IntegrationKit
import StrictJSON
import Testing

/// Sessions that a merchant's server opens, reads, lists, completes and cancels.
@Suite struct `A merchant's session` {
    @Test(arguments: ["site", "iosApp"])
    func `goes from the opening to the payment, with the merchant's sums`(_ client: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(MerchantClient.order(client: client))
            #expect(session.reply["state"]?.text == "created")
            #expect(session.reply["amounts"]?["total"]?["amount"]?.text == "3180")
            let tab = shop.tab()
            let result = try await tab.cross(session.url)
            let back = try #require(result.link("purchase_link"))
            if client == "site" {
                #expect(back.hasPrefix("https://shop.example.com/paid?cart=7&secureWebviewSessionId=swc_"))
                #expect(result.text.contains("Return to the shop"))
            }
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["state"]?.text == "in_review")
            let paid = try await merchant.complete(session, back)
            #expect(paid.status == 200, "\(paid.text)")
            #expect(paid["state"]?.text == "paid")
            #expect(paid["charges"]?.elements.first?["amount"]?["amount"]?.text == "3180")
            #expect(paid["buyer"]?["address"]?["stateOrRegion"]?.text == "東京都", "\(paid.text)")
            let again = try await merchant.complete(session, back)
            #expect(again.status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read["state"]?.text == "paid")
            #expect(read["buyer"] == nil)
            #expect(read["metadata"]?["cart"]?.text == "7")
            #expect(read.page[field: "webview-session-id"] == session.id)
        }
    }

    @Test func `is completed by nobody who has not the proof, and no other session's`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            let other = try await merchant.open()
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            func complete(_ id: String, _ proof: String) async throws -> MerchantReply {
                let query = URLComponents(string: back)?.queryItems ?? []
                func value(_ name: String) -> JSONValue { JSONValue(query.first { $0.name == name }?.value) }
                return try await merchant.post(
                    "/v1/sessions/\(id)/complete",
                    [
                        "returnTicket": value("secureWebviewSessionId"), "orderReferenceId": value("orderReferenceId"),
                        "appProof": .string(proof),
                    ]
                )
            }
            #expect(try await complete(other.id, other.proof).code == "order_mismatch")
            let tickets = URLComponents(string: back)?.queryItems?.filter { $0.name == "secureWebviewSessionId" }
            let odd = try await merchant.post(
                "/v1/sessions/\(session.id)/complete",
                [
                    "returnTicket": JSONValue(tickets?.first?.value), "orderReferenceId": "\u{0}",
                    "appProof": .string(session.proof),
                ]
            )
            #expect(odd.code == "order_mismatch" && odd.field == "orderReferenceId", "\(odd.text)")
            #expect(try await complete(session.id, "swp_x").code == "proof_mismatch")
            let foreign = try await complete(session.id, other.proof)
            #expect(foreign.status == 403 && foreign.code == "proof_mismatch")
            #expect(try shop.state(of: session.id) == "revoked")
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }

    @Test func `is opened once for thirty-two twins, who all get the same answer`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let replies = try await withThrowingTaskGroup(of: MerchantReply.self) { group in
                for _ in 0..<32 {
                    group.addTask { try await merchant.post("/v1/sessions", MerchantClient.order(), word: "twin") }
                }
                var all: [MerchantReply] = []
                for try await reply in group { all.append(reply) }
                return all
            }
            #expect(replies.allSatisfy { $0.status == 201 }, "\(replies.map(\.status))")
            #expect(Set(replies.map(\.text)).count == 1)
            #expect(try shop.value("SELECT count(*) FROM webview_session") == "1")
            #expect(try shop.value("SELECT count(*) FROM merchant_order") == "1")
            let tab = try await shop.tab().open(try #require(replies[0]["launch"]?["url"]?.text))
            #expect(tab.status == 200)
        }
    }

    @Test func `keeps its answer sealed, and says so where it cannot be opened any more`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(word: "one")
            let changed = MerchantClient.order([JSONMember("reference", "B")])
            let reused = try await merchant.post("/v1/sessions", changed, word: "one")
            #expect(reused.status == 422 && reused.code == "idempotency_key_reused")
            let dump = try shop.dump()
            for secret in [session.proof, session.url.suffix(68).description, merchant.key] {
                #expect(!dump.contains(secret))
                #expect(!dump.contains(Data(secret.utf8).map { String(format: "%02x", $0) }.joined()))
            }
            let id = try shop.value("SELECT key_id FROM api_key")
            let (_, key) = try await shop.runCommand(["keys", "rotate", id])
            let rotated = MerchantClient(shop, key: key.filter { $0 != "\n" })
            let lost = try await rotated.post("/v1/sessions", MerchantClient.order(), word: "one")
            #expect(lost.status == 409 && lost.code == "replay_unavailable")
            #expect(lost.text.contains(session.id))
            let kept = try await merchant.post("/v1/sessions", MerchantClient.order(), word: "one")
            #expect(kept.status == 201 && kept.text == session.reply.text)
            #expect(kept.page[field: "idempotent-replayed"] == "true")
            #expect(session.reply.page[field: "idempotent-replayed"] == nil)
            let turned = JSONValue.object(MerchantClient.order().members.reversed())
            let spelt = try await merchant.post("/v1/sessions", turned, word: "\"one\"")
            #expect(spelt.status == 201 && spelt.text == session.reply.text)
        }
    }

    @Test func `is listed, the newest first, in parts that new ones do not shift`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            var ids: [String] = []
            for number in 0..<5 {
                let order = MerchantClient.order([JSONMember("reference", .string("N-\(number % 2)"))])
                ids.append(try await merchant.open(order).id)
            }
            let first = try await merchant.get("/v1/sessions?limit=2")
            func listed(_ reply: MerchantReply) -> [String] {
                reply["data"]?.elements.compactMap { $0["id"]?.text } ?? []
            }
            #expect(listed(first) == [ids[4], ids[3]])
            _ = try await merchant.open()
            let second = try await merchant.get("/v1/sessions?limit=2&after=\(first["nextCursor"]?.text ?? "")")
            #expect(listed(second) == [ids[2], ids[1]])
            let last = try await merchant.get("/v1/sessions?limit=2&after=\(second["nextCursor"]?.text ?? "")")
            #expect(listed(last) == [ids[0]])
            #expect(last["hasMore"]?.flag == false)
            #expect(listed(try await merchant.get("/v1/sessions?reference=N-1")) == [ids[3], ids[1]])
            #expect(listed(try await merchant.get("/v1/sessions?state=paid")).isEmpty)
            for (query, code) in [
                ("after=x", "invalid_cursor"), ("after=AAAAAAAAAAAAAAAAAAAAAA", "invalid_cursor"),
                ("limit=0", "invalid_request"), ("limit=101", "invalid_request"),
                ("state=odd", "invalid_request"), ("page=2", "invalid_request"), ("limit=1&limit=2", "invalid_request"),
            ] {
                let refused = try await merchant.get("/v1/sessions?" + query)
                #expect(refused.status == 400 && refused.code == code, "\(query) \(refused.text)")
            }
        }
    }

    @Test func `is cancelled once, and its tab is dead then`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            let cancelled = try await merchant.post("/v1/sessions/\(session.id)/cancel", [:], word: "stop")
            #expect(cancelled.status == 200, "\(cancelled.text)")
            #expect(cancelled["state"]?.text == "canceled")
            #expect(
                try await merchant.post("/v1/sessions/\(session.id)/cancel", [:], word: "stop").text == cancelled.text
            )
            #expect(try await merchant.post("/v1/sessions/\(session.id)/cancel", [:]).status == 200)
            #expect(try await shop.tab().open(session.url).status == 410)
            #expect(try shop.trail(of: session.id) == ["issue issued", "cancel canceled", "open dead"])
            let events = try shop.rows("SELECT type FROM event WHERE subject_id = $1", [session.id])
            #expect(events == [["session.canceled"]])
        }
    }

    @Test func `is not cancelled once it is paid`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            #expect(try await merchant.complete(session, back).status == 200)
            let refused = try await merchant.post("/v1/sessions/\(session.id)/cancel", [:], word: "late")
            #expect(refused.status == 409 && refused.code == "already_paid")
            let again = try await merchant.post("/v1/sessions/\(session.id)/cancel", [:], word: "late")
            #expect(again.text == refused.text)
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["state"]?.text == "paid")
        }
    }

    @Test func `takes the money with the authorisation where the order says so`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(MerchantClient.order([JSONMember("captureMode", "automatic")]))
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            #expect(try await merchant.complete(session, back).status == 200)
            #expect(try await shop.control.calls("UpdateCheckoutSession").count == 1)
            let intent = try shop.value("SELECT state FROM payment_object WHERE kind = 'charge'")
            #expect(intent == "CaptureInitiated" || intent == "Captured")
        }
    }

    @Test func `meets its other half before the buyer agrees, in profile strict`() async throws {
        try await withShop(.merchants(["profile": "strict"])) { shop in
            let merchant = try await shop.merchant()
            let short = try await merchant.post("/v1/sessions", MerchantClient.order())
            #expect(short.field == "codeChallenge")
            // RFC 7636, appendix B.
            let challenge = JSONMember("codeChallenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
            let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
            let session = try await merchant.open(MerchantClient.order([challenge]))
            let tab = shop.tab()
            let first = try #require(try await tab.cross(session.url).link("purchase_link"))
            let met = try await merchant.complete(session, first, verifier: verifier)
            #expect(met.status == 202, "\(met.text)")
            let url = try #require(met["launch"]?["url"]?.text)
            let second = try #require(try await tab.cross(url).link("purchase_link"))
            #expect(try await merchant.complete(session, second).code == "proof_mismatch")
            let paid = try await merchant.complete(session, second, verifier: verifier)
            #expect(paid.status == 200, "\(paid.text)")
            #expect(paid["state"]?.text == "paid")
        }
    }

    @Test func `says that it is being paid while the provider has not decided`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            try await shop.control.fault("CompleteCheckoutSession", count: 20, ["resetAfter": true])
            try await shop.control.fault("GetCheckoutSession", count: 20, ["status": 500])
            let pending = try await merchant.complete(session, back)
            #expect(pending.status == 202, "\(pending.text)")
            #expect(pending["state"]?.text == "paying")
            #expect(pending.page[field: "retry-after"] != nil)
            try await shop.control.clearFaults()
            let end = try await shop.afterLease(
                of: session.id,
                ask: { try await merchant.complete(session, back) },
                while: { $0.status == 202 }
            )
            #expect(end["state"]?.text == "paid")
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `is not found where there is none`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let unknown = try await merchant.get("/v1/sessions/00000000-0000-7000-8000-000000000000")
            #expect(unknown.status == 404 && unknown.code == "not_found")
            #expect(try await merchant.get("/v1/sessions/nonsense").code == "not_found")
        }
    }
}

/// What the interface refuses of an order, each with the member that is wrong.
@Suite struct `An order that a merchant sends` {
    private static let yen = MerchantClient.yen
    private static let line: JSONValue = ["id": "a", "name": "A", "unitPrice": yen(100), "quantity": 1]

    private static let refusals: [(JSONMember, Int, String, String)] = [
        (JSONMember("reference", ""), 400, "invalid_request", "reference"),
        (JSONMember("reference", .null), 400, "invalid_request", "reference"),
        (JSONMember("client", "browser"), 400, "invalid_request", "client"),
        (JSONMember("extra", 1), 400, "invalid_request", "extra"),
        (JSONMember("lines", []), 400, "invalid_request", "lines"),
        (JSONMember("lines", [line, line]), 400, "invalid_request", "lines[1].id"),
        (
            JSONMember("lines", [["id": "a", "name": "A", "unitPrice": yen(100), "quantity": 0]]), 400,
            "invalid_request",
            "lines[0].quantity"
        ),
        (
            JSONMember("lines", [["id": "a", "name": "A", "unitPrice": 100, "quantity": 1]]), 400, "invalid_request",
            "lines[0].unitPrice"
        ),
        (
            JSONMember("lines", [["id": "a", "name": "A", "unitPrice": yen(100), "quantity": 2, "sum": yen(100)]]), 422,
            "sum_mismatch", "lines[0].sum"
        ),
        (JSONMember("tax", ["amount": 240, "currencyCode": "JPY"]), 400, "invalid_amount", "tax"),
        (JSONMember("tax", ["amount": "2.5", "currencyCode": "JPY"]), 400, "invalid_amount", "tax"),
        (JSONMember("tax", ["amount": "240", "currencyCode": "USD"]), 400, "invalid_amount", "tax.currencyCode"),
        (
            JSONMember("adjustments", [["name": "A", "amount": yen(-3_181)]]), 400, "invalid_amount", "adjustments"
        ),
        (
            JSONMember("adjustments", [["name": "A", "amount": ["amount": "--1", "currencyCode": "JPY"]]]), 400,
            "invalid_amount", "adjustments[0].amount"
        ),
        (
            JSONMember("adjustments", [["name": "A", "amount": ["amount": "-1", "currencyCode": "EUR"]]]), 400,
            "invalid_amount", "adjustments[0].amount"
        ),
        (
            JSONMember("adjustments", [["name": "", "amount": yen(-1)]]), 400, "invalid_request", "adjustments[0].name"
        ),
        (
            JSONMember("adjustments", [["name": "A", "amount": yen(-1), "more": 1]]), 400, "invalid_request",
            "adjustments[0].more"
        ),
        (JSONMember("adjustments", 1), 400, "invalid_request", "adjustments"),
        (JSONMember("tax", ["amount": "-240", "currencyCode": "JPY"]), 400, "invalid_amount", "tax"),
        (JSONMember("currency", "CHF"), 422, "currency_not_supported", "currency"),
        (JSONMember("returnUrl", "https://evil.example.com/"), 422, "return_url_not_allowed", "returnUrl"),
        (JSONMember("returnUrl", "http://shop.example.com/"), 400, "invalid_request", "returnUrl"),
        (JSONMember("returnUrl", .null), 400, "invalid_request", "returnUrl"),
        (JSONMember("returnUrl", "https://shop.example.com/?orderReferenceId=1"), 400, "invalid_request", "returnUrl"),
        (JSONMember("captureMode", "later"), 400, "invalid_request", "captureMode"),
        (JSONMember("codeChallenge", "short"), 400, "invalid_request", "codeChallenge"),
    ]

    @Test func `is refused with the member that is wrong, and nothing is stored`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            for (change, status, code, field) in Self.refusals {
                let reply = try await merchant.post("/v1/sessions", MerchantClient.order([change]))
                #expect(reply.status == status && reply.code == code && reply.field == field, "\(change) \(reply.text)")
            }
            #expect(try shop.value("SELECT count(*) FROM webview_session") == "0")
            #expect(try shop.value("SELECT count(*) FROM api_idempotency") == "0")
        }
    }
}

/// Who is let in below `/v1`.
@Suite struct `A key` {
    @Test func `opens what its scopes say, and everything else is one refusal`() async throws {
        try await withShop(.merchants()) { shop in
            let reader = try await shop.merchant("sessions:read")
            #expect(try await reader.get("/v1/sessions").status == 200)
            let refused = try await reader.post("/v1/sessions", MerchantClient.order())
            #expect(refused.status == 403 && refused.code == "scope_missing")
            let unknown = MerchantClient(shop, key: "swk_" + String(repeating: "A", count: 64))
            let id = try shop.value("SELECT key_id FROM api_key")
            var answers: [MerchantReply] = []
            for key in [unknown.key, "swk_x", "", reader.key + "A"] {
                answers.append(try await MerchantClient(shop, key: key).get("/v1/sessions"))
            }
            _ = try await shop.runCommand(["keys", "revoke", id])
            answers.append(try await reader.get("/v1/sessions"))
            #expect(answers.allSatisfy { $0.status == 401 && $0.page[field: "www-authenticate"] == "Bearer" })
            // Each names its own request, and says nothing else.
            let texts = try answers.map { $0.text.replacing(try #require($0["instance"]?.text), with: "") }
            #expect(Set(texts).count == 1)
        }
    }

    @Test func `is not for browsers, and a POST needs a type and a name`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let bearer = ("Authorization", "Bearer " + merchant.key)
            let body = MerchantClient.order().bytes
            let cases: [([(String, String)], Int)] = [
                (
                    [
                        bearer, ("Content-Type", "application/json"), ("Idempotency-Key", "a"),
                        ("Origin", "https://x.example"),
                    ], 403
                ),
                ([bearer, ("Content-Type", "text/plain"), ("Idempotency-Key", "a")], 415),
                ([bearer, ("Content-Type", "application/json")], 400),
                ([bearer, ("Content-Type", "application/json"), ("Idempotency-Key", "a b")], 400),
                (
                    [
                        bearer, ("Content-Type", "application/json"),
                        ("Idempotency-Key", String(repeating: "a", count: 8_000)),
                    ], 400
                ),
            ]
            for (fields, status) in cases {
                let page = try await shop.browser().request("POST", "/v1/sessions", fields: fields, body: body)
                #expect(page.status == status, "\(fields) \(page.text)")
            }
            let large = try await shop.browser().request(
                "POST",
                "/v1/sessions",
                fields: [bearer, ("Content-Type", "application/json"), ("Idempotency-Key", "b")],
                body: Array(repeating: UInt8(ascii: " "), count: 196_609)
            )
            #expect(large.status == 413)
        }
    }

    @Test func `is used so often in a minute and no more`() async throws {
        try await withShop(.merchants(["merchant.requests_per_minute": "3"])) { shop in
            let merchant = try await shop.merchant()
            for _ in 0..<3 { #expect(try await merchant.get("/v1/sessions").status == 200) }
            let refused = try await merchant.get("/v1/sessions")
            #expect(refused.status == 429 && refused.code == "rate_limited")
            #expect(refused.page[field: "retry-after"] != nil)
            #expect(try await shop.merchant().get("/v1/sessions").status == 200)
        }
    }

    @Test func `tried out at random is slowed down like any other secret`() async throws {
        try await withShop(.merchants(["limits.unknown_per_minute": "5"])) { shop in
            let merchant = try await shop.merchant()
            func guess(_ key: String) async throws -> Int {
                try await MerchantClient(shop, key: key).get("/v1/sessions").status
            }
            var statuses: [Int] = []
            for _ in 0..<7 { statuses.append(try await guess("swk_no")) }
            #expect(statuses == [401, 401, 401, 401, 401, 429, 429])
            for _ in 0..<50 { #expect(try await guess(MerchantClient.madeUpKey()) == 429) }
            // A valid key that was never seen before, and one that no longer is.
            #expect(try await merchant.get("/v1/sessions").status == 200)
            try shop.rows("UPDATE api_key SET revoked_at = statement_timestamp()")
            #expect(try await merchant.get("/v1/sessions").status == 429)
            // What guesses keys does not guess tokens.
            let ticket = "swa_" + String(repeating: "A", count: 64)
            #expect(try await shop.browser().open("/button?secureWebviewSessionId=" + ticket).status == 404)
        }
    }
}

/// The document against the table that is served.
@Suite struct `The description of what is served` {
    @Test func `has examples that are served as they stand`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let document = try await merchant.get("/v1/openapi.json").body
            let operation = document["paths"]?["/v1/sessions"]?["post"]
            let example = try #require(operation?["requestBody"]?["content"]?["application/json"]?["example"])
            let reply = try await merchant.post("/v1/sessions", example)
            #expect(reply.status == 201, "\(reply.text)")
            let schema = document["components"]?["schemas"]?["OpenedSession"]
            let required = Set(schema?["required"]?.elements.compactMap(\.text) ?? [])
            let known = Set(schema?["properties"]?.members.map(\.name) ?? [])
            let names = Set(reply.body.members.map(\.name))
            #expect(required.isSubset(of: names), "\(required.subtracting(names))")
            #expect(names.isSubset(of: known), "\(names.subtracting(known))")
        }
    }
}
