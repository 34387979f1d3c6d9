import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Testing

@Suite struct `An answer that says what comes next` {
    private static let session = MerchantRequest(.get, "/v1/sessions/\(Sample.session)")
    private static let charge = MerchantRequest(.get, "/v1/charges/\(Sample.charge)")
    private static let refunds = "/v1/charges/\(Sample.charge)/refunds"
    private static let refresh = MerchantRequest(.post, "/v1/charges/\(Sample.charge)/refresh", "", "", "{}")
    private static let refreshRefund = MerchantRequest(.post, "/v1/refunds/\(Sample.refund)/refresh", "", "", "{}")

    private static func captured() -> ObjectRow {
        var row = ObjectRow.charge("Captured")
        (row.capturedAt, row.refunded) = (Sample.time, 180)
        return row
    }

    private static func refund(_ number: Int) -> ObjectRow {
        var row = ObjectRow(id: "\(Sample.permission)-R\(100_000 + number)", kind: "refund", state: "Refunded")
        row.parent = Sample.charge
        row.amount = Int64(number)
        return row
    }

    @Test func `has what was sent with the order, and its last decline`() async throws {
        try await withMerchants { shop in
            var row = OrderRow("declined")
            (row.note, row.captureMode, row.declineReason) = ("Thanks", "automatic", "SoftDeclined")
            (row.declined, row.hasUniqueReference, row.closeReason) = (Sample.time, true, "在庫切れ")
            let restrictions = #"{"type":"Allowed","restrictions":{"JP":{"zipCodes":["1*"]}}}"#
            row.restrictions = restrictions
            shop.database.answer("order_read", row.row)
            shop.database.answer("ledger_objects")
            let json = try await shop.send(Self.session).json
            #expect(json["note"]?.text == "Thanks" && json["captureMode"]?.text == "automatic")
            #expect(json["returnUrl"]?.text == "https://shop.example.com/paid")
            #expect(json["lastDecline"]?.description == #"{"reasonCode":"SoftDeclined","at":"\#(Sample.text)"}"#)
            #expect(json["delivery"] == true && json["deliveryRestrictions"]?.description == restrictions)
            #expect(json["uniqueReference"]?.flag == true && json["closeReason"]?.text == "在庫切れ")
            (row.note, row.captureMode, row.returnURL, row.declined) = (nil, nil, nil, nil)
            (row.hasDelivery, row.restrictions, row.hasUniqueReference, row.closeReason) = (nil, nil, nil, nil)
            shop.database.answer("order_read", row.row)
            shop.database.answer("ledger_objects")
            let other = try await shop.send(Self.session)
            #expect(
                other.body.contains(
                    #""note":null,"captureMode":null,"returnUrl":null,"delivery":null,"deliveryRestrictions":null,"#
                        + #""uniqueReference":null,"closeReason":null"#
                )
            )
            #expect(other.body.contains(#""lastDecline":null"#))
        }
    }

    @Test func `has the newest refunds of each charge, with what was said of them`() async throws {
        try await withMerchants { shop in
            var first = Self.refund(1)
            (first.statedReason, first.metadata) = ("broken", #"{"case":"7"}"#)
            var foreign = Self.refund(2)
            foreign.parent = Sample.permission + "-C099999"
            shop.database.answer("order_read", OrderRow("part_refunded").row)
            shop.database.answer("ledger_objects", Self.captured().row, first.row, foreign.row)
            let charges = try await shop.send(Self.session).json["charges"]?.elements ?? []
            let refunds = charges.first?["refunds"]?.elements ?? []
            #expect(charges.count == 1 && refunds.compactMap { $0["id"]?.text } == [first.id])
            #expect(refunds.first?["reason"]?.text == "broken")
            #expect(refunds.first?["metadata"]?["case"]?.text == "7" && charges.first?["reason"] == nil)

            shop.database.answer("ledger_object", Self.captured().row)
            shop.database.answer("ledger_objects", rows: (1...30).map { Self.refund($0).row })
            let many = try await shop.send(Self.charge).json["refunds"]?.elements ?? []
            #expect(many.compactMap { $0["amount"]?["amount"]?.text } == (6...30).map { "\($0)" })
        }
    }

    @Test func `lists all refunds of a charge, page by page`() async throws {
        try await withMerchants { shop in
            func page(_ query: String) async throws -> JSONValue {
                shop.database.answer("ledger_object", Self.captured().row)
                shop.database.answer("ledger_objects", rows: (1...30).map { Self.refund($0).row })
                return try await shop.send(MerchantRequest(.get, Self.refunds + query)).json
            }
            let first = try await page("?limit=25")
            #expect(first["data"]?.elements.count == 25 && first["hasMore"]?.flag == true)
            let next = try #require(first["nextCursor"]?.text)
            let rest = try await page("?limit=25&after=\(next)")
            #expect(rest["data"]?.elements.compactMap { $0["amount"]?["amount"]?.text } == (26...30).map { "\($0)" })
            #expect(rest["hasMore"]?.flag == false && rest["nextCursor"]?.text == Self.refund(30).id)
            let end = try await page("?after=\(Self.refund(30).id)")
            #expect(end["data"]?.elements.isEmpty == true && end["nextCursor"]?.text == Self.refund(30).id)
            #expect(try await page("?after=\(Sample.refund)")["code"]?.text == "invalid_cursor")

            // Nothing was captured, so nothing is looked for.
            shop.database.answer("ledger_object", ObjectRow.charge().row)
            let none = try await shop.send(MerchantRequest(.get, Self.refunds))
            #expect(none.body == #"{"object":"list","data":[],"nextCursor":null,"hasMore":false}"#)
        }
    }

    @Test(arguments: [Payment.capture, .refund, .createCharge, .cancelCharge])
    func `has reason and metadata of its request, which are stored with it`(payment: Payment) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            shop.database.answer("operation_begin", BeginRow.begun)
            shop.provider.answer(200, payment.done.body)
            shop.database.answer("operation_settle", Cell.yes)
            let memo = #""reason":"破損","metadata":{"z":"\"<&","a":"7"}}"#
            let amount = payment.amount.map { #""amount":\#(Sample.yen(Int($0))),"# } ?? ""
            let answer = try await shop.send(payment.request, body: "{" + amount + memo)
            #expect(answer.status == payment.end.status && answer.json["reason"]?.text == "破損")
            #expect(answer.json["metadata"]?.description == #"{"a":"7","z":"\"<&"}"#)
            let begun = try shop.parameters("operation_begin")
            let (reason, metadata) = (try begun.text(0, 15), try begun.text(0, 16))
            #expect(reason == "破損" && metadata == #"{"a":"7","z":"\"<&"}"#)
            let sent = try JSONParser.parse(try #require(shop.provider.requests.first).body)
            #expect(sent["metadata"] == nil && sent["reason"] == nil)
        }
    }

    @Test(arguments: [#"{"reason":"在庫切れ"}"#, "{}"])
    func `keeps the reason of a close, and none that was not sent`(body: String) async throws {
        try await withMerchants { shop in
            Payment.close.reach(shop)
            shop.database.answer("operation_begin", BeginRow.begun)
            shop.provider.answer(200, Payment.close.done.body)
            shop.database.answer("operation_settle", Cell.yes)
            #expect(try await shop.send(Payment.close.request, body: body).status == 200)
            let said = try JSONParser.parse(Array(body.utf8))["reason"]?.text
            let begun = try shop.parameters("operation_begin")
            let reason = try begun.isNull(0, 15) ? nil : try begun.text(0, 15)
            let hasMetadata = try !begun.isNull(0, 16)
            #expect(reason == said && !hasMetadata)
            let sent = try JSONParser.parse(try #require(shop.provider.requests.first).body)
            #expect(sent["closureReason"]?.text == said ?? "Merchant's request")
        }
    }

    @Test func `keeps what an earlier request said of a charge where this one says nothing`() async throws {
        try await withMerchants { shop in
            var charge = ObjectRow.charge()
            (charge.statedReason, charge.metadata) = ("second parcel", #"{"parcel":"2"}"#)
            shop.database.answer("ledger_object", charge.row)
            shop.database.answer("order_own", Cell.one)
            shop.database.answer("operation_begin", BeginRow.begun)
            shop.provider.answer(200, Payment.capture.done.body)
            shop.database.answer("operation_settle", Cell.yes)
            let body = #"{"amount":\#(Sample.yen(3_180)),"reason":"shipped"}"#
            let answer = try await shop.send(Payment.capture.request, body: body)
            #expect(answer.json["reason"]?.text == "shipped" && answer.json["metadata"]?["parcel"]?.text == "2")
            #expect(answer.json["capturedAt"]?.text != nil)
            let metadata = try shop.parameters("operation_begin").text(0, 16)
            #expect(metadata == #"{"parcel":"2"}"#)
        }
    }

    @Test(
        arguments: [
            (#""reason":"a\u202Eb""#, "reason"), (#""reason":"a\u0007b""#, "reason"), (#""reason":7"#, "reason"),
            (#""metadata":[]"#, "metadata"), (#""metadata":{"":"a"}"#, "metadata"),
            (#""metadata":{"a":"\u0000"}"#, "metadata.a"), (#""metadata":{"a":1}"#, "metadata.a"),
            (#""metadata":{"a":"1","a\u200B":"2"}"#, "metadata.a"),
        ]
    )
    func `refuses a reason and metadata that nobody can show`(member: String, field: String) async throws {
        try await withMerchants { shop in
            let long = String(repeating: "a", count: 256)
            let many = (1...21).map { #""m\#($0)":"""# }.joined(separator: ",")
            let more = [
                (member, field), (#""reason":"\#(long)""#, "reason"), (#""metadata":{"a":"\#(long)"}"#, "metadata.a"),
                (#""metadata":{\#(many)}"#, "metadata"),
                (#""metadata":{"\#(long.prefix(41))":""}"#, "metadata"),
            ]
            for (member, field) in more {
                let answer = try await shop.send(
                    Payment.refund.request,
                    body: #"{"amount":\#(Sample.yen(180)),"# + member + "}"
                )
                #expect(answer.status == 400 && answer.field == field, "\(member) \(answer.body)")
            }
        }
    }

    @Test func `keeps a reason and metadata without what nobody sees, and no empty reason`() async throws {
        try await withMerchants { shop in
            let reasons: [(String, String?)] = [(#" ＃1\n破損\u200B"#, "＃1 破損"), (#"\uFEFF"#, nil), ("", nil)]
            for (reason, kept) in reasons {
                Payment.refund.reach(shop)
                shop.database.answer("operation_begin", BeginRow.begun)
                shop.provider.answer(201, Payment.refund.done.body)
                shop.database.answer("operation_settle", Cell.yes)
                let more = #""softDescriptor":" ","reason":"\#(reason)","metadata":{"b\t":"","a":" 1"}"#
                let answer = try await shop.send(
                    Payment.refund.request,
                    body: #"{"amount":\#(Sample.yen(180)),"# + more + "}"
                )
                #expect(answer.json["reason"]?.text?.octets == kept?.octets, "\(answer.body)")
                #expect(answer.body.contains(#""metadata":{"a":"1","b":""}"#))
            }
        }
    }

    @Test(
        arguments: [("stuck", "charge_blocked", nil), ("open", "request_in_progress", "2")]
            as [(String, String, String?)]
    )
    func `names the operation that is in the way`(state: String, code: String, retryAfter: String?) async throws {
        try await withMerchants { shop in
            Payment.capture.reach(shop)
            let operation = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0009)
            shop.database.answer(
                "operation_begin",
                BeginRow.row("in_progress", state: "refund \(state)", left: operation)
            )
            let answer = try await shop.send(Payment.capture.request)
            #expect(answer.status == 409 && answer.code == code && answer[.retryAfter] == retryAfter)
            let named = answer.json["operation"]
            #expect(named?["id"]?.text == operation.description && named?["kind"]?.text == "refund")
            #expect(answer.message?.contains("nother operation") == true && shop.provider.requests.isEmpty)
        }
    }

    @Test func `is read at the provider where the merchant wants it`() async throws {
        try await withMerchants { shop in
            shop.database.answer("ledger_object", ObjectRow.charge("AuthorizationInitiated").row)
            shop.database.answer("order_own", Cell.one)
            shop.provider.answer(200, ProviderBodies.charge("Authorized"))
            shop.database.answer("ledger_observe", ObserveRow.changed)
            shop.database.answer("ledger_object", ObjectRow.charge().row)
            let answer = try await shop.send(Self.refresh)
            #expect(answer.status == 200 && answer.json["state"]?.text == "authorized")
            let seen = try shop.parameters("ledger_observe")
            let (id, state) = (try seen.text(0, 1), try seen.text(0, 3))
            #expect(id == Sample.charge && state == "Authorized")
        }
    }

    @Test func `of a refund is read at the provider where the merchant wants it`() async throws {
        try await withMerchants { shop in
            shop.database.answer("ledger_object", ObjectRow.refund().row)
            shop.database.answer("order_own", Cell.one)
            shop.provider.answer(200, ProviderBodies.refund("Declined", amount: 180, reason: "AmazonRejected"))
            shop.database.answer("ledger_observe", ObserveRow.changed)
            shop.database.answer("ledger_object", ObjectRow.refund("Declined").row)
            let answer = try await shop.send(Self.refreshRefund)
            #expect(answer.status == 200 && answer.json["state"]?.text == "declined")
            #expect(shop.provider.requests.first?.url.hasSuffix("/refunds/\(Sample.refund)") == true)
            let seen = try shop.parameters("ledger_observe")
            let (id, state) = (try seen.text(0, 1), try seen.text(0, 3))
            #expect(id == Sample.refund && state == "Declined")
        }
    }

    @Test func `says that the provider does not answer, and asks it no more than a few times in a row`() async throws {
        try await withMerchants { shop in
            for number in 1...6 {
                shop.database.answer("ledger_object", ObjectRow.charge().row)
                shop.database.answer("order_own", Cell.one)
                if number < 6 { shop.provider.answer(404, #"{"reasonCode":"ResourceNotFound","message":"no"}"#) }
                let answer = try await shop.send(Self.refresh, word: "word-\(number)")
                if number < 6 {
                    #expect(answer.status == 503 && answer.code == "provider_failed")
                    #expect(answer.provider?["status"]?.integer == 404)
                } else {
                    #expect(answer.status == 429 && answer.code == "rate_limited")
                }
            }
            #expect(shop.provider.requests.count == 5)
        }
    }
}
