import EventIO
import HTTPClient
import HTTPCore
import Telemetry
import TestKit
import Testing

private let fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct `A connection to another server` {
    @Test func `is used again, one request after the other`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(fine, reactor)
            let client = CurlClient(reactor)
            for _ in 0..<5 { _ = try await client.send(OutboundRequest(method: "GET", url: try server.url("/"))) }
            #expect(server.peers.count == 1)
            #expect(server.requests.count == 5)
        }
    }

    @Test func `is not used again when the server says so`() async throws {
        try await withLoop { reactor in
            let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
            let server = try ScriptServer.answering(answer, reactor)
            let client = CurlClient(reactor)
            for _ in 0..<3 { _ = try await client.send(OutboundRequest(method: "GET", url: try server.url("/"))) }
            #expect(server.peers.count == 3)
        }
    }

    @Test func `is one of several where requests run side by side`() async throws {
        try await withLoop { reactor in
            var waiting: [Peer] = []
            let server = try ScriptServer(reactor) { peer in
                guard peer.takeRequest() != nil else { return }
                waiting.append(peer)
                if waiting.count == 8 { for peer in waiting { peer.send(fine) } }
            }
            let client = CurlClient(reactor)
            let url = try server.url("/")
            var tasks: [Task<Void, Never>] = []
            var answers = 0
            for _ in 0..<8 {
                tasks.append(
                    reactor.startTask {
                        if await failure(client, OutboundRequest(method: "GET", url: url)) == nil { answers += 1 }
                    }
                )
            }
            for task in tasks { await task.value }
            #expect(answers == 8)
            #expect(server.peers.count == 8)
            #expect(client.activeCount == 0)
        }
    }

    @Test func `beyond the limit is not made`() async throws {
        try await withLoop { reactor in
            var held: [Peer] = []
            let server = try ScriptServer(reactor) { held.append($0) }
            var configuration = ClientConfiguration()
            configuration.concurrencyLimit = 1
            let client = CurlClient(reactor, configuration: configuration)
            let request = OutboundRequest(method: "GET", url: try server.url("/"))
            let first = reactor.startTask { _ = await failure(client, request) }
            #expect(await waitUntil(reactor) { client.activeCount == 1 })
            #expect(await failure(client, request)?.code == .connectFailed)
            first.cancel()
            await first.value
            #expect(client.activeCount == 0)
        }
    }

    @Test func `that is refused has sent nothing`() async throws {
        try await withLoop { reactor in
            // A port that was ours a moment ago and is closed now.
            let url = try closedServerURL(reactor)
            let error = await failure(CurlClient(reactor), OutboundRequest(method: "POST", url: url, body: [1]))
            #expect(error?.code == .connectFailed)
        }
    }

    @Test func `that does not come about in time has sent nothing`() async throws {
        try await withLoop { reactor in
            // Nobody accepts, and the queue holds two at most: the kernel drops what comes then.
            let server = try ScriptServer(reactor, backlog: 0, accepts: false) { _ in }
            let first = try Socket.connect(to: try server.address)
            let second = try Socket.connect(to: try server.address)
            let third = try Socket.connect(to: try server.address)
            await reactor.nextTurn()
            var configuration = ClientConfiguration()
            configuration.connectTimeout = .milliseconds(50)
            let client = CurlClient(reactor, configuration: configuration)
            let error = await failure(client, OutboundRequest(method: "POST", url: try server.url("/"), body: [1]))
            #expect(error?.code == .connectFailed)
            #expect(first.raw != second.raw && second.raw != third.raw)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func `that ends before the whole response leaves the outcome unknown`(part: String) async throws {
        for resets in [true, false] {
            try await withLoop { reactor in
                let server = try ScriptServer(reactor) { peer in
                    guard peer.takeRequest() != nil else { return }
                    if !part.isEmpty { peer.send(part) }
                    if resets { peer.reset() } else { peer.close() }
                }
                let request = OutboundRequest(method: "POST", url: try server.url("/"), body: [1])
                #expect(await failure(CurlClient(reactor), request)?.code == .connectionLost)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `that stays silent leaves the outcome unknown`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer(reactor) { _ = $0.takeRequest() }
            let request = OutboundRequest(
                method: "POST",
                url: try server.url("/"),
                body: [1],
                timeout: .seconds(3)
            )
            #expect(await failure(CurlClient(reactor), request)?.code == .timedOut)
            #expect(server.requests.count == 1)
            #expect(await waitUntil(reactor) { server.peers.first?.isEnded == true })
        }
    }

    @Test func `that drips is cut off by the timeout of the whole`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer(reactor) { peer in
                guard peer.takeRequest() != nil else { return }
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                drip(peer, reactor)
            }
            let request = OutboundRequest(method: "GET", url: try server.url("/"), timeout: .seconds(1))
            #expect(await failure(CurlClient(reactor), request)?.code == .timedOut)
        }
    }

    @Test func `kept, and dead under a request with content, is not replaced in silence`() async throws {
        try await withLoop { reactor in
            var count = 0
            let server = try ScriptServer(reactor) { peer in
                guard peer.takeRequest() != nil else { return }
                count += 1
                if count == 1 { peer.send(fine) } else { peer.close() }
            }
            let client = CurlClient(reactor)
            let request = OutboundRequest(method: "POST", url: try server.url("/"), body: Array("pay".utf8))
            _ = try await client.send(request)
            #expect(await failure(client, request)?.code == .connectionLost)
            #expect(server.requests.count == 2)
            // The library connects anew before it finds that it may not send the content again.
            #expect(await waitUntil(reactor) { server.peers.dropFirst().allSatisfy(\.isEnded) })
            #expect(server.peers.dropFirst().allSatisfy { $0.received.isEmpty && $0.requests.isEmpty })
        }
    }

    @Test(arguments: [("GET", 3), ("POST", 2)])
    func `kept, and dead under a request without content, is replaced only for GET`(
        method: String,
        sent: Int
    ) async throws {
        try await withLoop { reactor in
            var count = 0
            let server = try ScriptServer(reactor) { peer in
                guard peer.takeRequest() != nil else { return }
                count += 1
                if count == 2 { peer.close() } else { peer.send(fine) }
            }
            let client = CurlClient(reactor)
            let request = OutboundRequest(method: method, url: try server.url("/"))
            _ = try await client.send(request)
            let error = await failure(client, request)
            #expect(error?.code == (method == "GET" ? nil : .connectionLost))
            #expect(server.requests.count == sent)
        }
    }

    @Test func `that died with its server does not hinder a request to another one`() async throws {
        try await withLoop { reactor in
            var count = 0
            var leave: () -> Void = {}
            let server = try ScriptServer(reactor) { peer in
                guard peer.takeRequest() != nil else { return }
                count += 1
                guard count == 2 else { return peer.send(fine) }
                leave()
                peer.close()
            }
            leave = { server.stopListening() }
            let other = try ScriptServer.answering(fine, reactor)
            let client = CurlClient(reactor)
            func request(_ server: ScriptServer) throws -> OutboundRequest {
                OutboundRequest(method: "POST", url: try server.url("/"), body: Array("pay".utf8))
            }
            let first = try request(server)
            _ = try await client.send(first)
            #expect(await failure(client, first)?.code == .connectionLost)
            #expect(await failure(client, try request(other)) == nil)
        }
    }

    @Test func `kept, and closed by the server meanwhile, is replaced`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(fine, reactor)
            let client = CurlClient(reactor)
            let request = OutboundRequest(method: "POST", url: try server.url("/"), body: Array("pay".utf8))
            _ = try await client.send(request)
            server.peers.first?.close()
            #expect(try await client.send(request).status == 200)
            #expect(server.peers.count == 2)
        }
    }

    @Test func `is closed when the task that waits is cancelled`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer(reactor) { _ = $0.takeRequest() }
            let client = CurlClient(reactor)
            let url = try server.url("/")
            var code: HTTPExchangeError.Code?
            let task = reactor.startTask {
                code = await failure(client, OutboundRequest(method: "POST", url: url, body: [1]))?.code
            }
            #expect(await waitUntil(reactor) { !server.requests.isEmpty })
            task.cancel()
            await task.value
            #expect(code == .connectionLost)
            #expect(client.activeCount == 0)
            #expect(await waitUntil(reactor) { server.peers.first?.isEnded == true })
        }
    }

    @Test func `is never made for a task that is cancelled already`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer(reactor) { _ in }
            let client = CurlClient(reactor)
            let url = try server.url("/")
            var code: HTTPExchangeError.Code?
            let task = reactor.startTask {
                code = await failure(client, OutboundRequest(method: "POST", url: url, body: [1]))?.code
            }
            task.cancel()
            await task.value
            #expect(code == .connectFailed)
            #expect(client.activeCount == 0)
        }
    }

    @Test func `leaves no timer and no registration behind`() async throws {
        try await withLoop { reactor in
            let before = reactor.timerCount
            do {
                let server = try ScriptServer.answering(fine, reactor)
                let client = CurlClient(reactor)
                _ = try await client.send(OutboundRequest(method: "GET", url: try server.url("/")))
            }
            #expect(reactor.timerCount == before)
        }
    }
}

