import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Telemetry
import Testing

private let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1)", parameterTypes: [.int8])

/// A database with a table of numbers, each of which may be there once.
private func makeTable(_ more: String = "") throws -> TestDatabase {
    let database = try TestDatabase()
    try database.admin().run("CREATE TABLE t (n bigint PRIMARY KEY CHECK (n >= 0)); \(more)")
    return database
}

extension TestDatabase {
    fileprivate func number(_ sql: String) throws -> Int {
        try admin().number(sql)
    }
}

@Suite struct `Writes that wait together` {
    @Test func `are all stored, in few commits`() async throws {
        let database = try makeTable()
        let failures = try await withClient(database.url) { client, reactor in
            let outcomes = Outcomes()
            var tasks: [Task<Void, Never>] = []
            for number in 0..<1000 {
                tasks.append(
                    outcomes.start(on: reactor) { () throws(PostgresError) in
                        try await client.write(insert, Parameters(Int64(number)))
                    }
                )
            }
            for task in tasks { await task.value }
            return outcomes.ended.count - outcomes.count(nil)
        }
        #expect(failures == 0)
        #expect(try database.number("SELECT count(*) FROM t") == 1000)
        // xmin tells the transaction that made a row: as many of them as there were commits, 1000 / 64 and the first alone.
        #expect(try database.number("SELECT count(DISTINCT xmin::text) FROM t") <= 17)
    }

    @Test func `do not pull each other down when some are refused`() async throws {
        let database = try makeTable()
        let (stored, refused) = try await withClient(database.url) { client, reactor in
            let outcomes = Outcomes()
            var tasks: [Task<Void, Never>] = []
            for number in 0..<300 {
                let value = Int64(number % 50 == 7 ? -1 : number)
                tasks.append(
                    outcomes.start(on: reactor) { () throws(PostgresError) in
                        try await client.write(insert, Parameters(value))
                    }
                )
            }
            for task in tasks { await task.value }
            return (outcomes.count(nil), outcomes.count(.rejected(sqlState: "23514")))
        }
        #expect(stored == 294)
        #expect(refused == 6)
        #expect(try database.number("SELECT count(*) FROM t") == 294)
    }

    @Test func `are acknowledged only when they are committed`() async throws {
        let database = try makeTable()
        try await withClient(database.url) { client, _ in
            _ = try await client.write(insert, Parameters(1))
            #expect(try database.number("SELECT count(*) FROM t") == 1)
        }
    }

    @Test func `see their own outcome when the commit is what fails`() async throws {
        let database = try makeTable(
            "CREATE TABLE c (n bigint REFERENCES t DEFERRABLE INITIALLY DEFERRED)"
        )
        let ended = try await withClient(database.url) { client, reactor in
            let child = Statement(name: "child", sql: "INSERT INTO c VALUES ($1)", parameterTypes: [.int8])
            let outcomes = Outcomes()
            let tasks = [
                outcomes.start("parent", on: reactor) { () throws(PostgresError) in
                    try await client.write(insert, Parameters(1))
                },
                outcomes.start("orphan", on: reactor) { () throws(PostgresError) in
                    try await client.write(child, Parameters(2))
                },
                outcomes.start("child", on: reactor) { () throws(PostgresError) in
                    try await client.write(child, Parameters(1))
                },
            ]
            for task in tasks { await task.value }
            return outcomes.ended.map { "\($0.name) \($0.code.map { "\($0)" } ?? "well")" }
        }
        #expect(ended == ["parent well", "orphan rejected(sqlState: \"23503\")", "child well"])
        #expect(try database.number("SELECT count(*) FROM c") == 1)
    }

    @Test func `of one row run in the order of the calls`() async throws {
        let database = try makeTable(
            "CREATE TABLE o (id uuid PRIMARY KEY, log text NOT NULL); " + "INSERT INTO o VALUES (gen_random_uuid(), '')"
        )
        try await withClient(database.url) { client, reactor in
            let append = Statement(
                name: "append",
                sql: "UPDATE o SET log = log || $1 WHERE $1 <> 'x' OR 1 / (length(log) - length(log)) = 0",
                parameterTypes: [.text]
            )
            let outcomes = Outcomes()
            let key = UUIDBytes(high: 0, low: 1)
            var tasks: [Task<Void, Never>] = []
            // `x` divides by zero: the group is repeated, and the order holds all the same.
            for letter in ["a", "b", "x", "c", "d"] {
                var parameters = Parameters()
                parameters.append(text: letter)
                let sent = parameters
                tasks.append(
                    outcomes.start(letter, on: reactor) { () throws(PostgresError) in
                        try await client.write(append, sent, key: key)
                    }
                )
            }
            for task in tasks { await task.value }
            #expect(outcomes.count(nil) == 4)
            #expect(outcomes.count(.rejected(sqlState: "22012")) == 1)
        }
        #expect(try database.admin().rows("SELECT log FROM o")[0][0] == "abcd")
    }

