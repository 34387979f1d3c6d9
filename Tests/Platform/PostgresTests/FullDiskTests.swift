import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Testing

@Suite struct `A disk that is full` {
    @Test func `refuses what does not fit, and takes it in when there is room again`() async throws {
        let database = try TestDatabase()
        try database.admin().run(Ledger.table + "; CREATE TABLE small (n bigint)")
        try await withClient(database.url) { client, reactor in
            let admin = try database.admin()
            // Larger than a segment of the log, which has to have room.
            let full = try admin.fill("ledger", bytes: 17 << 20)
            let process = Int(
                try await client.write(Statement(name: "pid", sql: "SELECT pg_backend_pid()")).int64(0, 0)
            )
            try FileLimit.set(of: process, to: full + 4000)
            let ledger = Ledger(client, reactor)
            ledger.start(tasks: 8)
            await ledger.waitForFailure()
            // What needs no room goes on, in the same groups.
            let insert = Statement(name: "small", sql: "INSERT INTO small VALUES ($1)", parameterTypes: [.int8])
            for number in 0..<50 { _ = try await client.write(insert, Parameters(Int64(number))) }
            try FileLimit.set(of: process, to: nil)
            await ledger.waitForMore()
            await ledger.stop()
            #expect(ledger.unknown.isEmpty, "a refusal leaves no doubt")
            #expect(!ledger.denied.isEmpty)
            try admin.run("DELETE FROM ledger WHERE n < 0")
            try ledger.expectTruth(admin)
            #expect(try admin.number("SELECT count(*) FROM small") == 50)
        }
    }
}

extension PostgresAdmin {
    /// Fills a table of numbers with negative ones.
    ///
    /// - Returns: Its size.
    fileprivate func fill(_ table: String, bytes: Int) throws -> Int {
        try run("INSERT INTO \(table) SELECT -n FROM generate_series(1, \(bytes / 36)) AS n")
        return try number("SELECT pg_relation_size('\(table)')")
    }
}
