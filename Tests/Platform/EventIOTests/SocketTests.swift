import EventIO
import Glibc
import TestKit
import Testing

@Suite struct `A socket on the loop` {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func `carries bytes both ways and tells the end`(address: String) async throws {
        let log = try await withLoop { reactor in
            let pair = try await ConnectedPair(reactor, on: try #require(SocketAddress(address)))
            #expect(try pair.client.send("ping") == .done(4))
            #expect(await pair.server.readable() == .readable)
            #expect(try pair.server.receive() == "ping")
            #expect(try pair.server.send("po", "ng") == .done(4))
            #expect(await pair.client.readable() == .readable)
            #expect(try pair.client.receive() == "pong")
            pair.client.close()
            let readiness = await pair.server.readable()
            return (readiness, try pair.server.receive())
        }
        #expect(log.0.contains([.readable, .hangUp]))
        #expect(log.1 == "")
    }

    @Test func `tells data and the end in one event under edge trigger`() async throws {
        try await withLoop { reactor in
            let pair = try await ConnectedPair(reactor)
            #expect(try pair.client.send("last words") == .done(10))
            try pair.client.shutDownWriting()
            var heard: [Readiness] = []
            pair.server.onReady = { heard.append($0) }
            #expect(await waitUntil(reactor) { heard.contains { $0.contains(.hangUp) } })
            #expect(heard.last?.contains(.readable) == true)
            #expect(try pair.server.receive() == "last words")
            #expect(try pair.server.receive() == "")
        }
    }

    @Test func `tells a reset as an error of the next read`() async throws {
        try await withLoop { reactor in
            let pair = try await ConnectedPair(reactor)
            try pair.client.reset()
            let readiness = await pair.server.readable()
            #expect(readiness.contains(.error))
            #expect(throws: IOError(code: IOError.connectionReset, operation: "recv")) { try pair.server.receive() }
            #expect(throws: IOError.self) { try pair.server.send("x") }
        }
    }

    @Test func `would block where the peer does not read`() async throws {
        try await withLoop { reactor in
            let pair = try await ConnectedPair(reactor)
            let piece = String(repeating: "x", count: 1 << 20)
            var sent = 0
            while case .done(let count) = try pair.server.send(piece) { sent += count }
            #expect(sent > 0)
            var received = 0
            while received < sent {
                _ = await pair.client.readable()
                while let text = try pair.client.receive(), !text.isEmpty { received += text.utf8.count }
            }
            #expect(received == sent)
        }
    }

    @Test func `reports a refused connection`() async throws {
        let failure = try await withLoop { reactor in
            // A port that was ours a moment ago and is closed now.
            let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
            let address = try Socket.localAddress(listener)
            listener.close()
            do {
                let end = SocketEnd(reactor, try Socket.connect(to: address))
                _ = await end.writable()
                return try end.connectionError()
            } catch {
                return error as? IOError
            }
        }
        #expect(failure?.code == IOError.connectionRefused)
    }

    @Test func `accepts nobody when nobody waits`() throws {
        let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
        let accepted = try Socket.accept(listener)
        let isEmpty = accepted == nil
        #expect(isEmpty)
    }

    @Test func `shares a port only on request`() throws {
        let first = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0), reusePort: true)
        let address = try Socket.localAddress(first)
        let second = try Socket.listen(on: address, reusePort: true)
        #expect(try Socket.localAddress(second) == address)
        do {
            _ = try Socket.listen(on: address)
            Issue.record("the port is taken")
        } catch {
            #expect(error.code == IOError.addressInUse)
            #expect(error.description == "bind EADDRINUSE")
        }
    }
}
