import Primitives
import Telemetry

/// How much a process holds for requests at a time, all of its servers and loops together: their content, heads, and answers that
/// nobody reads.
///
/// The first bytes of a connection are not counted: every connection has memory of its own anyway, the content of an ordinary
/// request is smaller, and a full budget must not keep buyers from buying. Addresses and networks have shares of the rest, so one
/// that sends slowly does not keep the others from sending.
package final class ContentBudget: Sendable {
    /// What a connection may hold uncounted.
    package static let uncounted = 4096
    /// The default limit, in bytes.
    package static let usualLimit = 64 << 20

    private let shares: Lock<AddressShares>

    /// A budget of which nothing is used.
    ///
    /// - Parameters:
    ///   - limit: In bytes.
    ///   - hasShares: Whether an address gets no more than its share; see `ServerLimits.hasShares`.
    package init(limit: Int = ContentBudget.usualLimit, hasShares: Bool = true) {
        shares = Lock(AddressShares(of: limit, hasShares: hasShares))
    }

    /// How many bytes are held.
    package var heldBytes: Int { shares.withLock { $0.total } }

    fileprivate func take(_ count: Int, _ key: UInt64?) -> Bool {
        shares.withLock { $0.take(count, key) }
    }

    fileprivate func give(_ count: Int, _ key: UInt64?) {
        shares.withLock { $0.give(count, key) }
    }
}

/// What one connection holds of the budget.
struct ContentShare {
    private var counted = 0
    private let key: UInt64?

    /// A share of nothing.
    ///
    /// - Parameter key: Stands for the address whose it is, see `PeerAddress.bucketKey`; `nil` is counted in the total alone.
    init(of key: UInt64?) {
        self.key = key
    }

    /// Whether anything is counted.
    var isEmpty: Bool { counted == 0 }

    /// Notes how much the connection holds.
    ///
    /// - Parameter held: Shows what all connections of the loop hold.
    /// - Returns: False where the budget has no room for it: then nothing has changed.
    mutating func hold(_ bytes: Int, of budget: ContentBudget, _ held: Gauge) -> Bool {
        let wanted = max(0, bytes - ContentBudget.uncounted)
        guard wanted != counted else { return true }
        if wanted > counted {
            guard budget.take(wanted - counted, key) else { return false }
        } else {
            budget.give(counted - wanted, key)
        }
        held.add(wanted - counted)
        counted = wanted
        return true
    }
}
