import EventIO
import Glibc
import Postgres
import PostgresTestKit
import Primitives
import Testing

/// What befalls a server while groups are under way.
enum ServerFault: String, CaseIterable, Sendable {
    /// An administrator ends one connection.
    case connectionEnded
    /// The process of one connection is killed, upon which PostgreSQL ends all and recovers.
    case connectionKilled
    /// An administrator closes the server: what is open is rolled back.
    case closed
    /// The same at once, without a word to anybody; recovery at the next start.
    case closedAtOnce
    /// The server and all its processes fall over.
    case killed
}

@Suite(.serialized) struct `A server with groups under way` {
    @Test(arguments: ServerFault.allCases)
    func `told the truth about each statement, and is found again`(fault: ServerFault) async throws {
        let folder = try TestFolder()
        let cluster = ClusterBox(folder.path + "/cluster", settings: .tests(waitsForLog: true))
        defer { cluster.stop() }
        let url = Secret(try cluster.start())
        try PostgresAdmin(url: url, patience: TestDatabase.patience).run(Ledger.table)
        try await withClient(url) { client, reactor in
            let ledger = Ledger(client, reactor)
            ledger.start()
            await ledger.waitForMore()
            try fault.strike(cluster, url)
            await ledger.waitForFailure()
            if fault.needsRestart {
                cluster.stop()
                _ = try cluster.start()
            }
            await ledger.waitForMore()
            await ledger.stop()
            try ledger.expectTruth(PostgresAdmin(url: url, patience: TestDatabase.patience))
        }
    }

    @Test func `that freezes keeps nobody waiting beyond the deadlines, and is used again when it thaws`() async throws
    {
        let folder = try TestFolder()
        let cluster = ClusterBox(folder.path + "/cluster")
        defer { cluster.stop() }
        let url = Secret(try cluster.start())
        try PostgresAdmin(url: url, patience: TestDatabase.patience).run(Ledger.table)
        try await withClient(url) { configuration in
            configuration.answerTimeout = .milliseconds(800)
            configuration.maximumPendingAge = .milliseconds(200)
            configuration.heartbeatInterval = .milliseconds(100)
            configuration.stallTimeout = .milliseconds(300)
            configuration.connectTimeout = .milliseconds(500)
        } _: { client, reactor in
            let ledger = Ledger(client, reactor)
            ledger.start(tasks: 8)
            await ledger.waitForMore()
            let server = try #require(cluster.process)
            let frozen = try PostgresAdmin(url: url, patience: TestDatabase.patience).freeze(server)
            await reactor.wait("not ready") { !client.isReady }
            await ledger.waitForFailure()
            // New connections are refused by nobody: the kernel takes them for the frozen server.
            let read = await failure { () throws(PostgresError) in
                try await client.read(Statement(name: "r", sql: "SELECT 1"))
            }
            #expect(read != nil)
            for process in frozen { kill(process, SIGCONT) }
            try await client.waitUntilReady(within: .seconds(60))
            await ledger.waitForMore()
            await ledger.stop()
            #expect(ledger.longest < .seconds(20))
            try PostgresAdmin(url: url, patience: TestDatabase.patience).wait(
                until: "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') <= 3"
            )
            try ledger.expectTruth(PostgresAdmin(url: url, patience: TestDatabase.patience))
        }
    }
}

extension ServerFault {
    var needsRestart: Bool {
        switch self {
        case .connectionEnded, .connectionKilled: false
        case .closed, .closedAtOnce, .killed: true
        }
    }

    func strike(_ cluster: ClusterBox, _ url: Secret<String>) throws {
        switch self {
        case .connectionEnded:
            try PostgresAdmin(url: url, patience: TestDatabase.patience).run(
                "SELECT pg_terminate_backend(\(PostgresAdmin.writer)) "
            )
        case .connectionKilled:
            let admin = try PostgresAdmin(url: url, patience: TestDatabase.patience)
            let process = try admin.number("SELECT \(PostgresAdmin.writer)")
            kill(pid_t(process), SIGKILL)
        case .closed:
            try signal(cluster, SIGINT)
        case .closedAtOnce:
            try signal(cluster, SIGQUIT)
        case .killed:
            let processes = try PostgresAdmin(url: url, patience: TestDatabase.patience).backends()
            try signal(cluster, SIGKILL)
            for process in processes { kill(process, SIGKILL) }
        }
    }

    private func signal(_ cluster: ClusterBox, _ signal: Int32) throws {
        kill(try #require(cluster.process), signal)
    }
}

extension PostgresAdmin {
    /// SQL for the process of the connection that stores numbers.
    fileprivate static let writer = """
        (SELECT pid FROM pg_stat_activity WHERE application_name = 'sallyport' AND query LIKE 'INSERT INTO ledger%' LIMIT 1)
        """

    /// The processes of all connections but this one.
    fileprivate func backends() throws -> [pid_t] {
        try rows("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
            .compactMap { $0[0].flatMap { pid_t($0) } }
    }

    /// Stops the server, so that no connection comes any more, and the processes of all connections but this one.
    ///
    /// - Returns: What was stopped.
    fileprivate func freeze(_ server: pid_t) throws -> [pid_t] {
        kill(server, SIGSTOP)
        let processes = try backends()
        for process in processes { kill(process, SIGSTOP) }
        return processes + [server]
    }
}
