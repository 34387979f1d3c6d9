import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Telemetry
import TestKit
import Testing

private let one = Statement(name: "one", sql: "SELECT 1")

/// Runs a body with a database behind a network that the body rules.
private func withProxy(
    answerTimeout: Duration = .seconds(60),
    metrics: MetricsRegistry = MetricsRegistry(),
    configure: @Sendable (inout PostgresConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (FaultProxy, PostgresClient, Reactor, PostgresAdmin) async throws -> Void
) async throws {
    let database = try TestDatabase()
    try database.admin().run(Ledger.table)
    let proxy = try FaultProxy(to: database.url)
    try await withClient(proxy.url, metrics: metrics) { configuration in
        configuration.answerTimeout = answerTimeout
        configure(&configuration)
    } _: { client, reactor in
        try await body(proxy, client, reactor, try database.admin())
    }
}

@Suite struct `A connection that breaks with a group under way` {
    @Test(arguments: FaultProxy.Cut.allCases)
    func `leaves an outcome that is not guessed`(cut: FaultProxy.Cut) async throws {
        try await withProxy { proxy, client, reactor, admin in
            let ledger = Ledger(client, reactor)
            ledger.start(tasks: 8)
            await ledger.waitForMore()
            await proxy.cut(cut, atGroupWith: "ledger")
            await ledger.waitForFailure()
            await ledger.waitForMore()
            await ledger.stop()
            #expect(!ledger.unknown.isEmpty)
            // What the server had begun is over when its process is gone.
            try admin.waitUntilAlone(besides: 2)
            try ledger.expectTruth(admin)
            let lost = "SELECT count(*) FROM ledger WHERE n = ANY ('{\(ledger.unknown.list)}')"
            // Whether the server saw the Sync decides for the whole group; neither can be told from here.
            #expect(try admin.number(lost) == (cut == .beforeSync ? 0 : ledger.unknown.count))
        }
    }

    @Test func `takes neither the reads nor the writes behind it with it`() async throws {
        try await withProxy { proxy, client, reactor, _ in
            await proxy.hold(.toServer, of: .writers)
            let outcomes = Outcomes()
            let sent = outcomes.start(on: reactor) { () throws(PostgresError) in try await client.write(one) }
            try await client.passTurn()
            let waiting = outcomes.start(on: reactor) { () throws(PostgresError) in try await client.write(one) }
            try await client.passTurn()
            let reads = outcomes.start(on: reactor) { () throws(PostgresError) in try await client.read(one) }
            await reads.value
            #expect(outcomes.count(nil) == 1)
            await proxy.cutAll()
            await sent.value
            await waiting.value
            // The one was under way, the other had not been sent.
            #expect(outcomes.ended.map(\.code) == [nil, .outcomeUnknown, .unavailable])
            await proxy.release()
            try await client.waitUntilReady(within: .seconds(60))
            _ = try await client.write(one)
        }
    }
}

@Suite struct `A network that stands still for a second` {
    @Test(arguments: [[FaultProxy.Direction.toServer], [.toClient], [.toServer, .toClient]])
    func `delays, and loses and doubles nothing`(directions: [FaultProxy.Direction]) async throws {
        try await withProxy { proxy, client, reactor, admin in
            let ledger = Ledger(client, reactor)
            ledger.start()
            await ledger.waitForMore()
            for direction in directions { await proxy.hold(direction, of: .writers) }
            let end = reactor.now + .seconds(1)
            var reads = 0
            // On a slow machine it stands still for longer: a dozen reads show that they go on.
            while reactor.now < end || reads < 12 {
                _ = try await client.read(one)
                reads += 1
            }
            let heldAt = ledger.acknowledged.count
            await proxy.release()
            await ledger.waitForMore()
            await ledger.stop()
            #expect(ledger.acknowledged.count > heldAt)
            #expect(ledger.denied.isEmpty && ledger.unknown.isEmpty)
            try ledger.expectTruth(admin)
        }
    }

    @Test func `refuses what it cannot send in time, and what would be too much`() async throws {
        try await withProxy { configuration in
            configuration.maximumPendingAge = .milliseconds(200)
            configuration.maximumPending = 8
        } _: { proxy, client, reactor, admin in
            _ = try await client.write(one)
            await proxy.hold(.toServer, of: .writers)
            let ledger = Ledger(client, reactor)
            ledger.start(tasks: 32)
            await reactor.wait("refusals") { ledger.denied.count > 200 }
            await proxy.release()
            await ledger.waitForMore()
            await ledger.stop()
            #expect(ledger.unknown.isEmpty)
            try ledger.expectTruth(admin)
        }
    }
}

@Suite struct `A connection that nobody answers any more` {
    @Test func `is given up in time, with an outcome that nobody knows, and replaced`() async throws {
        try await withProxy(answerTimeout: .milliseconds(500)) { proxy, client, reactor, admin in
            let ledger = Ledger(client, reactor)
            ledger.start(tasks: 8)
            await ledger.waitForMore()
            await proxy.forget()
            await ledger.waitForFailure()
            await ledger.waitForMore()
            await ledger.stop()
            #expect(!ledger.unknown.isEmpty)
            // Half a second for the answer, as long until somebody looks, and what a busy machine takes.
            #expect(ledger.longest < .seconds(20))
            try admin.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                    + " AND datname = current_database() AND state <> 'idle'"
            )
            try ledger.expectTruth(admin)
        }
    }

    @Test func `is found by a heartbeat before anybody needs it`() async throws {
        let metrics = MetricsRegistry()
        try await withProxy(answerTimeout: .milliseconds(400), metrics: metrics) { configuration in
            configuration.heartbeatInterval = .milliseconds(100)
            configuration.stallTimeout = .milliseconds(200)
        } _: { proxy, client, reactor, _ in
            try await client.waitUntilReady(within: .seconds(60))
            await proxy.forget()
            await reactor.wait("the stall") { !client.isReady }
            // On a busy machine an answer may take longer than these short times.
            let patience = Patience()
            var rows = 0
            while rows == 0 {
                try #require(patience.isLeft)
                try await client.waitUntilReady(within: .seconds(60))
                do throws(PostgresError) { rows = try await client.write(one).rowCount } catch { continue }
            }
            #expect(rows == 1)
        }
        #expect(!metrics.prometheusText().contains("sallyport_postgres_losses_total{role=\"write\"} 0"))
    }

    @Test func `counts as not ready while it is silent, and as ready when it answers again`() async throws {
        let metrics = MetricsRegistry()
        try await withProxy(metrics: metrics) { configuration in
            configuration.heartbeatInterval = .milliseconds(50)
            configuration.stallTimeout = .milliseconds(200)
        } _: { proxy, client, reactor, _ in
            await proxy.hold(.toClient, of: .readers)
            // On a busy machine the other connection may be silent for as long.
            await reactor.wait("the stall") {
                !client.isReady && metrics.prometheusText().contains("sallyport_postgres_stalled{role=\"read\"} 1")
            }
            await proxy.release()
            try await client.waitUntilReady(within: .seconds(60))
            #expect(metrics.prometheusText().contains("sallyport_postgres_stalled{role=\"read\"} 0"))
            #expect(metrics.prometheusText().contains("sallyport_postgres_losses_total{role=\"read\"} 0"))
        }
    }
}

