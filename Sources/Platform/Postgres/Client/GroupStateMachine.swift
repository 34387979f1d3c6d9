import EventIO
import Primitives

/// Bounds of a queue of statements.
struct QueueLimits: Sendable {
    /// How many may wait.
    var pending = 4096
    /// How long one that begins something may expect to wait for its answer.
    var wait = Duration.milliseconds(250)
    /// How long one may wait before it is refused.
    var pendingAge = Duration.seconds(1)
    /// How many go down together at most.
    var group = 64
    /// How often one is tried alone when the server gives way to a deadlock.
    var attempts = 4
}

/// What there is too little of for one more statement.
enum Shortage: Sendable {
    case connection
    case room
    case time
}

/// Decides what one connection sends next and the outcome of each waiting statement; a pure value.
///
/// ````
///        opened           nextGroup             synced, every member well
///  lost --------> idle --------------> together --------------------------> idle
///   ^                                     |
///   | lost (from every state)             | synced, a member failed: all was rolled back
///   |                                     v
///   +---------------------------------- alone ----------------------------> idle
///                                         one member at a time, each with its own Sync
/// ````
///
/// What was submitted waits until the group before it is settled, so the size of a group follows the load. A result that
/// arrives before its Sync means nothing yet: the commit comes with the Sync, and a later member can still undo it.
struct GroupStateMachine<Member, Value> {
    /// A statement that waits for its outcome.
    struct Entry {
        let member: Member
        /// Where it stands in the order in which groups touch rows; without a key it goes first.
        let key: UUIDBytes?
        let since: MonotonicTime
        var attempts = 0
        /// Nothing until the server answered, and again nothing when it skipped the statement.
        var outcome: Result<Value, PostgresError>?
    }

    /// What a Sync leads to: report the settled ones, then send the next one alone.
    struct Settlement {
        var settled: [Entry] = []
        var next: Member?
    }

    private struct Flight {
        var entries: [Entry]
        var answered = 0
        var commitFailure: PostgresError?
    }

    private struct Replay {
        var current: Entry
        var answered = false
        var commitFailure: PostgresError?
        /// Last one first.
        var waiting: [Entry]
    }

    private enum Phase {
        case lost
        case idle
        case together(Flight)
        case alone(Replay)
    }

    private let limits: QueueLimits
    private var phase = Phase.lost
    private var pending: [Entry] = []
    private var estimate: WaitEstimate
    /// How many were sent with the group that is under way.
    private var underWay = 0
    /// When that group was sent first.
    private var sentAt = MonotonicTime(nanoseconds: 0)
    /// How many were promised room in this turn.
    private var promised = 0

    init(limits: QueueLimits) {
        self.limits = limits
        estimate = WaitEstimate(limits)
    }

    /// How long a group takes at present.
    var groupTime: Duration { estimate.groupTime }

    /// Whether nobody waits.
    var isEmpty: Bool {
        switch phase {
        case .lost, .idle: pending.isEmpty
        case .together, .alone: false
        }
    }

    /// Whether a statement is at the server.
    var isInFlight: Bool {
        switch phase {
        case .lost, .idle: false
        case .together, .alone: true
        }
    }

    /// How many wait to be sent.
    var pendingCount: Int { pending.count }

    /// The connection is there.
    mutating func opened() {
        guard case .lost = phase else { return }
        phase = .idle
    }

    /// Takes a statement in, or says why not.
    ///
    /// - Parameters:
    ///   - isLastStep: Whether it ends what others have begun: then only the fixed limit refuses it, or a database that stands
    ///     still.
    /// - Returns: Why it was not taken in.
    mutating func submit(
        _ member: Member,
        key: UUIDBytes?,
        isLastStep: Bool = false,
        at now: MonotonicTime
    ) -> PostgresError? {
        if let refusal = refusal(isLastStep: isLastStep, at: now) { return refusal }
        // What has come no longer needs the room that was kept for it.
        if !isLastStep, promised > 0 { promised -= 1 }
        pending.append(Entry(member: member, key: key, since: now))
        return nil
    }

    /// Why a member would not be taken in now.
    private func refusal(isLastStep: Bool, at now: MonotonicTime) -> PostgresError? {
        switch shortage(isLastStep: isLastStep, ahead: pending.count, at: now) {
        case nil: nil
        case .connection: PostgresError(.unavailable, "not connected")
        case .room: PostgresError(.overloaded, "\(pending.count) statements wait already")
        case .time: PostgresError(.overloaded, "the oldest statement has waited for more than \(limits.pendingAge)")
        }
    }

