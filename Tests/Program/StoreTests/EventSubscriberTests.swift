import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Telemetry
import TestKit
import Testing

@testable import Webhooks

/// A feature that writes events, and another one that subscribes to them.
private final class SubscriberRig {
    let rig: Rig
    let store: PostgresWebhookStore
    /// What handlers were given, as subject and sequence, in the order in which they were done with it.
    private(set) var handled: [(subject: UUIDBytes, sequence: Int64)] = []
    private var subscribers: [EventSubscriber] = []
    private(set) var written = 0

    static let subscription = EventSubscription("test.points", to: [WebhookEventType("note.written")])

    init(_ rig: Rig) async throws {
        self.rig = rig
        store = PostgresWebhookStore(client: rig.client)
        try await store.subscribe(Self.subscription)
    }

    private static let announce = Statement(
        name: "test_announce",
        sql: "SELECT event_announce('note', $1, $2, json_build_object('text', 'x'))",
        parameterTypes: [.uuid, .text]
    )

    /// Has something happen to a subject.
    func happen(_ subject: UUIDBytes, _ type: String = "note.written") async throws {
        var parameters = Parameters()
        parameters.append(uuid: subject)
        parameters.append(text: type)
        _ = try await rig.client.write(Self.announce, parameters, key: subject)
        written += 1
    }

    /// A subject made so many days ago.
    func subject(daysAgo days: Int = 0) -> UUIDBytes {
        UUIDBytes(version7At: SystemClock().now() + .seconds(-days * 86_400), random: rig.random)
    }

    /// Starts a subscriber, as each process has one.
    func start(_ handler: @escaping EventHandler) -> EventSubscriber {
        let subscriber = EventSubscriber(
            Self.subscription,
            { event in
                try await handler(event)
                self.handled.append((event.subject.id, event.sequence))
            },
            store,
            rig.reactor,
            .silent
        )
        rig.reactor.startTask { await subscriber.run() }
        subscribers.append(subscriber)
        return subscriber
    }

    /// Claims a subject as a process does that dies behind it; how many.
    func abandon(_ id: UUIDBytes) async throws -> Int {
        try await store.claim(of: id, lease: .seconds(60), limit: 1, attempt: subject()).count
    }

    func stop() async {
        for subscriber in subscribers { await subscriber.stop() }
    }

    /// Lets time pass for all queues: what failed is due, and leases are over.
    func age(seconds: Int) throws {
        // What somebody has locked is left alone, as everybody does who locks several.
        try rig.sql(
            """
            UPDATE event_queue AS w SET next_at = next_at - interval '\(seconds) seconds'
            FROM (SELECT receiver_id, subject_id FROM event_queue FOR UPDATE SKIP LOCKED) AS l
            WHERE w.receiver_id = l.receiver_id AND w.subject_id = l.subject_id
            """
        )
    }

    func isQuiet() throws -> Bool { try rig.admin.rows("SELECT 1 FROM event_queue").isEmpty }

    /// Waits for something, for as long as that is likely.
    func wait(_ what: Comment, until isSo: () throws -> Bool) async throws {
        let patience = Patience()
        while try !isSo() {
            try #require(patience.isLeft, what)
            await rig.client.pause(for: .milliseconds(20))
        }
    }

    /// The sequences of a subject in the order in which they were handled first.
    func order(of subject: UUIDBytes) -> [Int64] {
        var seen: Set<Int64> = []
        return handled.filter { $0.subject == subject && seen.insert($0.sequence).inserted }.map(\.sequence)
    }
}

private func withSubscribers(_ body: @escaping @Sendable (SubscriberRig) async throws -> Void) async throws {
    try await withRig { rig in
        let subscribers = try await SubscriberRig(rig)
        do {
            try await body(subscribers)
        } catch {
            await subscribers.stop()
            throw error
        }
        await subscribers.stop()
    }
}

private struct Broken: Error {}

