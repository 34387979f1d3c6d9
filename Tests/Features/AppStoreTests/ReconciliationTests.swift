import AppStoreTransactions
import EventIO
import FeatureTestKit
import HTTPClient
import Operations
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing

@testable import AppStore

@Suite struct `Customers whom Apple is asked about` {
    private static let account = UUIDBytes("5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01") ?? UUIDBytes(high: 0, low: 0)

    @Test func `get what no notification has told, once`() async throws {
        try await withSimulatedStore { bench in
            let (shop, account) = (bench.shop, Self.account)
            try await shop.open(account, token: account)
            let first = try await bench.buy(account)
            #expect(await shop.submit(first.text, account).outcome == "granted")
            // Refunded, and two more bought, while the server and the app were away.
            try await bench.control("POST", "/purchases/\(first.id)/refund", [:])
            let second = try await bench.buy(account)
            let nameless = try await bench.buy(nil)
            #expect(try await bench.read() == 0, "nobody is due yet")
            try bench.makeDue()
            #expect(try await bench.read() > 0)
            #expect(try await shop.balance(account, in: .sandbox) == 10)
            let states =
                "SELECT transaction_id, granted, taken, ledger_id IS NOT NULL FROM app_store_purchase ORDER BY purchase_id"
            let expected = [[first.id, "10", "10", "t"], [second.id, "10", "0", "t"], [nameless.id, "0", "0", "f"]]
            #expect(try shop.admin.rows(states) == expected)
            try bench.makeDue()
            #expect(try await bench.read() > 0)
            try shop.admin.run("UPDATE app_store_reconciliation SET refund_revision = NULL, history_revision = NULL")
            try bench.makeDue()
            _ = try await bench.read()
            #expect(try shop.balanceEntries() == 3)
            #expect(try shop.admin.rows(states) == expected)
            #expect(try shop.falseSums().isEmpty)
        }
    }

    @Test func `are read from page to page, and from where the last reading ended`() async throws {
        try await withSimulatedStore { bench in
            let (shop, account) = (bench.shop, Self.account)
            try await shop.open(account, token: account)
            let first = try await bench.buy(account)
            #expect(await shop.submit(first.text, account).outcome == "granted")
            for _ in 0..<44 { _ = try await bench.buy(account) }
            try bench.makeDue()
            _ = try await bench.read()
            #expect(try await shop.balance(account, in: .sandbox) == 450)
            #expect(try await bench.calls("transactionHistory") == 3)
            _ = try await bench.buy(account)
            try bench.makeDue()
            _ = try await bench.read()
            #expect(try await shop.balance(account, in: .sandbox) == 460)
            #expect(try await bench.calls("transactionHistory") == 4)
            // A revision of another list, as of another Apple Account: from the beginning.
            try shop.admin.run("UPDATE app_store_reconciliation SET history_revision = 'bad'")
            try bench.makeDue()
            _ = try await bench.read()
            #expect(try await bench.calls("transactionHistory") == 8)
            #expect(try await shop.balance(account, in: .sandbox) == 460)
        }
    }

    @Test func `are asked about anew once where Apple's server takes no mark`() async throws {
        try await withApple { shop, apple in
            let bad = #"{"errorCode":4000005,"errorMessage":"x"}"#
            apple.answer(400, bad)
            apple.answer(200, #"{"signedTransactions":[],"revision":"r1","hasMore":true}"#)
            apple.answer(400, bad)
            let customer = ReconciledCustomer(
                ledger: UUIDBytes(high: 1, low: 1),
                environment: "Sandbox",
                transaction: "1",
                since: nil,
                refundMark: "r0",
                historyMark: nil,
                isRefundable: true,
                isActive: true
            )
            await #expect(throws: ReadingError.self) { _ = try await shop.part.reconcile(customer) }
            #expect(apple.requests.count == 3)
        }
    }

    @Test func `are each asked about by one process at a time, and again after its lease`() async throws {
        try await withSimulatedStore { bench in
            let shop = bench.shop
            for number in 1...7 {
                let account = UUIDBytes(high: 1, low: UInt64(number))
                try await shop.open(account, token: account)
                let bought = try await bench.buy(account, customer: "customer-\(number)")
                #expect(await shop.submit(bought.text, account).outcome == "granted")
            }
            try bench.makeDue()
            func take() async throws -> Int {
                try await shop.part.loop.database.work(ReconciliationStatement.take(5, .seconds(600))).all().count
            }
            #expect(try await take() == 5)
            #expect(try await take() == 2)
            #expect(try await take() == 0)
            try bench.makeDue()
            #expect(try await take() == 5)
        }
    }

    @Test func `wait where Apple's server names a time, and nobody else is asked about`() async throws {
        try await withSimulatedStore { bench in
            let shop = bench.shop
            for number in 1...2 {
                let account = UUIDBytes(high: 1, low: UInt64(number))
                try await shop.open(account, token: account)
                let bought = try await bench.buy(account, customer: "customer-\(number)")
                #expect(await shop.submit(bought.text, account).outcome == "granted")
            }
            try bench.makeDue()
            try await bench.control(
                "POST",
                "/faults",
                ["match": ["operation": "refundHistory"], "action": ["status": 429, "retryAfter": "+900000"]]
            )
            #expect(try await bench.read() == 0)
            #expect(try await bench.calls("refundHistory") == 1)
            let waiting =
                "count(*) FILTER (WHERE due_at BETWEEN now() + interval '14 minutes' AND now() + interval '15 minutes')"
            #expect(
                try shop.admin.rows("SELECT \(waiting), sum(attempts) FROM app_store_reconciliation") == [["2", "2"]]
            )
        }
    }

