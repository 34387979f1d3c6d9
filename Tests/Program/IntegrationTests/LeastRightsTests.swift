import EventIO
import Foundation
import HTTPCore
import IntegrationKit
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// A deployment by the book: a role that owns the schema for `migrate`, another one that logs in for everything else.
@Suite("With the rights of the program's role alone", .tags(.database, .slow))
struct LeastRightsTests {
    private static let root = ProjectFolder.path
    /// Commands that have nothing to do with a database, or are a shop themselves.
    private static let others: Set = ["serve", "demo", "simulators", "explain-signature", "version"]
    /// The code of a refusal, as a word: a random id may have the same digits.
    private static var denied: some RegexComponent { /\b42501\b/.wordBoundaryKind(.simple) }

    @Test func `a shop sells, and answers each command of an operator`() async throws {
        try await withProcessShop { shop in
            try shop.logInWithLeastRights()
            shop.settings["SALLYPORT_MERCHANT_API"] = "true"
            shop.settings["SALLYPORT_MERCHANT_SECRET_FILE"] = try HookedShop.secretPath()
            shop.settings["SALLYPORT_WEBHOOKS_ALLOW_LOOPBACK"] = "true"
            try await shop.turnAutopilotOn()
            let server = try await shop.startServer()
            let crossing = try await shop.place(on: server)
            #expect(try await shop.client.purchase(crossing, server.url).status == 200)
            let permission = try #require(try shop.rows("SELECT charge_permission FROM merchant_order").first?[0])

            var run: Set<String> = []
            func command(_ words: String..., status: Set<Int32> = [0]) async throws -> String {
                try await command(words, status: status)
            }
            func command(_ words: [String], status: Set<Int32>) async throws -> String {
                run.insert(words[0])
                let (exit, output) = try await shop.runCommand(words)
                #expect(status.contains { exit == .code($0) }, "\(words): \(exit) \(output)")
                #expect(!output.contains(Self.denied) && !output.contains("permission denied"), "\(words): \(output)")
                return output
            }
            #expect(try await command("migrate", "--status").contains("checkout/0001_sessions_and_orders.sql applied"))
            _ = try await command("association", "--apple")
            _ = try await command("link", "--sample")
            _ = try await command("routes")
            #expect(try await command("audit", crossing.webviewSession).contains("purchase"))
            _ = try await command("audit", "--alerts")
            let created = try await command("keys", "create", "--name", "shop", "--scopes", "sessions:read")
            #expect(created.hasPrefix("swk_"))
            let key = try #require(try shop.rows("SELECT key_id FROM api_key").first?[0])
            _ = try await command("keys", "list")
            _ = try await command("keys", "rotate", key)
            _ = try await command("keys", "revoke", key)
            _ = try await command("payments", status: [0, 1])
            _ = try await command("payments", "--resume", "--all", status: [0, 1])
            _ = try await command("stuck", status: [0, 1])
            _ = try await command("stuck", "--resume", "--all", status: [0, 1])
            #expect(try await command("reconcile", "--rate", "1000", "--fix").contains("1 orders"))
            _ = try await command("adopt", permission, "--fix", status: [0, 1])
            let added = try await command("webhooks", "add", "http://127.0.0.1:9/hook")
            let endpoint = try #require(try JSONParser.parse(Array(added.utf8))["id"]?.text)
            _ = try await command("webhooks", "list")
            _ = try await command("webhooks", "list", "--session", crossing.webviewSession, status: [0, 1])
            _ = try await command("webhooks", "replay", "--endpoint", endpoint, status: [0, 1])
            _ = try await command("webhooks", "rotate", endpoint)
            #expect(try await command("reseal").contains(#""values":1,"resealed":0,"left":0"#))
            _ = try await command("webhooks", "remove", endpoint)
            _ = try await command("postage-key", "https://shop.example")
            _ = try await command("revoke", crossing.webviewSession, status: [1])
            _ = try await command("revoke", "--all", "--yes")
            #expect(try await command("audit", "--operators").contains("keys revoke"))
            for row in try FeaturePage.all().flatMap({ $0.rows("Commands") }) {
                let words = row[0].split { "` ".contains($0) }.map(String.init)
                _ = try await command(words, status: Set(row[1].split { ", ".contains($0) }.compactMap { Int32($0) }))
            }
            // It has more to say about this shop, and nothing of its database.
            let found = try await command("doctor", "--online", status: [0, 2])
            #expect(!found.contains("D28 error") && !found.contains("D28 warning"), "\(found)")
            let names = try await shop.runCommand(["--help"]).output.split(separator: "\n").filter {
                $0.hasPrefix("  ")
            }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(Set(names).subtracting(Self.others) == run)
            #expect(!server.program.log.contains(Self.denied), "\(server.program.log)")

            // The one that needs more says so, and nothing is changed.
            let migrated = try await shop.runCommand(["migrate"])
            #expect(migrated.exit != .code(0))
            #expect(migrated.output.contains("permission denied for schema public"), "\(migrated.output)")
        }
    }