    @Test func `of several loops do not deadlock when they carry keys`() async throws {
        let database = try makeTable(
            "INSERT INTO t SELECT generate_series(0, 9); ALTER TABLE t ADD hits bigint NOT NULL DEFAULT 0"
        )
        let metrics = MetricsRegistry()
        let hit = Statement(name: "hit", sql: "UPDATE t SET hits = hits + 1 WHERE n = $1", parameterTypes: [.int8])
        try await withThrowingTaskGroup(of: Int.self) { group in
            for offset in 0..<3 {
                group.addTask {
                    try await withClient(database.url, metrics: metrics) { client, reactor in
                        let outcomes = Outcomes()
                        var tasks: [Task<Void, Never>] = []
                        for step in 0..<200 {
                            let row = (step * 7 + offset * 3) % 10
                            tasks.append(
                                outcomes.start(on: reactor) { () throws(PostgresError) in
                                    let key = UUIDBytes(high: 0, low: UInt64(row))
                                    return try await client.write(hit, Parameters(Int64(row)), key: key)
                                }
                            )
                        }
                        for task in tasks { await task.value }
                        return outcomes.count(nil)
                    }
                }
            }
            for try await count in group { #expect(count == 200) }
        }
        #expect(try database.number("SELECT sum(hits) FROM t") == 600)
        #expect(metrics.prometheusText().contains("sallyport_postgres_repeats_total{role=\"write\"} 0"))
    }

    @Test func `may be larger than what the socket takes at once`() async throws {
        let database = try makeTable(
            "CREATE TABLE b (bytes bytea)"
        )
        try await withClient(database.url) { client, _ in
            let store = Statement(name: "store", sql: "INSERT INTO b VALUES ($1)", parameterTypes: [.bytea])
            var parameters = Parameters()
            parameters.append(bytes: [UInt8](repeating: 1, count: 20_000_000))
            _ = try await client.write(store, parameters)
        }
        #expect(try database.number("SELECT sum(length(bytes)) FROM b") == 20_000_000)
    }
}

@Suite struct `A statement that gives way to a deadlock` {
    /// Inserts of 7 give way the first `times` times; a sequence counts on although the insert is rolled back.
    private func makeDatabase(givingWay times: Int) throws -> TestDatabase {
        try makeTable(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF new.n = 7 AND nextval('tries') <= \(times) THEN RAISE deadlock_detected; END IF;
                RETURN new;
            END $$;
            CREATE TRIGGER give_way BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION give_way();
            """
        )
    }

    @Test(arguments: [([7], 1), ([7], 3), ([1, 7, 2], 1), ([1, 7, 2], 3)] as [([Int64], Int)])
    func `is repeated until it succeeds`(numbers: [Int64], times: Int) async throws {
        let database = try makeDatabase(givingWay: times)
        let codes = try await withClient(database.url) { client, reactor in
            let outcomes = Outcomes()
            let tasks = numbers.map { number in
                outcomes.start(on: reactor) { () throws(PostgresError) in
                    try await client.write(insert, Parameters(number))
                }
            }
            for task in tasks { await task.value }
            return outcomes.ended.map(\.code)
        }
        #expect(codes == numbers.map { _ in nil })
        #expect(try database.number("SELECT count(*) FROM t") == numbers.count)
    }

    @Test func `is refused in the end when it always does`() async throws {
        let database = try makeDatabase(givingWay: 1000)
        try await withClient(database.url) { client, _ in
            let code = await failure { () throws(PostgresError) in try await client.write(insert, Parameters(7)) }
            #expect(code == .rejected(sqlState: "40P01"))
        }
        #expect(try database.number("SELECT last_value FROM tries") == 4)
    }
}

@Suite struct `A read` {
    @Test func `does not wait behind a write`() async throws {
        let database = try makeTable()
        try await withClient(database.url) { client, reactor in
            let admin = try database.admin()
            try admin.run("BEGIN; LOCK TABLE t IN EXCLUSIVE MODE")
            let outcomes = Outcomes()
            let write = outcomes.start("write", on: reactor) { () throws(PostgresError) in
                try await client.write(insert, Parameters(1))
            }
            try await client.passTurn()
            try admin.waitForBlocked()
            let rows = try await client.read(Statement(name: "count", sql: "SELECT count(*) FROM t"))
            #expect(try rows.int64(0, 0) == 0)
            #expect(outcomes.ended.isEmpty)
            try admin.run("COMMIT")
            await write.value
            #expect(outcomes.count(nil) == 1)
        }
    }

    @Test func `may not write`() async throws {
        let database = try makeTable()
        try await withClient(database.url) { client, _ in
            let code = await failure { () throws(PostgresError) in try await client.read(insert, Parameters(1)) }
            #expect(code == .rejected(sqlState: "25006"))
            #expect(client.isReady)
        }
        #expect(try database.number("SELECT count(*) FROM t") == 0)
    }

    @Test func `is not hurt by the refusal of another one`() async throws {
        let database = try makeTable()
        try await withClient(database.url) { client, reactor in
            let divide = Statement(name: "divide", sql: "SELECT 10 / $1", parameterTypes: [.int8])
            let outcomes = Outcomes()
            let tasks = [1, 0, 2].map { divisor in
                outcomes.start("\(divisor)", on: reactor) { () throws(PostgresError) in
                    try await client.read(divide, Parameters(Int64(divisor)))
                }
            }
            for task in tasks { await task.value }
            #expect(outcomes.count(nil) == 2)
            #expect(outcomes.count(.rejected(sqlState: "22012")) == 1)
        }
    }
}
