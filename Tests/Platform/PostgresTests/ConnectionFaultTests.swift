import EventIO
import Glibc
import Postgres
import PostgresTestKit
import Primitives
import Telemetry
import Testing

private let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1)", parameterTypes: [.int8])
private let backend = Statement(name: "backend", sql: "SELECT pg_backend_pid()")

private func makeDatabase() throws -> TestDatabase {
    let database = try TestDatabase()
    try database.admin().run("CREATE TABLE t (n bigint PRIMARY KEY)")
    return database
}

extension Outcomes {
    /// Starts an insert of each number.
    fileprivate func insertAll(
        _ numbers: [Int64],
        with client: PostgresClient,
        on reactor: Reactor
    ) -> [Task<Void, Never>] {
        numbers.map { number in
            start("\(number)", on: reactor) { () throws(PostgresError) in
                try await client.write(insert, Parameters(number))
            }
        }
    }
}

@Suite struct `A server process that dies` {
    @Test func `in the middle of a group has stored none of it, and says so`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { client, reactor in
            let admin = try database.admin()
            let process = try await client.write(backend).int64(0, 0)
            try admin.run("BEGIN; LOCK TABLE t IN EXCLUSIVE MODE")
            let outcomes = Outcomes()
            let sent = outcomes.insertAll([1, 2, 3], with: client, on: reactor)
            try await client.passTurn()
            try admin.waitForBlocked()
            let waiting = outcomes.insertAll([4], with: client, on: reactor)
            _ = try admin.rows("SELECT pg_terminate_backend($1::int)", ["\(process)"])
            for task in sent + waiting { await task.value }
            // The server refused a member before it could commit, so a retry is safe.
            #expect(outcomes.count(.unavailable) == 4)
            try admin.run("COMMIT")
            try await client.waitUntilReady(within: .seconds(60))
            _ = try await client.write(insert, Parameters(5))
            #expect(try admin.number("SELECT sum(n) FROM t") == 5)
        }
    }

    @Test func `while nothing is under way is replaced`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { client, _ in
            let admin = try database.admin()
            let writer = try await client.write(backend).int64(0, 0)
            let reader = try await client.read(backend).int64(0, 0)
            for process in [writer, reader] {
                _ = try admin.rows("SELECT pg_terminate_backend($1::int, 10000)", ["\(process)"])
            }
            try await client.waitForReconnection()
            let answer1 = try await client.write(backend).int64(0, 0)
            #expect(answer1 != writer)
            let answer2 = try await client.read(backend).int64(0, 0)
            #expect(answer2 != reader)
        }
    }

    @Test func `without a word leaves the outcome unknown, and is replaced`() async throws {
        let database = try makeDatabase()
        let metrics = MetricsRegistry()
        try await withClient(database.url, metrics: metrics) { configuration in
            configuration.answerTimeout = .seconds(8)
        } _: { client, reactor in
            let admin = try database.admin()
            let process = try await client.write(backend).int64(0, 0)
            kill(pid_t(process), SIGSTOP)
            let outcomes = Outcomes()
            let sent = outcomes.insertAll([1, 2, 3], with: client, on: reactor)
            for task in sent { await task.value }
            #expect(outcomes.count(.outcomeUnknown) == 3)
            // It goes on where it stood, commits the group, and only then notices that nobody listens.
            kill(pid_t(process), SIGCONT)
            try admin.wait(until: "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process))")
            #expect(try admin.number("SELECT count(*) FROM t") == 3)
            try await client.waitUntilReady(within: .seconds(60))
            let answer3 = try await client.write(backend).int64(0, 0)
            #expect(answer3 != process)
        }
        #expect(metrics.prometheusText().contains("sallyport_postgres_losses_total{role=\"write\"} 1"))
    }

    @Test func `lets a read be repeated`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { configuration in
            configuration.answerTimeout = .seconds(8)
        } _: { client, reactor in
            let process = try await client.read(backend).int64(0, 0)
            kill(pid_t(process), SIGSTOP)
            let code = await failure { () throws(PostgresError) in try await client.read(backend) }
            kill(pid_t(process), SIGCONT)
            #expect(code == .unavailable)
        }
    }
}