@Suite struct `Exchanges with other servers` {
    @Test func `are counted by outcome and told to the log without content`() async throws {
        let log = CapturedLog()
        let metrics = MetricsRegistry()
        try await withLoop { reactor in
            let server = try ScriptServer.answering(fine, reactor)
            let client = CurlClient(reactor, purpose: "stamps", logger: log.logger(), metrics: metrics)
            _ = try await client.send(OutboundRequest(method: "GET", url: try server.url("/")))
            _ = await failure(client, OutboundRequest(method: "GET", url: try closedServerURL(reactor)))
        }
        let text = metrics.prometheusText()
        #expect(text.contains(#"sallyport_outbound_exchanges_total{purpose="stamps",outcome="answered"} 1"#))
        #expect(text.contains(#"sallyport_outbound_exchanges_total{purpose="stamps",outcome="connect_failed"} 1"#))
        #expect(text.contains("sallyport_outbound_exchange_seconds_count{purpose=\"stamps\"} 2"))
        #expect(log.lines.count == 1)
        #expect(log.lines(with: #""event":"outbound.failed","purpose":"stamps","code":"connectFailed""#).count == 1)
    }
}

/// A URL on loopback at which nobody listens any more.
private func closedServerURL(_ reactor: Reactor) throws -> String {
    let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
    let address = try Socket.localAddress(listener)
    listener.close()
    return "http://\(address)/"
}

/// Sends one byte in each turn while the connection is open.
private func drip(_ peer: Peer, _ reactor: Reactor) {
    _ = reactor.schedule(after: .milliseconds(5)) {
        guard !peer.isEnded else { return }
        peer.send("x")
        drip(peer, reactor)
    }
}
