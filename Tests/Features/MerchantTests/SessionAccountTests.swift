import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("The account of a session")
struct SessionAccountTests {
    private static let request = MerchantRequest(.post, "/v1/sessions", "sessions:write", "session_open_app")
    private static let account = "01977f3e-0000-7000-8000-00000000000a"

    private static func body(_ account: String) -> String {
        SessionBodies.site(#","accountId":"\#(account)""#)
    }

    @Test func `is kept with the order, and shown`() async throws {
        try await withMerchants { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let opened = try await shop.send(Self.request, body: Self.body(Self.account.uppercased()))
            #expect(opened.status == 201 && opened.json["accountId"]?.text == Self.account, "\(opened.body)")
            let kept = try shop.parameters("session_open_app").uuid(0, 31)
            #expect(kept.description == Self.account)
            var row = OrderRow("paid")
            row.account = UUIDBytes(Self.account)
            shop.database.answer("order_read", row.row)
            shop.database.answer("ledger_objects")
            let read = try await shop.send(MerchantRequest(.get, "/v1/sessions/\(Sample.session)", "sessions:read"))
            #expect(read.json["accountId"]?.text == Self.account, "\(read.body)")
        }
    }

    @Test func `is not told where none was named`() async throws {
        try await withMerchants { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let opened = try await shop.send(Self.request, body: SessionBodies.site(#","accountId":null"#))
            #expect(opened.status == 201 && !opened.body.contains("accountId"), "\(opened.body)")
            let isNull = try shop.parameters("session_open_app").isNull(0, 31)
            #expect(isNull)
        }
    }

    @Test(arguments: [("SY002", 422, "account_unknown"), ("SY003", 410, "account_erased")])
    func `has to be there`(state: String, status: Int, code: String) async throws {
        try await withMerchants { shop in
            shop.database.fail("session_open_app", .rejected(sqlState: state))
            let answer = try await shop.send(Self.request, body: Self.body(Self.account))
            #expect(answer.status == status && answer.code == code && answer.field == "accountId", "\(answer.body)")
        }
    }

    @Test(arguments: ["", "customer-4711", "01977f3e-0000-7000-8000-00000000000"])
    func `is an id, and no name of the merchant's`(text: String) async throws {
        try await withMerchants { shop in
            let answer = try await shop.send(Self.request, body: Self.body(text))
            #expect(answer.status == 400 && answer.field == "accountId", "\(answer.body)")
        }
    }
}