    /// Keeps room until the end of the turn for something new, or says what there is too little of.
    ///
    /// Many are asked for in a turn before the first of them is submitted; each counts for those behind it.
    mutating func reserve(at now: MonotonicTime) -> Shortage? {
        if let shortage = shortage(isLastStep: false, ahead: pending.count + promised, at: now) { return shortage }
        promised += 1
        return nil
    }

    private func shortage(isLastStep: Bool, ahead: Int, at now: MonotonicTime) -> Shortage? {
        if case .lost = phase { return .connection }
        guard ahead < limits.pending, isLastStep || isInTime(behind: ahead, at: now) else { return .room }
        if let oldest = pending.first?.since, now - oldest > limits.pendingAge { return .time }
        return nil
    }

    /// Whether one more would be answered as soon as the limits ask for.
    private func isInTime(behind ahead: Int, at now: MonotonicTime) -> Bool {
        // Two groups have room whatever they take: only what is sent shows how fast the server is.
        guard ahead + underWay >= 2 * limits.group else { return true }
        return estimate.wait(behind: ahead, elapsed: isInFlight ? now - sentAt : nil) <= limits.wait
    }

    /// The members to send with one Sync, or `nil` while there is nothing to send or a group is at the server; asked at the end
    /// of each turn.
    mutating func nextGroup(at now: MonotonicTime) -> [Entry]? {
        promised = 0
        guard case .idle = phase, !pending.isEmpty else { return nil }
        var entries: [Entry]
        if pending.count <= limits.group {
            entries = pending
            pending = []
            pending.reserveCapacity(entries.count)
        } else {
            entries = Array(pending[..<limits.group])
            pending.removeFirst(limits.group)
        }
        GroupStateMachine.order(&entries)
        underWay = entries.count
        sentAt = now
        phase = .together(Flight(entries: entries))
        return entries
    }

    /// The next member's result came, or `nil` when the server skipped it because of one before it.
    ///
    /// - Returns: False when no member waits for a result; then the connection cannot be trusted any more.
    mutating func received(_ outcome: Result<Value, PostgresError>?) -> Bool {
        switch phase {
        case .lost, .idle:
            return false
        case .together(var flight):
            guard flight.answered < flight.entries.count else { return false }
            phase = .idle  // gives up the second reference, so that the change below copies nothing
            flight.entries[flight.answered].outcome = outcome
            flight.answered += 1
            phase = .together(flight)
            return true
        case .alone(var replay):
            guard !replay.answered else { return false }
            replay.current.outcome = outcome
            replay.answered = true
            phase = .alone(replay)
            return true
        }
    }

    /// The server refused at the commit itself, after every member had answered.
    mutating func commitFailed(_ error: PostgresError) {
        switch phase {
        case .lost, .idle:
            return
        case .together(var flight):
            flight.commitFailure = error
            phase = .together(flight)
        case .alone(var replay):
            replay.commitFailure = error
            phase = .alone(replay)
        }
    }

    /// The Sync came back: what was well is committed, what was not is rolled back.
    ///
    /// - Returns: `nil` when a result is missing; then the connection cannot be trusted any more.
    mutating func synced(at now: MonotonicTime) -> Settlement? {
        let settlement: Settlement?
        switch phase {
        case .lost, .idle: return nil
        case .together(let flight): settlement = settle(flight)
        case .alone(let replay): settlement = settle(replay)
        }
        if case .idle = phase {
            underWay = 0
            estimate.groupEnded(after: now - sentAt)
        }
        return settlement
    }

    /// Takes out what has waited too long to be sent.
    mutating func expire(at now: MonotonicTime) -> [Entry] {
        let count = pending.prefix { now - $0.since > limits.pendingAge }.count
        guard count > 0 else { return [] }
        let error = PostgresError(.overloaded, "not sent within \(limits.pendingAge)")
        let expired = pending[..<count].map { $0.refused(error) }
        pending.removeFirst(count)
        return expired
    }

