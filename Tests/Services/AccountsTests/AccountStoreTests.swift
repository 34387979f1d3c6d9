import EventIO
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import Telemetry
import TestKit
import Testing
import Web

@testable import Accounts

/// Accounts on a loop with a database of their own.
private final class AccountRig {
    let client: PostgresClient
    let admin: PostgresAdmin
    let part: AccountsPart
    private let reactor: Reactor

    init(_ reactor: Reactor, _ client: PostgresClient, _ admin: PostgresAdmin) {
        self.reactor = reactor
        self.client = client
        self.admin = admin
        let loop = LoopContext(reactor, database: client, headers: HeaderPolicy(includesSubdomains: true))
        part = AccountsPart(loop, holders: [.shoes], active: [.shoes])
    }

    /// Opens an account as features do.
    func open(_ externalID: String) async throws -> UUIDBytes {
        let id = UUIDBytes(version7At: SystemClock().now(), random: reactor.random)
        return try await client.write(AccountStatement.open(externalID, id)).first()
    }

    func read(_ id: UUIDBytes) async throws -> Account? {
        try await client.read(AccountStatement.read(id)).single()
    }
}

extension AccountData {
    fileprivate static let shoes = AccountData("shoes")
}

private func withDatabase(_ body: @escaping @Sendable (AccountRig) async throws -> Void) async throws {
    let database = try TestDatabase(
        migrations: ProjectFolder.path("migrations"),
        features: ["core", "service", "accounts"]
    )
    let configuration = try PostgresConfiguration(url: database.serviceURL)
    try await withLoop { reactor in
        let client = PostgresClient(reactor: reactor, configuration: configuration, logger: .silent)
        client.start()
        defer { client.close() }
        try await client.waitUntilReady(within: .seconds(60))
        try await body(AccountRig(reactor, client, try database.admin()))
    }
}

@Suite struct `Accounts in the database` {
    @Test func `are one for each external id, which differs in any octet`() async throws {
        try await withDatabase { rig in
            let first = try await rig.open("customer-1")
            #expect(try await rig.open("customer-1") == first)
            // Capital letters, a blank inside, and two spellings of one letter are others.
            var others: Set<UUIDBytes> = [first]
            for text in ["Customer-1", "customer- 1", "customer-\u{E4}", "customer-a\u{308}"] {
                #expect(others.insert(try await rig.open(text)).inserted, "\(text)")
            }
            let found = try await rig.client.read(AccountStatement.find("customer-1")).single()
            #expect(found?.id == first && found?.externalID == "customer-1" && found?.erased == nil)
        }
    }

    @Test func `are listed, the newest first`() async throws {
        try await withDatabase { rig in
            var ids: [UUIDBytes] = []
            for number in 1...5 { ids.append(try await rig.open("c\(number)")) }
            let sorted = ids.sorted { $1 < $0 }
            let page = try await rig.client.read(AccountStatement.page(nil, 2)).all()
            #expect(page.map(\.id) == Array(sorted[..<2]))
            let rest = try await rig.client.read(AccountStatement.page(page.last?.id, 10)).all()
            #expect(rest.map(\.id) == Array(sorted[2...]))
        }
    }

    @Test func `lose their external id with the erasure, and another is opened under it`() async throws {
        try await withDatabase { rig in
            try rig.part.handle(.shoes, erase: { _ in AccountErasure([:]) }, export: { _ in .null })
            let first = try await rig.open("customer-1")
            let erased = try #require(try await rig.part.erase(first))
            #expect(erased.report.isComplete && erased.account.cleared == nil)
            let account = try #require(try await rig.read(first))
            #expect(account.externalID == nil && account.erased != nil && account.cleared != nil)
            #expect(try await rig.open("customer-1") != first)
            let again = try #require(try await rig.part.erase(first))
            #expect(again.account.erased == account.erased && again.account.cleared == account.cleared)
        }
    }

    @Test func `wait for the end of an erasure that a crash cut off`() async throws {
        try await withDatabase { rig in
            let id = try await rig.open("customer-1")
            // As far as a process came that was killed while its features erased.
            _ = try await rig.client.write(AccountStatement.begin(id)).single()
            #expect(try await rig.client.read(AccountStatement.unfinished(10)).all() == [], "it may still be at it")
            try rig.admin.run("UPDATE account SET tried_at = tried_at - interval '6 minutes'")
            #expect(try await rig.client.read(AccountStatement.unfinished(10)).all() == [id])
            var asked: [UUIDBytes] = []
            try rig.part.handle(
                .shoes,
                erase: { id in
                    asked.append(id)
                    return AccountErasure(["pairs": 1])
                },
                export: { _ in .null }
            )
            #expect(try await rig.part.erase(id)?.report.isComplete == true)
            #expect(asked == [id])
            try rig.admin.run("UPDATE account SET tried_at = tried_at - interval '6 minutes'")
            #expect(try await rig.client.read(AccountStatement.unfinished(10)).all() == [])
        }
    }

    @Test func `are not erased while a transaction adds something to them`() async throws {
        try await withDatabase { rig in
            try rig.part.handle(.shoes, erase: { _ in AccountErasure([:]) }, export: { _ in .null })
            let id = try await rig.open("customer-1")
            for held in [
                "SELECT account_open('customer-1', gen_random_uuid(), now())", "SELECT account_is_open('\(id)')",
            ] {
                try rig.admin.run("BEGIN; \(held)")
                await #expect(throws: StoreError.self, "\(held)") {
                    try await rig.client.write(AccountStatement.begin(id)).single()
                }
                try rig.admin.run("COMMIT")
            }
            #expect(try rig.admin.rows("SELECT account_is_open('\(id)')") == [["t"]])
            _ = try await rig.part.erase(id)
            #expect(try rig.admin.rows("SELECT account_is_open('\(id)')") == [["f"]])
        }
    }

    @Test func `give the program no right to delete them, or to change whose they are`() async throws {
        try await withDatabase { rig in
            let rights = try rig.admin.rows(
                """
                SELECT has_table_privilege('sallyport_service', 'account', 'DELETE'),
                    has_column_privilege('sallyport_service', 'account', 'account_id', 'UPDATE'),
                    has_column_privilege('sallyport_service', 'account', 'created_at', 'UPDATE')
                """
            )
            #expect(rights == [["f", "f", "f"]])
        }
    }
}
