import EventIO
import HTTPCore
import IntegrationKit
import Postgres
import Primitives
import Testing

@Suite("Crashes of the database", .tags(.database, .slow), .serialized)
struct CrashDatabaseTests {
    enum Victim: String, CaseIterable, Sendable {
        case postmaster, backend
    }

    @Test(arguments: Victim.allCases)
    func `what was acknowledged survives, once, and the server recovers by itself`(victim: Victim) async throws {
        try await withProcessShop { shop in
            // The server runs as another user, who must get in.
            try Files.setPermissions(shop.folder, mode: 0o711)
            var cluster = PrivateCluster(dataDirectory: shop.folder + "/cluster", settings: .demo)
            defer { cluster.stop() }
            shop.databaseURL = Secret(try cluster.start())
            _ = try await Migrations.run(url: shop.databaseURL, directory: migrationsFolder) { _ in }
            let server = try await shop.startServer()
            let load = OpeningLoad(shop, server)
            load.start(tasks: 24)
            try await load.wait(forOpens: 100)
            let before = load.refusals
            switch victim {
            case .postmaster:
                try cluster.process?.send(.kill)
                try await poll(shop.reactor, "a refusal") { load.refusals > before ? () : nil }
                let ready = try await shop.client.send("GET", server.adminURL + "/readyz")
                #expect(ready.status == 503)
                cluster.stop()
                cluster = PrivateCluster(dataDirectory: shop.folder + "/cluster", settings: .demo)
                _ = try cluster.start()
            case .backend:
                try await CrashDatabaseTests.killBackend(shop)
            }
            try await load.wait(forOpens: load.opened.count + 100)
            try await load.stop()
            // The connection for reading, which nobody asks here, may come back a little later.
            try await poll(shop.reactor, "readiness") {
                try await shop.client.send("GET", server.adminURL + "/readyz").status == 200 ? () : nil
            }
            #expect(try server.program.process.wait(atMost: .zero) == nil, "the same process all the time")
            #expect(load.surprises == [], "only success and 503")
            try CrashDatabaseTests.expectNothingLost(load, shop)
        }
    }

    /// Kills one of the server's connections, upon which PostgreSQL ends all and recovers.
    private static func killBackend(_ shop: ProcessShop) async throws {
        let pids = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        let pid = try #require(try shop.rows(pids).first?.first ?? nil)
        let result = try ChildPlan("/bin/kill", ["-9", pid]).run(atMost: .seconds(5))
        #expect(result.exit.isSuccess)
        try await poll(shop.reactor, "recovery") { () -> Void? in
            guard let rows = try? shop.rows(pids) else { return nil }
            return rows.contains { $0.first == pid } ? nil : ()
        }
    }

    private static func expectNothingLost(_ load: OpeningLoad, _ shop: ProcessShop) throws {
        let stored = try shop.rows("SELECT flow_id, state, encode(b_hash, 'hex'), events FROM flow")
        let byFlow = Dictionary(stored.map { ($0[0] ?? "", $0) }) { first, _ in first }
        #expect(load.issued.allSatisfy { byFlow[$0] != nil }, "no acknowledged issue is lost")
        for crossing in load.opened {
            let digest = try shop.rows("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [crossing.tabToken])
            let row = try #require(byFlow[crossing.flow])
            #expect(row[1] == "opened")
            #expect(row[2] == digest[0][0], "the tab's token is the live one")
        }
        let doubled = """
            SELECT flow_id FROM flow_event GROUP BY flow_id
            HAVING count(*) FILTER (WHERE op = 'issue') <> 1 OR count(*) FILTER (WHERE verdict = 'opened') > 1
            """
        #expect(try shop.rows(doubled).isEmpty, "nothing was applied twice")
        let torn = """
            SELECT f.flow_id FROM flow AS f LEFT JOIN flow_event AS e ON e.flow_id = f.flow_id
            GROUP BY f.flow_id, f.events HAVING count(e.ordinal) <> f.events OR max(e.ordinal) <> f.events
            """
        #expect(try shop.rows(torn).isEmpty, "row and trail agree")
    }
}

/// Issues tickets and opens them, over and over, and remembers what was acknowledged.
private final class OpeningLoad {
    private(set) var issued: [String] = []
    private(set) var opened: [Crossing] = []
    /// How many requests were answered with 503.
    private(set) var refusals = 0
    /// Whatever else came.
    private(set) var surprises: [String] = []
    private let shop: ProcessShop
    private let server: ServerProcess
    private var isStopped = false
    private var running = 0

    init(_ shop: ProcessShop, _ server: ServerProcess) {
        self.shop = shop
        self.server = server
    }

    func start(tasks: Int) {
        running = tasks
        for _ in 0..<tasks {
            shop.reactor.startTask { [self] in
                while !isStopped { await work() }
                running -= 1
            }
        }
    }

    func wait(forOpens count: Int) async throws {
        try await poll(shop.reactor, "\(count) openings") { self.opened.count >= count ? () : nil }
    }

    func stop() async throws {
        isStopped = true
        try await poll(shop.reactor, "the end of the load") { self.running == 0 ? () : nil }
    }

    private func work() async {
        do {
            var crossing = try await shop.client.issue(server.url)
            issued.append(crossing.flow)
            try await shop.client.open(&crossing, server.url)
            opened.append(crossing)
        } catch let error as UnexpectedAnswer where error.status == 503 {
            refusals += 1
            await shop.reactor.nextTurn()
        } catch {
            surprises.append("\(error)")
        }
    }
}
