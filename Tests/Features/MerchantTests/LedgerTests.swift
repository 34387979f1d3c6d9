import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Testing

@Suite struct `A look at the ledger` {
    private static let charge = MerchantRequest(.get, "/v1/charges/\(Sample.charge)")
    private static let refund = MerchantRequest(.get, "/v1/refunds/\(Sample.refund)")
    private static let charges = MerchantRequest(.get, "/v1/sessions/\(Sample.session)/charges")

    @Test(
        arguments: [
            ("AuthorizationInitiated", "authorization_initiated"), ("Authorized", "authorized"),
            ("CaptureInitiated", "capture_initiated"), ("Captured", "captured"), ("Canceled", "canceled"),
            ("Declined", "declined"), ("SomethingNew", "something_new"),
        ]
    )
    func `shows a charge as it was seen last`(stored: String, shown: String) async throws {
        try await withMerchants { shop in
            var row = ObjectRow.charge(stored)
            row.refunded = 180
            row.reason = "HardDeclined"
            row.capturedAt = stored == "Captured" ? Sample.time : nil
            shop.database.answer("ledger_object", row.row)
            if stored == "Captured" { shop.database.answer("ledger_objects") }
            let answer = try await shop.send(Self.charge)
            #expect(answer.json["capturedAt"]?.text == (stored == "Captured" ? Sample.text : nil))
            #expect(answer.json["refunds"]?.elements.isEmpty == true)
            #expect(answer.status == 200 && answer[.webviewSessionID] == Sample.session)
            #expect(answer.json["id"]?.text == Sample.charge && answer.json["state"]?.text == shown)
            #expect(answer.json["chargePermissionId"]?.text == Sample.permission)
            #expect(
                answer.json["amount"]?["amount"]?.text == "3180" && answer.json["reasonCode"]?.text == "HardDeclined"
            )
            #expect(answer.json["captured"]?["amount"]?.text == (stored == "Captured" ? "3180" : "0"))
            #expect(answer.json["refunded"]?["amount"]?.text == "180" && answer.json["createdAt"]?.text == Sample.text)
            let id = try shop.parameters("ledger_object").text(0, 0)
            #expect(id == Sample.charge)
        }
    }

    @Test(arguments: [("RefundInitiated", "refund_initiated"), ("Refunded", "refunded"), ("Declined", "declined")])
    func `shows a refund as it was seen last`(stored: String, shown: String) async throws {
        try await withMerchants { shop in
            shop.database.answer("ledger_object", ObjectRow.refund(stored).row)
            let answer = try await shop.send(Self.refund)
            #expect(answer.status == 200 && answer[.webviewSessionID] == Sample.session)
            #expect(answer.json["id"]?.text == Sample.refund && answer.json["state"]?.text == shown)
            #expect(answer.json["chargeId"]?.text == Sample.charge && answer.json["amount"]?["amount"]?.text == "3180")
        }
    }

    @Test func `finds no object of another kind`() async throws {
        try await withMerchants { shop in
            let pairs: [(MerchantRequest, ObjectRow)] = [
                (Self.charge, .refund()), (Self.charge, .permission()), (Self.refund, .charge()),
                (Self.refund, .permission()),
            ]
            for (request, row) in pairs {
                shop.database.answer("ledger_object", row.row)
                let answer = try await shop.send(request)
                #expect(answer.status == 404 && answer.code == "not_found" && answer[.webviewSessionID] == nil)
            }
        }
    }

    @Test func `lists the charges of a session in their order`() async throws {
        try await withMerchants { shop in
            let older = ObjectRow(id: Sample.permission + "-C000001", kind: "charge", state: "Canceled")
            shop.database.answer("order_read", OrderRow("paid").row)
            shop.database.answer("ledger_objects", older.row, ObjectRow.charge().row)
            let answer = try await shop.send(Self.charges)
            #expect(answer.status == 200 && answer[.webviewSessionID] == Sample.session)
            let data = answer.json["data"]?.elements ?? []
            #expect(data.compactMap { $0["id"]?.text } == [older.id, Sample.charge])
            let kind = try shop.parameters("ledger_objects").text(0, 1)
            #expect(kind == "charge,refund")
            shop.database.answer("order_read", OrderRow("created").row)
            shop.database.answer("ledger_objects")
            let none = try await shop.send(Self.charges)
            #expect(
                none.status == 200 && none.body == #"{"object":"list","data":[],"nextCursor":null,"hasMore":false}"#
            )
        }
    }

    @Test func `lists the charges of a session page by page`() async throws {
        try await withMerchants { shop in
            let ids = (1...3).map { Sample.permission + "-C00000\($0)" }
            func page(_ query: String) async throws -> Answer {
                shop.database.answer("order_read", OrderRow("paid").row)
                let rows = ids.map { ObjectRow(id: $0, kind: "charge", state: "Canceled").row }
                shop.database.answer("ledger_objects", rows: rows)
                return try await shop.send(MerchantRequest(.get, "/v1/sessions/\(Sample.session)/charges" + query))
            }
            let first = try await page("?limit=2").json
            #expect(first["data"]?.elements.compactMap { $0["id"]?.text } == Array(ids[..<2]))
            #expect(first["hasMore"]?.flag == true && first["nextCursor"]?.text == ids[1])
            let rest = try await page("?limit=2&after=\(ids[1])").json
            #expect(rest["data"]?.elements.compactMap { $0["id"]?.text } == [ids[2]])
            #expect(rest["hasMore"]?.flag == false && rest["nextCursor"]?.text == ids[2])
            let unknown = try await page("?after=\(Sample.refund)")
            #expect(unknown.status == 400 && unknown.code == "invalid_cursor" && unknown.field == "after")
        }
    }

    @Test(arguments: [("?cursor=1", "cursor"), ("?limit=0", "limit"), ("?limit=101", "limit")])
    func `refuses a query that lists do not know`(query: String, field: String) async throws {
        try await withMerchants { shop in
            let lists = ["/v1/sessions/\(Sample.session)/charges", "/v1/charges/\(Sample.charge)/refunds"]
            for path in lists + ["/v1/sessions", "/v1/events"] {
                let answer = try await shop.send(MerchantRequest(.get, path + query))
                #expect(answer.status == 400 && answer.code == "invalid_request" && answer.field == field, "\(path)")
            }
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(arguments: StoreFailure.all)
    func `says that the database does not answer about charges`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            shop.database.answer("order_read", OrderRow("paid").row)
            shop.database.fail("ledger_objects", failure.error)
            let answer = try await shop.send(Self.charges)
            #expect(answer.status == failure.status && answer.code == failure.code)
            #expect(answer[.retryAfter] == failure.retryAfter)
        }
    }
}
