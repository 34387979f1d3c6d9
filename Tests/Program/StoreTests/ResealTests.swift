import Cryptography
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import TestKit
import Testing
import Webhooks

@Suite("Sealing anew")
struct ResealTests {
    private static let old = "1 " + String(repeating: "1a", count: 32)
    private static let new = "2 " + String(repeating: "2b", count: 32)
    private static let both = old + "\n" + new

    private static func keyring(_ text: String) throws -> Keyring { try Keyring(Array(text.utf8)) }

    @Test func `of thousands of values goes on where it was cut off`() async throws {
        try await withRig { rig in
            let keys = try Self.fill(rig, 3_000)
            let resealing = Resealing(try Self.keyring(Self.both), rig.client, random: rig.random)
            await #expect(throws: Cut.self) {
                _ = try await resealing.run(WebhookVault.columns[0]) { report in
                    if report.resealed >= 1_000 { throw Cut() }
                }
            }
            let left = try Self.count(rig, under: 1)
            #expect(left > 2_000 && left <= 3_000)
            let report = try await Self.run(resealing)
            #expect((report.resealed, report.isComplete) == (left, true))
            #expect(try Self.count(rig, under: 1) == 0)
            let again = try await Self.run(resealing)
            #expect((again.values, again.resealed) == (4_000, 0))
            // Without the old key everything opens.
            try Self.expect(keys, rig)
        }
    }

    @Test func `passes over what a program has changed meanwhile, and seals that anew, too`() async throws {
        try await withRig { rig in
            var keys = try Self.fill(rig, 12)
            let endpoint = try #require(keys.keys.min { $0.description < $1.description })
            let other = WebhookKey.mint(random: rig.random)
            let vault = try WebhookVault(Self.keyring(Self.old))
            let sealed = try vault.seal(other, of: endpoint, random: rig.random)
            // The nonce of the first value is drawn when the batch has been read and not yet written.
            let meddler = Meddler(rig.random) {
                try rig.sql(
                    """
                    UPDATE webhook_endpoint SET previous_key_id = key_id, previous_secret = secret, key_id = '\(other.id)',
                        secret = decode('\(Hex.encode(sealed.sealed))', 'hex') WHERE endpoint_id = '\(endpoint)'
                    """
                )
            }
            let resealing = Resealing(try Self.keyring(Self.both), rig.client, random: meddler)
            let report = try await Self.run(resealing)
            #expect(meddler.problem == nil)
            keys[endpoint] = [other] + (keys[endpoint]?.prefix(1) ?? [])
            #expect(report.isComplete)
            try Self.expect(keys, rig)
        }
    }

    @Test func `waits for no row that somebody works on, and reports it`() async throws {
        try await withRig { rig in
            let keys = try Self.fill(rig, 10)
            let endpoint = try #require(keys.keys.first)
            let service = try rig.another()
            try service.run("BEGIN; UPDATE webhook_endpoint SET url = url || '/' WHERE endpoint_id = '\(endpoint)'")
            let resealing = Resealing(try Self.keyring(Self.both), rig.client, random: rig.random)
            let report = try await resealing.run(WebhookVault.columns[0])
            #expect((report.resealed, report.busy, report.isComplete) == (9, 1, false))
            try service.run("COMMIT")
            #expect(try await Self.run(resealing).isComplete)
            try Self.expect(keys, rig)
        }
    }

    @Test func `by two at once seals each value once`() async throws {
        let database = try migratedDatabase()
        let keys = try await withRig(on: database) { rig in try Self.fill(rig, 2_000) }
        let reports = try await inParallel(2, on: database) { rig in
            let resealing = Resealing(try Self.keyring(Self.both), rig.client, random: rig.random, batch: 50)
            return try await Self.run(resealing)
        }
        #expect(reports.reduce(0) { $0 + $1.resealed } == 2_667)
        try await withRig(on: database) { rig in
            #expect(try Self.count(rig, under: 1) == 0)
            try Self.expect(keys, rig)
        }
    }

    @Test func `leaves what it cannot open as it is, and names the key that is missing`() async throws {
        try await withRig { rig in
            _ = try Self.fill(rig, 5)
            try rig.sql(
                """
                WITH e AS (SELECT endpoint_id, row_number() OVER (ORDER BY endpoint_id) AS n FROM webhook_endpoint)
                UPDATE webhook_endpoint AS w SET secret = CASE n
                    WHEN 1 THEN overlay(secret PLACING '\\x0007' FROM 1 FOR 2) WHEN 2 THEN set_byte(secret, 20, 255 - get_byte(secret, 20))
                    WHEN 3 THEN '' WHEN 4 THEN '\\x0001' ELSE secret END
                FROM e WHERE e.endpoint_id = w.endpoint_id
                """
            )
            let before = try rig.admin.rows("SELECT secret FROM webhook_endpoint ORDER BY endpoint_id LIMIT 4")
            let resealing = Resealing(try Self.keyring(Self.both), rig.client, random: rig.random)
            let report = try await resealing.run(WebhookVault.columns[0])
            #expect((report.values, report.resealed, report.isComplete) == (4, 1, false))
            #expect(report.unopened.values.sorted() == [1, 1, 1])
            #expect(report.unopened.keys.contains { $0.contains("key 7 is not in the file of keys") })
            let after = try rig.admin.rows("SELECT secret FROM webhook_endpoint ORDER BY endpoint_id LIMIT 4")
            #expect(after == before)
        }
    }

    // MARK: What it works on

    private struct Cut: Error {}

    /// Adds endpoints with keys that are sealed under key 1, every third with a previous one.
    private static func fill(_ rig: Rig, _ count: Int) throws -> [UUIDBytes: [WebhookKey]] {
        let vault = try WebhookVault(keyring(old))
        var keys: [UUIDBytes: [WebhookKey]] = [:]
        var rows: [String] = []
        for number in 0..<count {
            let endpoint = UUIDBytes(version7At: rig.clock.now(), random: rig.random)
            let own = (0..<(number % 3 == 0 ? 2 : 1)).map { _ in WebhookKey.mint(random: rig.random) }
            let cells = try own.map { key in
                let sealed = try vault.seal(key, of: endpoint, random: rig.random)
                return "'\(key.id)', '\\x\(Hex.encode(sealed.sealed))'::bytea"
            }
            keys[endpoint] = own
            let all = (cells + ["NULL, NULL"]).prefix(2).joined(separator: ", ")
            rows.append("('\(endpoint)', now(), 'https://\(number).example/', '{}', \(all))")
        }
        try rig.sql(
            """
            INSERT INTO webhook_endpoint
                (endpoint_id, created_at, url, types, key_id, secret, previous_key_id, previous_secret)
            VALUES \(rows.joined(separator: ", "))
            """
        )
        return keys
    }

    private static func run(_ resealing: Resealing) async throws -> Resealing.Report {
        var all = try await resealing.run(WebhookVault.columns[0])
        for column in WebhookVault.columns.dropFirst() {
            let report = try await resealing.run(column)
            all.values += report.values
            all.resealed += report.resealed
            all.busy += report.busy
            all.unopened.merge(report.unopened) { $0 + $1 }
        }
        return all
    }

    private static func count(_ rig: Rig, under number: Int) throws -> Int {
        let prefix = "'\\x" + Hex.encode([0, UInt8(number)]) + "'"
        let sql = """
            SELECT count(*) FILTER (WHERE substring(secret, 1, 2) = \(prefix))
                + count(*) FILTER (WHERE substring(previous_secret, 1, 2) = \(prefix)) FROM webhook_endpoint
            """
        return Int(try rig.admin.rows(sql)[0][0] ?? "") ?? -1
    }

    /// That every key opens with the new secret alone, and is the one that was sealed.
    private static func expect(_ keys: [UUIDBytes: [WebhookKey]], _ rig: Rig) throws {
        let vault = try WebhookVault(keyring(new))
        let rows = try rig.admin.rows(
            "SELECT endpoint_id, key_id, encode(secret, 'hex'), previous_key_id, encode(previous_secret, 'hex') FROM webhook_endpoint"
        )
        #expect(rows.count == keys.count)
        for row in rows {
            let endpoint = try #require(row[0].flatMap { UUIDBytes($0) })
            let found = try [(row[1], row[2]), (row[3], row[4])].compactMap { id, sealed -> WebhookKey? in
                guard let id, let sealed = sealed.flatMap({ Hex.decode($0) }) else { return nil }
                return try vault.open(SealedWebhookKey(id: id, sealed: sealed), of: endpoint)
            }
            let wanted = try #require(keys[endpoint])
            #expect(found.map(\.id) == wanted.map(\.id))
            #expect(found.map { $0.secret.reveal() } == wanted.map { $0.secret.reveal() })
        }
    }
}

/// Does something before it gives its first bytes.
private final class Meddler: RandomSource {
    private let source: any RandomSource
    private var body: (() throws -> Void)?
    private(set) var problem: (any Error)?

    init(_ source: any RandomSource, _ body: @escaping () throws -> Void) {
        self.source = source
        self.body = body
    }

    func append(_ count: Int, to output: inout [UInt8]) {
        let once = body
        body = nil
        do { try once?() } catch { problem = error }
        source.append(count, to: &output)
    }

    func number(byteCount: Int) -> UInt64 { source.number(byteCount: byteCount) }
}
