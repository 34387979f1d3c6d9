import EventIO
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing
import Webhooks

/// Endpoints, queues and whoever writes events, on one database.
private final class WebhookRig {
    let rig: Rig
    let store: PostgresWebhookStore
    private var count: UInt64 = 0

    init(_ rig: Rig) {
        self.rig = rig
        store = PostgresWebhookStore(client: rig.client)
    }

    func webviewSession() -> UUIDBytes { UUIDBytes(version7At: SystemClock().now(), random: rig.random) }

    /// Adds an endpoint with a key that no vault has sealed.
    func endpoint(_ types: [WebhookEventType] = []) async throws -> UUIDBytes {
        count += 1
        let id = UUIDBytes(version7At: SystemClock().now(), random: rig.random)
        let key = SealedWebhookKey(id: "whk_\(count)", sealed: [1, 2, UInt8(count)])
        try await store.add(id, url: "https://\(count).example/", types: types, key: key)
        return id
    }

    /// Lets events happen, in one statement.
    func happen(_ webviewSession: UUIDBytes, _ places: ClosedRange<Int>, _ type: WebhookEventType = .sessionPaid) throws
    {
        try rig.sql(WebhookRig.insert(webviewSession, places, type))
    }

    static func insert(_ webviewSession: UUIDBytes, _ places: ClosedRange<Int>, _ type: WebhookEventType) -> String {
        """
        INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
        SELECT '\(webviewSession)', id_new(), n, now(), 'session', '\(type.text)', json_build_object('place', n)
        FROM generate_series(\(places.lowerBound), \(places.upperBound)) AS n
        """
    }

    func claim(
        _ limit: Int = 16,
        share: Int = 16,
        allowances: [UUIDBytes: Int] = [:]
    ) async throws -> [ClaimedDelivery] {
        let demand = ClaimDemand(limit: limit, share: share, lease: .seconds(30), allowances: allowances)
        return try await store.claim(demand, attempt: webviewSession())
    }

    func deliver(_ delivery: ClaimedDelivery) async throws -> Int64? {
        guard case .next(let event) = try await store.delivered(delivery, lease: .seconds(30)) else { return nil }
        return event.sequence
    }

    func replay(
        _ event: UUIDBytes,
        _ webviewSession: UUIDBytes?,
        _ endpoint: UUIDBytes? = nil
    ) async throws -> WebhookReplayed {
        try await store.replay(.event(event, subject: webviewSession, endpoint: endpoint))
    }

    /// Adds queues whose events have failed.
    func fill(_ endpoint: UUIDBytes, _ count: Int) throws {
        try rig.sql(
            """
            INSERT INTO event_queue (receiver_id, subject_id, head_id, head, tail, next_at, since, failures)
            SELECT '\(endpoint)', (substr(id_floor(now())::text, 1, 13) || substr(gen_random_uuid()::text, 14))::uuid,
                id_new(), 1, 1, now() + interval '1 hour', now(), 1
            FROM generate_series(1, \(count))
            """
        )
    }

    /// Makes the database refuse a statement that changes more queues than it should.
    func refuseLargeStatements() throws {
        try rig.sql(
            """
            CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF (SELECT count(*) FROM old) > 1000 THEN RAISE 'too many at once'; END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER few_updates AFTER UPDATE ON event_queue
                REFERENCING OLD TABLE AS old FOR EACH STATEMENT EXECUTE FUNCTION few();
            CREATE TRIGGER few_deletes AFTER DELETE ON event_queue
                REFERENCING OLD TABLE AS old FOR EACH STATEMENT EXECUTE FUNCTION few()
            """
        )
    }

    func queues() throws -> [[String?]] {
        try rig.admin.rows(
            "SELECT head, tail, failures, dead_at IS NOT NULL FROM event_queue ORDER BY subject_id, receiver_id"
        )
    }

    /// Lets time pass for all queues.
    func age(seconds: Int) throws {
        try rig.sql("UPDATE event_queue SET next_at = next_at - interval '\(seconds) seconds'")
    }
}

private func withWebhooks(_ body: @escaping @Sendable (WebhookRig) async throws -> Void) async throws {
    try await withRig { rig in try await body(WebhookRig(rig)) }
}

