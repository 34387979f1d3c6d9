import EventIO
import Postgres
import Primitives
import TestKit
import Testing

@testable import Operators

/// The statements of the staff's sessions, as the program's role sends them.
@Suite("A session of the staff")
struct OperatorSessionTests {
    private static let key = OperatorKey.hash(of: "sok_a")
    private static let idle = Duration.seconds(1_800)
    private static let absolute = Duration.seconds(43_200)

    private static func open(_ rig: Rig, _ name: String) async throws -> (token: OperatorToken, id: UUIDBytes) {
        let token = OperatorToken.make(random: rig.reactor.random)
        let id = UUIDBytes(version7At: SystemClock().now(), random: rig.reactor.random)
        _ = try await rig.client.work(OperatorStatement.open(token.hash, id, name, key, "203.0.113.0/24"))
        return (token, id)
    }

    private static func read(_ rig: Rig, _ token: OperatorToken) async throws -> OperatorStatement.Found? {
        try await rig.client.work(OperatorStatement.read(token.hash, idle, absolute)).single()
    }

    @Test func `is found by its token alone, and its notice is taken once`() async throws {
        try await withRig { rig in
            let (token, id) = try await Self.open(rig, "Hanako")
            let other = OperatorToken.make(random: rig.reactor.random)
            let unknown = try await Self.read(rig, other)
            #expect(unknown == nil)
            _ = try await rig.client.work(OperatorStatement.note(token.hash, "done"))
            let first = try await Self.read(rig, token)
            #expect(first?.id == id && first?.name == "Hanako" && first?.key == Self.key && first?.notice == "done")
            let second = try await Self.read(rig, token)
            #expect(second != nil && second?.notice == nil)
        }
    }

    @Test(arguments: ["seen_at = now() - interval '1801 seconds'", "opened_at = now() - interval '43201 seconds'"])
    func `ends by its times, and is pruned`(change: String) async throws {
        try await withRig { rig in
            let (token, _) = try await Self.open(rig, "Hanako")
            let (other, _) = try await Self.open(rig, "Hanako")
            try rig.sql("UPDATE operator_session SET \(change) WHERE session_hash = '\\x\(token.hash.hexadecimal)'")
            let ended = try await Self.read(rig, token)
            #expect(ended == nil)
            let listed = try await rig.client.read(OperatorStatement.list("Hanako", Self.idle, Self.absolute)).all()
            #expect(listed.count == 1)
            let pruned = try await rig.client.work(OperatorStatement.prune(Self.idle, Self.absolute)).affectedCount
            #expect(pruned == 1)
            let left = try await Self.read(rig, other)
            #expect(left != nil)
        }
    }

    @Test func `lives on while it is used`() async throws {
        try await withRig { rig in
            let (token, _) = try await Self.open(rig, "Hanako")
            for _ in 0..<2 {
                try rig.sql("UPDATE operator_session SET seen_at = now() - interval '1700 seconds'")
                let found = try await Self.read(rig, token)
                #expect(found != nil)
            }
        }
    }

    @Test func `is ended by its own person alone`() async throws {
        try await withRig { rig in
            let (hanako, id) = try await Self.open(rig, "Hanako")
            let (second, _) = try await Self.open(rig, "Hanako")
            let (taro, taroID) = try await Self.open(rig, "Taro")
            _ = try await rig.client.work(OperatorStatement.end(taroID, "Hanako"))
            _ = try await rig.client.work(OperatorStatement.endOthers("Hanako", id))
            let kept = try await Self.read(rig, hanako)
            let gone = try await Self.read(rig, second)
            let others = try await Self.read(rig, taro)
            #expect(kept != nil && gone == nil && others != nil)
            _ = try await rig.client.work(OperatorStatement.close(hanako.hash))
            let closed = try await Self.read(rig, hanako)
            #expect(closed == nil)
        }
    }

    @Test func `lists the record of decisions newest first, of everybody or of one, before a number`() async throws {
        try await withRig { rig in
            try rig.sql(
                """
                INSERT INTO operator_event (operator, command, target)
                SELECT CASE n % 2 WHEN 0 THEN 'Hanako' ELSE 'Taro' END, 'test', n::text FROM generate_series(1, 6) AS n
                """
            )
            let all = try await rig.client.read(OperatorStatement.audit(.max, 4)).all()
            #expect(all.map(\.target) == ["6", "5", "4", "3"])
            let own = try await rig.client.read(OperatorStatement.auditOf("Hanako", all[0].number, 9)).all()
            #expect(own.map(\.target) == ["4", "2"])
            #expect(own.allSatisfy { $0.name == "Hanako" && $0.ended == nil && $0.reason == nil })
        }
    }
}
