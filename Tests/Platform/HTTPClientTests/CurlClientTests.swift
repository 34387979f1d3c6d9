import EventIO
import HTTPClient
import HTTPCore
import Telemetry
import TestKit
import Testing

private let fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct `A request to another server` {
    @Test func `goes out as it was written, with nothing added but what HTTP asks for`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(fine, reactor)
            let client = CurlClient(reactor)
            let request = OutboundRequest(
                method: "PATCH",
                url: try server.url("/v2/../a%20b?q=1"),
                fields: [("X-One", "1"), ("x-empty", ""), ("X-One", "2")],
                body: Array("{}".utf8)
            )
            _ = try await client.send(request)
            let host = try server.address
            #expect(
                server.requests == [
                    "PATCH /v2/../a%20b?q=1 HTTP/1.1\r\nHost: \(host)\r\nX-One: 1\r\nx-empty:\r\nX-One: 2\r\nContent-Length: 2\r\n\r\n{}"
                ]
            )
        }
    }

    @Test func `carries large content without waiting for a go-ahead`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(fine, reactor)
            let body = Array(repeating: UInt8(ascii: "x"), count: 3_000_000)
            let request = OutboundRequest(method: "POST", url: try server.url("/"), body: body)
            let response = try await CurlClient(reactor).send(request)
            #expect(response.status == 200)
            #expect(server.requests.first?.contains("Expect") == false)
            #expect(server.requests.first?.utf8.count ?? 0 > 3_000_000)
        }
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "POST"])
    func `may have no content`(method: String) async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(
                method == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n" : fine,
                reactor
            )
            let request = OutboundRequest(method: method, url: try server.url("/p"))
            let response = try await CurlClient(reactor).send(request)
            #expect(response.status == 200)
            #expect(response.body.count == (method == "HEAD" ? 0 : 2))
            #expect(server.requests.first?.hasPrefix("\(method) /p HTTP/1.1\r\n") == true)
            let announcesContent = server.requests.first?.contains("Content-Length: 0") == true
            #expect(announcesContent == ["DELETE", "POST"].contains(method))
        }
    }

    @Test(arguments: [
        OutboundRequest(method: "get", url: "https://localhost/"),
        OutboundRequest(method: "GET /x HTTP/1.1\r\nA:", url: "https://localhost/"),
        OutboundRequest(method: "", url: "https://localhost/"),
        OutboundRequest(method: "GET", url: "https://user@localhost/"),
        OutboundRequest(method: "GET", url: "https://a\\@b/"),
        OutboundRequest(method: "GET", url: "https:///path"),
        OutboundRequest(method: "GET", url: "localhost/"),
        OutboundRequest(method: "GET", url: "ftp://localhost/"),
        OutboundRequest(method: "GET", url: "file:///etc/passwd"),
        OutboundRequest(method: "GET", url: "https://local host/"),
        OutboundRequest(method: "GET", url: "https://localhost/\r\nX: y"),
        OutboundRequest(method: "GET", url: "http://192.0.2.1/"),
        OutboundRequest(method: "GET", url: "http://127.0.0.1.example.com/"),
        OutboundRequest(method: "GET", url: "http://localhost.example.com/"),
        OutboundRequest(method: "GET", url: "http://[::2]/"),
        OutboundRequest(method: "GET", url: "https://localhost/", fields: [("X", "a\r\nY: b")]),
        OutboundRequest(method: "GET", url: "https://localhost/", fields: [("X", "a\0")]),
        OutboundRequest(method: "GET", url: "https://localhost/", fields: [("X:", "a")]),
        OutboundRequest(method: "GET", url: "https://localhost/", fields: [("", "a")]),
        OutboundRequest(method: "GET", url: "https://localhost/", fields: [("X y", "a")]),
    ])
    func `that could become another one is refused with nothing sent`(request: OutboundRequest) async throws {
        try await withLoop { reactor in
            let error = await failure(CurlClient(reactor), request)
            #expect(error?.code == .connectFailed)
            #expect(error?.detail.hasPrefix("request: ") == true)
        }
    }

    @Test(arguments: [
        "https://169.254.169.254/latest/meta-data/", "https://[fe80::1]/", "https://[fd00:ec2::254]/",
        "https://[::ffff:169.254.169.254]/", "https://100.100.100.200/", "https://metadata.google.internal/",
        "https://[2002:a9fe:a9fe::]/", "https://[64:ff9b::a9fe:a9fe]/", "https://[64:ff9b::127.0.0.1]/",
        "https://224.0.0.1/",
    ])
    func `to where clouds serve credentials is refused with nothing sent`(url: String) async throws {
        try await withLoop { reactor in
            let error = await failure(CurlClient(reactor), OutboundRequest(method: "GET", url: url))
            #expect(error?.code == .connectFailed)
            #expect(error?.detail.hasPrefix("request: ") == true)
        }
    }
}

