import Postgres
import PostgresTestKit
import Primitives
import TestKit
import Testing

@testable import Wallet

/// What became of a job.
private func outcome(
    _ job: PushJob,
    isEnded: Bool = true,
    counts: Bool = false,
    pause: Duration = .seconds(1)
) -> SettledPush {
    SettledPush(job: job, isEnded: isEnded, counts: counts, pause: pause, status: 200, reason: nil)
}

@Suite("The store of pushes")
struct PushStoreTests {
    @Test func `makes one job for each phone that has one of the passes`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one", "two"])
            try database.add("B", to: ["two", "three"])
            try database.add("C", to: ["four"])
            try database.push(["A", "B", "unknown"])
            #expect(try await database.claim().map(\.device).sorted() == ["one", "three", "two"])
            #expect(try await database.claim().isEmpty)
        }
    }

    @Test func `merges what changes before it is sent`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            try database.add("B", to: ["one"])
            for tag in 1...30 { try database.push([tag.isMultiple(of: 2) ? "A" : "B"], tag: tag) }
            let jobs = try await database.claim()
            #expect(jobs.map(\.token) == [PushDatabase.token("one")])
            #expect(try database.value("SELECT wanted FROM wallet_push_job") == "30")
            #expect(try await database.store.settle([outcome(jobs[0])]).isEmpty)
            try database.pass(seconds: 2)
            #expect(try await database.claim().isEmpty)
            #expect(try database.value("SELECT count(*) FROM wallet_push_job") == "0")
        }
    }

    @Test func `says with the card what the last push of a phone was answered`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            let shown = """
                SELECT d->>'pushStatus', d->>'pushReason', d->>'pushedAt' IS NOT NULL
                FROM wallet_pass AS p, json_array_elements(wallet_pass_json(p, true)->'phones') AS d
                """
            #expect(try database.admin.rows(shown) == [[nil, nil, "f"]])
            try database.push(["A"])
            let job = try #require(try await database.claim().first)
            let refused = SettledPush(
                job: job,
                isEnded: true,
                counts: false,
                pause: .seconds(1),
                status: 429,
                reason: "TooManyRequests"
            )
            #expect(try await database.store.settle([refused]).isEmpty)
            // Behind the job, too, which is forgotten.
            try database.pass(seconds: 2)
            #expect(try await database.claim().isEmpty)
            #expect(try database.admin.rows(shown) == [["429", "TooManyRequests", "t"]])
            // Whoever has locked the phone is not waited for: it waits for the push, as a phone that registers does.
            try database.push(["A"])
            let next = try #require(try await database.claim().first)
            let other = try database.database.admin()
            try other.run("BEGIN; SELECT FROM wallet_device FOR UPDATE")
            #expect(try await database.store.settle([outcome(next)]).isEmpty)
            try other.run("COMMIT")
            let told =
                "SELECT kind, detail->>'status', detail->>'reason', device IS NOT NULL FROM wallet_history ORDER BY history_id"
            #expect(
                try database.admin.rows(told)
                    == [["push_failed", "429", "TooManyRequests", "t"], ["pushed", "200", nil, "t"]]
            )
            #expect(try database.admin.rows(shown) == [["429", "TooManyRequests", "t"]])
            #expect(
                try database.value("SELECT wallet_pass_json(p, true)::text FROM wallet_pass AS p")?.contains(job.token)
                    == false
            )
        }
    }

    @Test func `looks at as many rows as it claims, when thousands are due in a table that was empty`() async throws {
        try await withPushDatabase { _, database in
            let claim = "EXECUTE claim ('\(PushDatabase.passType)', '00000000-0000-0000-0000-000000000001', 200, 60)"
            // As the program's sessions plan: once, and mostly while nothing is due.
            try database.admin.run("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan")
            try database.admin.run(
                "PREPARE claim (text, uuid, bigint, float8) AS \(PushStatement.claim.statement.sql)"
            )
            #expect(try database.admin.rows(claim).isEmpty)
            try database.admin.run(
                """
                INSERT INTO wallet_device (token_at, seen_at, device, pass_type, push_token)
                SELECT now() - interval '1 hour', now(), 'phone ' || i, '\(PushDatabase.passType)', 'aa'
                FROM generate_series(1, 4000) AS i;
                INSERT INTO wallet_push_job (due_at, not_before, since, wanted, attempts, is_again, is_sent, device, pass_type)
                SELECT now(), now(), now(), 1, 0, false, i % 2 = 0, 'phone ' || i, '\(PushDatabase.passType)'
                FROM generate_series(1, 4000) AS i;
                """
            )
            let plan = try database.admin.rows("EXPLAIN (ANALYZE, TIMING OFF) \(claim)").compactMap { $0[0] }
            let seen = plan.compactMap { line -> Int? in
                guard let found = line.firstMatch(of: /actual rows=(\d+) loops=(\d+)/) else { return nil }
                return (Int(found.1) ?? 0) * (Int(found.2) ?? 0)
            }
            #expect(seen.count > 5 && seen.allSatisfy { $0 < 100_000 }, "\(plan)")
            #expect(try database.value("SELECT count(*) FROM wallet_push_job WHERE claim_id IS NOT NULL") == "100")
            #expect(try database.value("SELECT count(*) FROM wallet_push_job") == "3900")
        }
    }

    @Test func `sends once more what has changed while a push was on its way`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            try database.push(["A"])
            let jobs = try await database.claim()
            try database.push(["A"])
            #expect(try await database.claim().isEmpty)
            #expect(try await database.store.settle([outcome(jobs[0], pause: .seconds(60))]).isEmpty)
            #expect(try await database.claim().isEmpty, "not within the pause")
            try database.pass(seconds: 60)
            #expect(try await database.claim().count == 1)
        }
    }

    @Test func `keeps a second between two pushes to a phone, and sends the first at once`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            try database.push(["A"])
            let first = try await database.claim()
            #expect(first.count == 1)
            // As if it were a minute, which no machine needs for what comes now.
            _ = try await database.store.settle([outcome(first[0], pause: .seconds(60))])
            try database.push(["A"])
            // A second change must not take the pause away.
            try database.push(["A"])
            #expect(try await database.claim().isEmpty)
            let next = try #require(try await database.store.next(PushDatabase.passType))
            #expect(next > .zero && next <= .seconds(60))
            try database.pass(seconds: 60)
            #expect(try await database.claim().count == 1)
        }
    }

    @Test func `takes the oldest first, and of one type only`() async throws {
        try await withPushDatabase { _, database in
            for number in 0..<9 { try database.add("S\(number)", to: ["phone\(number)"]) }
            try database.add("S", to: ["phone0"], type: "pass.other")
            for number in [4, 2, 7, 0, 8, 1, 3, 6, 5] { try database.push(["S\(number)"], after: number - 20) }
            try database.push(["S"], type: "pass.other")
            #expect(
                try await database.claim(limit: 4).map(\.device).sorted() == ["phone0", "phone1", "phone2", "phone3"]
            )
            #expect(try await database.claim(type: "pass.other").map(\.device) == ["phone0"])
        }
    }

    @Test func `wakes a phone with two names and one token once, by the later name`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["old", "new"])
            try database.admin.run("UPDATE wallet_device SET push_token = 'ab', token_at = now() WHERE device = 'new'")
            try database.admin.run("UPDATE wallet_device SET push_token = 'ab' WHERE device = 'old'")
            try database.push(["A"])
            #expect(try await database.claim().map(\.device) == ["new"])
        }
    }

    @Test func `sends again what a process has taken that is gone`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            try database.push(["A"])
            let lost = try await database.claim()
            try database.pass(seconds: 59)
            #expect(try await database.claim().isEmpty)
            try database.pass(seconds: 1)
            let again = try await database.claim()
            #expect(again.count == 1 && again[0].claim != lost[0].claim)
            // The one that was taken for dead comes back: its word does not count any more.
            #expect(try await database.store.settle([outcome(lost[0])]).isEmpty)
            #expect(try database.value("SELECT claim_id IS NOT NULL FROM wallet_push_job") == "t")
        }
    }

    @Test func `gives each job to one of two processes`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: (0..<40).map { "phone\($0)" })
            try database.push(["A"])
            // What the first has claimed, and another row, is locked while the other claims.
            let other = try database.database.admin()
            try other.run("BEGIN; SELECT FROM wallet_push_job WHERE device = 'phone7' FOR UPDATE")
            let all = try await database.claim(limit: 25).map(\.device) + database.claim(limit: 25).map(\.device)
            #expect(all.count == 39 && Set(all).count == 39 && !all.contains("phone7"))
            try other.run("COMMIT")
            #expect(try await database.claim().map(\.device) == ["phone7"])
        }
    }

    @Test func `passes over rows that somebody else has locked, and reports them`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one", "two"])
            try database.push(["A"])
            let jobs = try await database.claim()
            let other = try database.database.admin()
            try other.run("BEGIN; SELECT FROM wallet_push_job WHERE device = 'one' FOR UPDATE")
            let busy = try await database.store.settle(jobs.map { outcome($0) })
            #expect(busy.map(\.job.device) == ["one"])
            try other.run("COMMIT")
            #expect(try await database.store.settle(busy).isEmpty)
            #expect(try database.value("SELECT count(*) FROM wallet_push_job WHERE is_sent") == "2")
        }
    }

    @Test func `waits as long as an answer has asked for, and counts it`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            try database.push(["A"])
            let first = try await database.claim()
            _ = try await database.store.settle([outcome(first[0], isEnded: false, counts: true, pause: .seconds(900))])
            // A change does not make it due before.
            try database.push(["A"])
            try database.pass(seconds: 899)
            #expect(try await database.claim().isEmpty)
            try database.pass(seconds: 1)
            #expect(try await database.claim().map(\.attempts) == [1])
        }
    }

    @Test func `drops what is older than the question that phones ask by themselves`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            try database.push(["A"])
            try database.pass(seconds: 48 * 3_600)
            #expect(try await database.claim().isEmpty)
            #expect(try await database.store.next(PushDatabase.passType) == nil)
        }
    }

    @Test func `deletes what is older of a type that nobody sends for any more`() async throws {
        try await withPushDatabase { _, database in
            try database.admin.run(
                "INSERT INTO wallet_template (template, pass_type, digest, uses) VALUES ('old', 'pass.old', '', '{}')"
            )
            try database.add("A", to: ["one", "two"], type: "pass.old")
            try database.push(["A"], type: "pass.old")
            try database.pass(seconds: 48 * 3_600 + 1)
            try database.add("B", to: ["three"], type: "pass.old")
            try database.push(["B"], type: "pass.old")
            #expect(try await database.client.work(PushStatement.prune(1)).first() == 1)
            #expect(try await database.client.work(PushStatement.prune(10)).first() == 1)
            #expect(try database.value("SELECT string_agg(device, ' ') FROM wallet_push_job") == "three")
        }
    }

    @Test func `keeps nothing away by a time to come, as after the clock was set back`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            try database.push(["A"])
            let jobs = try await database.claim()
            #expect(try await database.store.settle([outcome(jobs[0])]).isEmpty)
            try database.pass(seconds: -3_600)
            try database.push(["A"])
            #expect(try await database.claim().count == 1)
        }
    }

    @Test func `forgets the job of a phone that is not registered any more`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one"])
            try database.push(["A"])
            try database.admin.run("DELETE FROM wallet_registration; DELETE FROM wallet_device")
            #expect(try await database.claim().isEmpty)
            #expect(try await database.store.next(PushDatabase.passType) == nil)
        }
    }

    @Test func `drops a phone with a dead token, and keeps one with another token since`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one", "two"])
            try database.push(["A"])
            let jobs = try await database.claim().sorted { $0.device < $1.device }
            try database.admin.run("UPDATE wallet_device SET push_token = 'cd', token_at = now() WHERE device = 'two'")
            #expect(try await database.store.drop(jobs[0], pause: .seconds(1)))
            #expect(try await !database.store.drop(jobs[1], pause: .seconds(1)))
            let left = try database.admin.rows("SELECT device FROM wallet_registration").map { $0[0] }
            #expect(left == ["two"])
            #expect(try database.value("SELECT count(*) FROM wallet_pass") == "1")
            try database.pass(seconds: 1)
            #expect(try await database.claim().map(\.token) == ["cd"])
        }
    }

    @Test func `says how much waits, and for how long`() async throws {
        try await withPushDatabase { _, database in
            try database.add("A", to: ["one", "two", "three"])
            try database.push(["A"])
            try database.pass(seconds: 30)
            let backlog = try await database.store.backlog(PushDatabase.passType)
            #expect(backlog.count == 3 && backlog.lag >= .seconds(30))
            let jobs = try await database.claim()
            _ = try await database.store.settle(jobs.map { outcome($0) })
            #expect(try await database.store.backlog(PushDatabase.passType).count == 0)
        }
    }

    @Test func `finds what is due by its index, with a hundred thousand phones`() async throws {
        try await withPushDatabase { _, database in
            try database.admin.run(
                """
                INSERT INTO wallet_device SELECT now(), now(), 'd' || n, 't', n::text FROM generate_series(1, 100000) AS n;
                INSERT INTO wallet_push_job SELECT now() + interval '1 hour', now(), now(), 1, NULL, 0, NULL, NULL, false, false,
                    'd' || n, 't' FROM generate_series(1, 100000) AS n;
                ANALYZE wallet_device, wallet_push_job
                """
            )
            for sql in [PushStatement.next.statement.sql, PushStatement.backlog.statement.sql] {
                let plan = try database.admin.rows("EXPLAIN " + sql.replacing("$1", with: "'t'")).compactMap { $0[0] }
                #expect(plan.contains { $0.contains("wallet_push_job_due") }, "\(plan)")
                #expect(!plan.contains { $0.contains("Seq Scan on wallet_push_job") }, "\(plan)")
            }
            let values = [("$1", "'t'"), ("$2", "'00000000-0000-0000-0000-000000000001'"), ("$3", "100"), ("$4", "60")]
            let claim = values.reduce(PushStatement.claim.statement.sql) { $0.replacing($1.0, with: $1.1) }
            let plan = try database.admin.rows("EXPLAIN " + claim).compactMap { $0[0] }
            #expect(!plan.contains { $0.contains("Seq Scan on") }, "\(plan)")
        }
    }
}
