/// The address of a client and its network, as keys to count by.
package struct ClientKeys: Sendable, Hashable {
    /// The IPv4 address, or the first 64 bits of the IPv6 one.
    package let address: UInt64
    /// The `/24` of the IPv4 address, or the `/48` of the IPv6 one.
    package let network: UInt64

    /// The keys of a client.
    package init(address: UInt64, network: UInt64) {
        self.address = address
        self.network = network
    }
}

/// A rate per address, and a larger one for all addresses of a network together.
///
/// The holder of a whole network gets no more than the network's rate, however many addresses take turns. A network at its
/// limit gets no entries for further addresses, so it cannot push those of others out of the memory either.
package struct AddressLimiter: Sendable {
    private var addresses: RateLimiter
    private var networks: RateLimiter

    /// How many addresses and networks are remembered now.
    package var count: Int { addresses.count + networks.count }

    /// A limiter with full buckets.
    ///
    /// - Parameters:
    ///   - network: The bucket of a network; at least as large.
    ///   - capacity: How many addresses are held in a generation.
    package init(address: RateLimiter.Rate, network: RateLimiter.Rate, capacity: Int) {
        addresses = RateLimiter(address, capacity: capacity)
        networks = RateLimiter(network, capacity: capacity)
    }

    /// A limiter with full buckets; a network has ten of an address.
    package init(_ address: RateLimiter.Rate, capacity: Int) {
        self.init(address: address, network: address.times(AddressLimiter.networkFactor), capacity: capacity)
    }

    /// How many addresses of a network may do at once what one may.
    package static let networkFactor = 10

    /// How long a client has to wait, in whole seconds, or `nil` when it may go on; counts nothing.
    package mutating func wait(_ client: ClientKeys, at now: Int64) -> Int? {
        addresses.wait(client.address, at: now) ?? networks.wait(client.network, at: now)
    }

    /// Counts an event, whether or not there was room for it.
    ///
    /// What an address does beyond its own limit counts for it alone: one address cannot bring its neighbours to their limit.
    package mutating func count(_ client: ClientKeys, at now: Int64) {
        guard networks.wait(client.network, at: now) == nil else { return networks.count(client.network, at: now) }
        if addresses.wait(client.address, at: now) == nil { networks.count(client.network, at: now) }
        addresses.count(client.address, at: now)
    }

    /// Counts an event that has room; else the seconds to wait.
    package mutating func take(_ client: ClientKeys, at now: Int64) -> Int? {
        if let wait = wait(client, at: now) { return wait }
        count(client, at: now)
        return nil
    }
}
