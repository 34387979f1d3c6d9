import EventIO
import PostgresTestKit
import Primitives
import Testing

@testable import Postgres

@Suite struct `A prepared statement` {
    @Test func `is prepared once per connection`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, _ in
            let statement = Statement(name: "one", sql: "SELECT $1", parameterTypes: [.int8])
            let prepared = Statement(
                name: "list",
                sql: "SELECT count(*) FROM pg_prepared_statements WHERE name = 'one'"
            )
            for number in 0..<3 { _ = try await client.write(statement, Parameters(Int64(number))) }
            let answer1 = try await client.write(prepared).int64(0, 0)
            #expect(answer1 == 1)
        }
    }

    @Test func `that is wrong is refused each time, with the server's own reason, and hurts nobody`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, reactor in
            let good = Statement(name: "good", sql: "SELECT 1")
            let bad = Statement(name: "bad", sql: "SELEKT 1")
            for _ in 0..<2 {
                let outcomes = Outcomes()
                let tasks = [good, bad, bad, good].map { statement in
                    outcomes.start(statement.name, on: reactor) { () throws(PostgresError) in
                        try await client.write(statement)
                    }
                }
                for task in tasks { await task.value }
                #expect(outcomes.count(nil) == 2)
                #expect(outcomes.count(.rejected(sqlState: "42601")) == 2)
            }
        }
    }

    @Test func `survives a change of its table`() async throws {
        let database = try TestDatabase()
        let admin = try database.admin()
        try admin.run("CREATE TABLE t (n bigint); INSERT INTO t VALUES (1)")
        try await withClient(database.url) { client, _ in
            let admin = try database.admin()
            let all = Statement(name: "all", sql: "SELECT * FROM t")
            let answer2 = try await client.read(all).columnCount
            #expect(answer2 == 1)
            try admin.run("ALTER TABLE t ADD m bigint")
            let answer3 = try await client.read(all).columnCount
            #expect(answer3 == 2)
            try admin.run("ALTER TABLE t ADD o bigint")
            let answer4 = try await client.read(all).columnCount
            #expect(answer4 == 3)
        }
    }

    @Test func `survives that somebody throws it away`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, reactor in
            let one = Statement(name: "one", sql: "SELECT 1")
            _ = try await client.write(one)
            _ = try await client.write(Statement(name: "forget", sql: "DEALLOCATE ALL"))
            let outcomes = Outcomes()
            let tasks = (0..<3).map { number in
                outcomes.start("\(number)", on: reactor) { () throws(PostgresError) in try await client.write(one) }
            }
            for task in tasks { await task.value }
            #expect(outcomes.count(nil) == 3)
        }
    }

    @Test func `is not confused with another one of its name`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, _ in
            let first = Statement(name: "same", sql: "SELECT 1::bigint")
            let second = Statement(name: "same", sql: "SELECT 2::bigint")
            for _ in 0..<2 {
                let answer5 = try await client.read(first).int64(0, 0)
                #expect(answer5 == 1)
                let answer6 = try await client.read(second).int64(0, 0)
                #expect(answer6 == 2)
            }
        }
    }
}

@Suite struct `A connection's list of statements` {
    private let stale = PostgresError(.rejected(sqlState: "0A000"), "")

    @Test func `knows a statement again`() {
        var list = PreparedStatements()
        let statement = Statement(name: "a", sql: "SELECT 1")
        let known = list.lookUp(statement)
        #expect(list.lookUp(statement) === known)
        #expect(list.lookUp(Statement(name: "a", sql: "SELECT 1")) === known)
        #expect(known.serverName == "a")
    }

    @Test func `gives another name to one that went stale after it had worked`() {
        var list = PreparedStatements()
        let known = list.lookUp(Statement(name: "a", sql: "SELECT 1"))
        known.phase = .ready
        known.worked()
        known.wasRefused(stale)
        #expect(known.phase == .unknown)
        #expect(known.serverName == "a#2")
    }

    @Test func `leaves one alone that never worked, or was refused for another reason`() {
        var list = PreparedStatements()
        let known = list.lookUp(Statement(name: "a", sql: "SELECT 1"))
        known.phase = .ready
        known.wasRefused(stale)
        #expect(known.serverName == "a")
        known.worked()
        known.wasRefused(PostgresError(.rejected(sqlState: "23505"), ""))
        #expect(known.serverName == "a")
        #expect(known.phase == .ready)
    }

    @Test func `never lets two statements of one name share a name on the server`() {
        var list = PreparedStatements()
        let first = list.lookUp(Statement(name: "a", sql: "SELECT 1"))
        let second = list.lookUp(Statement(name: "a", sql: "SELECT 2"))
        let third = list.lookUp(Statement(name: "a", sql: "SELECT 1"))
        #expect(Set([first.serverName, second.serverName, third.serverName]).count == 3)
    }
}