    @Test func `the demo runs on a database that was prepared, and prepares none itself`() async throws {
        try await withProcessShop { shop in
            let login = try TestDatabase.serviceLogin(shop.databaseURL).url.reveal()
            let environment = [
                "SALLYPORT_DATA_DIR": shop.folder + "/var", "SALLYPORT_DATABASE_URL": login,
                "SALLYPORT_LISTEN": "127.0.0.1:0", "SALLYPORT_ADMIN_LISTEN": "127.0.0.1:0", "SALLYPORT_LOOPS": "1",
                "SALLYPORT_SIMULATOR_LISTEN": "127.0.0.1:\(try freePort())",
            ]
            let log = shop.folder + "/demo.log"
            let demo = try RunningProgram(["demo"], environment: environment, logPath: log, on: shop.reactor)
            defer { demo.destroy() }
            _ = try await demo.line(with: "ready https://")
            #expect(try await demo.end(.interrupt) == .code(0))

            let empty = try TestDatabase()
            var changed = environment
            changed["SALLYPORT_DATABASE_URL"] = empty.url.reveal()
            let other = try RunningProgram(
                ["demo"],
                environment: changed,
                logPath: log + ".empty",
                on: shop.reactor
            )
            defer { other.destroy() }
            #expect(try await other.process.exit(on: shop.reactor) != .code(0))
            let said = other.log.split(separator: "\n").filter { $0.hasPrefix("sallyport: database: ") }
            let advice = "run `sallyport migrate` as the owner of the schema"
            #expect(said == ["sallyport: database: it has no tables of Sallyport; \(advice)"], "\(other.log)")
            #expect(try empty.admin().rows("SELECT FROM pg_class WHERE relname = 'webview_session'").isEmpty)
        }
    }

