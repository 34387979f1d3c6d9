import EventIO
import HTTPCore
import IntegrationKit
import Postgres
import PostgresTestKit
import Primitives
import Testing

@Suite("Faults of the database", .tags(.database, .slow), .serialized)
struct FaultDatabaseTests {
    @Test func `a frozen server is told by readyz, keeps nobody waiting for long, and is used when it thaws`()
        async throws
    {
        try await withClusteredServer { shop, cluster, server in
            let load = OpeningLoad(shop, [server])
            load.start(tasks: 8)
            try await load.wait(forOpens: 50)
            let processes = try shop.backends() + [try #require(cluster.process).pid]
            try FaultDatabaseTests.signal("STOP", processes)
            try await poll(shop.reactor, "not ready") {
                try await shop.client.send("GET", server.adminURL + "/readyz").status == 503 ? () : nil
            }
            #expect(try await shop.client.send("GET", server.adminURL + "/healthz").status == 200)
            let before = load.refusals
            try await poll(shop.reactor, "a refusal") { load.refusals > before ? () : nil }
            try FaultDatabaseTests.signal("CONT", processes)
            try await poll(shop.reactor, "ready") {
                try await shop.client.send("GET", server.adminURL + "/readyz").status == 200 ? () : nil
            }
            try await load.wait(forOpens: load.opened.count + 50)
            try await load.stop()
            #expect(load.surprises == [], "only success and 503")
            #expect(load.longest < .seconds(60), "nobody hangs beyond the deadlines")
            try load.expectNothingLost()
        }
    }

    @Test func `a full disk refuses what does not fit, and nothing else is lost`() async throws {
        try await withClusteredServer { shop, _, server in
            var early = try await shop.client.issue(server.url)
            try await shop.client.open(&early, server.url)
            // Larger than a segment of the log, which has to have room.
            try shop.rows(
                """
                INSERT INTO webview_session_event (webview_session_id, at, ordinal, to_state, op, outcome, peer, request)
                SELECT id_floor(now() - interval '1 hour'), now(), n, 'issued', 'filler', 'filler', repeat('x', 60), ''
                FROM generate_series(1, 120000) AS n
                """
            )
            let size = """
                SELECT pg_relation_size(i.inhrelid) FROM pg_inherits i WHERE i.inhparent = 'webview_session_event'::regclass
                ORDER BY 1 DESC LIMIT 1
                """
            let full = try #require(try shop.rows(size)[0][0].flatMap { Int($0) })
            try #require(full > 17 << 20)
            let processes = try shop.backends().map { Int($0) }
            for process in processes { try FileLimit.set(of: process, to: full + 4_000) }
            let load = OpeningLoad(shop, [server])
            load.start(tasks: 8)
            try await poll(shop.reactor, "a refusal") { load.refusals > 20 ? () : nil }
            // Reading needs no room.
            #expect(try await shop.client.send("GET", server.url + "/iosApp/cart").status == 200)
            for process in processes { try FileLimit.set(of: process, to: nil) }
            try await load.wait(forOpens: load.opened.count + 50)
            try await load.stop()
            #expect(load.surprises == [], "only success and 503")
            try shop.rows("DELETE FROM webview_session_event WHERE op = 'filler'")
            try load.expectNothingLost()
        }
    }

    /// Sends a signal to processes of another user.
    private static func signal(_ name: String, _ processes: [Int32]) throws {
        let result = try ChildPlan("/bin/kill", ["-\(name)"] + processes.map(String.init)).run(atMost: .seconds(120))
        try #require(result.exit.isSuccess)
    }
}

/// Runs a body with a server on a PostgreSQL of its own.
private func withClusteredServer(
    _ body: @escaping @Sendable (ProcessShop, PrivateCluster, ServerProcess) async throws -> Void
) async throws {
    try await withProcessShop { shop in
        // The database runs as another user, who must get in.
        try Files.setPermissions(shop.folder, mode: 0o711)
        let cluster = PrivateCluster(dataDirectory: shop.folder + "/cluster", settings: .tests())
        defer { cluster.stop() }
        shop.databaseURL = Secret(try cluster.start())
        _ = try await Migrations.run(url: shop.databaseURL, directory: migrationsFolder, features: migrationFolders)
        try await body(shop, cluster, try await shop.startServer())
    }
}

extension ProcessShop {
    /// The processes of the server's connections.
    fileprivate func backends() throws -> [Int32] {
        try rows(
            """
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
            """
        )
        .compactMap { $0[0].flatMap { Int32($0) } }
    }
}
