import AppStoreTransactions
import EventIO
import FeatureTestKit
import HTTPCore
import Operations
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import StrictJSON
import TestKit
import Testing

@testable import AppStore

@Suite struct `A test notification` {
    private static let token = #"{"testNotificationToken":"ce3af791-365e-4c60-841b-1674b43c1609_1656708706303"}"#

    private func run(
        _ shop: AppStoreFixture,
        patience: Duration = .seconds(60)
    ) async throws -> TestNotification.Outcome {
        let server = try #require(shop.part.server)
        return await TestNotification(
            server: server,
            verifiers: shop.part.process.verifiers,
            environment: .sandbox,
            reactor: shop.part.loop.reactor,
            pause: .zero,
            patience: patience
        ).run { _ in }
    }

    private func status(_ result: String) -> String {
        let sent = LedgerScenario.notifications(of: "test-notification").first ?? ""
        return
            #"{"signedPayload":"\#(sent)","sendAttempts":[{"attemptDate":1781049600000,"sendAttemptResult":"\#(result)"}]}"#
    }

    @Test func `arrives, or it is said in words why not`() async throws {
        try await withApple { shop, apple in
            apple.answer(200, Self.token)
            apple.answer(200, status("SUCCESS"))
            let taken = try await run(shop)
            #expect(taken.isTaken && taken.sentence.contains("a server has taken it"))
            #expect(
                apple.requests.last?.url.hasSuffix("/test/ce3af791-365e-4c60-841b-1674b43c1609_1656708706303") == true
            )
        }
        try await withApple { shop, apple in
            apple.answer(200, Self.token)
            apple.answer(200, status("TLS_ISSUE"))
            let lost = try await run(shop)
            #expect(!lost.isTaken && lost.sentence.contains("TLS failed"))
        }
        try await withApple { shop, apple in
            apple.answer(404, #"{"errorCode":4040007,"errorMessage":"x"}"#)
            let none = try await run(shop)
            #expect(!none.isTaken && none.sentence.contains("no address for notifications of Sandbox"))
        }
    }

    @Test func `is waited for, and not for ever`() async throws {
        try await withApple { shop, apple in
            apple.answer(200, Self.token)
            apple.answer(404, #"{"errorCode":4040008,"errorMessage":"x"}"#)
            apple.answer(200, status("SUCCESS"))
            let taken = try await run(shop)
            #expect(taken.isTaken)
        }
        try await withApple { shop, apple in
            apple.answer(200, Self.token)
            let late = try await run(shop, patience: .zero)
            #expect(!late.isTaken && late.sentence.contains("has not said"))
        }
    }
}

@Suite struct `Kept notifications` {
    private static let account = UUIDBytes("5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01") ?? UUIDBytes(high: 0, low: 0)

    private func replay(_ shop: AppStoreFixture) async throws -> NotificationReplay.Report {
        try await NotificationReplay(
            verifiers: shop.part.process.verifiers,
            products: shop.part.process.products,
            since: WallTime(seconds: 0),
            until: SystemClock().now() + .seconds(60),
            environment: nil
        ).run(on: shop.part.loop.database) { _ in }
    }

    @Test func `are applied again once a product is sold, and change nothing after that`() async throws {
        let database = try appStoreDatabase()
        try await withAppStore(products: "{}", database: database) { shop in
            try await shop.open(Self.account, token: Self.account)
            for payload in LedgerScenario.notifications(of: "notification-first") {
                #expect(try await shop.notify(payload) == 200)
            }
            #expect(try await replay(shop).changed == 0)
            #expect(try await shop.balance(Self.account, in: .sandbox) == 0)
        }
        try await withAppStore(database: database) { shop in
            let first = try await replay(shop)
            #expect(first.changed == 1 && first.read >= 1 && first.refused == 0)
            let sum = try await shop.balance(Self.account, in: .sandbox) ?? 0
            #expect(sum > 0)
            #expect(try await replay(shop).changed == 0)
            #expect(try await shop.balance(Self.account, in: .sandbox) == sum)
            #expect(try shop.falseSums().isEmpty)
            #expect(try shop.admin.rows("SELECT DISTINCT outcome FROM app_store_notification") == [["granted"]])
        }
    }

    @Test func `that are not good are passed over`() async throws {
        try await withAppStore { shop in
            try shop.admin.run(
                """
                INSERT INTO app_store_notification (received_at, signed_at, notification_id, environment, type, outcome, payload)
                SELECT now() - n * interval '1 second', now(), n::text, 'Sandbox', 'TEST', 'none', 'x.y.z' FROM generate_series(1, 250) AS n
                """
            )
            let report = try await replay(shop)
            #expect(report.read == 250 && report.refused == 250 && report.changed == 0)
        }
    }
}

@Suite struct `Command lines of purchases` {
    private func action(_ words: String) throws -> AppStoreAction {
        let arguments = try CommandLineArguments(
            ("appstore " + words).split(separator: " ").map(String.init),
            options: ["environment", "since", "until", "as", "reason"].map { CommandOption($0, "X", "") }
        )
        var reader = SettingReader(SettingSource(file: nil, environment: [:]))
        return try AppStoreAction(arguments, AppStoreSettings(&reader))
    }

    @Test func `say what is wrong with them`() throws {
        let id = "0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70"
        for words in [
            "account \(id)", "balance \(id) --environment Sandbox", "replay --since 2026-11-20", "test-notification",
        ] {
            _ = try action(words)
        }
        for words in [
            "", "spend", "account", "account x", "balance \(id) more", "balance \(id) --environment Xcode", "verify",
            "replay --since yesterday", "replay x", "account \(id) --since 2026-11-20", "test-notification --reason x",
        ] {
            #expect(throws: ConfigurationError.self, "\(words)") { _ = try action(words) }
        }
    }

    @Test func `say so where a file has no text`() async throws {
        try await withAppStore { shop in
            try await withTemporaryFolder { folder in
                try Files.write("\(folder)/empty", Array(" \n\n".utf8))
                let said = Lock<[String]>([])
                let console = Console(
                    print: { line in said.withLock { $0.append("printed " + line) } },
                    complain: { line in said.withLock { $0.append(line) } }
                )
                let status = try AppStoreCommand.verify(["\(folder)/empty"], shop.part.process.settings, console)
                #expect(status == 1)
                #expect(said.withLock { $0 } == ["appstore: \(folder)/empty has no signed text"])
            }
        }
    }

    @Test func `take a file with a text a line`() {
        let lines = AppStoreCommand.texts(in: Array("a.b.c\r\n\n  d.e.f  \n \n".utf8))
        #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["a.b.c", "d.e.f"])
    }
}
