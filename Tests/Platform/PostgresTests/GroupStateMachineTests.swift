import EventIO
import Primitives
import Testing

@testable import Postgres

private typealias Machine = GroupStateMachine<String, Int>

private let refusal = PostgresError(.rejected(sqlState: "23505"), "")
private let deadlock = PostgresError(.rejected(sqlState: "40P01"), "")

/// A key that sorts by its number.
private func key(_ number: UInt64) -> UUIDBytes {
    UUIDBytes(high: 0, low: number)
}

private func time(_ milliseconds: UInt64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
}

/// A machine behind a reference, so that an expectation may change it.
private final class Subject {
    var machine: Machine

    init(_ limits: QueueLimits = QueueLimits(), isOpen: Bool = true) {
        machine = Machine(limits: limits)
        if isOpen { machine.opened() }
    }

    /// Takes one in, and returns the code of the refusal.
    func submit(_ member: String, _ key: UUIDBytes? = nil, at milliseconds: UInt64 = 0) -> PostgresError.Code? {
        machine.submit(member, key: key, at: time(milliseconds))?.code
    }

    /// Takes several in and sends them.
    func send(_ members: [(String, UUIDBytes?)]) -> [String] {
        for (member, key) in members { _ = submit(member, key) }
        return nextGroup()
    }

    func nextGroup() -> [String] {
        machine.nextGroup(at: time(0)).map { $0.map(\.member) } ?? []
    }

    /// Takes the answers to several in.
    func receive(_ answers: [PostgresError?]) {
        for answer in answers { take(answer.map { .failure($0) } ?? .success(1)) }
    }

    func skip(_ count: Int = 1) {
        for _ in 0..<count { take(nil) }
    }

    private func take(_ answer: Result<Int, PostgresError>?) {
        let isExpected = machine.received(answer)
        #expect(isExpected)
    }

    func sync() throws -> (told: [String], next: String?) {
        let settlement = machine.synced(at: time(0))
        let known = try #require(settlement)
        return (told(known.settled), known.next)
    }

    func lose() -> [String] {
        told(machine.lost(""))
    }

    func expire(at milliseconds: UInt64) -> [String] {
        told(machine.expire(at: time(milliseconds)))
    }

    /// Names of those settled, with the code of the failure if there is one.
    private func told(_ settled: [Machine.Entry]) -> [String] {
        settled.map { entry in
            switch entry.result {
            case .success: entry.member
            case .failure(let error): "\(entry.member): \(error)"
            }
        }
    }
}

/// An answer without complaint.
private let well: PostgresError? = nil

@Suite struct `A group of statements` {
    @Test func `is acknowledged only at its Sync`() throws {
        let subject = Subject()
        #expect(subject.send([("a", nil), ("b", nil)]) == ["a", "b"])
        subject.receive([well, well])
        #expect(subject.machine.isInFlight)
        #expect(try subject.sync() == (["a", "b"], nil))
        #expect(subject.machine.isEmpty)
    }

    @Test func `waits while another one is under way`() throws {
        let subject = Subject()
        _ = subject.send([("a", nil)])
        #expect(subject.send([("b", nil), ("c", nil)]).isEmpty)
        subject.receive([well])
        _ = try subject.sync()
        #expect(subject.nextGroup() == ["b", "c"])
    }

    @Test func `is not sent when nothing waits`() {
        #expect(Subject().nextGroup().isEmpty)
    }

    @Test func `goes down in the order of its keys, those without one first, equals as they came`() {
        let sent = Subject().send([
            ("c", key(3)), ("a1", key(1)), ("x", nil), ("a2", key(1)), ("b", key(2)), ("y", nil), ("a3", key(1)),
        ])
        #expect(sent == ["x", "y", "a1", "a2", "a3", "b", "c"])
    }

    @Test func `has a greatest size`() throws {
        let subject = Subject(QueueLimits(group: 2))
        #expect(subject.send([("a", nil), ("b", nil), ("c", nil)]) == ["a", "b"])
        subject.receive([well, well])
        _ = try subject.sync()
        #expect(subject.nextGroup() == ["c"])
    }

    @Test func `is repeated one by one when a member fails, the culprit last`() throws {
        let subject = Subject()
        _ = subject.send([("a", nil), ("b", nil), ("c", nil)])
        subject.receive([well, refusal])
        subject.skip()
        #expect(try subject.sync() == ([], "a"))
        #expect(subject.nextGroup().isEmpty)
        subject.receive([well])
        #expect(try subject.sync() == (["a"], "c"))
        subject.receive([well])
        #expect(try subject.sync() == (["c"], "b"))
        subject.receive([refusal])
        #expect(try subject.sync() == (["b: postgres.rejected.23505"], nil))
        #expect(subject.machine.isEmpty)
    }

    @Test func `keeps the order of the culprit's key when it is repeated`() throws {
        let subject = Subject()
        _ = subject.send([("k1", key(1)), ("k2", key(1)), ("k3", key(1)), ("z", key(2))])
        subject.receive([well, refusal])
        subject.skip(2)
        var sent: [String] = []
        var step = try subject.sync()
        while let next = step.next {
            sent.append(next)
            subject.receive([well])
            step = try subject.sync()
        }
        #expect(sent == ["k1", "z", "k2", "k3"])
    }