@Suite struct `A new connection` {
    @Test func `has the settings and the statements of the one before`() async throws {
        try await withProxy { proxy, client, reactor, admin in
            let settings = Statement(
                name: "settings",
                sql: """
                    SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings
                    WHERE name IN ('plan_cache_mode', 'enable_seqscan', 'lock_timeout', 'statement_timeout', 'TimeZone')
                    """
            )
            let before = try await client.write(settings).text(0, 0)
            #expect(before.contains("plan_cache_mode=force_generic_plan"))
            let process = try await client.write(Statement(name: "pid", sql: "SELECT pg_backend_pid()")).int64(0, 0)
            await proxy.cutAll()
            await reactor.wait("the loss") { !client.isReady }
            try await client.waitUntilReady(within: .seconds(60))
            #expect(try await client.write(settings).text(0, 0) == before)
            #expect(
                try await client.write(Statement(name: "pid", sql: "SELECT pg_backend_pid()")).int64(0, 0) != process
            )
            let prepared = Statement(
                name: "list",
                sql: "SELECT count(*) FROM pg_prepared_statements WHERE name = 'settings'"
            )
            #expect(try await client.write(prepared).int64(0, 0) == 1)
        }
    }
}

@Suite struct `Work that nobody waits for` {
    @Test func `has a connection of its own, behind which nobody waits`() async throws {
        let database = try TestDatabase()
        try database.admin().run("CREATE TABLE t (n bigint)")
        try await withClient(database.url) { client, reactor in
            let admin = try database.admin()
            try admin.run("BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE")
            let outcomes = Outcomes()
            let work = outcomes.start("work", on: reactor) { () throws(PostgresError) in
                try await client.work(Statement(name: "work", sql: "DELETE FROM t"))
            }
            let blocked = """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                """
            await reactor.wait("the lock") { (try? database.admin().number(blocked)) == 1 }
            _ = try await client.write(one)
            _ = try await client.read(one)
            #expect(outcomes.ended.isEmpty)
            try admin.run("COMMIT")
            await work.value
            #expect(outcomes.count(nil) == 1)
        }
    }
}

extension PostgresAdmin {
    /// Waits until nobody else but so many is connected to this database.
    fileprivate func waitUntilAlone(besides others: Int) throws {
        try wait(
            until: """
                (SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()) <= \(others)
                """
        )
    }
}

extension Set<Int64> {
    fileprivate var list: String { map(String.init).joined(separator: ",") }
}
