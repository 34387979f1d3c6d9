import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Testing

@Suite struct `The reading of a session` {
    private static let request = MerchantRequest.all[1]

    @Test(
        arguments: [
            "created", "at_provider", "in_review", "paying", "paid", "payment_pending", "declined", "canceled",
            "expired", "captured", "part_refunded", "refunded", "closed",
        ]
    )
    func `shows order, sums and charges in every state`(state: String) async throws {
        try await withMerchants { shop in
            var row = OrderRow(state)
            row.captured = 3_180
            row.refunded = 180
            shop.database.answer("order_read", row.row)
            shop.database.answer("ledger_objects", ObjectRow.charge("Captured").row)
            let answer = try await shop.send(Self.request)
            #expect(
                answer.status == 200 && answer[.webviewSessionID] == Sample.session
                    && answer[.cacheControl] == "no-store"
            )
            let json = answer.json
            #expect(
                json["id"]?.text == Sample.session && json["state"]?.text == state && json["currency"]?.text == "JPY"
            )
            #expect(json["reference"]?.text == "A-1001" && json["client"]?.text == "site")
            let amounts = json["amounts"]?.members.map { "\($0.name) \($0.value["amount"]?.text ?? "-")" }
            let sums = [
                "subtotal 2400", "tax 240", "taxes -", "postage 540", "total 3180", "captured 3180", "refunded 180",
            ]
            #expect(amounts == sums && json["charges"]?.elements.first?["id"]?.text == Sample.charge)
            #expect(json["lines"]?.elements.first?["name"]?.text == "Sencha" && json["metadata"]?["cart"]?.text == "7")
            #expect(json["createdAt"]?.text == Sample.text && json["expiresAt"]?.text == "2026-09-21T15:13:20Z")
            #expect(json["chargePermissionId"]?.text == row.permission && json["needsAttention"] == nil)
            #expect(json["checkoutSessionId"]?.text == Sample.checkoutSession && json["buyer"] == nil)
        }
    }

    @Test func `shows what is not known as null, and what a person has to decide`() async throws {
        try await withMerchants { shop in
            var row = OrderRow("paying")
            (row.postage, row.total, row.expires, row.metadata, row.checkoutSession) = (nil, nil, nil, nil, nil)
            row.needsAttention = true
            row.adjustments = #"[{"name":"Coupon","amount":\#(Sample.yen(-100))}]"#
            shop.database.answer("order_read", row.row)
            shop.database.answer("ledger_objects")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 200 && answer.json["needsAttention"]?.flag == true)
            #expect(answer.body.contains(#""postage":null,"total":null"#) && answer.body.contains(#""expiresAt":null"#))
            #expect(answer.body.contains(#""checkoutSessionId":null"#) && answer.body.contains(#""metadata":{}"#))
            #expect(answer.json["adjustments"]?.elements.first?["amount"]?["amount"]?.text == "-100")
        }
    }

    @Test(arguments: StoreFailure.all)
    func `says that the database does not answer about its charges`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            shop.database.answer("order_read", OrderRow("paid").row)
            shop.database.fail("ledger_objects", failure.error)
            let answer = try await shop.send(Self.request)
            #expect(answer.status == failure.status && answer.code == failure.code)
        }
    }

    @Test func `answers HEAD as GET`() async throws {
        try await withMerchants { shop in
            shop.letIn()
            shop.database.answer("order_read", OrderRow("paid").row)
            shop.database.answer("ledger_objects")
            let key: (HTTPFieldName, String) = (.authorization, "Bearer " + MerchantKey.text)
            let answer = try await shop.ask(.head, Self.request.path, fields: [key])
            #expect(answer.status == 200 && answer[.webviewSessionID] == Sample.session)
        }
    }
}

@Suite struct `The list of sessions` {
    private static func list(_ query: String = "") -> MerchantRequest { MerchantRequest(.get, "/v1/sessions" + query) }

    private static let other = UUIDBytes(high: Sample.id.high, low: Sample.id.low - 1)
    private static let cursor = Base64URL.encode(Sample.id.bytes)

