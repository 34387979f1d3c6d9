import EventIO
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
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
    var records: AccountRecords { part.records }
    private let reactor: Reactor

    init(_ reactor: Reactor, _ client: PostgresClient, _ admin: PostgresAdmin) {
        self.reactor = reactor
        self.client = client
        self.admin = admin
        let loop = LoopContext(reactor, database: client, headers: HeaderPolicy(includesSubdomains: true))
        part = AccountsPart(loop, [.shoes])
    }

    /// Opens an account as features do.
    func open(_ externalID: String) async throws -> UUIDBytes {
        let id = UUIDBytes(version7At: SystemClock().now(), random: reactor.random)
        return try await client.write(AccountStatement.open(externalID, id)).first()
    }

    /// A token that lives so many seconds, and whether the account got it.
    func made(_ id: UUIDBytes, lives seconds: Int = 60, _ scopes: String = "shoes") async throws -> AppToken? {
        let random = reactor.random
        let token = AppToken(fresh: UUIDBytes(version7At: SystemClock().now(), random: random), random: random)
        let call = AccountTokenStatement.issue(token.id, id, token.hash, scopes, .seconds(seconds))
        return try await client.write(call, key: id).single() == nil ? nil : token
    }

    func issue(_ id: UUIDBytes, lives seconds: Int = 60, _ scopes: String = "shoes") async throws -> AppToken {
        try #require(try await made(id, lives: seconds, scopes))
    }

    func grant(of token: AppToken) async throws -> AppGrant? {
        try await part.grant(of: token.id, hash: token.hash)
    }

    func read(_ id: UUIDBytes) async throws -> Account? {
        try await client.read(AccountStatement.read(id)).single()
    }
}

extension AccountData {
    fileprivate static let shoes = AccountData(
        "shoes",
        erase: { _, _ in AccountErasure([:]) },
        export: { _, _ in .null }
    )
}

/// Waits for a machine that has other things to do.
private func patient(_ url: Secret<String>) throws -> PostgresConfiguration {
    var configuration = try PostgresConfiguration(url: url)
    configuration.maximumQueueWait = .seconds(60)
    configuration.maximumPendingAge = .seconds(60)
    configuration.lockTimeout = .seconds(30)
    configuration.statementTimeout = .seconds(60)
    configuration.answerTimeout = .seconds(90)
    return configuration
}

