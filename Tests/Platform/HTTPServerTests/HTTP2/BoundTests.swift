import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("A bound of HTTP/2")
struct BoundTests {
    private static func fields(_ count: Int, length: Int = 1) -> [(String, String)] {
        (0..<count).map { ("x-\($0)", String(repeating: "a", count: length)) }
    }

    @Test(arguments: [(63, 1, 200), (64, 1, 431), (400, 1, 431), (2, 2000, 200), (3, 2000, 431)])
    func `on fields is answered with 431`(count: Int, length: Int, status: Int) async throws {
        try await withHTTP2(.with(\.headerBytes, 6000)) { bench in
            let client = try await bench.frameClient()
            #expect(try await client.get("/", BoundTests.fields(count, length: length)).status == status)
            #expect(try await client.get("/after").status == 200)
        }
    }

    /// A piece of a field costs a byte on the wire, and 34 as the standard counts it.
    @Test(arguments: [(7000, 431), (8000, 0)])
    func `on fields that is far exceeded ends the connection`(count: Int, status: Int) async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            var block = HTTP2Frame.block(HTTP2Frame.request())
            block += [0x40, 1] + Array("x".utf8) + [1] + Array("a".utf8)
            block += [UInt8](repeating: 0xBE, count: count)
            client.skipStream()
            try client.send(HTTP2Frame(.headers, flags: 5, stream: 1, block))
            guard status == 0 else {
                #expect(try await client.answer(1).status == status)
                #expect(try await client.get("/after").status == 200)
                return
            }
            #expect(try await client.end() == 11)
            #expect(bench.metric("sallyport_http_h2_floods_total") == 1)
        }
    }

    /// The block of a request whose head takes sixteen kilobytes, of which four bytes stand for most: the connection's table has
    /// a field of four kilobytes.
    private static func largeHead(isFirst: Bool) -> [UInt8] {
        let literal = [0x40, 1] + Array("x".utf8) + [127, 0xBD, 0x1D] + [UInt8](repeating: 0x61, count: 3900)
        let request = HTTP2Frame.block(HTTP2Frame.request(method: "POST"))
        return request + (isFirst ? literal : [0xBE]) + [0xBE, 0xBE, 0xBE]
    }

    private static func sendHeads(_ count: Int, ends: Bool, _ client: FrameClient) throws {
        for number in 0..<count {
            let flags = HTTP2Frame.endHeaders | (ends ? HTTP2Frame.end : 0)
            let stream = client.newStream()
            try client.send(HTTP2Frame(.headers, flags: flags, stream: stream, largeHead(isFirst: number == 0)))
        }
    }

    @Test func `on heads whose content does not come holds for all streams together`() async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            try BoundTests.sendHeads(99, ends: false, client)
            try await client.settle()
            let refused = client.answers.values.filter { $0.reset == 7 }.count
            // One, and four of sixteen kilobytes beside it.
            #expect(refused == 94)
            #expect(bench.metric("sallyport_http_held_content_bytes") <= 65_536)
            #expect(bench.handler.paths.isEmpty)
            #expect(try await client.get("/beside").status == 200)
            // What is answered gives its room back.
            for stream in stride(from: UInt32(1), through: 9, by: 2) { try client.send(.data(stream, [1])) }
            for stream in stride(from: UInt32(1), through: 9, by: 2) {
                #expect(try await client.answer(stream).status == 200)
            }
            #expect(bench.metric("sallyport_http_held_content_bytes") == 0)
            let again = client.newStream()
            let block = BoundTests.largeHead(isFirst: false)
            try client.send(HTTP2Frame(.headers, flags: HTTP2Frame.endHeaders, stream: again, block))
            try client.send(.data(again, [1]))
            #expect(try await client.answer(again).status == 200)
        }
    }

    @Test func `on heads holds for requests whose handlers take their time`() async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            let client = try await bench.frameClient()
            try BoundTests.sendHeads(99, ends: true, client)
            try await client.settle()
            let refused = client.answers.values.filter { $0.reset == 7 }.count
            #expect(gate.count == 16)
            #expect(refused == 83)
            while gate.count > 0 { gate.open() }
            #expect(try await client.answer(1).status == 200)
        }
    }

    @Test func `on what the process holds counts heads, and leaves each connection its first`() async throws {
        try await withServer { configuration in
            configuration.acceptsClearHTTP2 = true
            configuration.content = ContentBudget(limit: 100_000, hasShares: false)
        } _: { bench in
            var clients: [FrameClient] = []
            for _ in 0..<10 {
                let client = try await bench.frameClient()
                try BoundTests.sendHeads(5, ends: false, client)
                try await client.settle()
                clients.append(client)
            }
            #expect(bench.metric("sallyport_http_held_content_bytes") <= 100_000)
            #expect(bench.metric("sallyport_http_refused_content_total") > 20)
            for client in clients {
                #expect(client.answers[1] == nil, "the first is taken")
                #expect(try await client.get("/beside").status == 200)
            }
        }
    }

    /// One entry of the table is named again and again: a byte on the wire stands for four thousand.
    @Test func `on fields holds for what is packed small`() async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            let big = String(repeating: "a", count: 3900)
            var block = HTTP2Frame.block(HTTP2Frame.request())
            // A literal that goes into the table, by a length of 3900 in two further bytes.
            block += [0x40, 1] + Array("x".utf8) + [127, 0xBD, 0x1D] + Array(big.utf8)
            block += [UInt8](repeating: 0xBE, count: 8000)
            try client.send(HTTP2Frame(.headers, flags: 5, stream: 1, block))
            #expect(try await client.end() == 11)
            #expect(bench.handler.paths.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `on content is answered with 413`(isAnnounced: Bool) async throws {
        try await withHTTP2 { bench in
            bench.handler.limit = { $0.path == "/small" ? 10 : nil }
            bench.handler.refusal = { request, status in .text(request.path, status) }
            let client = try await bench.frameClient()
            client.skipStream()
            let length = isAnnounced ? [("content-length", "11")] : []
            try client.send(.headers(1, HTTP2Frame.request("/small", method: "POST", length), ends: false))
            if !isAnnounced { try client.send(.data(1, [UInt8](repeating: 1, count: 11), ends: false)) }
            let answer = try await client.answer(1)
            #expect(answer.status == 413)
            #expect(String(decoding: answer.body, as: UTF8.self) == "/small")
            #expect(bench.handler.paths.isEmpty)
            #expect(try await client.get("/after").status == 200)
        }
    }

    /// Clients that look at the answer when all is sent take a reset for a failure.
    @Test func `on content does not cut off who sends a little too much`() async throws {
        try await withHTTP2 { bench in
            bench.handler.limit = { _ in 10 }
            let client = try await bench.frameClient()
            client.skipStream()
            let head = HTTP2Frame.request("/", method: "POST", [("content-length", "22")])
            try client.send(.headers(1, head, ends: false))
            #expect(try await client.answer(1).status == 413)
            try client.send(.data(1, [UInt8](repeating: 1, count: 11), ends: false))
            try client.send(.data(1, [UInt8](repeating: 1, count: 11), ends: true))
            #expect(try await client.get("/after").status == 200)
            #expect(client.answers[1]?.reset == nil)
        }
    }

    @Test(arguments: [true, false])
    func `on content cuts off who sends far too much`(isAnnounced: Bool) async throws {
        try await withHTTP2 { bench in
            bench.handler.limit = { _ in 10 }
            let client = try await bench.frameClient()
            client.skipStream()
            let length = isAnnounced ? [("content-length", "4194305")] : []
            try client.send(.headers(1, HTTP2Frame.request("/", method: "POST", length), ends: false))
            if !isAnnounced {
                for _ in 0..<257 {
                    try client.send(.data(1, [UInt8](repeating: 1, count: 16_384), ends: false))
                    _ = try await client.get("/between")
                }
            }
            #expect(try await client.answer(1).status == 413)
            try await client.until("a reset") { $0.answers[1]?.reset == 0 }
        }
    }

    @Test func `on content gives who stops halfway a little time`() async throws {
        try await withHTTP2(.with(\.lingerDeadline, .milliseconds(50))) { bench in
            bench.handler.limit = { _ in 10 }
            let client = try await bench.frameClient()
            client.skipStream()
            let head = HTTP2Frame.request("/", method: "POST", [("content-length", "22")])
            try client.send(.headers(1, head, ends: false))
            #expect(try await client.answer(1).status == 413)
            try await client.until("a reset") { $0.answers[1]?.reset == 0 }
            #expect(try await client.get("/after").status == 200)
        }
    }

    @Test func `on streams is announced, and refuses what goes beyond it`() async throws {
        try await withHTTP2(.with(\.streamsPerConnection, 5)) { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            let client = try await bench.frameClient()
            for _ in 0..<8 { try client.ask() }
            for stream in [11, 13, 15] as [UInt32] { #expect(try await client.answer(stream).reset == 7) }
            #expect(gate.count == 5)
            #expect(client.frames.first?.payload.prefix(6) == [0, 3, 0, 0, 0, 5])
            for _ in 0..<5 { gate.open() }
            for stream in [1, 3, 5, 7, 9] as [UInt32] { #expect(try await client.answer(stream).status == 200) }
        }
    }

    /// A reset frees the stream on the wire, not the work that was begun for it.
    @Test func `on streams counts handlers that go on after a reset`() async throws {
        try await withHTTP2(.with(\.streamsPerConnection, 5)) { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            let client = try await bench.frameClient()
            for _ in 0..<20 { try client.send(.reset(try client.ask())) }
            try await client.settle()
            #expect(gate.count == 0 || gate.count == 5)
            let before = bench.handler.paths.count
            #expect(before <= 5)
            while gate.count > 0 {
                gate.open()
                await bench.turns(1)
            }
            bench.handler.answer = { _ in .now(.text("again")) }
            #expect(try await client.get().text == "again")
        }
    }

    @Test func `on content of all streams holds until they are answered`() async throws {
        try await withHTTP2(.with(\.connectionWindow, 70_000)) { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            let client = try await bench.frameClient()
            for index in 0..<4 {
                let stream = UInt32(1 + 2 * index)
                try client.send(.headers(stream, HTTP2Frame.request(method: "POST"), ends: false))
                try client.send(.data(stream, [UInt8](repeating: 1, count: 16_384)))
            }
            await bench.until { gate.count == 4 }
            try await client.settle()
            let opened = client.frames.filter { $0.kind == .windowUpdate && $0.stream == 0 }
            #expect(opened.reduce(0) { $0 + $1.number() } == 70_000 - 65_535, "nothing comes back before an answer")
            for _ in 0..<4 { gate.open() }
            try await client.until("room") { $0.frames.filter { $0.kind == .windowUpdate && $0.stream == 0 }.count > 1 }
            // More than was announced is an error of the connection.
            try client.send((4..<10).map { .headers(UInt32(1 + 2 * $0), HTTP2Frame.request(), ends: false) })
            let content = [UInt8](repeating: 1, count: 16_384)
            try client.send((4..<10).map { .data(UInt32(1 + 2 * $0), content, ends: false) })
            #expect(try await client.end() == 3)
        }
    }

    /// Uploads that have used up the window together would wait for each other.
    @Test func `on content of all streams costs the youngest where all of them wait for more`() async throws {
        try await withHTTP2(.with(\.connectionWindow, 70_000)) { bench in
            let client = try await bench.frameClient()
            let content = [UInt8](repeating: 1, count: 14_000)
            for stream in [1, 3, 5, 7, 9] as [UInt32] {
                client.skipStream()
                try client.send(.headers(stream, HTTP2Frame.request(method: "POST"), ends: false))
                try client.send(.data(stream, content, ends: false))
            }
            #expect(try await client.answer(9).reset == 7)
            for stream in [1, 3, 5, 7] as [UInt32] {
                try client.send(.data(stream, [1]))
                #expect(try await client.answer(stream).status == 200)
            }
            #expect(bench.handler.paths.count == 4)
            #expect(try await client.get("/after").status == 200)
        }
    }

    /// What a refused stream has brought is counted nowhere any more.
    @Test func `on content frees what it refuses with the refusal, whether or not the client sends again`() async throws
    {
        try await withHTTP2(.with(\.connectionWindow, 70_000)) { bench in
            var requests: [HTTPRequest] = []
            bench.handler.limit = { request in
                requests.append(request)
                return nil
            }
            let client = try await bench.frameClient()
            let content = [UInt8](repeating: 1, count: 14_000)
            for stream in [1, 3, 5, 7, 9] as [UInt32] {
                try client.send(.headers(stream, HTTP2Frame.request(method: "POST"), ends: false))
                try client.send(.data(stream, content, ends: false))
            }
            #expect(try await client.answer(9).reset == 7)
            #expect(requests.map(\.body.count) == [14_000, 14_000, 14_000, 14_000, 0])
        }
    }

    /// Slow reader: the window stays shut, so responses wait; what waits is bounded, and no further request is begun.
    @Test func `on responses that wait keeps further requests back`() async throws {
        try await withHTTP2 { bench in
            let body = [UInt8](repeating: 1, count: 20_000)
            bench.handler.answer = { _ in .now(HTTPResponse(.ok, body: .bytes(body))) }
            let client = try await bench.frameClient(settings: [(4, 0)])
            for _ in 0..<50 { try client.ask() }
            try await client.settle()
            #expect(bench.handler.paths.count == 4, "four times 20,000 bytes are more than 65,536")
            try client.send(.settings([(4, 100_000)]), .window(0, 10_000_000))
            for index in 0..<50 { #expect(try await client.answer(UInt32(1 + 2 * index)).body.count == 20_000) }
        }
    }

    @Test func `on requests of a connection ends it behind the last one`() async throws {
        try await withHTTP2(.with(\.requestsPerConnection, 3)) { bench in
            let client = try await bench.frameClient()
            for _ in 0..<3 { #expect(try await client.get().status == 200) }
            #expect(try await client.end() == 0)
            #expect(client.goAways.map(\.last) == [5])
        }
    }
}