@Suite struct `The response of another server` {
    @Test func `is read whole, with its fields`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(
                "HTTP/1.1 422 Unprocessable\r\nX-Amz-Request-Id:  abc \r\nSet-Cookie: a\r\nset-cookie: b\r\nEmpty:\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\nTrailer: x\r\n\r\n",
                reactor
            )
            let response = try await CurlClient(reactor).send(OutboundRequest(method: "GET", url: try server.url("/")))
            #expect(response.status == 422)
            #expect(response.first("x-amz-request-id") == "abc")
            #expect(response.fields.filter { $0.0.lowercased() == "set-cookie" }.map(\.1) == ["a", "b"])
            #expect(response.first("empty") == "")
            #expect(response.first("trailer") == nil)
            #expect(response.body == Array("{\"a\":1}".utf8))
        }
    }

    @Test func `may follow interim ones and end with the connection`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer(reactor) { peer in
                guard peer.takeRequest() != nil else { return }
                peer.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nto the end")
                peer.close()
            }
            let response = try await CurlClient(reactor).send(OutboundRequest(method: "GET", url: try server.url("/")))
            #expect(response.status == 200)
            #expect(response.fields.map(\.0) == ["A"])
            #expect(response.body == Array("to the end".utf8))
        }
    }

    @Test func `is not followed where it points elsewhere`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(
                "HTTP/1.1 303 See Other\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
                reactor
            )
            let response = try await CurlClient(reactor).send(OutboundRequest(method: "GET", url: try server.url("/")))
            #expect(response.status == 303)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + String(repeating: "x", count: 101),
            HTTPExchangeError.Code.bodyTooLarge
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + String(repeating: "x", count: 101)
                + "\r\n0\r\n\r\n",
            .bodyTooLarge
        ),
        ("HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 400) + "\r\n\r\n", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n", .protocolViolation),
        ("HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n", .protocolViolation),
        ("SSH-2.0-OpenSSH_9.2\r\n\r\n", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", .connectionLost),
    ])
    func `that is too large or no HTTP is a failure`(answer: String, code: HTTPExchangeError.Code) async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(answer, reactor)
            var configuration = ClientConfiguration()
            configuration.bodyLimit = 100
            configuration.headerLimit = 300
            let client = CurlClient(reactor, configuration: configuration)
            let error = await failure(client, OutboundRequest(method: "GET", url: try server.url("/")))
            #expect(error?.code == code)
            #expect(client.activeCount == 0)
        }
    }

    @Test func `of exactly the limit is read`() async throws {
        try await withLoop { reactor in
            let body = String(repeating: "x", count: 100)
            let server = try ScriptServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n\(body)", reactor)
            var configuration = ClientConfiguration()
            configuration.bodyLimit = 100
            let client = CurlClient(reactor, configuration: configuration)
            let response = try await client.send(OutboundRequest(method: "GET", url: try server.url("/")))
            #expect(response.body.count == 100)
        }
    }
}

/// The failure of an exchange, or `nil` when it is answered.
func failure(_ client: CurlClient, _ request: OutboundRequest) async -> HTTPExchangeError? {
    do throws(HTTPExchangeError) {
        _ = try await client.send(request)
        return nil
    } catch {
        return error
    }
}