private func withDatabase(_ body: @escaping @Sendable (AccountRig) async throws -> Void) async throws {
    let database = try TestDatabase(
        migrations: ProjectFolder.path("migrations"),
        features: ["core", "service", "accounts"]
    )
    let configuration = try patient(database.serviceURL)
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
            let first = try await rig.open("customer-1")
            let erased = try #require(try await rig.records.erase(first))
            #expect(erased.report.isComplete && erased.account.cleared == nil)
            let account = try #require(try await rig.read(first))
            #expect(account.externalID == nil && account.erased != nil && account.cleared != nil)
            #expect(try await rig.open("customer-1") != first)
            let again = try #require(try await rig.records.erase(first))
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
            let report = try #require(try await rig.records.erase(id)).report
            #expect(report.isComplete && report.features.map(\.name) == ["shoes"])
            try rig.admin.run("UPDATE account SET tried_at = tried_at - interval '6 minutes'")
            #expect(try await rig.client.read(AccountStatement.unfinished(10)).all() == [])
        }
    }

    @Test func `are not erased while a transaction adds something to them`() async throws {
        try await withDatabase { rig in
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
            _ = try await rig.records.erase(id)
            #expect(try rig.admin.rows("SELECT account_is_open('\(id)')") == [["f"]])
        }
    }

    @Test func `have no token any more once they are erased, and get none`() async throws {
        try await withDatabase { rig in
            let (id, other) = (try await rig.open("customer-1"), try await rig.open("customer-2"))
            let (token, stays) = (try await rig.issue(id), try await rig.issue(other))
            #expect(try await rig.grant(of: token)?.account == id)
            // From the mark on, before anything is deleted.
            _ = try await rig.client.write(AccountStatement.begin(id)).single()
            #expect(try await rig.grant(of: token) == nil)
            #expect(try await rig.made(id) == nil)
            #expect(try rig.admin.rows("SELECT count(*) FROM account_token") == [["2"]])
            _ = try await rig.records.erase(id)
            #expect(try rig.admin.rows("SELECT account_id::text FROM account_token") == [[other.description]])
            #expect(try await rig.grant(of: stays)?.account == other)
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

@Suite struct `Tokens in the database` {
    @Test func `open what they were made for until they end, with their secret alone`() async throws {
        try await withDatabase { rig in
            let id = try await rig.open("customer-1")
            let token = try await rig.issue(id, "shoes,socks")
            let grant = try #require(try await rig.grant(of: token))
            #expect(grant.account == id)
            #expect(grant.scopes == [AppScope("shoes"), AppScope("socks")])
            #expect(try await rig.grant(of: try await rig.issue(id, ""))?.scopes == [])
            let other = try await rig.issue(id)
            #expect(try await rig.part.grant(of: token.id, hash: other.hash) == nil)
            #expect(try await rig.part.grant(of: other.id, hash: token.hash) == nil)
            try rig.admin.run(
                "UPDATE account_token SET expires_at = statement_timestamp() WHERE token_id = '\(token.id)'"
            )
            #expect(try await rig.grant(of: token) == nil)
            // In the order of their ids, in which those of one millisecond are at random.
            let listed = try await rig.client.read(AccountTokenStatement.page(id, nil, 10)).all().map(\.id)
            #expect(listed.contains(other.id) && listed == listed.sorted { $1 < $0 })
        }
    }

    @Test func `are kept as hashes`() async throws {
        try await withDatabase { rig in
            let token = try await rig.issue(try await rig.open("customer-1"))
            let row = try rig.admin.rows("SELECT t::text, encode(token_hash, 'hex') FROM account_token AS t")
            #expect(row.first?[0]?.contains(token.text.suffix(40)) == false)
            #expect(row.first?[1] == token.hash.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        }
    }

    @Test func `are so many of an account at most: those that have ended go first, then the oldest`() async throws {
        try await withDatabase { rig in
            let (id, other) = (try await rig.open("customer-1"), try await rig.open("customer-2"))
            let stays = try await rig.issue(other)
            let oldest = try await rig.issue(id)
            let ended = try await rig.issue(id)
            try rig.admin.run(
                "UPDATE account_token SET expires_at = statement_timestamp() WHERE token_id = '\(ended.id)'"
            )
            let count = "SELECT count(*) FROM account_token WHERE account_id = '\(id)'"
            for _ in 0..<(AccountToken.most - 1) { _ = try await rig.issue(id) }
            #expect(try rig.admin.rows(count) == [["\(AccountToken.most)"]])
            #expect(try await rig.grant(of: oldest) != nil, "the one that has ended went first")
            let newest = try await rig.issue(id)
            #expect(try rig.admin.rows(count) == [["\(AccountToken.most)"]])
            #expect(try await rig.grant(of: oldest) == nil)
            #expect(try await rig.grant(of: newest) != nil)
            #expect(try await rig.grant(of: stays) != nil)
        }
    }

    @Test func `are ended for one account alone`() async throws {
        try await withDatabase { rig in
            let (id, other) = (try await rig.open("customer-1"), try await rig.open("customer-2"))
            let (first, second, stays) = (
                try await rig.issue(id), try await rig.issue(id), try await rig.issue(other)
            )
            #expect(try await rig.client.write(AccountTokenStatement.revoke(other, first.id)).count == 0)
            #expect(try await rig.client.write(AccountTokenStatement.revoke(id, first.id)).count == 1)
            #expect(try await rig.client.write(AccountTokenStatement.revoke(id, first.id)).count == 0)
            #expect(try await rig.grant(of: first) == nil)
            #expect(try await rig.grant(of: second) != nil)
            #expect(try await rig.client.write(AccountTokenStatement.revokeAll(id)).count == 1)
            #expect(try await rig.grant(of: second) == nil)
            #expect(try await rig.grant(of: stays) != nil)
        }
    }

    @Test func `are listed page by page, the newest first`() async throws {
        try await withDatabase { rig in
            let id = try await rig.open("customer-1")
            var ids: [UUIDBytes] = []
            for _ in 0..<3 { ids.append(try await rig.issue(id).id) }
            let sorted = ids.sorted { $1 < $0 }
            let page = try await rig.client.read(AccountTokenStatement.page(id, nil, 2)).all()
            #expect(page.map(\.id) == Array(sorted[..<2]) && page.first?.scopes == [AppScope("shoes")])
            let rest = try await rig.client.read(AccountTokenStatement.page(id, page.last?.id, 10)).all()
            #expect(rest.map(\.id) == Array(sorted[2...]))
        }
    }

    @Test func `that have ended are removed, and no others`() async throws {
        try await withDatabase { rig in
            let id = try await rig.open("customer-1")
            let (ended, stays) = (try await rig.issue(id), try await rig.issue(id))
            try rig.admin.run(
                "UPDATE account_token SET expires_at = now() - interval '1 second' WHERE token_id = '\(ended.id)'"
            )
            #expect(try await rig.client.work(AccountTokenStatement.prune()).affectedCount == 1)
            #expect(try rig.admin.rows("SELECT token_id::text FROM account_token") == [[stays.id.description]])
        }
    }

    @Test func `are made one after the other, and not while their account is erased`() async throws {
        try await withDatabase { rig in
            let id = try await rig.open("customer-1")
            try rig.admin.run("BEGIN; SELECT account_token_issue(gen_random_uuid(), '\(id)', '', '{}', '1 minute', 50)")
            await #expect(throws: StoreError.self) { try await rig.client.write(AccountStatement.begin(id)).single() }
            await #expect(throws: StoreError.self) { try await rig.made(id) }
            try rig.admin.run("COMMIT")
            #expect(try await rig.made(id) != nil)
        }
    }
}