    @Test func `are left alone when nothing can come back any more, or the account is erased`() async throws {
        try await withSimulatedStore { bench in
            let (shop, account) = (bench.shop, Self.account)
            try await shop.open(account, token: account)
            let bought = try await bench.buy(account)
            #expect(await shop.submit(bought.text, account).outcome == "granted")
            try shop.admin.run(
                "UPDATE app_store_reconciliation SET bought_at = now() - interval '101 days', active_at = now() - interval '31 days'"
            )
            try bench.makeDue()
            #expect(try await bench.read() == 0)
            let rest = "SELECT count(*) FROM app_store_reconciliation WHERE due_at = 'infinity'"
            #expect(try shop.admin.rows(rest) == [["1"]])
            // Who comes again is asked about again.
            #expect(await shop.submit(bought.text, account).outcome == "duplicate")
            #expect(try shop.admin.rows(rest) == [["0"]])
            _ = try shop.admin.rows("SELECT app_store_erase('\(account)')")
            #expect(try shop.admin.rows("SELECT count(*) FROM app_store_reconciliation") == [["0"]])
        }
    }

    @Test func `are asked about at once by a command, whose second run changes nothing`() async throws {
        try await withSimulatedStore { bench in
            let (shop, account) = (bench.shop, Self.account)
            try await shop.open(account, token: account)
            let first = try await bench.buy(account)
            #expect(await shop.submit(first.text, account).outcome == "granted")
            _ = try await bench.buy(account)
            try await bench.control("POST", "/purchases/\(first.id)/refund", [:])
            let lines = Lock<[String]>([])
            let console = Console(
                print: { line in lines.withLock { $0.append(line) } },
                complain: { line in lines.withLock { $0.append(line) } }
            )
            func run(_ account: UUIDBytes?, _ environment: AppStoreEnvironment? = nil) async throws -> Int32 {
                let part = AppStorePart(unserved: shop.part.process, shop.part.loop)
                return try await AppStoreReconcile(
                    part: part,
                    console: console,
                    account: account,
                    environment: environment
                ).walk()
            }
            #expect(try await run(nil, .production) == 0)
            #expect(try await run(account) == 0)
            #expect(try await run(nil) == 0)
            #expect(try await run(UUIDBytes(high: 1, low: 1)) == 1)
            #expect(
                lines.withLock { $0 } == [
                    "customers 0, purchases read 0, changed 0, failed 0",
                    "customers 1, purchases read 3, changed 2, failed 0",
                    "customers 1, purchases read 0, changed 0, failed 0",
                    "appstore reconcile: there is no such account, or nothing that Apple could be asked about",
                ]
            )
            #expect(try await shop.balance(account, in: .sandbox) == 10)
        }
    }

    /// What was bought before the account had its token was granted elsewhere.
    @Test func `are granted nothing that was bought before the account had its token`() async throws {
        try await withSimulatedStore { bench in
            let (shop, account) = (bench.shop, Self.account)
            _ = try await bench.buy(account)
            try await bench.control("POST", "/clock", ["advance": "PT48H"])
            try await shop.open(account, token: account)
            try shop.admin.run("UPDATE app_store_customer SET created_at = now() + interval '24 hours'")
            let new = try await bench.buy(account)
            #expect(await shop.submit(new.text, account).outcome == "granted")
            try bench.makeDue()
            _ = try await bench.read()
            let known = try shop.admin.rows("SELECT transaction_id FROM app_store_purchase")
            #expect(known == [[new.id]])
        }
    }
}

extension AppStoreFixture {
    /// How many entries there are.
    fileprivate func balanceEntries() throws -> Int? {
        try admin.rows("SELECT count(*) FROM app_store_entry").first?.first.flatMap { $0 }.flatMap { Int($0) }
    }
}
