import EventIO
import HTTPCore
import TestKit
import Testing

@testable import HTTPServer

@Suite("The address of a client")
struct ClientAddressTests {
    private static let proxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"].compactMap(NetworkPrefix.init)

    @Test(arguments: [
        ([], "127.0.0.1"),
        (["192.0.2.7"], "192.0.2.7"),
        (["6.6.6.6, 192.0.2.7"], "192.0.2.7"),
        (["6.6.6.6", "192.0.2.7"], "192.0.2.7"),
        (["192.0.2.7, 10.1.2.3"], "192.0.2.7"),
        (["192.0.2.7", "10.1.2.3", "10.9.9.9"], "192.0.2.7"),
        (["10.0.0.5, 10.1.2.3"], "10.0.0.5"),
        (["192.0.2.7:4711"], "192.0.2.7"),
        (["2001:db8:2::1"], "2001:db8:2::1"),
        (["[2001:db8:2::1]:80, 2001:db8:1::9"], "2001:db8:2::1"),
        (["[2001:db8:2::1]"], "2001:db8:2::1"),
        (["::ffff:192.0.2.7"], "192.0.2.7"),
        (["6.6.6.6, unknown"], "unknown"),
        (["6.6.6.6, "], "unknown"),
        (["6.6.6.6, nonsense, 10.1.2.3"], "unknown"),
        (["192.0.2.7.1"], "unknown"),
        (["\t 192.0.2.7 \t"], "192.0.2.7"),
    ])
    func `is the first from the right that is no proxy`(values: [String], expected: String) throws {
        let fields = values.map { (name: HTTPFieldName.xForwardedFor, value: $0) }
        let request = try #require(HTTPRequest(.get, "/", fields: fields))
        let peer = PeerAddress(ipv4: 0x7F00_0001)
        let found = ClientAddress.find(in: request, behind: peer, trusted: ClientAddressTests.proxies)
        #expect(found.description == expected)
    }

    /// nginx appends a comma and the address to whatever the client has sent.
    @Test(arguments: ["8.8.8.8\u{600}", "x\u{301}", "\u{600}", "8.8.8.8\u{200D}", "\u{1F1E6}", "a\u{110BD}"])
    func `is what the proxy has appended, whatever the client has put in front of the comma`(client: String) throws {
        let fields = [(name: HTTPFieldName.xForwardedFor, value: client + ", 203.0.113.9")]
        let request = try #require(HTTPRequest(.get, "/", fields: fields))
        let peer = PeerAddress(ipv4: 0x7F00_0001)
        let found = ClientAddress.find(in: request, behind: peer, trusted: ClientAddressTests.proxies)
        #expect(found.description == "203.0.113.9")
    }

    @Test(arguments: ["", ", 203.0.113.9", ", 10.1.2.3"])
    func `costs no more than the octets of its field`(end: String) throws {
        func request(_ size: Int) throws -> HTTPRequest {
            let fields = [(name: HTTPFieldName.xForwardedFor, value: HostileText.marks(size) + end)]
            return try #require(HTTPRequest(.get, "/", fields: fields))
        }
        let requests = [8_000: try request(8_000), 16_000: try request(16_000)]
        let peer = PeerAddress(ipv4: 0x7F00_0001)
        let growth = Growth.of("marks\(end)", size: 8_000) { size in
            for request in requests.filter({ $0.key == size }).values {
                _ = ClientAddress.find(in: request, behind: peer, trusted: ClientAddressTests.proxies)
            }
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test(arguments: [
        ("127.0.0.1:80", "127.0.0.1"), ("[2001:db8::1]:80", "2001:db8::1"), ("[::ffff:192.0.2.1]:80", "192.0.2.1"),
        ("unix:/tmp/x", "unknown"),
    ])
    func `is that of its socket`(socket: String, expected: String) throws {
        #expect(PeerAddress(try #require(SocketAddress(socket))).description == expected)
    }
}

@Suite("A network prefix")
struct NetworkPrefixTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/24", "192.0.2.200", true),
        ("192.0.2.0/24", "192.0.3.0", false), ("10.0.0.0/9", "10.127.1.1", true), ("10.0.0.0/9", "10.128.1.1", false),
        ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/32", "2001:db9::1", false), ("::1", "::1", true), ("192.0.2.1/32", "192.0.2.1", true),
    ])
    func `holds the addresses whose leading bits agree`(prefix: String, address: String, holds: Bool) throws {
        let address = try #require(SocketAddress(host: address))
        #expect(try #require(NetworkPrefix(prefix)).contains(address.addressBytes) == holds)
    }

    @Test(arguments: [
        "", "/", "192.0.2.1/33", "192.0.2.1/", "192.0.2.1/-1", "192.0.2.1/08", "::/129", "host", "1.2.3/8",
    ])
    func `is not made of something else`(text: String) {
        #expect(NetworkPrefix(text) == nil)
    }
}

@Suite("The limits on connections")
struct ConnectionLimiterTests {
    @Test func `admits up to each limit and forgets who leaves`() {
        var limits = ServerLimits()
        limits.connections = 4
        limits.connectionsPerAddress = 2
        let limiter = ConnectionLimiter(limits)
        #expect(limiter.admit(1))
        #expect(limiter.admit(1))
        #expect(!limiter.admit(1), "the address")
        #expect(limiter.admit(2))
        #expect(limiter.admit(nil))
        #expect(!limiter.admit(nil), "the server")
        #expect(limiter.total == 4)
        limiter.leave(1)
        #expect(limiter.admit(1))
        for key in [1, 1, 2, nil] as [UInt64?] { limiter.leave(key) }
        #expect(limiter.total == 0)
        #expect(limiter.admit(2))
    }
}
