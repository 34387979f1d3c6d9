import Synchronization
import Telemetry

/// How much content of requests a process holds at a time, all of its servers and loops together.
///
/// The first bytes of a connection are not counted: every connection has memory of its own anyway, the content of an ordinary
/// request is smaller, and a full budget must not keep buyers from buying.
package final class ContentBudget: Sendable {
    /// What a connection may hold uncounted.
    package static let uncounted = 4096
    /// The default limit, in bytes.
    package static let usualLimit = 64 << 20

    private let limit: Int
    private let held = Atomic<Int>(0)

    /// A budget of which nothing is used.
    ///
    /// - Parameter limit: In bytes.
    package init(limit: Int = ContentBudget.usualLimit) {
        self.limit = limit
    }

    /// How many bytes are held.
    package var heldBytes: Int { held.load(ordering: .relaxed) }

    fileprivate func take(_ count: Int) -> Bool {
        guard held.add(count, ordering: .relaxed).newValue <= limit else {
            held.subtract(count, ordering: .relaxed)
            return false
        }
        return true
    }

    fileprivate func give(_ count: Int) {
        held.subtract(count, ordering: .relaxed)
    }
}

/// What one connection holds of the budget.
struct ContentShare {
    private var counted = 0

    /// Whether anything is counted.
    var isEmpty: Bool { counted == 0 }

    /// Notes how much content the connection holds.
    ///
    /// - Parameter held: Shows what all connections of the loop hold.
    /// - Returns: False where the budget has no room for it: then nothing has changed.
    mutating func hold(_ bytes: Int, of budget: ContentBudget, _ held: Gauge) -> Bool {
        let wanted = max(0, bytes - ContentBudget.uncounted)
        guard wanted != counted else { return true }
        if wanted > counted {
            guard budget.take(wanted - counted) else { return false }
        } else {
            budget.give(counted - wanted)
        }
        held.add(wanted - counted)
        counted = wanted
        return true
    }
}
