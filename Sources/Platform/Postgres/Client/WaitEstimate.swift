import Primitives

/// How long a statement that joins a connection's queue waits for its answer, by how long groups have taken lately.
///
/// Under load every group is full, and each takes about as long as those before it: the answer comes with the group that the
/// statement falls into.
struct WaitEstimate {
    private let limits: QueueLimits
    /// A shorter group changes nothing: at this pace the queue is bounded by number.
    private let shortest: Duration
    /// How long a group takes, as a moving average.
    private(set) var groupTime: Duration

    init(_ limits: QueueLimits) {
        self.limits = limits
        shortest = limits.wait * limits.group / max(1, limits.pending)
        groupTime = shortest
    }

    /// Takes note of a group that has ended.
    ///
    /// A late one counts for four usual ones at most, and for a quarter like each other one: one stall (a checkpoint, the first
    /// group after a start) lengthens the average by three quarters, while a server that has become slow shows within a few
    /// groups.
    ///
    /// - Parameter duration: From its start until all its members were settled.
    mutating func groupEnded(after duration: Duration) {
        groupTime = max(shortest, (groupTime * 3 + min(duration, groupTime * 4)) / 4)
    }

    /// How long one more statement would wait for its answer.
    ///
    /// - Parameters:
    ///   - ahead: How many wait to be sent before it.
    ///   - elapsed: How long the group at the server has taken so far; `nil` without one.
    /// - Returns: The rest of that group, and the groups up to its own.
    func wait(behind ahead: Int, elapsed: Duration?) -> Duration {
        let rest = elapsed.map { max(.zero, groupTime - $0) } ?? .zero
        return rest + groupTime * (ahead / limits.group + 1)
    }
}
