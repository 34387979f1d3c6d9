import EventIO
import Glibc
import HTTPServer
import TestKit
import Testing

/// Each test is a process of its own, because it counts the descriptors of the whole process.
@Suite("The number of open descriptors")
struct DescriptorTests {
    @Test func `is the same after thousands of short clear connections`() async throws {
        await #expect(processExitsWith: .success) { try await DescriptorTests.soak(.clear, rounds: 150) }
    }

    @Test func `is the same after a thousand short TLS connections`() async throws {
        await #expect(processExitsWith: .success) { try await DescriptorTests.soak(.tls, rounds: 50) }
    }

    @Test func `may reach the limit of the process without harm`() async {
        await #expect(processExitsWith: .success) { try await DescriptorTests.exhaust() }
    }

    /// Connects until nothing is left for the server, gives some back, and expects to be served then.
    private static func exhaust() async throws {
        let clock = ManualClock()
        try await withServer(clock: clock) { bench in
            // Numbers count, and the process may have been born with high ones.
            let taken = Set(try Files.list("/proc/self/fd").compactMap { Int($0) })
            let number = (0...).lazy.filter { !taken.contains($0) }.prefix(21).reduce(0) { max($0, $1) } + 1
            var limit = rlimit(rlim_cur: rlim_t(number), rlim_max: rlim_t(number))
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                throw TestFailure("no limit")
            }
            let clients = try (0..<15).map { _ in try bench.client() }
            await bench.turns(10)
            let served = bench.server.connectionCount
            let turns = bench.metric("sallyport_http_connections_total")
            guard served > 0, served < 15 else { throw TestFailure("\(served) connections") }
            await bench.turns(10)
            guard bench.metric("sallyport_http_connections_total") == turns else { throw TestFailure("no pause") }
            for client in clients.prefix(10) { client.close() }
            clock.advance(by: .seconds(1))
            try clients[14].send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            guard try await clients[14].response().status == 200 else { throw TestFailure("not served") }
        }
    }

    /// Opens 20 connections at a time that end in all ways there are, and compares the counts.
    private static func soak(_ transport: Transport, rounds: Int) async throws {
        try await withServer(deadline: .seconds(600)) { bench in
            try await round(transport, bench)
            let before = try Files.list("/proc/self/fd").count
            for _ in 0..<rounds { try await round(transport, bench) }
            let after = try Files.list("/proc/self/fd").count
            guard after == before else { throw TestFailure("\(before) descriptors before, \(after) after") }
            guard bench.metric("sallyport_http_connections_total") == (rounds + 1) * 20 else {
                throw TestFailure("connections were lost")
            }
        }
    }

    private static func round(_ transport: Transport, _ bench: TestBench) async throws {
        let address = transport == .tls ? bench.secureAddress : bench.address
        let context = try TestBench.clientContext()
        let clients = try (0..<20).map { _ in try TestClient(bench.reactor, to: address) }
        for (index, client) in clients.enumerated() {
            if transport == .tls { try await client.startTLS(context) }
            let isLast = index % 2 == 0
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: \(isLast ? "close" : "x")\r\n\r\n")
            switch index % 4 {
            case 1: client.close()
            case 3: try client.reset()
            default:
                _ = try await client.response()
                _ = try await client.rest()
                client.close()
            }
        }
        await bench.until { bench.server.connectionCount == 0 }
    }
}