    /// The connection is gone: every statement gets an outcome, and none is sent again.
    ///
    /// What was at the server may have been committed. What was never sent, or was in a group in which the server had
    /// already refused a member, was certainly not.
    mutating func lost(_ detail: String) -> [Entry] {
        let unknown = PostgresError(.outcomeUnknown, "connection lost with the statement under way: \(detail)")
        let undone = PostgresError(.unavailable, "connection lost before the statement took effect: \(detail)")
        var settled: [Entry] = []
        switch phase {
        case .lost, .idle:
            break
        case .together(let flight):
            let error = flight.entries.contains(where: \.isRefused) ? undone : unknown
            settled = flight.entries.map { $0.refused(error) }
        case .alone(let replay):
            let error = replay.current.isRefused ? undone : unknown
            settled.append(replay.current.refused(error))
            settled += replay.waiting.reversed().map { $0.refused(undone) }
        }
        settled += pending.map { $0.refused(undone) }
        pending = []
        underWay = 0
        phase = .lost
        return settled
    }

    private mutating func settle(_ flight: Flight) -> Settlement? {
        guard flight.answered == flight.entries.count else { return nil }
        let culprit = flight.entries.firstIndex { !$0.isWell }
        guard culprit != nil || flight.commitFailure != nil else {
            phase = .idle
            return Settlement(settled: flight.entries)
        }
        if flight.entries.count == 1 {
            let commitFailure = flight.commitFailure
            return settle(
                Replay(current: flight.entries[0], answered: true, commitFailure: commitFailure, waiting: [])
            )
        }
        return replay(flight.entries, culprit: culprit)
    }

    private mutating func settle(_ replay: Replay) -> Settlement? {
        guard replay.answered else { return nil }
        var current = replay.current
        current.attempts += 1
        if let failure = replay.commitFailure { current.outcome = .failure(failure) }
        if case .failure(let error)? = current.outcome, error.isWorthRepeating, current.attempts < limits.attempts {
            return sendAlone(current, waiting: replay.waiting)
        }
        var waiting = replay.waiting
        guard let next = waiting.popLast() else {
            phase = .idle
            return Settlement(settled: [current])
        }
        var settlement = sendAlone(next, waiting: waiting)
        settlement.settled = [current]
        return settlement
    }

    /// Starts to send every member alone.
    ///
    /// The one that failed comes last, with what followed it under the same key: it may have failed by waiting for a lock,
    /// and would make the others wait once more.
    private mutating func replay(_ entries: [Entry], culprit: Int?) -> Settlement {
        var late = Set<Int>()
        if let culprit {
            let key = entries[culprit].key
            late.insert(culprit)
            for index in entries.indices where index > culprit && key != nil && entries[index].key == key {
                late.insert(index)
            }
        }
        let order = entries.indices.filter { !late.contains($0) } + late.sorted()
        var waiting = order.reversed().map { entries[$0] }
        guard let first = waiting.popLast() else { return Settlement() }
        return sendAlone(first, waiting: waiting)
    }

    private mutating func sendAlone(_ entry: Entry, waiting: [Entry]) -> Settlement {
        var current = entry
        current.outcome = nil
        phase = .alone(Replay(current: current, waiting: waiting))
        return Settlement(next: current.member)
    }

    /// Sorts by key, so that two groups on two connections lock the rows they share in the same order.
    ///
    /// Statements of one key keep theirs. Fresh keys come in order, so the sort is rarely needed.
    private static func order(_ entries: inout [Entry]) {
        func precedes(_ left: UUIDBytes?, _ right: UUIDBytes?) -> Bool {
            guard let right else { return false }
            guard let left else { return true }
            return left < right
        }
        let isSorted = entries.indices.dropFirst().allSatisfy { !precedes(entries[$0].key, entries[$0 - 1].key) }
        guard !isSorted else { return }
        entries.sort { precedes($0.key, $1.key) }
    }
}

extension GroupStateMachine.Entry {
    /// Whether the server answered without a complaint.
    var isWell: Bool {
        guard case .success? = outcome else { return false }
        return true
    }

    /// Whether the server answered with a refusal.
    var isRefused: Bool {
        guard case .failure? = outcome else { return false }
        return true
    }

    /// The outcome for its caller; a statement that the server skipped is known to have changed nothing.
    var result: Result<Value, PostgresError> {
        outcome ?? .failure(PostgresError(.unavailable, "skipped by the server"))
    }

    /// The same statement with a failure as its outcome.
    func refused(_ error: PostgresError) -> Self {
        var copy = self
        copy.outcome = .failure(error)
        return copy
    }
}
