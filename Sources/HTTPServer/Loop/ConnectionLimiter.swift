import Primitives

/// How many connections a server has, all loops together, and from whom.
final class ConnectionLimiter: Sendable {
    private struct State {
        var total = 0
        var byAddress: [UInt64: Int] = [:]
    }

    private let state = Lock(State())
    private let limit: Int
    private let limitPerAddress: Int

    init(_ limits: ServerLimits) {
        limit = limits.connections
        limitPerAddress = limits.connectionsPerAddress
    }

    /// How many connections there are.
    var total: Int { state.withLock { $0.total } }

    /// Counts a new connection, unless there are too many.
    ///
    /// - Parameter key: Stands for the peer's address; `nil` is counted in the total alone.
    /// - Returns: False when a limit is reached; then nothing was counted.
    func admit(_ key: UInt64?) -> Bool {
        state.withLock { state in
            guard state.total < limit else { return false }
            if let key {
                let present = state.byAddress[key, default: 0]
                guard present < limitPerAddress else { return false }
                state.byAddress[key] = present + 1
            }
            state.total += 1
            return true
        }
    }

    /// Forgets a connection that was admitted.
    func leave(_ key: UInt64?) {
        state.withLock { state in
            state.total -= 1
            guard let key, let present = state.byAddress[key] else { return }
            state.byAddress[key] = present > 1 ? present - 1 : nil
        }
    }
}