    private static func row(_ id: UUIDBytes) -> Parameters {
        var row = OrderRow("paid")
        row.id = id
        return row.row
    }

    @Test func `begins with the newest, and says where to go on`() async throws {
        try await withMerchants { shop in
            shop.database.answer("order_part", Self.row(Sample.id), Self.row(Self.other))
            shop.database.answer("ledger_objects", ObjectRow.charge().row)
            let answer = try await shop.send(Self.list("?limit=1"))
            #expect(answer.status == 200 && answer[.webviewSessionID] == nil)
            let data = answer.json["data"]?.elements ?? []
            #expect(data.count == 1 && data.first?["id"]?.text == Sample.session)
            #expect(data.first?["charges"]?.elements.first?["id"]?.text == Sample.charge)
            #expect(answer.json["nextCursor"]?.text == Self.cursor)
            let asked = try shop.parameters("order_part")
            let (newest, end, limit) = (try asked.uuid(0, 0), try asked.uuid(0, 1), try asked.int64(0, 3))
            let hasFilter = try [2, 4, 5, 6].contains { try !asked.isNull(0, $0) }
            #expect(newest == UUIDBytes(high: .max, low: .max) && end == UUIDBytes(high: 0, low: 0))
            #expect(limit == 2 && !hasFilter)
        }
    }

    @Test func `goes on behind a cursor, and ends`() async throws {
        try await withMerchants { shop in
            shop.database.answer("order_known", Cell.one)
            shop.database.answer("order_part", Self.row(Self.other))
            shop.database.answer("ledger_objects")
            let answer = try await shop.send(Self.list("?after=\(Self.cursor)"))
            #expect(answer.status == 200 && answer.json["data"]?.elements.count == 1)
            let last = Base64URL.encode(Self.other.bytes)
            #expect(answer.body.hasSuffix(#""nextCursor":"\#(last)","hasMore":false}"#))
            let place = try shop.parameters("order_known").uuid(0, 0)
            #expect(place == Sample.id)
            let asked = try shop.parameters("order_part")
            let (newest, limit) = (try asked.uuid(0, 0), try asked.int64(0, 3))
            #expect(newest == Sample.id && limit == 21)
        }
    }

    @Test func `does not begin behind an order that there is not`() async throws {
        try await withMerchants { shop in
            shop.database.answer("order_known")
            let answer = try await shop.send(Self.list("?after=\(Self.cursor)"))
            #expect(answer.status == 400 && answer.code == "invalid_cursor" && answer.field == "after")
        }
    }

    @Test func `of a state looks through a bounded part, which may be empty`() async throws {
        try await withMerchants { shop in
            shop.database.answer("order_reach", Cell.uuid(Self.other))
            shop.database.answer("order_part")
            let answer = try await shop.send(Self.list("?state=paid"))
            #expect(answer.status == 200 && answer.json["data"]?.elements.isEmpty == true)
            #expect(answer.json["nextCursor"]?.text == Base64URL.encode(Self.other.bytes))
            #expect(answer.json["hasMore"]?.flag == true)
            let asked = try shop.parameters("order_part")
            let (end, state) = (try asked.uuid(0, 1), try asked.text(0, 2))
            #expect(end == Self.other && state == "paid")
        }
    }

    @Test func `of a name and of what has changed asks for these alone`() async throws {
        try await withMerchants { shop in
            shop.database.answer("order_reach_named")
            shop.database.answer("order_part_named", Self.row(Sample.id))
            shop.database.answer("ledger_objects")
            // As it was sent when the session was opened, and as it was kept.
            let query = "?reference=%20A-1001%E2%80%8B&updatedAfter=\(Sample.text)&limit=100"
            let answer = try await shop.send(Self.list(query))
            #expect(answer.status == 200 && answer.json["data"]?.elements.count == 1)
            let asked = try shop.parameters("order_part_named")
            let (after, name, limit) = (try asked.timestamp(0, 4), try asked.text(0, 7), try asked.int64(0, 3))
            #expect(after == Sample.time && name == "A-1001" && limit == 101)
        }
    }

