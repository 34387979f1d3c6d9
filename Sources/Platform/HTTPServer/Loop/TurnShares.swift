import HTTPCore

/// What clients have had of a turn of their loop: each turn has room for everybody, however many connections one client has.
///
/// An address that has had its share goes on in the next turn, in the order of its connections, and nothing of it is refused. A
/// network, a /24 or a /48, has two shares. Counted in bytes, which stand for the time that it takes to read them.
package struct TurnShares {
    /// What a request counts beside its bytes: many have few.
    package static let request = 512

    private let share: Int
    private var total = 0
    private var byAddress: [UInt64: Int] = [:]
    private var byNetwork: [UInt64: Int] = [:]

    /// A turn in which nobody has had anything.
    ///
    /// - Parameter share: Bytes that an address may have.
    package init(share: Int) {
        self.share = max(1, share)
    }

    /// Whether an address may have more in this turn.
    ///
    /// - Parameter key: Stands for the address, see `PeerAddress.bucketKey`; `nil` for a proxy, which has no share: it speaks for
    ///   many.
    package func isOpen(to key: UInt64?) -> Bool {
        // Most turns have room for more than all clients together.
        guard let key, total >= share else { return true }
        return byAddress[key, default: 0] < share
            && byNetwork[PeerAddress.networkKey(ofBucket: key), default: 0] < 2 * share
    }

    /// Counts what an address has had.
    ///
    /// - Parameters:
    ///   - bytes: Zero or more.
    ///   - key: As for `isOpen`.
    package mutating func count(_ bytes: Int, of key: UInt64?) {
        guard let key else { return }
        total += bytes
        byAddress[key, default: 0] += bytes
        byNetwork[PeerAddress.networkKey(ofBucket: key), default: 0] += bytes
    }

    /// Begins the next turn.
    package mutating func begin() {
        guard total > 0 else { return }
        total = 0
        byAddress.removeAll(keepingCapacity: true)
        byNetwork.removeAll(keepingCapacity: true)
    }
}
