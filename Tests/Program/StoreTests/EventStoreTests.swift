import EventIO
import MerchantOrders
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing
import Webhooks

/// Whoever writes events, and who lists them.
private final class ListRig {
    let rig: Rig
    let store: PostgresEventStore

    init(_ rig: Rig) {
        self.rig = rig
        store = PostgresEventStore(client: rig.client)
    }

    /// An event of a session, in whatever transaction a connection has.
    static func insert(_ webviewSession: UUIDBytes, _ sequence: Int) -> String {
        """
        INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
        VALUES ('\(webviewSession)', id_new(), \(sequence), statement_timestamp(), 'session', 'session.paid', '{}')
        """
    }

    func webviewSession() -> UUIDBytes { UUIDBytes(version7At: SystemClock().now(), random: rig.random) }

    /// What is listed behind a place, as session and sequence.
    func listed(after cursor: EventCursor? = nil, limit: Int = 100) async throws -> [String] {
        let page = try #require(try await store.page(after: cursor, limit: limit))
        return page.events.map { "\($0.subject.id) \($0.sequence)" }
    }

    /// The same, once there are so many: transactions of other tests hold the list up, since it is one server.
    func listed(_ count: Int, after cursor: EventCursor? = nil) async throws -> [String] {
        let patience = Patience()
        while true {
            let found = try await listed(after: cursor)
            if found.count >= count || !patience.isLeft { return found }
        }
    }
}

private func withList(_ body: @escaping @Sendable (ListRig) async throws -> Void) async throws {
    try await withRig { rig in try await body(ListRig(rig)) }
}

@Suite("The list of events")
struct EventStoreTests {
    @Test func `goes on where it ended, part by part, and knows when there is no more`() async throws {
        try await withList { list in
            let webviewSessions = (0..<5).map { _ in list.webviewSession() }
            for webviewSession in webviewSessions { try list.rig.sql(ListRig.insert(webviewSession, 1)) }
            try list.rig.sql(ListRig.insert(webviewSessions[0], 2))
            let all = webviewSessions.map { "\($0) 1" } + ["\(webviewSessions[0]) 2"]
            #expect(try await list.listed(6) == all)
            var found: [String] = []
            var cursor: EventCursor?
            for part in 0..<3 {
                let page = try #require(try await list.store.page(after: cursor, limit: 2))
                #expect(page.hasMore == (part < 2))
                found += page.events.map { "\($0.subject.id) \($0.sequence)" }
                cursor = EventCursor(page.next.text)
                #expect(cursor == page.next)
            }
            #expect(found == all)
            let end = try #require(try await list.store.page(after: cursor, limit: 2))
            #expect(end.events.isEmpty && !end.hasMore && end.next == cursor)
            try list.rig.sql(ListRig.insert(webviewSessions[4], 2))
            #expect(try await list.listed(1, after: cursor) == ["\(webviewSessions[4]) 2"])
        }
    }

    @Test func `leaves nothing out that commits late`() async throws {
        try await withList { list in
            let late = try list.rig.another()
            let (first, second) = (list.webviewSession(), list.webviewSession())
            try late.run("BEGIN")
            try late.run(ListRig.insert(first, 1))
            // Committed before the other, which began before it.
            try list.rig.sql(ListRig.insert(second, 1))
            #expect(try await list.listed() == [])
            try late.run("COMMIT")
            #expect(try await list.listed(2) == ["\(first) 1", "\(second) 1"])
        }
    }

    @Test func `passes over what was taken back`() async throws {
        try await withList { list in
            let other = try list.rig.another()
            let (first, second) = (list.webviewSession(), list.webviewSession())
            try other.run("BEGIN")
            try other.run(ListRig.insert(first, 1))
            try list.rig.sql(ListRig.insert(second, 1))
            try other.run("ROLLBACK")
            #expect(try await list.listed(1) == ["\(second) 1"])
        }
    }

    @Test func `has a session's events in their order, whichever transaction began first`() async throws {
        try await withList { list in
            let early = try list.rig.another()
            let (webviewSession, between) = (list.webviewSession(), list.webviewSession())
            try early.run("BEGIN")
            _ = try early.rows("SELECT pg_current_xact_id()")
            try list.rig.sql(ListRig.insert(webviewSession, 1))
            try list.rig.sql(ListRig.insert(between, 1))
            #expect(try await list.listed() == [])
            try early.run(ListRig.insert(webviewSession, 2))
            try early.run("COMMIT")
            #expect(try await list.listed(3) == ["\(webviewSession) 1", "\(webviewSession) 2", "\(between) 1"])
        }
    }

    @Test func `says that it does not know a place whose event is not listed`() async throws {
        try await withList { list in
            let webviewSession = list.webviewSession()
            try list.rig.sql(ListRig.insert(webviewSession, 1))
            #expect(try await list.listed(1) == ["\(webviewSession) 1"])
            let page = try #require(try await list.store.page(after: nil, limit: 1))
            let lost = EventCursor(transaction: page.next.transaction + 1, subject: webviewSession, sequence: 1)
            for cursor in [
                lost, EventCursor(transaction: page.next.transaction, subject: webviewSession, sequence: 2),
            ] {
                #expect(try await list.store.page(after: cursor, limit: 1) == nil)
            }
        }
    }

    @Test func `forgets after thirty days, the oldest first, and the events stay`() async throws {
        try await withList { list in
            let webviewSession = list.webviewSession()
            for sequence in 1...3 { try list.rig.sql(ListRig.insert(webviewSession, sequence)) }
            #expect(try await list.store.prune() == 0)
            try list.rig.sql("UPDATE event_feed SET at = at - interval '31 days' WHERE sequence < 3")
            #expect(try await list.store.prune() == 2)
            #expect(try await list.listed(1) == ["\(webviewSession) 3"])
            #expect(try list.rig.admin.rows("SELECT count(*) FROM event") == [["3"]])
        }
    }

    @Test(arguments: ["", "x", "AAAA", String(repeating: "A", count: 44), String(repeating: "=", count: 43)])
    func `has places of one form`(text: String) {
        #expect(EventCursor(text) == nil)
        let cursor = EventCursor(transaction: .max, subject: UUIDBytes(high: 7, low: .max), sequence: 300)
        #expect(cursor.text.utf8.count == 43 && EventCursor(cursor.text) == cursor)
    }
}