@Suite("The queues of events")
struct WebhookStoreTests {
    @Test func `come with their event in one commit, for each endpoint that wants it`() async throws {
        try await withWebhooks { hooks in
            let all = try await hooks.endpoint()
            let some = try await hooks.endpoint([.refundCreated, .sessionPaid])
            _ = try await hooks.endpoint([.permissionClosed])
            let webviewSession = hooks.webviewSession()
            try hooks.rig.sql("BEGIN; \(WebhookRig.insert(webviewSession, 1...1, .sessionPaid)); ROLLBACK")
            #expect(try hooks.queues().isEmpty)
            try hooks.happen(webviewSession, 1...2)
            try hooks.happen(webviewSession, 3...3, .chargeCaptured)
            let rows = try hooks.rig.admin.rows(
                "SELECT receiver_id, head, tail FROM event_queue ORDER BY receiver_id"
            )
            #expect(rows == [[all.description, "1", "3"], [some.description, "1", "2"]])
            // Whoever is added later hears of what happens later.
            let late = try await hooks.endpoint()
            try hooks.happen(webviewSession, 4...4)
            let question = "SELECT head FROM event_queue WHERE receiver_id = $1"
            let head = try hooks.rig.admin.rows(question, [late.description])
            #expect(head == [["4"]])
        }
    }

    @Test func `bring what is to be sent`() async throws {
        try await withWebhooks { hooks in
            let endpoint = try await hooks.endpoint()
            let webviewSession = hooks.webviewSession()
            try hooks.happen(webviewSession, 1...2)
            let claimed = try await hooks.claim()
            let delivery = try #require(claimed.first)
            #expect(claimed.count == 1)
            #expect(delivery.endpoint == endpoint && delivery.url == "https://1.example/" && delivery.failures == 0)
            #expect(delivery.keys == [SealedWebhookKey(id: "whk_1", sealed: [1, 2, 1])])
            let body = try JSONParser.parse(delivery.event.body)
            #expect(body["sessionId"]?.text == webviewSession.description)
            #expect(body["sequence"]?.integer == 1 && body["data"]?["place"]?.integer == 1)
            #expect(body["type"]?.text == "session.paid")
            let id = try hooks.rig.admin.rows("SELECT event_id FROM event WHERE sequence = 1")[0][0]
            #expect(body["id"]?.text == "evt_\(id ?? "")")
            // The next one comes with the outcome, and with the last the row goes.
            #expect(try await hooks.deliver(delivery) == 2)
            var second = delivery
            second.event = WebhookEvent(
                id: webviewSession,
                type: "session.paid",
                subject: .session(webviewSession),
                sequence: 2,
                at: SystemClock().now(),
                data: [:]
            )
            #expect(try await hooks.deliver(second) == nil)
            #expect(try hooks.queues().isEmpty)
        }
    }

    @Test func `are not held up by one whose data cannot be read`() async throws {
        try await withWebhooks { hooks in
            _ = try await hooks.endpoint()
            try hooks.rig.sql(
                """
                INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
                VALUES ('\(hooks.webviewSession())', id_new(), 1, now(), 'session', 'session.paid', '{"a":1,"a":2}')
                """
            )
            try hooks.happen(hooks.webviewSession(), 1...1)
            let bodies = try await hooks.claim().map { String(decoding: $0.event.body, as: UTF8.self) }
            #expect(bodies.count == 2)
            #expect(bodies.contains { $0.hasSuffix(#""data":null}"#) } && bodies.contains { $0.contains("place") })
        }
    }

    @Test func `belong to one attempt until its lease is over`() async throws {
        try await withWebhooks { hooks in
            _ = try await hooks.endpoint()
            try hooks.happen(hooks.webviewSession(), 1...2)
            let first = try #require(try await hooks.claim().first)
            #expect(try await hooks.claim().isEmpty)
            try hooks.age(seconds: 31)
            let second = try #require(try await hooks.claim().first)
            #expect(second.event.id == first.event.id)
            // What the one who lost it says changes nothing.
            #expect(try await hooks.deliver(first) == nil)
            try await hooks.store.failed(first, DeliveryFailure(status: 500), again: nil)
            #expect(try hooks.queues() == [["1", "2", "0", "f"]])
            #expect(try await hooks.deliver(second) == 2)
            #expect(try await hooks.deliver(second) == nil, "the same outcome twice")
            #expect(try hooks.queues() == [["2", "2", "0", "f"]])
        }
    }

