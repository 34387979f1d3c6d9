import EventIO
import Postgres
import PostgresTestKit
import Primitives
import TestKit
import Testing

private let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1)", parameterTypes: [.int8])

private func makeDatabase() throws -> TestDatabase {
    let database = try TestDatabase()
    try database.admin().run("CREATE TABLE t (n bigint PRIMARY KEY)")
    return database
}

extension TestDatabase {
    /// Locks the table until the returned connection commits.
    fileprivate func lockTable() throws -> PostgresAdmin {
        let admin = try admin()
        try admin.run("BEGIN; LOCK TABLE t IN EXCLUSIVE MODE")
        return admin
    }

    fileprivate func number(_ sql: String) throws -> Int {
        try admin().number(sql)
    }
}

@Suite struct `A queue that is stuck` {
    @Test func `refuses what is too much, and loses nothing of the rest`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { configuration in
            configuration.maximumPending = 10
        } _: { client, reactor in
            let admin = try database.lockTable()
            let outcomes = Outcomes()
            func start(_ number: Int) -> Task<Void, Never> {
                outcomes.start("\(number)", on: reactor) { () throws(PostgresError) in
                    try await client.write(insert, Parameters(Int64(number)))
                }
            }
            var tasks = [start(0)]
            try await client.passTurn()
            try admin.waitForBlocked()
            #expect(client.admit() == .granted)
            for number in 1...10 { tasks.append(start(number)) }
            try await client.passTurn()
            #expect(client.admit() == .overloaded)
            for number in 11...15 { tasks.append(start(number)) }
            try await client.passTurn()
            #expect(outcomes.count(.overloaded) == 5)
            #expect(outcomes.ended.count == 5)
            try admin.run("COMMIT")
            for task in tasks { await task.value }
            #expect(outcomes.count(nil) == 11)
            #expect(client.admit() == .granted)
        }
        #expect(try database.number("SELECT count(*) FROM t") == 11)
    }

    @Test func `is as long as the wait that is allowed, by how long groups have taken`() async throws {
        let database = try makeDatabase()
        let clock = ManualClock()
        try await withClient(database.url, clock: clock) { configuration in
            configuration.maximumPending = 100
            configuration.maximumGroup = 2
            configuration.maximumQueueWait = .milliseconds(350)
        } _: { client, reactor in
            let outcomes = Outcomes()
            func start(_ number: Int) -> Task<Void, Never> {
                outcomes.start("\(number)", on: reactor) { () throws(PostgresError) in
                    try await client.write(insert, Parameters(Int64(number)))
                }
            }
            for number in 1...20 {
                let admin = try database.lockTable()
                let slow = start(number)
                try await client.passTurn()
                try admin.waitForBlocked()
                clock.advance(by: .milliseconds(100))
                try admin.run("COMMIT")
                await slow.value
            }
            let admin = try database.lockTable()
            var tasks = [start(21)]
            try await client.passTurn()
            try admin.waitForBlocked()
            for number in 22...31 { tasks.append(start(number)) }
            try await client.passTurn()
            // 100 ms for the group at the server and for each of two more.
            #expect(outcomes.count(.overloaded) == 6)
            clock.advance(by: .milliseconds(60))
            try await client.passTurn()
            for number in 32...41 { tasks.append(start(number)) }
            try await client.passTurn()
            // The group at the server needs 40 ms more, so a third one is in time.
            #expect(outcomes.count(.overloaded) == 6 + 8)
            try admin.run("COMMIT")
            for task in tasks { await task.value }
            #expect(outcomes.count(nil) == 20 + 7)
        }
    }

    @Test func `has room for 256 callers although the group before them took a second`() async throws {
        let database = try makeDatabase()
        let clock = ManualClock()
        let usual = try PostgresConfiguration(url: database.url).maximumQueueWait
        try await withClient(database.url, clock: clock) { configuration in
            configuration.maximumQueueWait = usual
        } _: { client, reactor in
            let outcomes = Outcomes()
            func start(_ number: Int) -> Task<Void, Never> {
                outcomes.start("\(number)", on: reactor) { () throws(PostgresError) in
                    try await client.write(insert, Parameters(Int64(number)))
                }
            }
            var admin = try database.lockTable()
            let slow = start(0)
            try await client.passTurn()
            try admin.waitForBlocked()
            clock.advance(by: .seconds(1))
            try admin.run("COMMIT")
            await slow.value
            admin = try database.lockTable()
            let tasks = (1...256).map { start($0) }
            try await client.passTurn()
            try admin.waitForBlocked()
            #expect(outcomes.count(.overloaded) == 0)
            #expect(client.admit() == .granted)
            try admin.run("COMMIT")
            for task in tasks { await task.value }
            #expect(outcomes.count(nil) == 257)
        }
    }

    @Test func `refuses what has waited too long`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { configuration in
            configuration.maximumPendingAge = .milliseconds(20)
        } _: { client, reactor in
            let admin = try database.lockTable()
            let outcomes = Outcomes()
            let first = outcomes.start("first", on: reactor) { () throws(PostgresError) in
                try await client.write(insert, Parameters(1))
            }
            try await client.passTurn()
            let second = outcomes.start("second", on: reactor) { () throws(PostgresError) in
                try await client.write(insert, Parameters(2))
            }
            await second.value
            #expect(outcomes.count(.overloaded) == 1)
            try admin.run("COMMIT")
            await first.value
            #expect(outcomes.count(nil) == 1)
        }
        #expect(try database.number("SELECT n FROM t") == 1)
    }
}

