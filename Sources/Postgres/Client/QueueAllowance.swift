/// How many statements may wait on a connection, by how fast its groups have been lately.
///
/// Under load each group is full, so whoever joins the queue waits for as many groups as there are full ones before it. A queue
/// that needs longer than the bound only makes everybody late: what comes on top is refused at once, and what was taken in is
/// answered in time. A full group may always wait, however slow the server is.
struct QueueAllowance {
    private let limits: QueueLimits
    private var duration: Duration?
    /// How many may wait before another one is refused.
    private(set) var count: Int

    init(_ limits: QueueLimits) {
        self.limits = limits
        count = limits.pending
    }

    /// Takes note of a group that has ended.
    ///
    /// - Parameter duration: From its start to the answer of its Sync. One that is late counts for a quarter, so that a single
    ///   pause of the disk passes, and one that is early too, so that the bound does not swing.
    mutating func groupEnded(after duration: Duration) {
        let average = self.duration.map { ($0 * 3 + duration) / 4 } ?? duration
        self.duration = average
        let groups = average > .zero ? limits.wait / average : .infinity
        count = min(limits.pending, Int(max(1, min(groups, 65_536)) * Double(limits.group)))
    }
}
