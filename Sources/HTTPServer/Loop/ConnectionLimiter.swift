import HTTPCore
import Primitives

/// How many connections a server has, all loops together, and from whom.
///
/// A network, a /24 or a /48, gets no more connections than are free, and an address no more than its network may still get. So
/// one network has half of all at most, two have three quarters, and there is always room for another one. The same holds for
/// the addresses of a network. Where one address may have half of all by the settings, it stands for many clients, as that of an
/// address translator does, and there are no such shares.
package final class ConnectionLimiter: Sendable {
    private struct State {
        var total = 0
        var byAddress: [UInt64: Int] = [:]
        var byNetwork: [UInt64: Int] = [:]
    }

    private let state = Lock(State())
    private let limit: Int
    private let limitPerAddress: Int
    private let hasShares: Bool

    /// A limiter that counts nothing yet.
    ///
    /// - Parameter limits: Those of connections.
    package init(_ limits: ServerLimits) {
        limit = limits.connections
        limitPerAddress = limits.connectionsPerAddress
        hasShares = limitPerAddress < limit / 2
    }

    /// How many connections there are.
    package var total: Int { state.withLock { $0.total } }

    /// Counts a new connection, unless there are too many.
    ///
    /// - Parameter key: Stands for the peer's address, see `PeerAddress.bucketKey`; `nil` is counted in the total alone.
    /// - Returns: False when a limit is reached; then nothing was counted.
    package func admit(_ key: UInt64?) -> Bool {
        state.withLock { state in
            guard state.total < limit else { return false }
            if let key {
                let network = PeerAddress.networkKey(ofBucket: key)
                let ofAddress = state.byAddress[key, default: 0]
                let ofNetwork = state.byNetwork[network, default: 0]
                guard ofAddress < limitPerAddress else { return false }
                guard !hasShares || isShare(ofAddress, ofNetwork, free: limit - state.total) else { return false }
                state.byAddress[key] = ofAddress + 1
                state.byNetwork[network] = ofNetwork + 1
            }
            state.total += 1
            return true
        }
    }

    private func isShare(_ ofAddress: Int, _ ofNetwork: Int, free: Int) -> Bool {
        // Each connection that the network gets is one less that is free.
        let left = (free - ofNetwork + 1) / 2
        return ofNetwork < free && ofAddress < left
    }

    /// Forgets a connection that was admitted.
    ///
    /// - Parameter key: As it was admitted.
    package func leave(_ key: UInt64?) {
        state.withLock { state in
            state.total -= 1
            guard let key else { return }
            ConnectionLimiter.takeOne(from: &state.byAddress, key)
            ConnectionLimiter.takeOne(from: &state.byNetwork, PeerAddress.networkKey(ofBucket: key))
        }
    }

    private static func takeOne(from counts: inout [UInt64: Int], _ key: UInt64) {
        guard let present = counts[key] else { return }
        counts[key] = present > 1 ? present - 1 : nil
    }
}