@Suite struct `A cancelled caller` {
    @Test func `gets its outcome all the same once it is under way, and disturbs nobody`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { client, reactor in
            let admin = try database.lockTable()
            let outcomes = Outcomes()
            func start(_ number: Int) -> Task<Void, Never> {
                outcomes.start("\(number)", on: reactor) { () throws(PostgresError) in
                    try await client.write(insert, Parameters(Int64(number)))
                }
            }
            let sent = [start(0), start(1), start(2)]
            try await client.passTurn()
            try admin.waitForBlocked()
            let waiting = [start(3), start(4), start(5)]
            try await client.passTurn()
            sent[1].cancel()
            waiting[1].cancel()
            let late = outcomes.start("6", on: reactor) { () throws(PostgresError) in
                _ = try await client.read(Statement(name: "pass", sql: "SELECT 1"))
                return try await client.write(insert, Parameters(6))
            }
            late.cancel()
            await late.value
            #expect(outcomes.ended.map(\.name) == ["6"])
            #expect(outcomes.count(.unavailable) == 1)
            try admin.run("COMMIT")
            for task in sent + waiting { await task.value }
            #expect(outcomes.count(nil) == 6)
            #expect(outcomes.ended.map(\.name) == ["6", "0", "1", "2", "3", "4", "5"])
        }
        #expect(try database.number("SELECT count(*) FROM t") == 6)
    }
}

@Suite struct `Draining` {
    @Test func `returns at once when nobody waits`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, _ in await client.drain() }
    }

    @Test func `returns when the last outcome is known`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { client, reactor in
            let admin = try database.lockTable()
            let outcomes = Outcomes()
            let write = outcomes.start(on: reactor) { () throws(PostgresError) in
                try await client.write(insert, Parameters(1))
            }
            try await client.passTurn()
            var isDrained = false
            let drain = reactor.startTask {
                await client.drain()
                isDrained = true
            }
            try await client.passTurn()
            #expect(!isDrained)
            try admin.run("COMMIT")
            await drain.value
            await write.value
            #expect(outcomes.count(nil) == 1)
        }
    }

    @Test func `is not needed to close: who waits is told`() async throws {
        let database = try makeDatabase()
        try await withClient(database.url) { client, reactor in
            let admin = try database.lockTable()
            let outcomes = Outcomes()
            func start(_ number: Int) -> Task<Void, Never> {
                outcomes.start(on: reactor) { () throws(PostgresError) in
                    try await client.write(insert, Parameters(Int64(number)))
                }
            }
            let sent = start(1)
            try await client.passTurn()
            let waiting = start(2)
            try await client.passTurn()
            client.close()
            await sent.value
            await waiting.value
            #expect(outcomes.ended.map(\.code) == [.outcomeUnknown, .unavailable])
            #expect(!client.isReady)
            let code = await failure { () throws(PostgresError) in try await client.write(insert, Parameters(3)) }
            #expect(code == .unavailable)
            try admin.run("ROLLBACK")
        }
    }
}