    /// The statements that docs/operations.md tells a deployment to run, on a server that has nothing yet.
    @Test(.enabled(if: Files.exists("/usr/bin/psql"), "psql is not installed"))
    func `a database is made as the documentation says`() async throws {
        try await withProcessShop { shop in
            let guide = String(decoding: try Files.read(Self.root + "/docs/operations.md"), as: UTF8.self)
            let statements = String(decoding: try Files.read(Self.root + "/packaging/roles.sql"), as: UTF8.self)
                .split(separator: "\n").filter { !$0.hasPrefix("--") }
            #expect(guide.contains("```sql\n" + statements.joined(separator: "\n") + "\n```"))
            try Files.setPermissions(shop.folder, mode: 0o711)
            let cluster = PrivateCluster(dataDirectory: shop.folder + "/other", settings: .tests())
            defer { cluster.stop() }
            let url = try cluster.start()
            // The private cluster has a role and a database of its own.
            let named = url.replacing("/sallyport?", with: "/postgres?")
            try PostgresAdmin(url: Secret(named)).run("CREATE ROLE postgres SUPERUSER LOGIN")
            let root = named.replacing("//sallyport@", with: "//postgres@")
            try PostgresAdmin(url: Secret(root)).run("DROP DATABASE sallyport")
            try PostgresAdmin(url: Secret(root)).run("ALTER ROLE sallyport RENAME TO other")
            var plan = ChildPlan(
                "/usr/bin/psql",
                ["-X", "-v", "ON_ERROR_STOP=1", "-f", Self.root + "/packaging/roles.sql", root]
            )
            plan.environment = ["PATH": "/usr/bin:/bin"]
            let made = try plan.run(atMost: .seconds(120))
            #expect(made.exit.isSuccess, "\(String(decoding: made.output, as: UTF8.self))")
            let database = root.replacing("/postgres?", with: "/sallyport?")

            shop.settings["SALLYPORT_DATABASE_URL"] = database + "&options=-c%20role%3Dsallyport_owner"
            let migrated = try await shop.runCommand(["migrate"])
            #expect(migrated.exit == .code(0), "\(migrated.output)")
            let login = database.replacing("//postgres@", with: "//sallyport@")
            shop.settings["SALLYPORT_DATABASE_URL"] = login
            shop.databaseURL = Secret(database)
            try await shop.turnAutopilotOn()
            let server = try await shop.startServer()
            let crossing = try await shop.place(on: server)
            #expect(try await shop.client.purchase(crossing, server.url).status == 200)
            let found = try await shop.runCommand(["doctor", "--online"]).output
            #expect(!found.contains("D28 error") && !found.contains("D28 warning"), "\(found)")
            let owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
            #expect(try shop.rows(owners) == [["sallyport_owner"]])
            // The owner owns the schema and has no attribute of a role; nobody else comes in, and nobody leaves tables behind.
            let mighty = """
                SELECT rolname FROM pg_roles WHERE rolname LIKE 'sallyport%'
                    AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)
                """
            #expect(try shop.rows(mighty) == [])
            let open =
                "SELECT has_database_privilege('public', 'sallyport', 'CONNECT'), has_database_privilege('sallyport', 'sallyport', 'TEMP')"
            #expect(try shop.rows(open) == [["f", "f"]])
            shop.settings["SALLYPORT_DATABASE_URL"] = database + "&options=-c%20role%3Dsallyport_owner"
            #expect(try await shop.runCommand(["migrate"]).output.contains("nothing to do"))
        }
    }
}

/// What stands around the URI decides nothing that the URI does not.
@Suite("The environment of libpq", .tags(.database))
struct LinkEnvironmentTests {
    @Test(arguments: [
        (["PGHOST": "192.0.2.9"], "postgresql:///shop?sslmode=require"),
        (["PGHOSTADDR": "192.0.2.9"], "postgresql://localhost/shop?sslmode=prefer"),
        (["PGSSLMODE": "disable"], "postgresql://db.example/shop"),
        (["PGSSLMODE": "require", "PGHOST": "db.example"], "dbname=shop"),
        (["PGREQUIRESSL": "1"], "postgresql://db.example/shop"),
        (["PGSERVICE": "shop", "PGSERVICEFILE": "/nowhere"], "postgresql:///shop"),
        ([:], "postgresql://me:geheim@db.example/shop?sslmode=disable"), ([:], "service=shop"),
    ])
    func `takes nothing from what a database on another machine has to prove`(
        environment: [String: String],
        url: String
    ) async throws {
        try await withTemporaryFolder { folder in
            try await withLoop { reactor in
                let program = try RunningProgram(
                    ["migrate", "--status"],
                    environment: environment.merging(["SALLYPORT_DATABASE_URL": url]) { own, _ in own },
                    logPath: folder + "/log",
                    on: reactor
                )
                defer { program.destroy() }
                #expect(try await program.process.exit(on: reactor) == .code(2), "\(program.log)")
                #expect(program.log.contains("database_url: "))
                #expect(!program.log.contains("geheim"))
            }
        }
    }
}