extension PostgresClient {
    /// Waits until the loss of the old connections was noticed and there are new ones.
    fileprivate func waitForReconnection() async throws {
        while isReady { _ = await failure { () throws(PostgresError) in try await read(backend) } }
        try await waitUntilReady(within: .seconds(60))
    }
}

@Suite struct `A server that goes away` {
    @Test func `is refused for at once, and found again when it is back`() async throws {
        let folder = try TestFolder()
        let cluster = ClusterBox(folder.path + "/cluster")
        defer { cluster.stop() }
        let url = Secret(try cluster.start())
        try PostgresAdmin(url: url, patience: TestDatabase.patience).run("CREATE TABLE t (n bigint PRIMARY KEY)")
        try await withClient(url) { client, reactor in
            _ = try await client.write(insert, Parameters(1))
            cluster.stop()
            let outcomes = Outcomes()
            while outcomes.count(.unavailable) == 0 {
                for task in outcomes.insertAll([2], with: client, on: reactor) { await task.value }
            }
            #expect(outcomes.count(nil) == 0)
            #expect(!client.isReady)
            _ = try cluster.start()
            try await client.waitUntilReady(within: .seconds(60))
            _ = try await client.write(insert, Parameters(3))
            let rows = try await client.read(Statement(name: "sum", sql: "SELECT sum(n)::bigint FROM t"))
            #expect(try rows.int64(0, 0) == 4)
        }
    }
}

@Suite struct `A session that has become read-only` {
    @Test func `is left for another one`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { client, reactor in
            let process = try await client.write(backend).int64(0, 0)
            _ = try await client.write(Statement(name: "set", sql: "SET default_transaction_read_only = on"))
            let code = await failure { () throws(PostgresError) in try await client.write(insert, Parameters(1)) }
            #expect(code == .unavailable)
            try await client.waitUntilReady(within: .seconds(60))
            _ = try await client.write(insert, Parameters(1))
            let answer4 = try await client.write(backend).int64(0, 0)
            #expect(answer4 != process)
        }
    }
}

@Suite struct `Connecting` {
    @Test func `goes to the next host when the first one is not there`() async throws {
        let database = try makeDatabase()
        let two = database.url.reveal().replacing("?host=", with: "?host=%2Fnowhere,")
        try await withClient(Secret(two)) { client, _ in
            _ = try await client.write(insert, Parameters(1))
        }
    }

    @Test func `is given up by who waits, not by the client`() async throws {
        let configuration = try PostgresConfiguration(url: Secret("postgresql://nobody@/none?host=/nowhere"))
        let metrics = MetricsRegistry()
        try await withLoop { reactor in
            let client = PostgresClient(
                reactor: reactor,
                configuration: configuration,
                logger: .silent,
                metrics: metrics
            )
            client.start()
            defer { client.close() }
            let error = await #expect(throws: PostgresError.self) {
                try await client.waitUntilReady(within: .milliseconds(200))
            }
            #expect(error?.code == .unavailable)
            let code = await failure { () throws(PostgresError) in try await client.read(backend) }
            #expect(code == .unavailable)
            let attempts = "sallyport_postgres_failed_attempts_total{role=\"write\"} "
            await reactor.wait("another attempt") {
                let text = metrics.prometheusText()
                return text.contains(attempts) && !text.contains(attempts + "0\n") && !text.contains(attempts + "1\n")
            }
        }
    }

    @Test func `gives up an attempt without an answer`() async throws {
        // A socket that takes connections and never says a word.
        let folder = try TestFolder()
        let silent = try SilentServer(folder.path + "/.s.PGSQL.5432")
        defer { silent.close() }
        let database = try makeDatabase()
        let mute = folder.path.replacing("/", with: "%2F")
        let url = database.url.reveal().replacing("?host=", with: "?host=\(mute),")
        try await withClient(Secret(url)) { configuration in
            configuration.connectTimeout = .milliseconds(500)
        } _: { client, _ in
            _ = try await client.write(insert, Parameters(1))
        }
    }

    @Test(arguments: ["postgresql://[", "no equals sign", "nonsense=1", "postgresql://h?what=1"])
    func `needs a URI that libpq can read`(url: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresConfiguration(url: Secret(url)) }
        #expect(error?.detail.contains(url) == false)
    }
}
