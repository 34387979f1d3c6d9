import EventIO
import HTTPClient
import HTTPCore
import TestKit
import Testing

private let page = String(repeating: "x", count: 101)

@Suite struct `A response that counts by its status line` {
    @Test(arguments: [
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n\(page)",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n\(page)\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n\(page)",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nA: \(page)\(page)\(page)\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n",
        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
    ])
    func `counts whatever follows, and however it ends`(answer: String) async throws {
        try await withLoop { reactor in
            let server = try ScriptServer(reactor) { peer in
                guard peer.takeRequest() != nil else { return }
                peer.send(answer)
                peer.close()
            }
            let response = try await limited(reactor).send(request(server))
            #expect((200...204).contains(response.status))
            #expect(response.body.isEmpty)
        }
    }

    @Test func `has the fields that came`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(
                "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nA: \(page)\(page)\(page)\r\n\r\n",
                reactor
            )
            let response = try await limited(reactor).send(request(server))
            #expect(response.status == 503)
            #expect(response.first("retry-after") == "7")
        }
    }

    @Test(arguments: ["", "HTTP/1.1", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"])
    func `is none before that line has come`(part: String) async throws {
        try await withLoop { reactor in
            let server = try ScriptServer(reactor) { peer in
                guard peer.takeRequest() != nil else { return }
                if !part.isEmpty { peer.send(part) }
                peer.close()
            }
            #expect(await failure(limited(reactor), try request(server)) != nil)
        }
    }

    @Test(arguments: [(100, 1), (101, 3)])
    func `keeps its connection up to the limit of a content, and is closed beyond`(length: Int, peers: Int) async throws
    {
        try await withLoop { reactor in
            let body = String(repeating: "x", count: length)
            let server = try ScriptServer.answering(
                "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(body)",
                reactor
            )
            let client = limited(reactor)
            for _ in 0..<3 { #expect(try await client.send(request(server)).status == 200) }
            #expect(server.peers.count == peers)
            #expect(await waitUntil(reactor) { server.peers.dropLast().allSatisfy(\.isEnded) })
        }
    }

    @Test func `keeps nobody waiting for content that does not end, and leaves no timer behind`() async throws {
        try await withLoop { reactor in
            let before = reactor.timerCount
            do {
                let server = try ScriptServer(reactor) { peer in
                    if peer.takeRequest() != nil { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") }
                }
                var configuration = ClientConfiguration()
                configuration.dropLimit = .milliseconds(20)
                let client = CurlClient(reactor, configuration: configuration)
                #expect(try await client.send(request(server)).status == 200)
                #expect(client.activeCount == 0)
                #expect(await waitUntil(reactor) { server.peers.first?.isEnded == true })
            }
            #expect(reactor.timerCount == before)
        }
    }

    @Test(
        arguments: [(422, 100, nil), (422, 101, nil), (200, 100, nil), (200, 101, .bodyTooLarge)]
            as [(Int, Int, HTTPExchangeError.Code?)]
    )
    func `may be any but the one whose content counts`(
        status: Int,
        length: Int,
        code: HTTPExchangeError.Code?
    ) async throws {
        try await withLoop { reactor in
            let body = String(repeating: "x", count: length)
            let head = "HTTP/1.1 \(status) Status\r\nContent-Length: \(length)\r\n\r\n"
            let server = try ScriptServer.answering(head + body, reactor)
            let client = limited(reactor)
            #expect(await failure(client, try request(server, needs: .of(status: 200)))?.code == code)
            #expect(client.activeCount == 0)
        }
    }
}

/// A client whose responses have 100 bytes of content and 300 of fields at most.
private func limited(_ reactor: Reactor) -> CurlClient {
    var configuration = ClientConfiguration()
    configuration.bodyLimit = 100
    configuration.headerLimit = 300
    return CurlClient(reactor, configuration: configuration)
}

private func request(_ server: ScriptServer, needs: NeededContent = .none) throws -> OutboundRequest {
    OutboundRequest(method: "POST", url: try server.url("/"), body: [1], timeout: .seconds(60), needs: needs)
}