    @Test func `leave out what their endpoint does not want, and never what comes meanwhile`() async throws {
        try await withWebhooks { hooks in
            _ = try await hooks.endpoint([.sessionPaid])
            let webviewSession = hooks.webviewSession()
            try hooks.happen(webviewSession, 1...1)
            try hooks.happen(webviewSession, 2...3, .chargeCaptured)
            try hooks.happen(webviewSession, 4...4)
            let delivery = try #require(try await hooks.claim().first)
            #expect(try await hooks.deliver(delivery) == 4)
            try hooks.age(seconds: 31)
            let last = try #require(try await hooks.claim().first)
            try hooks.happen(webviewSession, 5...5, .chargeCaptured)
            try hooks.happen(webviewSession, 6...6)
            #expect(try await hooks.deliver(last) == 6)
        }
    }

    @Test func `wait after a failure, and for an operator when they are parked`() async throws {
        try await withWebhooks { hooks in
            let endpoint = try await hooks.endpoint()
            let webviewSession = hooks.webviewSession()
            try hooks.happen(webviewSession, 1...1)
            let first = try #require(try await hooks.claim().first)
            try await hooks.store.failed(first, DeliveryFailure(status: 503), again: .seconds(60))
            #expect(try await hooks.claim().isEmpty)
            try hooks.age(seconds: 61)
            let second = try #require(try await hooks.claim().first)
            #expect(second.failures == 1)
            try await hooks.store.failed(second, DeliveryFailure(error: "timedOut"), again: nil)
            try hooks.age(seconds: 100_000)
            #expect(try await hooks.claim().isEmpty)
            #expect(try await hooks.store.backlog() == WebhookBacklog(lag: .zero, deadLettered: 1))
            let queue = try #require(try await hooks.store.queues(of: nil, onlyDeadLettered: true, limit: 9).first)
            #expect(
                queue.endpoint == endpoint && queue.subject == webviewSession && queue.failures == 2
                    && queue.nextAt == nil
            )
            #expect(queue.last == DeliveryFailure(error: "timedOut") && queue.type == "session.paid")
            // A later event waits behind it.
            try hooks.happen(webviewSession, 2...2)
            #expect(try await hooks.claim().isEmpty)
            #expect(try await hooks.store.replay(.endpoint(hooks.webviewSession())).queues == 0)
            #expect(try await hooks.store.replay(.endpoint(endpoint)).queues == 1)
            let third = try #require(try await hooks.claim().first)
            #expect(third.failures == 0 && third.event.sequence == 1)
            #expect(try await hooks.deliver(third) == 2)
        }
    }

    @Test func `are due at once when their endpoint answers again, but not those of others`() async throws {
        try await withWebhooks { hooks in
            let one = try await hooks.endpoint()
            let two = try await hooks.endpoint()
            try hooks.happen(hooks.webviewSession(), 1...1)
            try hooks.happen(hooks.webviewSession(), 1...1)
            for delivery in try await hooks.claim() {
                try await hooks.store.failed(delivery, DeliveryFailure(status: 503), again: .seconds(3600))
            }
            let deadLettered = hooks.webviewSession()
            try hooks.happen(deadLettered, 1...1)
            for delivery in try await hooks.claim() {
                try await hooks.store.failed(delivery, DeliveryFailure(status: 410), again: nil)
            }
            try await hooks.store.retryNow(one)
            let due = try await hooks.claim()
            #expect(due.count == 2 && due.allSatisfy { $0.endpoint == one && $0.event.subject.id != deadLettered })
            #expect(two != one)
        }
    }

    @Test func `are replayed by session and by event, also what has arrived`() async throws {
        try await withWebhooks { hooks in
            let one = try await hooks.endpoint()
            let two = try await hooks.endpoint([.refundCreated])
            let webviewSession = hooks.webviewSession()
            try hooks.happen(webviewSession, 1...3)
            let delivery = try #require(try await hooks.claim().first)
            try await hooks.store.failed(delivery, DeliveryFailure(status: 410), again: nil)
            #expect(try await hooks.store.replay(.subject(webviewSession)).queues == 1)
            for delivery in try await hooks.claim() { _ = try await hooks.deliver(delivery) }
            try hooks.rig.sql("DELETE FROM event_queue")
            // All have arrived; from the second on they are sent once more.
            let event = try #require(delivery.event.id as UUIDBytes?)
            for place in [nil, webviewSession] {
                #expect(try await hooks.replay(hooks.webviewSession(), place) == WebhookReplayed(queues: 0))
                #expect(try await hooks.replay(event, place, two) == WebhookReplayed(queues: 0), "does not want it")
                #expect(try await hooks.replay(event, place) == WebhookReplayed(queues: 1))
            }
            #expect(
                try await hooks.replay(event, hooks.webviewSession()) == WebhookReplayed(queues: 0),
                "not of this session"
            )
            #expect(try hooks.queues() == [["1", "3", "0", "f"]])
            let again = try #require(try await hooks.claim().first)
            #expect(again.endpoint == one && again.event.id == event && again.event.body == delivery.event.body)
        }
    }

    @Test func `that somebody is writing to are passed over, and asked for again`() async throws {
        try await withWebhooks { hooks in
            _ = try await hooks.endpoint()
            let webviewSession = hooks.webviewSession()
            try hooks.happen(webviewSession, 1...1)
            let delivery = try #require(try await hooks.claim().first)
            try hooks.age(seconds: 31)
            let writer = hooks.rig.admin
            try writer.run("BEGIN; \(WebhookRig.insert(webviewSession, 2...2, .sessionPaid))")
            #expect(try await hooks.claim().isEmpty)
            // The outcome comes while the event is being written: it waits for neither, and misses neither.
            let release = hooks.rig.reactor.startTask {
                await hooks.rig.client.pause(for: .milliseconds(60))
                try? writer.run("COMMIT")
            }
            #expect(try await hooks.deliver(delivery) == 2)
            await release.value
        }
    }

    @Test func `are shared out, one for an endpoint that fails and none for one that has enough`() async throws {
        try await withWebhooks { hooks in
            let one = try await hooks.endpoint()
            let two = try await hooks.endpoint()
            for _ in 0..<10 { try hooks.happen(hooks.webviewSession(), 1...1) }
            #expect(try await hooks.claim(4, allowances: [one: 0, two: 0]).isEmpty)
            #expect(try await hooks.claim(4, allowances: [one: 1, two: 0]).map(\.endpoint) == [one])
            let shared = try await hooks.claim(8, share: 3)
            #expect(shared.filter { $0.endpoint == one }.count == 3)
            #expect(shared.filter { $0.endpoint == two }.count == 3)
            #expect(try await hooks.claim(100, share: 100).count == 13)
        }
    }

    @Test func `are worked through in parts, however many an operator means`() async throws {
        try await withWebhooks { hooks in
            let one = try await hooks.endpoint()
            let two = try await hooks.endpoint()
            try hooks.fill(one, 2500)
            try hooks.fill(two, 3)
            try hooks.refuseLargeStatements()
            let due = "SELECT count(*) FROM event_queue WHERE next_at <= now()"
            try await hooks.store.retryNow(one)
            #expect(try hooks.rig.admin.rows(due) == [["2500"]])
            try hooks.rig.sql("ALTER TABLE event_queue DISABLE TRIGGER few_updates")
            try hooks.age(seconds: -3600)
            try hooks.rig.sql("ALTER TABLE event_queue ENABLE TRIGGER few_updates")
            #expect(try await hooks.store.replay(.endpoint(one)) == WebhookReplayed(queues: 2500))
            #expect(try hooks.rig.admin.rows(due + " AND failures = 0") == [["2500"]])
            #expect(try await hooks.store.remove(one) == 2500)
            #expect(try hooks.queues().count == 3)
            // Broken off behind its first step: the command goes on, and the upkeep would too.
            try hooks.fill(one, 2001)
            #expect(try await hooks.store.remove(one) == 2001)
            try hooks.fill(one, 2001)
            let purged = try await hooks.store.purge()
            #expect(purged == 2001)
            #expect(try await hooks.store.remove(one) == nil)
        }
    }

    @Test func `are found by an event among very many others`() async throws {
        try await withWebhooks { hooks in
            let webviewSession = hooks.webviewSession()
            try hooks.happen(webviewSession, 1...3)
            for _ in 0..<3 { try hooks.happen(hooks.webviewSession(), 1...9000) }
            _ = try await hooks.endpoint()
            let rows = try hooks.rig.admin.rows(
                "SELECT event_id FROM event WHERE subject_id = $1 AND sequence = 2",
                [webviewSession.description]
            )
            let id = try #require(UUIDBytes(rows[0][0] ?? ""))
            #expect(try await hooks.replay(id, nil) == WebhookReplayed(queues: 1))
            #expect(try hooks.queues() == [["2", "3", "0", "f"]])
        }
    }

    @Test func `that are being sent for are left alone by a replay, and it says so`() async throws {
        try await withWebhooks { hooks in
            _ = try await hooks.endpoint()
            let webviewSession = hooks.webviewSession()
            try hooks.happen(webviewSession, 1...2)
            let first = try #require(try await hooks.claim().first)
            #expect(try await hooks.deliver(first) == 2)
            #expect(try await hooks.replay(first.event.id, webviewSession) == WebhookReplayed(queues: 0, underWay: 1))
            #expect(try await hooks.claim().isEmpty)
            #expect(try hooks.queues() == [["2", "2", "0", "f"]])
            // Nobody is at it when the lease is over.
            try hooks.age(seconds: 31)
            #expect(try await hooks.replay(first.event.id, webviewSession) == WebhookReplayed(queues: 1))
            #expect(try await hooks.claim().map(\.event.id) == [first.event.id])
        }
    }

    @Test func `that could not be signed go back with all their tries`() async throws {
        try await withWebhooks { hooks in
            _ = try await hooks.endpoint()
            try hooks.happen(hooks.webviewSession(), 1...1)
            let first = try #require(try await hooks.claim().first)
            try await hooks.store.postponed(first, for: .seconds(5))
            #expect(try await hooks.claim().isEmpty)
            try hooks.age(seconds: 5)
            let second = try #require(try await hooks.claim().first)
            #expect(second.failures == 0)
            try await hooks.store.postponed(first, for: .zero)
            #expect(try await hooks.claim().isEmpty, "not the one's whose lease is over")
            #expect(try await hooks.deliver(second) == nil)
            #expect(try hooks.queues().isEmpty)
        }
    }

    @Test func `go with their endpoint, whose id and past stay`() async throws {
        try await withWebhooks { hooks in
            let endpoint = try await hooks.endpoint()
            let webviewSession = hooks.webviewSession()
            try hooks.happen(webviewSession, 1...1)
            #expect(try await hooks.store.remove(hooks.webviewSession()) == nil)
            #expect(try await hooks.store.remove(endpoint) == 1)
            #expect(try await hooks.store.remove(endpoint) == nil)
            #expect(try await hooks.store.endpoints().isEmpty)
            try hooks.happen(webviewSession, 2...2)
            #expect(try hooks.queues().isEmpty)
            let rest = try hooks.rig.admin.rows("SELECT secret, removed_at IS NOT NULL FROM webhook_endpoint")
            #expect(rest == [["\\x", "t"]])
            // One that a writer has left behind at the same moment is removed later, and tells nobody of anything.
            try hooks.rig.sql(
                """
                INSERT INTO event_queue (receiver_id, subject_id, head_id, head, tail, next_at, since, failures)
                VALUES ('\(endpoint)', '\(webviewSession)', id_new(), 1, 1, now(), now(), 0)
                """
            )
            #expect(try await hooks.claim().isEmpty)
            try hooks.rig.sql("UPDATE event_queue SET since = since - interval '1 hour'")
            #expect(try await hooks.store.backlog() == WebhookBacklog(lag: .zero, deadLettered: 0))
            try hooks.rig.sql("UPDATE event_queue SET dead_at = now()")
            #expect(try await hooks.store.backlog() == WebhookBacklog(lag: .zero, deadLettered: 0))
            #expect(try await hooks.store.queues(of: nil, onlyDeadLettered: true, limit: 9).isEmpty)
            #expect(try await hooks.store.purge() == 1)
            #expect(try await hooks.store.purge() == 0)
        }
    }

    @Test func `are signed with both keys while one follows the other`() async throws {
        try await withWebhooks { hooks in
            let endpoint = try await hooks.endpoint()
            try hooks.happen(hooks.webviewSession(), 1...1)
            let fresh = SealedWebhookKey(id: "whk_new", sealed: [9])
            #expect(try await hooks.store.rotate(hooks.webviewSession(), to: fresh, overlap: .seconds(60)) == nil)
            let until = try #require(try await hooks.store.rotate(endpoint, to: fresh, overlap: .seconds(60)))
            #expect(until > SystemClock().now())
            #expect(try await hooks.claim().first?.keys.map(\.id) == ["whk_new", "whk_1"])
            let listed = try #require(try await hooks.store.endpoints().first)
            #expect(listed.keyID == "whk_new" && listed.previousKeyID == "whk_1" && listed.waiting == 1)
            try hooks.age(seconds: 31)
            try hooks.rig.sql("UPDATE webhook_endpoint SET previous_until = now() - interval '1 second'")
            #expect(try await hooks.claim().first?.keys.map(\.id) == ["whk_new"])
            #expect(try await hooks.store.endpoints().first?.previousKeyID == nil)
        }
    }

    @Test func `keep the order of each session under sixteen senders, and lose nothing`() async throws {
        let database = try migratedDatabase()
        let arrivals = Recorder<(endpoint: UUIDBytes, webviewSession: UUIDBytes, sequence: Int64)>()
        let webviewSessions = try await withRig(on: database) { rig in
            let hooks = WebhookRig(rig)
            let endpoints = [try await hooks.endpoint(), try await hooks.endpoint([.sessionPaid])]
            let webviewSessions = (0..<12).map { _ in hooks.webviewSession() }
            let race = Race(rig, arrivals)
            for _ in 0..<16 { race.startSender() }
            for place in 1...6 {
                for webviewSession in webviewSessions {
                    // In groups with the program's other writes, as events come.
                    try await race.write(webviewSession, place, place % 3 == 0 ? .chargeCaptured : .sessionPaid)
                }
            }
            try #require(await race.waitUntilQuiet())
            #expect(endpoints.count == 2)
            return (webviewSessions, endpoints)
        }
        for webviewSession in webviewSessions.0 {
            let heard = webviewSessions.1.map { endpoint in
                arrivals.values.filter { $0.webviewSession == webviewSession && $0.endpoint == endpoint }.map(
                    \.sequence
                )
            }
            // Nobody's lease ran out, so everything came exactly once.
            #expect(heard[0] == [1, 2, 3, 4, 5, 6])
            #expect(heard[1] == [1, 2, 4, 5])
        }
    }
}

