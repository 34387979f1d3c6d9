import EventIO
import Primitives
import Testing

@testable import Postgres

/// How a statement behaves on the model of a server below.
private enum Behaviour: CaseIterable {
    case works
    case isRefused
    /// Refused for a deadlock the first time, then works.
    case deadlocksOnce
    /// Works, but its commit is refused: a deferred constraint.
    case breaksTheCommit
}

/// A server as far as groups matter: it runs what it gets in order, skips after a refusal, commits at a Sync.
private struct ServerModel {
    enum Item {
        case statement(Int)
        case sync
    }

    let behaviours: [Behaviour]
    var wire: [Item] = []
    var isAborted = false
    var open: [Int] = []
    var committed: [Int] = []
    var deadlocked: Set<Int> = []

    mutating func run(_ member: Int) -> Result<Int, PostgresError>? {
        if isAborted { return nil }
        switch behaviours[member] {
        case .isRefused:
            return abort("23505")
        case .deadlocksOnce where deadlocked.insert(member).inserted:
            return abort("40P01")
        case .works, .deadlocksOnce, .breaksTheCommit:
            open.append(member)
            return .success(member)
        }
    }

    /// Ends the transaction; the refusal of a commit comes back as an error.
    mutating func sync() -> PostgresError? {
        defer {
            open = []
            isAborted = false
        }
        if open.contains(where: { behaviours[$0] == .breaksTheCommit }) {
            return PostgresError(.rejected(sqlState: "23503"), "")
        }
        committed += open
        return nil
    }

    private mutating func abort(_ state: String) -> Result<Int, PostgresError> {
        isAborted = true
        open = []
        return .failure(PostgresError(.rejected(sqlState: state), ""))
    }
}

/// One point of the search: the machine, the server, and what the callers know.
private struct World {
    enum Event: CaseIterable {
        case submit
        case endTurn
        case serve
        /// The connection breaks before the server sees what is on the wire.
        case breakBefore
        /// The connection breaks after the server has run all of it and before any answer arrives.
        case breakAfter
    }

    var machine = GroupStateMachine<Int, Int>(limits: QueueLimits(group: 3))
    let now = MonotonicTime(nanoseconds: 0)
    var server: ServerModel
    var submitted = 0
    var breaks = 0
    var told: [Int: [Result<Int, PostgresError>]] = [:]

    init(_ behaviours: [Behaviour]) {
        server = ServerModel(behaviours: behaviours)
        machine.opened()
    }

    var isAtRest: Bool { submitted == server.behaviours.count && machine.isEmpty }

    func allows(_ event: Event) -> Bool {
        switch event {
        case .submit: submitted < server.behaviours.count
        case .endTurn: !machine.isInFlight && machine.pendingCount > 0
        case .serve: !server.wire.isEmpty
        case .breakBefore, .breakAfter: breaks == 0 && machine.isInFlight
        }
    }

    mutating func take(_ event: Event) {
        switch event {
        case .submit:
            // Members 0 and 2 share a row.
            let key = UUIDBytes(high: 0, low: UInt64(submitted % 2))
            let refusal = machine.submit(submitted, key: key, at: now)
            if let refusal { told[submitted, default: []].append(.failure(refusal)) }
            submitted += 1
        case .endTurn:
            send(machine.nextGroup(at: now)?.map(\.member) ?? [])
        case .serve:
            serve()
        case .breakBefore:
            breakDown()
        case .breakAfter:
            while !server.wire.isEmpty { runUnheard() }
            breakDown()
        }
    }

    private mutating func send(_ members: [Int]) {
        server.wire += members.map { .statement($0) } + [.sync]
    }

    private mutating func serve() {
        switch server.wire.removeFirst() {
        case .statement(let member):
            let isExpected = machine.received(server.run(member))
            #expect(isExpected)
        case .sync:
            if let refusal = server.sync() { machine.commitFailed(refusal) }
            guard let settlement = machine.synced(at: now) else {
                Issue.record("a Sync that nobody expects")
                return
            }
            tell(settlement.settled)
            if let next = settlement.next { send([next]) }
        }
    }

    private mutating func runUnheard() {
        switch server.wire.removeFirst() {
        case .statement(let member): _ = server.run(member)
        case .sync: _ = server.sync()
        }
    }

    private mutating func breakDown() {
        breaks += 1
        server.wire = []
        server.open = []
        server.isAborted = false
        tell(machine.lost("broken"))
        machine.opened()
    }

    private mutating func tell(_ settled: [GroupStateMachine<Int, Int>.Entry]) {
        for entry in settled { told[entry.member, default: []].append(entry.result) }
    }

    /// What must hold when nobody waits any more.
    func complaints() -> [String] {
        var complaints: [String] = []
        for member in server.behaviours.indices {
            let commits = server.committed.filter { $0 == member }.count
            guard let outcome = told[member]?.first, told[member]?.count == 1 else {
                complaints.append("\(member) was told \(told[member]?.count ?? 0) times")
                continue
            }
            switch outcome {
            case .success where commits == 1: break
            case .failure(let error) where error.code == .outcomeUnknown && commits <= 1: break
            case .failure where commits == 0: break
            default: complaints.append("\(member) was told \(outcome) and committed \(commits) times")
            }
        }
        if let first = server.committed.firstIndex(of: 0), server.committed[..<first].contains(2) {
            complaints.append("two statements of one row changed places")
        }
        return complaints
    }
}

@Suite struct `Every interleaving of three statements` {
    /// Goes through all orders of events from one point on and returns how many ends it reached.
    private func explore(_ world: World) -> Int {
        if world.isAtRest {
            for complaint in world.complaints() { Issue.record("\(world.server.behaviours): \(complaint)") }
            return 1
        }
        var ends = 0
        for event in World.Event.allCases where world.allows(event) {
            var next = world
            next.take(event)
            ends += explore(next)
        }
        return ends
    }

    @Test(arguments: Behaviour.allCases, Behaviour.allCases)
    fileprivate func `tells each caller once, and the truth`(first: Behaviour, second: Behaviour) {
        for third in Behaviour.allCases {
            #expect(explore(World([first, second, third])) > 100)
        }
    }
}
