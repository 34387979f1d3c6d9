import Checkout
import EventIO
import PostgresTestKit
import Primitives
import SessionBroker
import Synchronization
import Testing

@Suite("Races")
struct RaceTests {
    private static let webviewSessionCount = 300

    @Test func `of sixteen opens of a ticket exactly one opens it`() async throws {
        let database = try migratedDatabase()
        let crossings = try await withRig(on: database) { rig in
            var crossings: [Crossing] = []
            for _ in 0..<Self.webviewSessionCount { crossings.append(try await rig.issued()) }
            return crossings
        }
        // Two loops, each with connections and groups of its own.
        let tallies = try await inParallel(2, on: database) { rig in
            await rig.tally(crossings, each: 8) { rig, crossing in
                try await rig.open(crossing.ticket)
            }
        }
        for crossing in crossings {
            var counts: [String: Int] = [:]
            for tally in tallies { counts.merge(tally[crossing.webviewSession] ?? [:], uniquingKeysWith: +) }
            #expect(counts["opened"] == 1, "\(counts)")
            #expect(counts["reopened", default: 0] <= 1, "\(counts)")
            let rest = counts["reused", default: 0] + counts["dead", default: 0]
            #expect(rest + 1 + counts["reopened", default: 0] == 16, "\(counts)")
        }
    }

    @Test func `of thirty-two purchases exactly one begins`() async throws {
        let database = try migratedDatabase()
        let crossings = try await withRig(on: database) { rig in
            var crossings: [Crossing] = []
            for _ in 0..<Self.webviewSessionCount { crossings.append(try await rig.placed()) }
            return crossings
        }
        let tallies = try await inParallel(2, on: database) { rig in
            await rig.tally(crossings, each: 16) { rig, crossing in
                try await rig.buy(crossing)
            }
        }
        for crossing in crossings {
            var counts: [String: Int] = [:]
            for tally in tallies { counts.merge(tally[crossing.webviewSession] ?? [:], uniquingKeysWith: +) }
            #expect(counts == ["begin": 1, "refused inProgress": 31])
        }
    }

    @Test func `of placing, cancelling, buying and revoking end in one state, and the trail tells how`() async throws {
        let database = try migratedDatabase()
        let crossings = try await withRig(on: database) { rig in
            var crossings: [Crossing] = []
            for _ in 0..<60 { crossings.append(try await rig.reviewed()) }
            return crossings
        }
        _ = try await inParallel(2, on: database) { rig in
            await rig.tally(crossings, each: 8) { rig, crossing in
                guard let tab = crossing.tab else { return "no tab" }
                let ticket = try crossing.returnTicket(rig)
                switch rig.nextTurn() % 4 {
                case 0: return word(try await rig.broker.place(tab, ticket: ticket, total: nil, by: rig.caller()))
                case 1: return word(try await rig.broker.cancel(tab, ticket: ticket, by: rig.caller()))
                case 2: return "\(try await rig.store.revoke(crossing.webviewSession, by: rig.caller()))"
                default: return try await rig.buy(crossing)
                }
            }
        }
        try await withRig(on: database) { rig in
            for crossing in crossings {
                let events = try await rig.store.audit(crossing.webviewSession)
                #expect(events.map(\.ordinal) == Array(1...events.count))
                #expect(events.last?.state == (try rig.state(crossing)))
                // Dead stays dead.
                let firstDead = events.firstIndex { $0.state.isDead } ?? events.endIndex
                #expect(Set(events[firstDead...].map(\.state)).count <= 1)
            }
        }
    }
}

extension Rig {
    /// Runs a call several times for each webview session, all at once; the words of its outcomes by webview session.
    func tally(
        _ crossings: [Crossing],
        each count: Int,
        _ body: @escaping (Rig, Crossing) async throws -> String
    ) async -> [WebviewSessionID: [String: Int]] {
        let board = Board()
        var tasks: [Task<Void, Never>] = []
        for round in 0..<count {
            // Every round in another order, so that groups meet the same rows in different places.
            let start = crossings.count * round / count
            for crossing in crossings[start...] + crossings[..<start] {
                tasks.append(
                    reactor.startTask {
                        var outcome = "failed"
                        do { outcome = try await body(self, crossing) } catch { outcome = "failed \(error)" }
                        board.words[crossing.webviewSession, default: [:]][outcome, default: 0] += 1
                    }
                )
            }
        }
        for task in tasks { await task.value }
        return board.words
    }

    private final class Board {
        var words: [WebviewSessionID: [String: Int]] = [:]
    }
}

/// Runs a body on several loops at the same time.
func inParallel<Value: Sendable>(
    _ count: Int,
    on database: TestDatabase,
    _ body: @escaping @Sendable (Rig) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for _ in 0..<count { group.addTask { try await withRig(on: database) { rig in try await body(rig) } } }
        var values: [Value] = []
        for try await value in group { values.append(value) }
        return values
    }
}
