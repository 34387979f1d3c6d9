import EventIO
import Primitives
import SimulatorCore
import StrictJSON
import TLS
import TestKit
import Testing

@testable import PushSimulator

@Suite("The push service as a tester wants it")
struct MisbehaviourTests {
    private let path = "/3/device/" + PushBench.token

    @Test func `answers for one token as it is told, so often`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            let dead: JSONValue = [
                "token": .string(PushBench.token.uppercased()), "status": 410, "reason": "Unregistered",
                "timestamp": 1_795_251_600_000, "count": 2,
            ]
            try await bench.control("POST", "/answers", dead)
            let client = try await bench.client()
            for _ in 0..<2 {
                let answer = await client.answer(try client.request(path))
                #expect(answer.status == "410")
                #expect(answer.text == #"{"reason":"Unregistered","timestamp":1795251600000}"#)
            }
            #expect(await client.answer(try client.request(path)).status == "200")
        }
    }

    @Test func `answers for all tokens until that is taken back`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            try await bench.control("POST", "/answers", ["reason": "TooManyRequests"])
            let client = try await bench.client()
            for path in [path, "/3/device/abcd"] {
                let answer = await client.answer(try client.request(path))
                #expect(answer.status + answer.text == #"429{"reason":"TooManyRequests"}"#)
            }
            try await bench.control("DELETE", "/answers")
            #expect(await client.answer(try client.request(path)).status == "200")
            try await bench.control("POST", "/answers", ["status": 502, "body": "<html>"])
            #expect(await client.answer(try client.request(path)).text == "<html>")
        }
    }

    @Test(
        arguments: [
            (#"{"reason":"Nonsense"}"#, "reason is unknown; name a status with it."),
            ("{}", "The answer does nothing."), (#"{"status":99}"#, "status is not an HTTP status."),
            (#"{"drop":true,"status":200}"#, "One of status, drop and resetCode is possible."),
            (#"{"wat":1}"#, "wat is not recognized."), (#"{"delayMs":600001}"#, "delayMs is more than ten minutes."),
        ]
    )
    func `says what is wrong with an answer`(body: String, message: String) async throws {
        try await withPush { bench in
            let answer = try await bench.ask("POST", "/answers", Array(body.utf8))
            #expect(answer.status == 400)
            #expect(try JSONParser.parse(answer.body)["error"]?.text == message)
        }
    }

    @Test func `takes the faults that every simulator takes`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            let body: JSONValue = ["match": ["operation": "push"], "action": ["reasonCode": "ServiceUnavailable"]]
            try await bench.control("POST", "/faults", body)
            let client = try await bench.client()
            #expect(await client.answer(try client.request(path)).status == "503")
            #expect(await client.answer(try client.request(path)).status == "200")
        }
    }

    @Test func `resets a stream with a code, and the connection goes on`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            try await bench.control("POST", "/answers", ["resetCode": 7, "count": 1])
            let client = try await bench.client()
            #expect(await client.answer(try client.request(path)).resetCode == 7)
            #expect(await client.answer(try client.request(path)).status == "200")
        }
    }

    @Test func `drops the connection in place of an answer`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            try await bench.control("POST", "/answers", ["drop": true])
            let client = try await bench.client()
            let answer = await client.answer(try client.request(path))
            #expect(answer.status.isEmpty)
            #expect(client.isClosed)
            #expect(try await bench.log().last?["dropped"] == true)
        }
    }

    @Test func `drops the connection after so many requests`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            try await bench.control("POST", "/options", ["dropAfter": 3])
            let client = try await bench.client()
            for _ in 0..<2 { #expect(await client.answer(try client.request(path)).status == "200") }
            #expect(await client.answer(try client.request(path)).status.isEmpty)
            #expect(client.isClosed)
            let next = try await bench.client()
            #expect(await next.answer(try next.request(path)).status == "200")
            #expect(try await bench.control("GET", "/connections")["opened"] == 2)
        }
    }

    @Test func `answers late, and others meanwhile`() async throws {
        let clock = ManualClock()
        try await withPush(clock: clock) { bench in
            try await bench.allowToken()
            try await bench.control("POST", "/answers", ["delayMs": 5_000, "count": 1])
            let client = try await bench.client()
            let late = try client.request(path)
            #expect(await client.answer(try client.request(path)).status == "200")
            #expect(client.answers[late]?.status == "")
            let report = try await bench.control("GET", "/connections")
            #expect(report["mostStreams"] == 2)
            clock.advance(by: .seconds(5), waking: bench.reactor.executor)
            #expect(await client.answer(late).status == "200")
        }
    }

    @Test func `says goodbye after so many requests, and answers the streams up to the last`() async throws {
        let clock = ManualClock()
        try await withPush(clock: clock) { bench in
            try await bench.allowToken()
            let goAway: JSONValue = ["afterRequests": 3, "lastStream": 3, "reason": "Shutdown"]
            try await bench.control("POST", "/options", ["goAway": goAway])
            try await bench.control("POST", "/answers", ["delayMs": 5_000, "count": 1])
            let client = try await bench.client()
            let streams = try client.requests(4, path)
            #expect(await client.answer(streams[1]).status == "200")
            #expect(await waitUntil(bench.reactor) { client.goAway != nil })
            #expect(client.goAway?.number() == 3)
            #expect(client.goAway?.payload.dropFirst(8) == Array(#"{"reason":"Shutdown"}"#.utf8)[...])
            clock.advance(by: .seconds(5), waking: bench.reactor.executor)
            #expect(await client.answer(streams[0]).status == "200")
            #expect(await waitUntil(bench.reactor) { client.isClosed })
            #expect(streams[2...].allSatisfy { client.answers[$0]?.status == "" })
            #expect(try await bench.log().map { $0["ignored"] } == [nil, nil, true])
        }
    }

    @Test func `lets a client have as many streams as it is told, also at once`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/options", ["streams": 5])
            let client = try await bench.client()
            #expect(client.settings == [5])
            try await bench.control("POST", "/options", ["streams": 2])
            #expect(await waitUntil(bench.reactor) { client.settings == [5, 2] })
        }
    }

    @Test func `refuses connections until it takes them again at the same place`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/options", ["refusesConnections": true])
            await #expect(throws: (any Error).self) { _ = try await bench.client() }
            // Nobody else takes its port meanwhile.
            #expect(throws: IOError.self) { try Socket.listen(on: bench.address).close() }
            try await bench.control("POST", "/options", ["refusesConnections": false])
            let client = try await bench.client()
            #expect(!client.isClosed)
        }
    }

    @Test func `a snapshot brings tokens and answers back`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            try await bench.control("POST", "/snapshot", ["keep": "a"])
            try await bench.control("POST", "/answers", ["reason": "Forbidden"])
            let client = try await bench.client()
            #expect(await client.answer(try client.request(path)).status == "403")
            try await bench.control("POST", "/snapshot", ["restore": "a"])
            #expect(await client.answer(try client.request(path)).status == "200")
            try await bench.control("POST", "/reset")
            #expect(await client.answer(try client.request(path)).status == "400")
        }
    }
}
