package import StrictJSON

/// A call as a simulator has answered it.
package protocol CallLogEntry: Sendable {
    /// Counts from one, over all calls of a run; given by the log.
    var number: Int { get set }
    /// What the control interface shows of it.
    var json: JSONValue { get }
}

/// Every call that was answered, the latest of them.
package struct CallLog<Entry: CallLogEntry>: Sendable {
    private var entries: [Entry] = []
    /// Calls of this run, also those that are forgotten.
    package private(set) var count = 0

    /// Calls that are remembered; the oldest goes first.
    package static var capacity: Int { 20_000 }

    /// Without a call.
    package init() {}

    /// Adds an entry and gives it its number.
    package mutating func add(_ entry: Entry) {
        var entry = entry
        count += 1
        entry.number = count
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[(count - 1) % Self.capacity] = entry
        }
    }

    /// The entries after a number, oldest first.
    package func entries(since number: Int, limit: Int) -> [Entry] {
        let first = max(number, count - entries.count) + 1
        guard first <= count else { return [] }
        return (first...count).prefix(limit).map { entries[($0 - 1) % Self.capacity] }
    }
}