/// Senders that take queues from each other's hands while events are being written.
private final class Race {
    private let rig: Rig
    private let store: PostgresWebhookStore
    private let arrivals: Recorder<(endpoint: UUIDBytes, webviewSession: UUIDBytes, sequence: Int64)>
    private let random = SeededRandom(seed: 12)
    private var isOver = false
    private var senders = 0
    private var failures = 0

    private static let insert = Statement(
        name: "test_event",
        sql: """
            INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
            VALUES ($1, id_new(), $2, statement_timestamp(), 'session', $3, '{}')
            """,
        parameterTypes: [.uuid, .int8, .text]
    )

    init(_ rig: Rig, _ arrivals: Recorder<(endpoint: UUIDBytes, webviewSession: UUIDBytes, sequence: Int64)>) {
        self.rig = rig
        self.arrivals = arrivals
        store = PostgresWebhookStore(client: rig.client)
    }

    func write(_ webviewSession: UUIDBytes, _ place: Int, _ type: WebhookEventType) async throws {
        var parameters = Parameters()
        parameters.append(uuid: webviewSession)
        parameters.append(int64: Int64(place))
        parameters.append(text: type.text)
        _ = try await rig.client.write(Race.insert, parameters, key: webviewSession)
    }

    func startSender() {
        senders += 1
        rig.reactor.startTask {
            while !self.isOver {
                do {
                    try await self.turn()
                } catch {
                    Issue.record(error)
                    break
                }
            }
            self.senders -= 1
        }
    }

