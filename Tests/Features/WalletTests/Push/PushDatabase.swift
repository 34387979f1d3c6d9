import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Telemetry
import TestKit

@testable import Wallet

/// A database with phones that have passes, for tests of what is sent to them.
struct PushDatabase {
    static let passType = "pass.com.example.sallyport.member"

    let database: TestDatabase
    let admin: PostgresAdmin
    let client: PostgresClient
    let store: PushStore

    /// Adds a pass, and the phones that have it.
    ///
    /// - Parameter devices: Names of phones; the token of each is in `token`.
    func add(_ serial: String, to devices: [String], type: String = PushDatabase.passType) throws {
        _ = try admin.rows(
            """
            INSERT INTO wallet_pass (created_at, modified_at, tag, version, devices, token_key, is_final, pass_type, serial, template,
                state, content, content_digest)
            VALUES (now(), now(), 1, 1, $3, 1, false, $1, $2, 'member', 'installed', '{}', '')
            """,
            [type, PushDatabase.serial(serial), "\(devices.count)"]
        )
        for device in devices {
            _ = try admin.rows(
                """
                INSERT INTO wallet_device (token_at, seen_at, device, pass_type, push_token)
                VALUES (now() - interval '1 hour', now(), $1, $2, $3) ON CONFLICT DO NOTHING
                """,
                [device, type, PushDatabase.token(device)]
            )
            _ = try admin.rows(
                "INSERT INTO wallet_registration VALUES (now(), $1, $2, $3)",
                [device, type, PushDatabase.serial(serial)]
            )
        }
    }

    /// A serial number by a short name.
    static func serial(_ name: String) -> String {
        UUIDBytes(high: 0x4000, low: name.utf8.reduce(1 << 63) { $0 << 8 | UInt64($1) | 1 << 63 }).description
            .uppercased()
    }

    /// Hexadecimal, from the name of a phone.
    static func token(_ device: String) -> String { Hex.encode(Array(device.utf8)) }

    /// A change of passes that is due after some seconds.
    func push(_ serials: [String], tag: Int = 1, after seconds: Int = 0, type: String = PushDatabase.passType) throws {
        _ = try admin.rows(
            "SELECT wallet_push($1, string_to_array($2, ','), $3, now() + $4 * interval '1 second')",
            [type, serials.map(PushDatabase.serial).joined(separator: ","), "\(tag)", "\(seconds)"]
        )
    }

    /// One value.
    func value(_ sql: String, _ parameters: [String?] = []) throws -> String? {
        try admin.rows(sql, parameters).first?.first ?? nil
    }

    /// Lets time pass for all jobs, as for leases and pauses.
    func pass(seconds: Int) throws {
        try admin.run(
            """
            UPDATE wallet_push_job SET due_at = due_at - \(seconds) * interval '1 second',
                not_before = not_before - \(seconds) * interval '1 second', since = since - \(seconds) * interval '1 second'
            """
        )
    }

    func claim(limit: Int = 100, type: String = PushDatabase.passType) async throws -> [PushJob] {
        try await store.claim(
            type,
            as: UUIDBytes(high: .random(in: 0...(.max)), low: 1),
            limit: limit,
            lease: .seconds(60)
        )
    }
}

/// Runs a body on a loop with a database of its own.
func withPushDatabase<Value: Sendable>(
    clock: any LoopClock = SystemClock(),
    _ body: @escaping @Sendable (Reactor, PushDatabase) async throws -> Value
) async throws -> Value {
    await gate.enter()
    defer { gate.leave() }
    let database = try walletDatabase()
    var configuration = try PostgresConfiguration(url: database.serviceURL)
    configuration.statementTimeout = .seconds(60)
    configuration.answerTimeout = .seconds(90)
    let settings = configuration
    return try await withLoop(clock: clock) { reactor in
        let client = PostgresClient(reactor: reactor, configuration: settings, logger: .silent)
        client.start()
        defer { client.close() }
        try await client.waitUntilReady(within: TestDatabase.patience)
        let push = PushDatabase(
            database: database,
            admin: try database.admin(),
            client: client,
            store: PushStore(client)
        )
        return try await body(reactor, push)
    }
}
