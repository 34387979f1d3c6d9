import HTTPCore
import HTTPServer
import Testing

@Suite("The share of a network in a server's connections")
struct ConnectionShareTests {
    /// Opens as many connections of an address as it gets.
    private func fill(_ limiter: ConnectionLimiter, _ key: UInt64) -> Int {
        var count = 0
        while count < 1000, limiter.admit(key) { count += 1 }
        return count
    }

    private func limiter(_ connections: Int, perAddress: Int) -> ConnectionLimiter {
        var limits = ServerLimits()
        limits.connections = connections
        limits.connectionsPerAddress = perAddress
        return ConnectionLimiter(limits)
    }

    private func address(_ network: UInt32, _ host: UInt32) -> UInt64 {
        PeerAddress(ipv4: 0xCB00_0000 | network << 8 | host).bucketKey
    }

    private func subnet(_ network: UInt64, _ subnet: UInt64) -> UInt64 {
        PeerAddress(ipv6High: 0x2001_0DB8_0000_0000 | network << 16 | subnet, low: 1).bucketKey
    }

    @Test func `is half at most, whichever of its addresses ask`() {
        let limiter = limiter(60, perAddress: 10)
        let shares = (1...254).map { fill(limiter, address(7, $0)) }
        #expect(shares.reduce(0, +) == 30)
        #expect(shares.allSatisfy { $0 <= 10 })
        #expect(fill(limiter, address(8, 1)) == 8)
    }

    @Test func `of IPv6 is that of a /48`() {
        let limiter = limiter(60, perAddress: 10)
        let shares = (0..<1000).map { fill(limiter, subnet(1, UInt64($0))) }
        #expect(shares.reduce(0, +) == 30)
        #expect(fill(limiter, subnet(2, 0)) > 0)
    }

    @Test func `leaves room for one more, however many networks there are before`() {
        let limiter = limiter(20_000, perAddress: 1000)
        for network in UInt32(0)..<12 {
            #expect(fill(limiter, address(network, 1)) > 0)
            for host in UInt32(2)..<40 { _ = fill(limiter, address(network, host)) }
        }
        #expect(limiter.total < 20_000)
        #expect(limiter.admit(address(99, 1)))
    }

    @Test func `is not used up by a few of its addresses`() {
        let limiter = limiter(60, perAddress: 10)
        for host in UInt32(1)...4 { _ = fill(limiter, address(7, host)) }
        #expect(limiter.admit(address(7, 200)))
    }

    @Test func `comes back with its connections`() {
        let limiter = limiter(60, perAddress: 10)
        for _ in 0..<20 {
            let counts = (UInt32(1)...60).map { ($0, fill(limiter, address(7, $0))) }
            #expect(limiter.total == 30)
            for (host, count) in counts { for _ in 0..<count { limiter.leave(address(7, host)) } }
            #expect(limiter.total == 0)
        }
    }

    @Test func `is everything where one address may have half by the settings, and for proxies`() {
        let behindTranslator = limiter(60, perAddress: 60)
        #expect(fill(behindTranslator, address(7, 1)) == 60)
        let proxied = limiter(60, perAddress: 10)
        for _ in 0..<60 { #expect(proxied.admit(nil)) }
        #expect(!proxied.admit(nil))
    }
}
