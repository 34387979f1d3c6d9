package import Primitives

/// The number of live sessions, kept as a sum over slices of creation time that are read one after another.
///
/// An id begins with the time it was made, so a slice is a range of ids. A session never lives longer than its absolute time:
/// the slices cover the last such time, and one that is older has no live session. Four things are read, the first that is due:
/// what was added since the minute before, the slices that were not read yet, and the slices that were read longest ago,
/// because sessions end without anybody saying so.
///
/// What this process issues is counted where it is issued. A reading of the newest slice ends at the time at which it began,
/// and includes what was issued before.
package struct LiveSessionCount: Sendable {
    /// A range of ids to be read: the first and the first behind it.
    package struct Reading: Sendable, Equatable {
        package let from: WebviewSessionID
        package let until: WebviewSessionID
    }

    /// Live sessions of the store, and how many issues of this process are among all that were made by then.
    package struct Total: Sendable, Equatable {
        /// In the store, of all processes.
        package let live: Int
        /// Of this process since its start, as of that reading.
        package let issued: Int

        /// A total.
        package init(live: Int, issued: Int) {
            self.live = live
            self.issued = issued
        }
    }

    private struct Slice {
        let live: Int
        /// Milliseconds, as all times here.
        let readAt: Int64
    }

    private struct Progress {
        let index: Int64
        var from: WebviewSessionID
        let until: WebviewSessionID
        let startedAt: Int64
        var live = 0
    }

    /// As of the last reading that completed it; `nil` until every slice was read once.
    package private(set) var total: Total?
    private var slices: [Int64: Slice] = [:]
    private var progress: Progress?
    /// The slice that was the newest when the newest was read last, and when that was.
    private var newest: (index: Int64, readAt: Int64)?
    /// While what was added is read: where that ends, and the issues of this process until then.
    private var sampled: (until: Int64, issued: Int)?
    private var issued = 0
    private let width: Int64

    /// Slices in the absolute time.
    private static let sliceCount: Int64 = 60
    /// Between two readings of what was added.
    static let newestPause: Int64 = 60_000
    /// Between two readings of any other slice, where their number hardly matters and where it does.
    static let farPause: Int64 = 300_000
    static let nearPause: Int64 = 60_000

    /// An empty count.
    package init(life: Duration) {
        width = max(1, life.microseconds / 1_000 / LiveSessionCount.sliceCount)
    }

    /// The range to be read now.
    ///
    /// - Parameters:
    ///   - now: By the clock that ids are made with.
    ///   - issued: Issues of this process since its start.
    ///   - isNear: Whether the number may be so near its limit that it matters.
    /// - Returns: The range, or `nil` where nothing is due.
    package mutating func next(at now: WallTime, issued: Int, isNear: Bool) -> Reading? {
        let now = max(0, now.microseconds / 1_000)
        let present = now / width
        // The clock was ahead, and was set: what is there is not where it is looked for.
        if let newest, newest.index > present + 1 { self = LiveSessionCount(width: width) }
        let oldest = max(0, present - LiveSessionCount.sliceCount)
        for index in slices.keys where index < oldest { slices[index] = nil }
        if let progress, progress.index >= oldest { return Reading(from: progress.from, until: progress.until) }
        begin(at: now, oldest...max(present, newest?.index ?? 0), issued, isNear)
        return progress.map { Reading(from: $0.from, until: $0.until) }
    }

    /// Takes in what the store said of the range that `next` gave.
    ///
    /// - Parameters:
    ///   - last: The last id that was looked at, where there may be more behind it.
    package mutating func take(live: Int, last: WebviewSessionID?) {
        guard var done = progress else { return }
        done.live += live
        if let last, last.next < done.until {
            done.from = last.next
            progress = done
            return
        }
        progress = nil
        slices[done.index] = Slice(live: done.live, readAt: done.startedAt)
        if let sampled {
            guard done.index == sampled.until else { return }
            newest = (done.index, done.startedAt)
            issued = sampled.issued
            self.sampled = nil
        }
        publish(at: done.startedAt)
    }

    private init(width: Int64) {
        self.width = width
    }

    private mutating func publish(at now: Int64) {
        let oldest = max(0, now / width - LiveSessionCount.sliceCount)
        guard let newest, (oldest...max(oldest, newest.index)).allSatisfy({ slices[$0] != nil }) else {
            total = nil
            return
        }
        total = Total(live: slices.values.reduce(0) { $0 + $1.live }, issued: issued)
    }

    private mutating func begin(at now: Int64, _ range: ClosedRange<Int64>, _ issued: Int, _ isNear: Bool) {
        progress = nil
        let lastRead = newest?.readAt ?? .min
        if let until = sampled?.until, until < range.lowerBound { sampled = nil }
        if sampled == nil, newest == nil || now < lastRead || now - lastRead >= LiveSessionCount.newestPause {
            sampled = (range.upperBound, issued)
        }
        if let sampled {
            // From the slice that was the newest the time before: it has grown since.
            let first = max(newest?.index ?? sampled.until, range.lowerBound)
            let grown = (first...max(first, sampled.until)).first { (slices[$0]?.readAt ?? .min) <= lastRead }
            let index = grown ?? sampled.until
            // Its reading ends now, and so do the issues that it includes.
            if index == sampled.until { self.sampled = (index, issued) }
            return read(index, at: now, isNewest: index == sampled.until)
        }
        guard let newest, newest.index > range.lowerBound else { return }
        let older = range.lowerBound..<newest.index
        if let unread = older.last(where: { slices[$0] == nil }) { return read(unread, at: now) }
        let pause = isNear ? LiveSessionCount.nearPause : LiveSessionCount.farPause
        let due = older.compactMap { index in slices[index].map { (readAt: $0.readAt, index: index) } }.min { $0 < $1 }
        if let due, now < due.readAt || now - due.readAt >= pause { read(due.index, at: now) }
    }

    private mutating func read(_ index: Int64, at now: Int64, isNewest: Bool = false) {
        // This millisecond too: what was issued in it is counted already.
        let end = isNewest ? now + 1 : (index + 1) * width
        progress = Progress(
            index: index,
            from: WebviewSessionID.first(at: index * width),
            until: WebviewSessionID.first(at: max(index * width, end)),
            startedAt: now
        )
    }
}

extension UUIDBytes {
    /// The least id of a millisecond.
    fileprivate static func first(at milliseconds: Int64) -> UUIDBytes {
        UUIDBytes(high: UInt64(milliseconds) << 16, low: 0)
    }

    /// The id behind this one.
    fileprivate var next: UUIDBytes {
        low == .max ? UUIDBytes(high: high &+ 1, low: 0) : UUIDBytes(high: high, low: low + 1)
    }
}