    @Test func `of a time asks for the ids of that time, and ends there`() async throws {
        try await withMerchants { shop in
            let low = UUIDBytes(firstAt: Sample.time + .seconds(-3_600))
            shop.database.answer("order_reach", Cell.uuid(low))
            shop.database.answer("order_part")
            let answer = try await shop.send(Self.list("?createdAfter=\(Sample.text)&createdBefore=\(Sample.text)"))
            #expect(answer.status == 200 && answer.body.hasSuffix(#""hasMore":false}"#))
            let asked = try shop.parameters("order_part")
            let (end, least) = (try asked.uuid(0, 0), try asked.uuid(0, 1))
            #expect(end == UUIDBytes(firstAt: Sample.time + .seconds(3_600)) && least == low)
            let (after, before) = (try asked.timestamp(0, 5), try asked.timestamp(0, 6))
            #expect(after == Sample.time && before == Sample.time)
        }
    }

    @Test(
        arguments: [
            ("chargeId=\(Sample.charge)", "order_of_object"),
            ("chargePermissionId=\(Sample.charge.prefix(19))", "order_of_object"),
            ("refundId=\(Sample.charge.prefix(19))-R123456", "order_of_object"),
            ("checkoutSessionId=01234567-89ab-4def-8123-456789abcdef", "order_of_checkout_session"),
        ],
        [
            ("limit=1", "order_part", 1), ("state=paid&reference=A-1001", "order_part_named", 1),
            ("state=captured", "order_part", 0),
        ]
    )
    func `by an id of the payment has the session of it, if the rest of the query takes it`(
        query: (text: String, statement: String),
        rest: (text: String, statement: String, count: Int)
    ) async throws {
        let (query, statement) = query
        try await withMerchants { shop in
            shop.database.answer(statement, Cell.uuid(Sample.id))
            if rest.count == 0 {
                shop.database.answer(rest.statement)
            } else {
                shop.database.answer(rest.statement, Self.row(Sample.id))
                shop.database.answer("ledger_objects", ObjectRow.charge().row)
            }
            let answer = try await shop.send(Self.list("?\(query)&\(rest.text)"))
            #expect(answer.status == 200 && answer.json["data"]?.elements.count == rest.count)
            #expect(answer.body.hasSuffix(#""hasMore":false}"#))
            // The page of that session alone.
            let part = try shop.parameters(rest.statement)
            let (end, least) = (try part.uuid(0, 0), try part.uuid(0, 1))
            #expect(least == Sample.id && end == Sample.id.next)
            let asked = try shop.parameters(statement)
            #expect(try query.hasSuffix("=" + asked.text(0, 0)))
            let (account, environment) = (try asked.text(0, 1), try asked.text(0, 2))
            #expect(!account.isEmpty && environment == "sandbox")
        }
    }