    @Test func `of one that fails is not repeated`() throws {
        let subject = Subject()
        _ = subject.send([("a", nil)])
        subject.receive([refusal])
        #expect(try subject.sync() == (["a: postgres.rejected.23505"], nil))
    }

    @Test func `of one that gives way to a deadlock is repeated, but not for ever`() throws {
        let subject = Subject(QueueLimits(attempts: 3))
        _ = subject.send([("a", nil)])
        for _ in 0..<2 {
            subject.receive([deadlock])
            #expect(try subject.sync() == ([], "a"))
        }
        subject.receive([deadlock])
        #expect(try subject.sync() == (["a: postgres.rejected.40P01"], nil))
    }

    @Test func `is repeated when the commit itself is refused`() throws {
        let subject = Subject()
        _ = subject.send([("a", nil), ("b", nil)])
        subject.receive([well, well])
        subject.machine.commitFailed(refusal)
        #expect(try subject.sync() == ([], "a"))
        subject.receive([well])
        #expect(try subject.sync() == (["a"], "b"))
        subject.receive([well])
        subject.machine.commitFailed(refusal)
        #expect(try subject.sync() == (["b: postgres.rejected.23505"], nil))
    }
}

@Suite struct `A lost connection` {
    @Test func `leaves the outcome of what was under way unknown and of what was not sent known`() {
        let subject = Subject()
        _ = subject.send([("a", nil), ("b", nil)])
        subject.receive([well])
        _ = subject.submit("c")
        #expect(
            subject.lose() == ["a: postgres.outcome_unknown", "b: postgres.outcome_unknown", "c: postgres.unavailable"]
        )
        #expect(subject.machine.isEmpty)
    }

    @Test func `undoes a group in which a member was refused`() {
        let subject = Subject()
        _ = subject.send([("a", nil), ("b", nil), ("c", nil)])
        subject.receive([well, refusal])
        #expect(subject.lose() == ["a: postgres.unavailable", "b: postgres.unavailable", "c: postgres.unavailable"])
    }

    @Test func `leaves only one outcome unknown while a group is repeated`() throws {
        let subject = Subject()
        _ = subject.send([("a", nil), ("b", nil), ("c", nil)])
        subject.receive([refusal])
        subject.skip(2)
        _ = try subject.sync()
        #expect(
            subject.lose() == ["b: postgres.outcome_unknown", "c: postgres.unavailable", "a: postgres.unavailable"]
        )
    }

    @Test func `leaves the outcome unknown when only the commit was refused`() {
        let subject = Subject()
        _ = subject.send([("a", nil)])
        subject.receive([well])
        subject.machine.commitFailed(refusal)
        #expect(subject.lose() == ["a: postgres.outcome_unknown"])
    }

    @Test func `refuses new statements at once until there is another one`() {
        let subject = Subject(isOpen: false)
        #expect(subject.submit("a") == .unavailable)
        subject.machine.opened()
        #expect(subject.submit("a") == nil)
        _ = subject.lose()
        #expect(subject.submit("a") == .unavailable)
        #expect(subject.lose().isEmpty)
    }
}

@Suite struct `A queue of statements` {
    @Test func `takes so many and no more`() {
        let subject = Subject(QueueLimits(pending: 2))
        #expect(subject.submit("a") == nil)
        #expect(subject.submit("b") == nil)
        #expect(subject.submit("c") == .overloaded)
        _ = subject.nextGroup()
        #expect(subject.submit("c") == nil)
    }

    @Test func `takes none while its oldest has waited too long`() {
        let subject = Subject(QueueLimits(pendingAge: .milliseconds(250)))
        _ = subject.send([("a", nil)])
        #expect(subject.submit("b", at: 100) == nil)
        #expect(subject.submit("c", at: 350) == nil)
        #expect(subject.submit("d", at: 351) == .overloaded)
    }

    @Test func `gives up what has waited too long, and only that`() {
        let subject = Subject(QueueLimits(pendingAge: .milliseconds(250)))
        _ = subject.send([("a", nil)])
        _ = subject.submit("b", at: 100)
        _ = subject.submit("c", at: 200)
        #expect(subject.expire(at: 350).isEmpty)
        #expect(subject.expire(at: 351) == ["b: postgres.overloaded"])
        #expect(subject.machine.pendingCount == 1)
    }
}

@Suite struct `An answer out of place` {
    @Test func `is noticed when nothing is under way`() {
        let subject = Subject()
        let isTaken = subject.machine.received(.success(1))
        let settlement = subject.machine.synced(at: time(0))
        subject.machine.commitFailed(refusal)
        #expect(!isTaken)
        #expect(settlement == nil)
        #expect(subject.machine.isEmpty)
    }

    @Test func `is noticed when it is one too many`() {
        let subject = Subject()
        _ = subject.send([("a", nil)])
        subject.receive([well])
        let isTaken = subject.machine.received(.success(1))
        #expect(!isTaken)
    }

    @Test func `is noticed when one is missing at the Sync`() {
        let subject = Subject()
        _ = subject.send([("a", nil), ("b", nil)])
        subject.receive([refusal])
        let early = subject.machine.synced(at: time(0))
        #expect(early == nil)
        subject.skip()
        let inTime = subject.machine.synced(at: time(0))
        #expect(inTime?.next == "b")
        let earlyAgain = subject.machine.synced(at: time(0))
        #expect(earlyAgain == nil)
    }
}
