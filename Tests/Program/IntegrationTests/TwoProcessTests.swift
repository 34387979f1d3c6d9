import EventIO
import HTTPClient
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// Two programs on one database share what nobody waits for: each thing is done by one of them.
@Suite("Two processes", .tags(.database, .slow))
struct TwoProcessTests {
    /// Ids of orders of today.
    private func orders(_ count: Int, _ shop: ProcessShop) throws -> [String] {
        try shop.rows(
            """
            SELECT overlay(gen_random_uuid()::text PLACING left(id_floor(now())::text, 14) || '7' FROM 1 FOR 15)
            FROM generate_series(1, $1::integer)
            """,
            ["\(count)"]
        )
        .compactMap { $0[0] }
    }

    @Test func `ask about each object once`() async throws {
        try await withProcessShop { shop in
            shop.settings["SALLYPORT_RECONCILIATION_ROUND"] = "1s"
            _ = try await shop.startServer()
            _ = try await shop.startServer()
            // Long enough for the other one to look meanwhile.
            try await shop.control.fault("GetCharge", count: 100, ["delayMs": 300])
            // Charges that the provider has not known for long, and says so: one more question each, whoever asks.
            let webviewSession = try orders(1, shop)[0]
            try shop.rows(
                """
                INSERT INTO payment_poll (
                    object_id, kind, webview_session_id, since, next_at, polls, failures, notified, missing_since)
                SELECT 'S03-1234567-1234567-C' || n, 'charge', $1::uuid, now(), now() + interval '1 second', 0, 0, false,
                    now() - interval '2 hours'
                FROM generate_series(100001, 100012) AS n
                """,
                [webviewSession]
            )
            try await poll(shop.reactor, "the end of all questions") {
                try shop.rows("SELECT 1 FROM payment_poll").isEmpty ? () : nil
            }
            let log = try await shop.control.get("log?since=0&limit=1000")
            let asked = (log["entries"]?.elements ?? []).filter { $0["operation"]?.text == "GetCharge" }
            #expect(asked.count == 12)
            #expect(Set(asked.compactMap { $0["path"]?.text }).count == 12)
        }
    }

    @Test func `tell of each event once, and of those of one order in their order`() async throws {
        try await withProcessShop { shop in
            let receiver = try await WebhookReceiver.start()
            defer { receiver.stop() }
            let secret = try HookedShop.secretPath()
            shop.settings["SALLYPORT_MERCHANT_SECRET_FILE"] = secret
            shop.settings["SALLYPORT_WEBHOOKS_ALLOW_LOOPBACK"] = "true"
            _ = try await shop.startServer()
            _ = try await shop.startServer()
            try await receiver.beAdded(to: shop, secret)
            let orders = try orders(30, shop)
            // Long enough for the other one to look meanwhile.
            receiver.behave(.slow(.milliseconds(50)))
            try shop.rows(
                """
                INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
                SELECT f::uuid, id_new(), n, now(), 'session', 'session.paid', '{}'
                FROM unnest(string_to_array($1, ',')) AS f, generate_series(1, 4) AS n
                """,
                [orders.joined(separator: ",")]
            )
            try await poll(shop.reactor, "quiet queues") {
                try shop.rows("SELECT 1 FROM event_queue").isEmpty ? () : nil
            }
            expectOrder(receiver.received, of: orders, 1...4)
            #expect(receiver.received.count == 120)
        }
    }
}

extension WebhookReceiver {
    /// Becomes an endpoint of a shop, and gets the secret.
    func beAdded(to shop: ProcessShop, _ secret: String) async throws {
        let environment = [
            "SALLYPORT_DATABASE_URL": shop.serviceURL.reveal(), "SALLYPORT_DATA_DIR": shop.folder,
            "SALLYPORT_MERCHANT_SECRET_FILE": secret, "SALLYPORT_WEBHOOKS_ALLOW_LOOPBACK": "true",
        ]
        let program = try RunningProgram(
            ["webhooks", "add", url],
            environment: environment,
            logPath: shop.folder + "/add.log",
            on: shop.reactor
        )
        defer { program.destroy() }
        #expect(try await program.process.exit(on: shop.reactor) == .code(0), "\(program.log)")
        trust(try #require(try JSONParser.parse(Array(program.log.utf8))["secret"]?.text))
    }
}
