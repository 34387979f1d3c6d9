import EventIO
import Primitives
import Testing

@testable import Postgres

@Suite struct `The wait that is expected` {
    private let limits = QueueLimits(pending: 4096, wait: .milliseconds(250), group: 64)

    /// An estimate after enough groups of one length.
    private func settled(at milliseconds: Int) -> WaitEstimate {
        var estimate = WaitEstimate(limits)
        for _ in 0..<60 { estimate.groupEnded(after: .milliseconds(milliseconds)) }
        return estimate
    }

    @Test(arguments: [
        (0, nil, 10), (63, nil, 10), (64, nil, 20), (0, 0, 20), (0, 6, 14), (0, 10, 10), (0, 900, 10), (200, 6, 44),
    ])
    func `is the rest of the group at the server, and the groups up to the own one`(
        ahead: Int,
        elapsed: Int?,
        expected: Int
    ) {
        let wait = settled(at: 10).wait(behind: ahead, elapsed: elapsed.map { .milliseconds($0) })
        #expect(abs(wait / .milliseconds(1) - Double(expected)) < 0.1)
    }

    @Test func `is shorter than the limit for as many as may wait by number, until groups have shown otherwise`() {
        #expect(WaitEstimate(limits).wait(behind: 4095, elapsed: nil) <= limits.wait)
        #expect(settled(at: 0).wait(behind: 4095, elapsed: nil) <= limits.wait)
        #expect(settled(at: 5).wait(behind: 4095, elapsed: nil) > limits.wait)
    }

    @Test(arguments: [1, 5, 20, 60])
    func `grows by three quarters for a single stall, and forgets it`(usual: Int) {
        var estimate = settled(at: usual)
        let before = estimate.groupTime
        estimate.groupEnded(after: .seconds(5))
        #expect(estimate.groupTime < before * 1.76)
        for _ in 0..<10 { estimate.groupEnded(after: .milliseconds(usual)) }
        #expect(estimate.groupTime < before * 1.05)
    }

    @Test func `follows a server that has become ten times slower within eight groups`() {
        var estimate = settled(at: 10)
        for _ in 0..<8 { estimate.groupEnded(after: .milliseconds(100)) }
        #expect(estimate.groupTime > .milliseconds(80))
    }
}

/// Clients of one connection of the database, each of which asks again as soon as it was answered.
private struct ClosedLoop {
    var machine: GroupStateMachine<Int, Int>
    private(set) var served = 0
    private(set) var refused = 0
    /// From asking to the answer, of those who were served.
    private(set) var longest = Duration.zero
    private var now = MonotonicTime(nanoseconds: 0)
    private var askedAt: [MonotonicTime]
    private var asking: [Int]

    init(_ limits: QueueLimits, clients: Int) {
        machine = GroupStateMachine(limits: limits)
        machine.opened()
        askedAt = Array(repeating: now, count: clients)
        asking = Array(0..<clients)
    }

    /// One turn in which all that may ask do so, and the group that it sends.
    mutating func step(groupTakes milliseconds: Int) {
        let admitted = asking.filter { _ in machine.reserve(at: now) == nil }
        let turnedAway = Set(asking).subtracting(admitted)
        for client in admitted {
            askedAt[client] = now
            let refusal = machine.submit(client, key: nil, at: now)
            #expect(refusal == nil, "who was admitted is taken in")
        }
        refused += turnedAway.count
        let group = machine.nextGroup(at: now) ?? []
        now = now + .milliseconds(milliseconds)
        for entry in group { _ = machine.received(.success(entry.member)) }
        let settled = machine.synced(at: now)?.settled.map(\.member) ?? []
        for client in settled { longest = max(longest, now - askedAt[client]) }
        served += settled.count
        asking = settled + turnedAway
    }

    /// Forgets what was counted.
    mutating func startCounting() {
        (served, refused, longest) = (0, 0, .zero)
    }
}

/// How long groups take, one after the other.
private struct Pace: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// In milliseconds.
    let groups: [Int]

    static func steady(_ milliseconds: Int) -> Pace {
        Pace(testDescription: "\(milliseconds) ms", groups: Array(repeating: milliseconds, count: 200))
    }

    static let checkpoints = Pace(
        testDescription: "5 ms, and 900 ms now and then",
        groups: (0..<200).map { $0 % 20 == 19 ? 900 : 5 }
    )
    static let longCheckpoint = Pace(
        testDescription: "5 ms, and three of 300 ms in a row",
        groups: (0..<200).map { 50..<53 ~= $0 ? 300 : 5 }
    )
    static let slowStart = Pace(
        testDescription: "two of 450 ms at the start, then 5 ms",
        groups: (0..<200).map { $0 < 2 ? 450 : 5 }
    )
}

@Suite struct `A closed loop of clients` {
    private let limits: QueueLimits

    init() throws {
        limits = try PostgresConfiguration(url: Secret("postgresql:///")).limits
    }

