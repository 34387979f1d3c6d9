import EventIO
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Faults of DeviceCheck")
struct DeviceCheckFaultTests {
    @Test func `are its refusals, in either wording, and anything else as a text`() async throws {
        try await withDeviceCheck { bench in
            let token = try await bench.token(try await bench.device())
            let expected: [(JSONValue, Int, String)] = [
                (["status": 401], 401, "Unable to verify authorization token"),
                (["reasonCode": "expiredAuthorization"], 401, "Authorization Token Expired"),
                (["status": 403], 403, "Forbidden"), (["status": 429], 429, "Too Many Requests"),
                (["status": 500], 500, "Server Error"), (["status": 503], 503, "Service Unavailable"),
                (["status": 502], 502, ""), (["status": 400, "reasonCode": "Busy"], 400, "Busy"),
                (["status": 503, "reasonCode": "neverSet"], 503, DeviceCheckBench.neverSet),
                (["reasonCode": "empty"], 200, ""), (["reasonCode": "cutJson"], 200, #"{"bit0":true,"bit1":fal"#),
                (["reasonCode": "list"], 200, "[true,false]"),
            ]
            for (action, status, text) in expected {
                let match: JSONValue = ["operation": "queryTwoBits", "environment": "production"]
                try await bench.control("POST", "/faults", ["match": match, "action": action])
                #expect(try await bench.call("validate_device_token", bench.body(token)).status == 200)
                #expect(try await bench.call("query_two_bits", bench.body(token)) == (status, text))
            }
            #expect(try await bench.query(token) == DeviceCheckBench.neverSet)
            let huge: JSONValue = ["action": ["reasonCode": "huge"]]
            try await bench.control("POST", "/faults", huge)
            #expect(try await bench.query(token).utf8.count > 1 << 20)
        }
    }

    @Test func `say when to come again as a tester wants, and else do not`() async throws {
        try await withDeviceCheck { bench in
            let body = bench.body(try await bench.token(try await bench.device()))
            let date = "Sun, 29 Nov 2026 08:00:00 GMT"
            for given in [nil, "7", date] {
                var action = [JSONMember("status", 429)]
                if let given { action.append(JSONMember("retryAfter", .string(given))) }
                try await bench.control("POST", "/faults", ["action": .object(action)])
                let answer = try await bench.send("POST", "/production/v1/query_two_bits", body)
                #expect(answer.status == 429)
                #expect(answer.first("retry-after") == given)
            }
        }
    }

    @Test func `are broken connections and contents; an update is done though its answer is lost`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            let token = try await bench.token(device)
            for (word, isDone) in [("resetBefore", false), ("resetAfter", true)] {
                try await bench.control("POST", "/faults", ["action": .object([JSONMember(word, true)])])
                await #expect(throws: HTTPExchangeError.self) { try await bench.update(token, true, true) }
                let records = try await bench.control("GET", "/devices/\(device)")["records"]
                #expect(records?.elements.isEmpty == !isDone)
            }
            let page: JSONValue = ["action": ["htmlBody": true, "status": 200]]
            try await bench.control("POST", "/faults", page)
            #expect(try await bench.query(token).hasPrefix("<html>"))
            try await bench.control("POST", "/faults", ["action": ["badJson": true]])
            #expect((try? JSONParser.parse(Array(try await bench.query(token).utf8))) == nil)
            try await bench.control("POST", "/faults", ["action": ["truncateBody": true]])
            await #expect(throws: HTTPExchangeError.self) { _ = try await bench.query(token) }
        }
    }

    @Test func `send a client elsewhere, and the log shows whether it went`() async throws {
        try await withDeviceCheck { bench in
            let token = try await bench.token(try await bench.device())
            try await bench.control("POST", "/faults", ["action": ["reasonCode": "redirect"]])
            let fields = [("authorization", try bench.bearer())]
            let answer = try await bench.send(
                "POST",
                "/production/v1/query_two_bits",
                bench.body(token),
                fields: fields
            )
            #expect(answer.status == 307)
            let port = try #require(bench.origin.split(separator: ":").last)
            let place = "http://localhost:\(port)/redirected/production/v1/query_two_bits"
            #expect(answer.first("location") == place)
            _ = try await bench.send("POST", "/redirected/production/v1/query_two_bits")
            let log = try await bench.control("GET", "/log")
            #expect(log["entries"]?.elements.map { $0["status"] } == [307, 404])
            #expect(log["entries"]?.elements.last?["operation"] == nil)
        }
    }

    @Test func `and requests are written down without a token`() async throws {
        try await withDeviceCheck { bench in
            let token = try await bench.token(try await bench.device())
            let bearer = try bench.bearer()
            _ = try await bench.call("query_two_bits", bench.body(token), authorization: bearer)
            _ = try await bench.call(
                "update_two_bits",
                bench.body(token, [("bit0", true), ("bit1", false), ("timestamp", 5)]),
                authorization: bearer
            )
            let log = try await bench.control("GET", "/log")
            let entries = try #require(log["entries"]?.elements)
            #expect(entries.map { $0["status"] } == [200, 400])
            #expect(entries.map { $0["operation"] } == ["queryTwoBits", "updateTwoBits"])
            #expect(entries[0]["authorization"] == entries[1]["authorization"])
            #expect(entries[0]["deviceToken"] == entries[1]["deviceToken"])
            #expect(entries[0]["transactionId"] == "7b9f3c52-0d0f-4b1f-9b57-0f4f8f1f6a01")
            #expect((entries[1]["bit0"], entries[1]["bit1"], entries[1]["timestamp"]) == (true, false, 5))
            #expect(entries[1]["device"] == 1)
            #expect(entries[1]["keyId"] == .string(DeviceCheckBench.keyID))
            let text = log.description
            #expect(!text.contains("eyJ") && !text.contains(token.prefix(40)))
        }
    }

    @Test func `of two clients that cross each other are made by letting requests wait`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            let tokens = [try await bench.token(device), try await bench.token(device)]
            try await bench.control("POST", "/devices/\(device)/hold", ["operation": "updateTwoBits", "requests": 2])
            var states: [String] = []
            let tasks = zip(tokens, [false, true]).map { token, bit1 in
                bench.reactor.startTask {
                    guard let state = try? await bench.query(token) else { return }
                    _ = try? await bench.update(token, true, bit1)
                    states.append(state)
                }
            }
            for task in tasks { await task.value }
            #expect(states == [DeviceCheckBench.neverSet, DeviceCheckBench.neverSet])
            // Whoever came last has won.
            let last = try await bench.control("GET", "/log")["entries"]?.elements.last
            #expect(try await bench.query(tokens[0]).contains("\"bit1\":\(last?["bit1"]?.flag == true)"))
            #expect(try await bench.update(tokens[0], false, false) == 200)
        }
    }

    @Test func `let requests go that wait, when a tester says so`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            let token = try await bench.token(device)
            try await bench.control("POST", "/devices/\(device)/hold", ["operation": "queryTwoBits", "requests": 9])
            var text = ""
            let task = bench.reactor.startTask { text = (try? await bench.query(token)) ?? "" }
            let patience = Patience()
            while patience.isLeft, try await bench.control("GET", "/devices/\(device)")["waiting"] != 1 {}
            try await bench.control("POST", "/devices/\(device)/proceed")
            await task.value
            #expect(text == DeviceCheckBench.neverSet)
            #expect(try await bench.query(token) == DeviceCheckBench.neverSet)
        }
    }
}