@Suite struct `A subscription to events` {
    @Test func `gets each event of a subject in order, whoever fails, dies or writes meanwhile`() async throws {
        try await withSubscribers { rig in
            let subjects = (0..<8).map { rig.subject(daysAgo: $0 * 150) }
            let random = SeededRandom(seed: 7)
            var cutOff = 0
            for _ in 0..<2 {
                _ = rig.start { _ in
                    if random.below(5) == 0 { throw Broken() }
                }
            }
            var writers = 0
            for writer in 0..<32 {
                writers += 1
                rig.rig.reactor.startTask {
                    defer { writers -= 1 }
                    for step in 0..<5 {
                        do {
                            try await rig.happen(subjects[(writer + step) % 8])
                            // A process that dies behind its claim leaves a lease.
                            if random.below(8) == 0, let id = try await rig.store.subscriber(named: "test.points") {
                                cutOff += try await rig.abandon(id)
                            }
                        } catch {
                            Issue.record("\(String(reflecting: error))")
                        }
                    }
                }
            }
            try await rig.wait("all were handled") {
                try rig.age(seconds: 90)
                return try writers == 0 && rig.isQuiet()
            }
            #expect(rig.written == 160)
            for subject in subjects { #expect(rig.order(of: subject) == Array(1...20)) }
            #expect(cutOff > 0)
        }
    }

    @Test func `waits where its handler fails for a day, and holds up no other subject`() async throws {
        try await withSubscribers { rig in
            let (bad, good) = (rig.subject(), rig.subject())
            var isBroken = true
            _ = rig.start { event in
                if isBroken, event.subject.id == bad { throw Broken() }
            }
            for _ in 0..<3 { try await rig.happen(bad) }
            for quarter in 1...4 {
                try await rig.happen(good)
                try await rig.wait("the other subject goes on") { rig.order(of: good).count == quarter }
                try rig.age(seconds: 6 * 3_600)
            }
            let backlog = try await rig.store.subscriberBacklogs().first { $0.name == "test.points" }
            #expect(backlog?.failing == 1)
            #expect(rig.order(of: bad).isEmpty)
            isBroken = false
            try await rig.wait("the first one too") {
                try rig.age(seconds: 5_400)
                return try rig.isQuiet()
            }
            #expect(rig.order(of: bad) == [1, 2, 3])
            #expect(rig.order(of: good) == Array(1...4))
        }
    }

    @Test func `hears of what is three years old, of its types and of nothing that was taken back`() async throws {
        try await withSubscribers { rig in
            let old = rig.subject(daysAgo: 1_100)
            try await rig.happen(old, "note.read")
            try await rig.happen(old)
            try rig.rig.sql("BEGIN; SELECT event_announce('note', '\(old)', 'note.written', '{}'); ROLLBACK")
            try await rig.happen(old)
            var kinds: Set<String> = []
            _ = rig.start { kinds.insert($0.subject.kind) }
            try await rig.wait("both were handled") { try rig.isQuiet() }
            #expect(rig.order(of: old) == [2, 3] && kinds == ["note"])
        }
    }

    @Test func `keeps its queue while nobody takes it, and its id when it is named again`() async throws {
        try await withSubscribers { rig in
            let id = try await rig.store.subscriber(named: "test.points")
            let subject = rig.subject()
            try await rig.happen(subject)
            try await rig.store.subscribe(EventSubscription("test.points", to: []))
            #expect(try await rig.store.subscriber(named: "test.points") == id)
            try await rig.happen(subject, "note.read")
            _ = rig.start { _ in }
            try await rig.wait("both were handled") { try rig.isQuiet() }
            #expect(rig.order(of: subject) == [1, 2])
        }
    }

    @Test func `is forgotten with its row, and what waits for it is removed`() async throws {
        try await withSubscribers { rig in
            let gone = EventSubscription("test.gone", to: [])
            try await rig.store.subscribe(gone)
            try await rig.happen(rig.subject())
            #expect(try await rig.store.purge() == 0)
            try rig.rig.sql("DELETE FROM event_subscriber WHERE name = 'test.gone'")
            #expect(try await rig.store.purge() == 1)
            #expect(try rig.rig.admin.rows("SELECT count(*) FROM event_queue") == [["1"]])
        }
    }
}