    @Test(arguments: [
        (128, Pace.steady(80)), (256, .steady(1)), (256, .steady(11)), (256, .steady(30)), (256, .steady(62)),
        (256, .checkpoints), (256, .longCheckpoint), (256, .slowStart), (1024, .steady(5)), (1024, .steady(14)),
    ])
    fileprivate func `is served in whole where the database keeps up with it in 250 ms`(clients: Int, pace: Pace) {
        var loop = ClosedLoop(limits, clients: clients)
        for milliseconds in pace.groups { loop.step(groupTakes: milliseconds) }
        #expect(loop.refused == 0)
        #expect(loop.served == pace.groups.count * 64)
    }

    @Test(arguments: [(256, 90), (1024, 20), (4000, 5), (20_000, 5)])
    func `is held to 250 ms where it is too large, and the database stays busy`(clients: Int, milliseconds: Int) {
        var loop = ClosedLoop(limits, clients: clients)
        for _ in 0..<100 { loop.step(groupTakes: milliseconds) }
        loop.startCounting()
        for _ in 0..<100 { loop.step(groupTakes: milliseconds) }
        #expect(loop.refused > 0)
        #expect(loop.longest <= .milliseconds(250))
        #expect(loop.longest > .milliseconds(250 - 2 * milliseconds))
        #expect(loop.served == 100 * 64)
    }

    @Test func `has room for two groups on a server that is slower than that`() {
        var loop = ClosedLoop(limits, clients: 128)
        for _ in 0..<40 { loop.step(groupTakes: 400) }
        #expect(loop.refused == 0)
    }

    @Test func `is bounded by number on the quickest of servers`() {
        var loop = ClosedLoop(limits, clients: 4097)
        loop.step(groupTakes: 0)
        #expect(loop.refused == 1)
    }
}

private let busy = PostgresError.Code.overloaded

@Suite struct `A queue that is as long as it may be` {
    /// One statement makes a group, and two of them the queue: it takes them 10 ms each, which is more than one may wait.
    private func machine(pending: Int = 4096) -> GroupStateMachine<Int, Int> {
        var machine = GroupStateMachine<Int, Int>(
            limits: QueueLimits(pending: pending, wait: .milliseconds(10), group: 1)
        )
        machine.opened()
        for number in 1...30 {
            let start = MonotonicTime(nanoseconds: 0) + .milliseconds(10 * number)
            _ = machine.submit(number, key: nil, at: start)
            _ = machine.nextGroup(at: start)
            _ = machine.received(.success(number))
            _ = machine.synced(at: start + .milliseconds(10))
        }
        return machine
    }

    private let now = MonotonicTime(nanoseconds: 1_000_000_000)

    @Test func `refuses what is new and takes in what ends something`() {
        var machine = machine(pending: 4)
        func submit(_ number: Int, isLastStep: Bool = false) -> PostgresError.Code? {
            machine.submit(number, key: nil, isLastStep: isLastStep, at: now)?.code
        }
        #expect([submit(1), submit(2), submit(3)] == [nil, nil, busy])
        #expect([submit(4, isLastStep: true), submit(5, isLastStep: true)] == [nil, nil])
        // The memory is bounded all the same.
        #expect(submit(6, isLastStep: true) == busy)
    }

    @Test func `counts those of a turn that have been promised room and have not come yet`() {
        var machine = machine()
        #expect([machine.reserve(at: now), machine.reserve(at: now), machine.reserve(at: now)] == [nil, nil, .room])
        #expect(machine.submit(1, key: nil, at: now) == nil)
        #expect(machine.reserve(at: now) == .room)
        #expect(machine.submit(2, key: nil, at: now) == nil)
        // The turn ends: one goes out, one waits, nothing is promised any more.
        #expect(machine.nextGroup(at: now)?.count == 1)
        #expect(machine.reserve(at: now) == .room)
        #expect(machine.received(.success(0)) && machine.synced(at: now + .milliseconds(10)) != nil)
        #expect(machine.reserve(at: now) == nil)
    }

    @Test func `promises nothing without a connection`() {
        var machine = GroupStateMachine<Int, Int>(limits: QueueLimits(group: 1))
        #expect(machine.reserve(at: now) == .connection)
    }

    @Test func `takes a group whose members are repeated alone for as long as all of that takes`() {
        var machine = GroupStateMachine<Int, Int>(limits: QueueLimits(pending: 4, wait: .milliseconds(100), group: 2))
        machine.opened()
        let before = machine.groupTime
        let refusal = PostgresError(.rejected(sqlState: "23505"), "")
        _ = machine.submit(1, key: nil, at: now)
        _ = machine.submit(2, key: nil, at: now)
        _ = machine.nextGroup(at: now)
        _ = machine.received(.success(1))
        _ = machine.received(.failure(refusal))
        #expect(machine.synced(at: now + .milliseconds(10))?.next == 1)
        _ = machine.received(.success(1))
        #expect(machine.synced(at: now + .milliseconds(20))?.next == 2)
        #expect(machine.groupTime == before)
        _ = machine.received(.failure(refusal))
        #expect(machine.synced(at: now + .milliseconds(90))?.settled.count == 1)
        #expect(machine.groupTime == (before * 3 + .milliseconds(90)) / 4)
    }
}
