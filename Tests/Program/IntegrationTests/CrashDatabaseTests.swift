import EventIO
import HTTPClient
import HTTPCore
import IntegrationKit
import Postgres
import Primitives
import Testing

@Suite("Crashes of the database", .tags(.database, .slow), .serialized)
struct CrashDatabaseTests {
    enum Victim: String, CaseIterable, Sendable {
        /// Everything falls over at once.
        case postmaster
        /// PostgreSQL ends all connections and recovers by itself.
        case backend
        /// An administrator closes the server, in order or at once.
        case closed, closedAtOnce
    }

    @Test(arguments: Victim.allCases, ProcessSetup.all)
    func `what was acknowledged survives, once, and the server recovers by itself`(
        victim: Victim,
        setup: ProcessSetup
    ) async throws {
        try await withProcessShop(over: setup.version) { shop in
            // The server runs as another user, who must get in.
            try Files.setPermissions(shop.folder, mode: 0o711)
            var cluster = PrivateCluster(dataDirectory: shop.folder + "/cluster", settings: .demo)
            defer { cluster.stop() }
            shop.databaseURL = Secret(try cluster.start())
            _ = try await Migrations.run(url: shop.databaseURL, directory: migrationsFolder, features: migrationFolders)
            let servers = try await shop.start(setup.processes)
            let load = OpeningLoad(shop, servers)
            load.start(tasks: 24)
            try await load.wait(forOpens: 100)
            let before = load.refusals
            switch victim {
            case .postmaster, .closed, .closedAtOnce:
                try cluster.process?.send(victim.signal)
                try await poll(shop.reactor, "a refusal") { load.refusals > before ? () : nil }
                // One process may learn of it a little later than the other.
                for server in servers {
                    try await poll(shop.reactor, "not ready") {
                        try await shop.client.send("GET", server.adminURL + "/readyz").status == 503 ? () : nil
                    }
                }
                cluster.stop()
                cluster = PrivateCluster(dataDirectory: shop.folder + "/cluster", settings: .demo)
                _ = try cluster.start()
            case .backend:
                try await CrashDatabaseTests.killBackend(shop)
            }
            try await load.wait(forOpens: load.opened.count + 100)
            try await load.stop()
            // The connection for reading, which nobody asks here, may come back a little later.
            for server in servers {
                try await poll(shop.reactor, "readiness") {
                    try await shop.client.send("GET", server.adminURL + "/readyz").status == 200 ? () : nil
                }
                #expect(try server.program.process.wait(atMost: .zero) == nil, "the same process all the time")
            }
            #expect(load.surprises == [], "only success and 503")
            try load.expectNothingLost()
        }
    }

    /// Kills one of the server's connections, upon which PostgreSQL ends all and recovers.
    private static func killBackend(_ shop: ProcessShop) async throws {
        let pids = """
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
            """
        let pid = try #require(try shop.rows(pids).first?.first ?? nil)
        let result = try ChildPlan("/bin/kill", ["-9", pid]).run(atMost: .seconds(120))
        #expect(result.exit.isSuccess)
        try await poll(shop.reactor, "recovery") { () -> Void? in
            guard let rows = try? shop.rows(pids) else { return nil }
            return rows.contains { $0.first == pid } ? nil : ()
        }
    }
}

extension CrashDatabaseTests.Victim {
    /// What the server is sent.
    fileprivate var signal: Signal {
        switch self {
        case .closed: .interrupt
        case .closedAtOnce: .quit
        case .postmaster, .backend: .kill
        }
    }
}
