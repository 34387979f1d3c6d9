import HTTPCore
import Primitives

/// How many connections a server has, all loops together, and from whom.
///
/// Addresses and networks have shares of them: see `AddressShares`. Where one address may have half of all by the settings, it
/// stands for many clients, as that of an address translator does, and there are no such shares.
package final class ConnectionLimiter: Sendable {
    private let shares: Lock<AddressShares>
    private let limitPerAddress: Int

    /// A limiter that counts nothing yet.
    package init(_ limits: ServerLimits) {
        shares = Lock(AddressShares(of: limits.connections, hasShares: limits.hasShares))
        limitPerAddress = limits.connectionsPerAddress
    }

    /// How many connections there are.
    package var total: Int { shares.withLock { $0.total } }

    /// Counts a new connection, unless there are too many.
    ///
    /// - Parameter key: Stands for the peer's address, see `PeerAddress.bucketKey`; `nil` is counted in the total alone.
    /// - Returns: False when a limit is reached; then nothing was counted.
    package func admit(_ key: UInt64?) -> Bool {
        shares.withLock { shares in
            if let key, shares.amount(of: key) >= limitPerAddress { return false }
            return shares.take(1, key)
        }
    }

    /// Forgets a connection that was admitted.
    package func leave(_ key: UInt64?) {
        shares.withLock { $0.give(1, key) }
    }
}
