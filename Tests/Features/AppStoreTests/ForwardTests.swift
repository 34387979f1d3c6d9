import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import TestKit
import Testing

@testable import AppStore

@Suite struct `Notifications for another server` {
    private static let settings = ["app_store.forward_url": "https://shop.example/hook"]
    private let payload = LedgerScenario.notifications(of: "test-notification").first ?? ""
    private var body: String { #"{ "signedPayload": "\#(payload)" }"# }

    private func notify(_ shop: AppStoreFixture) async throws {
        #expect(try await shop.program.ask(.post, "/app-store/notifications", json: body).status == 200)
    }

    private func waiting(_ shop: AppStoreFixture) throws -> [[String?]] {
        try shop.admin.rows("SELECT attempts FROM app_store_forward")
    }

    @Test func `are sent as Apple has sent them, once`() async throws {
        try await withAppStore(Self.settings) { shop in
            let server = ScriptedExchange()
            // Apple's second notification of the same adds nothing to what the first has left.
            for _ in 0..<2 {
                try await notify(shop)
                #expect(try waiting(shop) == [["0"]])
            }
            server.answer(204)
            #expect(try await shop.part.forward(over: server))
            #expect(try await shop.part.forward(over: server) == false)
            #expect(server.requests.map(\.url) == ["https://shop.example/hook"])
            #expect(server.requests.map(\.body) == [Array(body.utf8)])
            #expect(try waiting(shop) == [])
            #expect(server.complaints.isEmpty)
        }
    }

    @Test func `are sent again after a pause, and given up in the end`() async throws {
        try await withAppStore(Self.settings) { shop in
            let server = ScriptedExchange()
            try await notify(shop)
            server.answer(302, fields: [("location", "https://other.example/")])
            #expect(try await shop.part.forward(over: server))
            // It is not due yet.
            #expect(try await shop.part.forward(over: server) == false)
            #expect(try waiting(shop) == [["1"]])
            try shop.admin.run("UPDATE app_store_forward SET due_at = now(), created_at = now() - interval '3 days'")
            server.fail(.timedOut)
            #expect(try await shop.part.forward(over: server))
            #expect(try waiting(shop) == [])
            #expect(shop.program.log.lines(with: "app_store.forward_given_up").count == 1)
        }
    }

    /// A process that was killed, or has hung, leaves its notification to the next one when its lease is over, and says nothing after that.
    @Test func `are taken by one process at a time`() async throws {
        try await withAppStore(Self.settings) { shop in
            try await notify(shop)
            let database = shop.part.loop.database
            let first = try await database.work(ForwardStatement.take(5, .seconds(120))).all()
            #expect(first.count == 1)
            #expect(try await database.work(ForwardStatement.take(5, .seconds(120))).all().isEmpty)
            try shop.admin.run("UPDATE app_store_forward SET due_at = now()")
            #expect(try await database.work(ForwardStatement.take(5, .seconds(120))).all().count == 1)
            for one in first {
                _ = try await database.work(ForwardStatement.end(one.id, Int32(clamping: one.attempts), nil))
            }
            #expect(try waiting(shop) == [["2"]])
        }
    }

    @Test func `are not kept where there is none`() async throws {
        try await withAppStore { shop in
            try await notify(shop)
            #expect(try waiting(shop) == [])
        }
    }
}
