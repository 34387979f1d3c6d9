import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("The share of a client in a turn of a loop")
struct TurnShareTests {
    private static let count = 30

    /// What an address sends on each of its connections.
    enum Flood: CaseIterable {
        case contents, pipelined, streams

        /// How many requests these are.
        var requests: Int { self == .contents ? 1 : 20 }

        /// How many of them one share is at most: one request goes beyond it, or those of one connection.
        var share: Int { self == .contents ? 3 : 128 + 20 }

        func send(on client: TestClient) throws {
            switch self {
            case .contents:
                let head = "POST /greedy HTTP/1.1\r\nHost: a\r\nContent-Length: 16000\r\n\r\n"
                try client.send(head + String(repeating: "x", count: 16_000))
            case .pipelined:
                try client.send(String(repeating: "GET /greedy HTTP/1.1\r\nHost: a\r\n\r\n", count: requests))
            case .streams:
                let numbers = (0..<requests).map { UInt32(1 + 2 * $0) }
                try client.send(numbers.flatMap { HTTP2Frame.headers($0, HTTP2Frame.request("/greedy")).bytes })
            }
        }
    }

    /// Connections of one address, which is not that of other clients.
    private func clients(_ bench: TestBench, _ flood: Flood, _ count: Int) async throws -> [TestClient] {
        let clients = try (0..<count).map { _ in
            try TestClient(bench.reactor, to: bench.address, from: SocketAddress(v4: 0x7F42_0606, port: 0))
        }
        if flood == .streams { for client in clients { try FrameClient(client).begin() } }
        await bench.until { bench.server.connectionCount == count }
        return clients
    }

    @Test(arguments: Flood.allCases)
    func `keeps others from waiting for all that one address sends`(flood: Flood) async throws {
        try await withHTTP2 { bench in
            let greedy = try await clients(bench, flood, Self.count)
            let modest = try bench.client()
            await bench.until { bench.server.connectionCount == Self.count + 1 }
            await bench.turns()
            for client in greedy { try flood.send(on: client) }
            try modest.send("GET /modest HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await modest.response().status == 200)
            // What is sent in a turn may come in the next one.
            let before = try #require(bench.handler.paths.firstIndex(of: "/modest"))
            #expect(before <= 2 * flood.share, "\(before) requests came first")
            await bench.until { bench.handler.paths.count == Self.count * flood.requests + 1 }
        }
    }

    @Test(arguments: [Flood.pipelined, .streams])
    func `counts requests behind those that others of their connection wait for`(flood: Flood) async throws {
        var limits = ServerLimits.with(\.readBytesPerTurn, 8 * TurnShares.request)
        limits.requestsPerTurn = 2
        try await withHTTP2(limits) { bench in
            bench.handler.answer = { _ in
                .later {
                    await bench.turns()
                    return .text("")
                }
            }
            for client in try await clients(bench, flood, 2 * Self.count) { try flood.send(on: client) }
            var (seen, most) = (0, 0)
            while seen < 2 * Self.count * flood.requests, !Task.isCancelled {
                await bench.turns(1)
                most = max(most, bench.handler.paths.count - seen)
                seen = bench.handler.paths.count
            }
            // From one look to the next are parts of two turns.
            #expect(most <= 2 * (8 + 1))
        }
    }

    @Test func `counts what is read of contents that are not whole`() async throws {
        let budget = ContentBudget()
        try await withServer { configuration in
            configuration.content = budget
            configuration.limits.bodyBytes = 200_000
        } _: { bench in
            var held = 0
            bench.handler.answer = { _ in
                held = budget.heldBytes
                return .now(.text(""))
            }
            let greedy = try await clients(bench, .contents, Self.count)
            let modest = try bench.client()
            await bench.until { bench.server.connectionCount == Self.count + 1 }
            await bench.turns()
            for client in greedy { try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n") }
            await bench.turns()
            for client in greedy { try client.send(String(repeating: "x", count: 50_000)) }
            try modest.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await modest.response().status == 200)
            #expect(held <= 2 * 100_000, "\(held) bytes came first")
        }
    }

    @Test func `is had in the order of arrival, whatever the address sends meanwhile`() async throws {
        try await withServer { configuration in
            configuration.limits.readBytesPerTurn = 100
        } _: { bench in
            let clients = try (0..<12).map { _ in try bench.client() }
            await bench.until { bench.server.connectionCount == clients.count }
            await bench.turns()
            func send(_ number: Int) throws {
                try clients[number].send(String(repeating: "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n", count: 3))
            }
            for number in 0..<6 { try send(number) }
            for number in 6..<12 {
                await bench.turns(1)
                try send(number)
            }
            for client in clients {
                for _ in 0..<3 { #expect(try await client.response().status == 200) }
            }
            // The first one has two, since it wanted more before the others came.
            let paths = bench.handler.paths
            #expect(paths.prefix(7) == ["/0", "/0", "/1", "/2", "/3", "/4", "/5"], "\(paths)")
            let first = (0..<12).compactMap { paths.firstIndex(of: "/\($0)") }
            #expect(first == first.sorted())
        }
    }

    @Test func `of a connection that is reset while it waits is dropped`() async throws {
        try await withServer { configuration in
            configuration.limits.readBytesPerTurn = 1
        } _: { bench in
            let clients = try (0..<20).map { _ in try bench.client() }
            await bench.until { bench.server.connectionCount == clients.count }
            for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            await bench.until { !bench.handler.paths.isEmpty }
            for client in clients { try client.reset() }
            await bench.until { bench.server.connectionCount == 0 }
            #expect(try await bench.client().exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    // MARK: The count

    private static func key(_ network: UInt32, _ host: UInt32) -> UInt64 {
        PeerAddress(ipv4: 0xCB00_0000 | network << 8 | host).bucketKey
    }

    @Test func `is used up by an address alone, until the next turn`() {
        var shares = TurnShares(share: 1000)
        shares.count(999, of: Self.key(1, 1))
        #expect(shares.isOpen(to: Self.key(1, 1)))
        shares.count(1, of: Self.key(1, 1))
        #expect(!shares.isOpen(to: Self.key(1, 1)))
        #expect(shares.isOpen(to: Self.key(1, 2)) && shares.isOpen(to: Self.key(2, 1)))
        shares.begin()
        #expect(shares.isOpen(to: Self.key(1, 1)))
    }

    @Test func `is twice as much for a network`() {
        var shares = TurnShares(share: 1000)
        let subnets = (UInt64(0)..<3).map { PeerAddress(ipv6High: 0x2001_0DB8_0001_0000 | $0, low: 1).bucketKey }
        for addresses in [[Self.key(1, 1), Self.key(1, 2), Self.key(1, 3)], subnets] {
            shares.begin()
            for address in addresses.prefix(2) { shares.count(1000, of: address) }
            #expect(!shares.isOpen(to: addresses[2]))
            #expect(shares.isOpen(to: Self.key(2, 1)))
        }
    }

    @Test func `is no matter for a proxy, which speaks for many`() {
        var shares = TurnShares(share: 1000)
        shares.count(10_000, of: nil)
        #expect(shares.isOpen(to: nil) && shares.isOpen(to: Self.key(1, 1)))
    }
}