    private func turn() async throws {
        let attempt = UUIDBytes(version7At: SystemClock().now(), random: rig.random)
        let demand = ClaimDemand(limit: 2, share: 2, lease: .seconds(600))
        for delivery in try await store.claim(demand, attempt: attempt) {
            var delivery = delivery
            while true {
                if random.below(5) == 0 {
                    let pause = Duration.milliseconds(random.below(20))
                    try await store.failed(delivery, DeliveryFailure(status: 500), again: pause)
                    break
                }
                arrivals.record((delivery.endpoint, delivery.event.subject.id, delivery.event.sequence))
                guard case .next(let event) = try await store.delivered(delivery, lease: .seconds(600)) else { break }
                delivery.event = event
            }
        }
        await rig.reactor.nextTurn()
    }

    /// Whether every queue has come to its end; ends the senders.
    func waitUntilQuiet() async throws -> Bool {
        let patience = Patience()
        var isQuiet = false
        while !isQuiet, patience.isLeft {
            isQuiet = try rig.admin.rows("SELECT count(*) FROM event_queue")[0][0] == "0"
            if !isQuiet { await rig.client.pause(for: .milliseconds(10)) }
        }
        isOver = true
        while senders > 0 { await rig.reactor.nextTurn() }
        return isQuiet
    }
}
