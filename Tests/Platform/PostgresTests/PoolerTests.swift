import EventIO
import Glibc
import PostgresTestKit
import Primitives
import TestKit
import Testing

@testable import Postgres

/// A PgBouncer in front of the tests' cluster; ends with the last reference.
private final class Bouncer: Sendable {
    private let process: ChildProcess
    /// It goes away with the last reference.
    private let database: TestDatabase
    let url: String
    let log: String

    /// The gate has it: without it there the tests fail.
    static let isThere = unsafe Files.exists("/usr/sbin/pgbouncer") || getenv("CI") != nil

    /// Starts one, with the settings that hosted databases have on their pooled port.
    init(_ database: TestDatabase, _ mode: String, ignoring: String = "options,extra_float_digits") throws {
        let folder = try ProcessFolder.makeFolder("pool")
        self.database = database
        let server = try ConnectionSettings.parse(database.url)
        let socket = try #require(server["host"])
        // It refuses to run as root, and the socket of the cluster is open to the cluster's owner alone.
        let owner = try Files.permissions(socket).owner
        let settings = """
            [databases]
            * = host=\(socket) port=\(server["port"] ?? "5432") user=sallyport
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(folder)
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = 8
            ignore_startup_parameters = \(ignoring)
            logfile = \(folder)/log
            pidfile = \(folder)/pid
            """
        try Files.write(folder + "/settings", Array(settings.utf8), mode: 0o644)
        if owner != .current { try Files.setOwner(folder, owner) }
        var plan = ChildPlan("/usr/sbin/pgbouncer", [folder + "/settings"])
        plan.workingDirectory = folder
        if owner != .current { plan.user = owner }
        plan.deathSignal = .kill
        plan.output = .discarded
        plan.error = .discarded
        process = try plan.start()
        log = folder + "/log"
        url = "postgresql://sallyport@/\(database.name)?host=\(folder)&port=6432"
    }

    deinit {
        try? process.send(.kill)
        _ = try? process.wait(atMost: .seconds(5))
    }

    /// Waits until it takes connections.
    func waitUntilOpen(_ reactor: Reactor) async throws {
        let end = reactor.now + Patience.usual
        let socket = url.split(separator: "host=").last.map { $0.prefix { $0 != "&" } + "/.s.PGSQL.6432" } ?? ""
        while !Files.exists(String(socket)) {
            guard reactor.now < end, try process.wait(atMost: .zero) == nil else {
                let text = String(decoding: (try? Files.read(log)) ?? [], as: UTF8.self)
                throw PostgresError(.cluster, "PgBouncer is not there: \(text)")
            }
            await reactor.sleep(for: .milliseconds(10))
        }
    }

    /// Connects as the program does; the error tells why that is not possible, and the log what operators read.
    func connect(
        _ more: String = "",
        within patience: Duration = Patience.usual
    ) async -> (error: String, log: [String]) {
        let log = CapturedLog()
        let url = Secret(url + more)
        do {
            try await withLoop { reactor in
                try await self.waitUntilOpen(reactor)
                // As at the start, where the schema is compared first.
                _ = try? PostgresAdmin(url: url)
                let configuration = try PostgresConfiguration(url: url)
                let client = PostgresClient(reactor: reactor, configuration: configuration, logger: log.logger())
                client.start()
                defer { client.close() }
                try await client.waitUntilReady(within: patience)
                let settings = Statement(
                    name: "settings",
                    sql: "SELECT current_setting('lock_timeout') || '|' || current_setting('transaction_read_only')"
                )
                #expect(try await client.write(settings).text(0, 0) == "500ms|off")
                #expect(try await client.read(settings).text(0, 0) == "500ms|on")
            }
            return ("", log.lines)
        } catch {
            return (String(reflecting: error), log.lines)
        }
    }
}

@Suite("A pooler in between", .enabled(if: Bouncer.isThere, "PgBouncer is not installed"))
struct PoolerTests {
    @Test(arguments: ["transaction", "statement"])
    func `that shares sessions is refused at once, with what to do`(mode: String) async throws {
        let pool = try Bouncer(try TestDatabase(), mode)
        let (error, log) = await pool.connect(within: .seconds(10))
        #expect(error.contains("set pool_mode = session in PgBouncer"), "\(error)")
        // It does not go by itself: more than an information.
        let lines = log.filter { $0.contains("postgres.connect_failed") }
        #expect(lines.contains { $0.contains("\"level\":\"warning\"") && $0.contains("pool_mode = session") }, "\(log)")
        // Whatever was left behind by others: a tool is refused, too.
        let tool = #expect(throws: PostgresError.self) { try PostgresAdmin(url: Secret(pool.url)) }
        #expect(tool?.detail.contains("pool_mode = session") == true)
    }

    @Test func `that keeps sessions is used, with all settings, where it drops the options`() async throws {
        let pool = try Bouncer(try TestDatabase(), "session")
        for _ in 0..<3 {
            let (error, _) = await pool.connect()
            #expect(error.isEmpty, "\(error)")
        }
        #expect(try PostgresAdmin(url: Secret(pool.url), patience: TestDatabase.patience).rows("SELECT 1") == [["1"]])
    }

    @Test func `that drops options of the address itself is refused`() async throws {
        let pool = try Bouncer(try TestDatabase(), "session")
        let role = "&options=-c%20work_mem%3D1MB"
        let (error, _) = await pool.connect(role, within: .seconds(10))
        #expect(error.contains("drops the options that database_url has"), "\(error)")
        let tool = #expect(throws: PostgresError.self) { try PostgresAdmin(url: Secret(pool.url + role)) }
        #expect(tool?.detail.contains("drops the options") == true)
    }

    @Test func `that refuses options is named, with the setting that helps`() async throws {
        let pool = try Bouncer(try TestDatabase(), "session", ignoring: "extra_float_digits")
        let (error, log) = await pool.connect(within: .seconds(10))
        #expect(error.contains("ignore_startup_parameters = options"), "\(error)")
        #expect(log.contains { $0.contains("\"level\":\"warning\"") && $0.contains("ignore_startup_parameters") })
    }
}

@Suite struct `A session that is not shared` {
    @Test func `is known by a mark that nobody else has set`() {
        let pins = SessionPins(hasOwnOptions: true, isReader: true, random: KernelRandom())
        let others = SessionPins(hasOwnOptions: true, random: KernelRandom())
        let mark = pins.mark
        #expect(pins.objection(toFirst: ["options", ""]) == nil && pins.objection(toSecond: [mark, "on"]) == nil)
        #expect(pins.objection(toFirst: ["options", others.mark])?.contains("pool_mode") == true)
        for cells in [["", "on"], [others.mark, "on"], [mark, "off"], [], [mark]] {
            #expect(pins.objection(toSecond: cells) != nil, "\(cells)")
        }
        #expect(pins.objection(toFirst: ["", ""])?.contains("drops the options") == true)
        #expect(pins.objection(toFirst: []) != nil)
        #expect(SessionPins(hasOwnOptions: false, random: KernelRandom()).objection(toFirst: ["", ""]) == nil)
    }
}
