/// How much of something that all have in common an address, and a network, has at the same time.
///
/// It remembers those alone that have something.
package struct OccupancyLimiter: Sendable {
    private var addresses: [UInt64: Int] = [:]
    private var networks: [UInt64: Int] = [:]
    private let most: (ofAddress: Int, ofNetwork: Int)

    /// A limiter with nobody in it.
    ///
    /// - Parameters:
    ///   - address: What an address has at most.
    ///   - network: What the addresses of a network have together at most.
    package init(address: Int, network: Int) {
        most = (address, network)
    }

    /// How many addresses are remembered.
    package var count: Int { addresses.count }

    /// Takes one for a client; false, with nothing taken, where it or its network has as many as may be.
    package mutating func enter(_ client: ClientKeys) -> Bool {
        let (ofAddress, ofNetwork) = (addresses[client.address] ?? 0, networks[client.network] ?? 0)
        guard ofAddress < most.ofAddress, ofNetwork < most.ofNetwork else { return false }
        addresses[client.address] = ofAddress + 1
        networks[client.network] = ofNetwork + 1
        return true
    }

    /// Gives one back that was taken.
    package mutating func leave(_ client: ClientKeys) {
        OccupancyLimiter.leave(client.address, &addresses)
        OccupancyLimiter.leave(client.network, &networks)
    }

    private static func leave(_ key: UInt64, _ counts: inout [UInt64: Int]) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
