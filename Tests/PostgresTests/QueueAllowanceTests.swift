import EventIO
import Testing

@testable import Postgres

@Suite struct `The length of a queue` {
    private let limits = QueueLimits(pending: 4096, wait: .milliseconds(50), group: 256)

    @Test func `is bounded by number alone until a group has shown how long it takes`() {
        #expect(QueueAllowance(limits).count == 4096)
    }

    @Test(arguments: [(1, 4096), (10, 1280), (20, 640), (25, 512), (50, 256), (1000, 256)])
    func `is what fits into the time, a full group at least`(milliseconds: Int, count: Int) {
        var allowance = QueueAllowance(limits)
        for _ in 0..<4 { allowance.groupEnded(after: .milliseconds(milliseconds)) }
        #expect(allowance.count == count)
    }

    @Test func `follows the server, and forgets one pause`() {
        var allowance = QueueAllowance(limits)
        for _ in 0..<10 { allowance.groupEnded(after: .milliseconds(5)) }
        allowance.groupEnded(after: .seconds(1))
        #expect(allowance.count == 256)
        for _ in 0..<20 { allowance.groupEnded(after: .milliseconds(5)) }
        #expect(allowance.count > 1280)
    }

    @Test(arguments: [(5, 25, 1280), (25, 5, 640)])
    func `takes a single group that is late or early for a quarter`(usual: Int, last: Int, count: Int) {
        var allowance = QueueAllowance(limits)
        for _ in 0..<10 { allowance.groupEnded(after: .milliseconds(usual)) }
        allowance.groupEnded(after: .milliseconds(last))
        #expect(allowance.count == count)
    }

    @Test func `survives a group that takes no time`() {
        var allowance = QueueAllowance(limits)
        allowance.groupEnded(after: .zero)
        #expect(allowance.count == 4096)
    }
}

private let busy = PostgresError.Code.overloaded

@Suite struct `A queue that is as long as it may be` {
    @Test func `refuses what is new and takes in what ends something`() {
        var machine = GroupStateMachine<Int, Int>(limits: QueueLimits(pending: 4, group: 1))
        machine.opened()
        machine.allowance = 1
        func submit(_ number: Int, isLastStep: Bool = false) -> PostgresError.Code? {
            machine.submit(number, key: nil, isLastStep: isLastStep, at: .init(nanoseconds: 0))?.code
        }
        #expect([submit(1), submit(2), submit(3)] == [nil, nil, busy])
        #expect([submit(4, isLastStep: true), submit(5, isLastStep: true)] == [nil, nil])
        // The memory is bounded all the same.
        #expect(submit(6, isLastStep: true) == busy)
    }

    @Test func `counts those of a turn that have been promised room and have not come yet`() {
        var machine = GroupStateMachine<Int, Int>(limits: QueueLimits(group: 1))
        machine.opened()
        machine.allowance = 1
        let now = MonotonicTime(nanoseconds: 0)
        #expect([machine.reserve(at: now), machine.reserve(at: now), machine.reserve(at: now)] == [nil, nil, .room])
        #expect(machine.submit(1, key: nil, at: now) == nil)
        #expect(machine.reserve(at: now) == .room)
        #expect(machine.submit(2, key: nil, at: now) == nil)
        // The turn ends: one goes out, one waits, nothing is promised any more.
        #expect(machine.nextGroup()?.count == 1)
        #expect(machine.reserve(at: now) == .room)
        #expect(machine.received(.success(0)) && machine.synced() != nil)
        #expect(machine.reserve(at: now) == nil)
    }

    @Test func `promises nothing without a connection`() {
        var machine = GroupStateMachine<Int, Int>(limits: QueueLimits(group: 1))
        #expect(machine.reserve(at: MonotonicTime(nanoseconds: 0)) == .connection)
    }

    @Test func `is longer by what a small group under way leaves of a full one`() {
        var machine = GroupStateMachine<Int, Int>(limits: QueueLimits(group: 3))
        machine.opened()
        machine.allowance = 3
        func submit(_ number: Int) -> PostgresError.Code? {
            machine.submit(number, key: nil, at: .init(nanoseconds: 0))?.code
        }
        func send() -> Int? { machine.nextGroup()?.count }
        func end() -> Int? { machine.received(.success(0)) ? machine.synced()?.settled.count : nil }
        #expect(submit(0) == nil)
        #expect(send() == 1)
        #expect((1...5).allSatisfy { submit($0) == nil })
        #expect(submit(6) == busy)
        #expect(end() == 1)
        #expect(submit(6) == nil)
        #expect(send() == 3)
        #expect(submit(7) == busy)
    }
}