    @Test func `by an id that no order of the account has is empty`() async throws {
        try await withMerchants { shop in
            shop.database.answer("order_of_object")
            let answer = try await shop.send(Self.list("?chargeId=\(Sample.charge)"))
            #expect(
                answer.status == 200 && answer.body == #"{"object":"list","data":[],"nextCursor":null,"hasMore":false}"#
            )
        }
    }

    @Test func `by a number has the session of just that number`() async throws {
        try await withMerchants { shop in
            // It has the same last six bytes.
            let other = UUIDBytes(high: Sample.id.high, low: Sample.id.low ^ 1 << 48)
            shop.database.answer("order_numbered", Cell.uuid(other), Cell.uuid(Sample.id))
            shop.database.answer("order_part", Self.row(Sample.id))
            shop.database.answer("ledger_objects")
            let answer = try await shop.send(Self.list("?number=oooooooool"))
            #expect(answer.json["data"]?.elements.map { $0["id"]?.text } == [Sample.session])
        }
    }

    @Test func `by two ids has the session that has both`() async throws {
        try await withMerchants { shop in
            shop.database.answer("order_of_object", Cell.uuid(Sample.id))
            shop.database.answer("order_numbered", Cell.uuid(Self.other))
            let query = "?number=00000-00000&chargeId=\(Sample.charge)"
            let answer = try await shop.send(Self.list(query))
            #expect(answer.status == 200 && answer.json["data"]?.elements.isEmpty == true)
        }
    }

    @Test(
        arguments: [
            ("?limit=0", "invalid_request", "limit"), ("?limit=101", "invalid_request", "limit"),
            ("?limit=1.5", "invalid_request", "limit"), ("?limit=-1", "invalid_request", "limit"),
            ("?after=short", "invalid_cursor", "after"), ("?after=" + cursor + "A", "invalid_cursor", "after"),
            ("?cursor=" + cursor, "invalid_request", "cursor"),
            ("?state=done", "invalid_request", "state"), ("?state=paid,captured", "invalid_request", "state"),
            ("?reference=%0A", "invalid_request", nil), ("?reference=%E2%80%8B", "invalid_request", "reference"),
            ("?reference=" + String(repeating: "a", count: 101), "invalid_request", "reference"),
            ("?updatedAfter=yesterday", "invalid_request", "updatedAfter"),
            ("?updatedAfter=20260921T141320Z", "invalid_request", "updatedAfter"),
            ("?createdAfter=yesterday", "invalid_request", "createdAfter"),
            ("?createdBefore=2026-09-31T00:00:00Z", "invalid_request", "createdBefore"),
            ("?number=KVRQV-4ES6", "invalid_request", "number"), ("?number=KVRQV-4ES6U", "invalid_request", "number"),
            ("?number=KVRQV%C4%B14ES61", "invalid_request", "number"),
            ("?chargePermissionId=S03-1234567-1234567-C123456", "invalid_request", "chargePermissionId"),
            ("?chargeId=S03-1234567-1234567-R123456", "invalid_request", "chargeId"),
            ("?chargeId=%27%20OR%201=1", "invalid_request", "chargeId"),
            ("?refundId=S03-1234567-1234567", "invalid_request", "refundId"),
            ("?checkoutSessionId=01234567-89AB-4DEF-8123-456789ABCDEF", "invalid_request", "checkoutSessionId"),
            ("?chargeId=\(Sample.charge)&chargeId=\(Sample.charge)", "invalid_request", "chargeId"),
            ("?more=1", "invalid_request", "more"), ("?limit=1&limit=1", "invalid_request", "limit"),
            ("?limit=%zz", "invalid_request", nil),
        ] as [(String, String, String?)]
    )
    func `refuses a query that it does not know`(query: String, code: String, field: String?) async throws {
        try await withMerchants { shop in
            let answer = try await shop.send(Self.list(query))
            #expect(answer.status == 400 && answer.code == code && answer.field == field)
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(arguments: ["reference", "number", "checkoutSessionId", "chargePermissionId", "chargeId", "refundId"])
    func `is not answered for an empty id, whose sender would take the first of all for its own`(
        name: String
    ) async throws {
        try await withMerchants { shop in
            let answer = try await shop.send(Self.list("?limit=1&\(name)="))
            #expect(answer.status == 400 && answer.code == "invalid_request" && answer.field == name)
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(arguments: StoreFailure.all)
    func `says that the database does not answer, wherever it is asked`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            shop.database.fail("order_reach", failure.error)
            let reach = try await shop.send(Self.list("?state=paid"))
            #expect(reach.status == failure.status && reach.code == failure.code)
            shop.database.answer("order_part", Self.row(Sample.id))
            shop.database.fail("ledger_objects", failure.error)
            let charges = try await shop.send(Self.list())
            #expect(charges.status == failure.status && charges[.retryAfter] == failure.retryAfter)
        }
    }
}

@Suite struct `The list of events` {
    private static func list(_ query: String = "") -> MerchantRequest { MerchantRequest(.get, "/v1/events" + query) }

    private static func row(_ sequence: Int64, type: String = "session.paid") -> Parameters {
        Parameters { row in
            row.append(int64: 700 + sequence)
            row.append(uuid: Sample.id)
            row.append(int64: sequence)
            row.append(uuid: UUIDBytes(high: 1, low: UInt64(sequence)))
            row.append(text: "session")
            row.append(text: type)
            row.append(timestamp: Sample.time)
            row.append(json: #"{"state":"paid"}"#)
        }
    }

    /// The place of an event, as lists give it out.
    private static func cursor(_ sequence: UInt8) -> String {
        let head = [0, 0, 0, 0, 0, 0, 0x02, 0xBC + sequence] as [UInt8]
        return Base64URL.encode(head + Sample.id.bytes + [0, 0, 0, 0, 0, 0, 0, sequence])
    }

    @Test func `begins with the oldest, octet for octet what a webhook brings`() async throws {
        try await withMerchants { shop in
            shop.database.answer("event_feed_page", Self.row(1), Self.row(2), Self.row(3))
            let answer = try await shop.send(Self.list("?limit=2"))
            #expect(answer.status == 200 && answer[.webviewSessionID] == nil && answer.json["hasMore"]?.flag == true)
            let data = answer.json["data"]?.elements ?? []
            #expect(data.count == 2 && data.first?["sequence"]?.integer == 1)
            #expect(data.first?["type"]?.text == "session.paid" && data.first?["createdAt"]?.text == Sample.text)
            #expect(data.first?["sessionId"]?.text == Sample.session && data.first?["data"]?["state"]?.text == "paid")
            #expect(data.first?["id"]?.text == "evt_" + UUIDBytes(high: 1, low: 1).description)
            #expect(answer.json["nextCursor"]?.text == Self.cursor(2))
            let asked = try shop.parameters("event_feed_page")
            let (start, limit) = (try asked.int64(0, 0), try asked.int64(0, 3))
            #expect(start == 0 && limit == 3)
        }
    }

    @Test func `goes on behind an event that is listed, and stays there where there is no other`() async throws {
        try await withMerchants { shop in
            shop.database.answer("event_feed_place", Cell.one)
            shop.database.answer("event_feed_page")
            let answer = try await shop.send(Self.list("?after=\(Self.cursor(2))"))
            let there = #"{"object":"list","data":[],"nextCursor":"\#(Self.cursor(2))","hasMore":false}"#
            #expect(answer.status == 200 && answer.body == there)
            let place = try shop.parameters("event_feed_place")
            let (transaction, subject, sequence) = (try place.int64(0, 0), try place.uuid(0, 1), try place.int64(0, 2))
            #expect(transaction == 702 && subject == Sample.id && sequence == 2)
            shop.database.answer("event_feed_page")
            let none = try await shop.send(Self.list())
            #expect(none.body == #"{"object":"list","data":[],"nextCursor":null,"hasMore":false}"#)
        }
    }

    @Test func `does not begin behind an event that is not listed any more`() async throws {
        try await withMerchants { shop in
            shop.database.answer("event_feed_place")
            let answer = try await shop.send(Self.list("?after=\(Self.cursor(2))"))
            #expect(answer.status == 400 && answer.code == "invalid_cursor" && answer.field == "after")
            #expect(answer.message?.contains("begin without `after`") == true)
        }
    }

    @Test(
        arguments: [
            ("?after=short", "invalid_cursor", "after"), ("?limit=0", "invalid_request", "limit"),
            ("?limit=101", "invalid_request", "limit"), ("?cursor=1", "invalid_request", "cursor"),
            ("?after=\(cursor(1))&after=\(cursor(1))", "invalid_request", "after"),
        ]
    )
    func `refuses a query that it does not know`(query: String, code: String, field: String) async throws {
        try await withMerchants { shop in
            let answer = try await shop.send(Self.list(query))
            #expect(answer.status == 400 && answer.code == code && answer.field == field)
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(arguments: StoreFailure.all)
    func `says that the database does not answer about the place`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            shop.database.fail("event_feed_place", failure.error)
            let answer = try await shop.send(Self.list("?after=\(Self.cursor(1))"))
            #expect(answer.status == failure.status && answer.code == failure.code)
            #expect(answer[.retryAfter] == failure.retryAfter)
        }
    }
}
