import Cryptography
import EventIO
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("DeviceCheck")
struct DeviceCheckServiceTests {
    @Test func `keeps two bits and a month for each device, and says so where it was never told`() async throws {
        try await withDeviceCheck { bench in
            try await bench.control("POST", "/clock", ["now": "2031-01-31T23:59:00Z"])
            let (device, other) = (try await bench.device(), try await bench.device())
            let token = try await bench.token(device)
            #expect(try await bench.query(token) == DeviceCheckBench.neverSet)
            #expect(try await bench.update(token, true, false) == 200)
            #expect(try await bench.query(token) == #"{"bit0":true,"bit1":false,"last_update_time":"2031-01"}"#)
            // A month later, and the same bits: the month is that of the last update.
            try await bench.control("POST", "/clock", ["advance": "PT2M"])
            let later = try await bench.token(device)
            #expect(try await bench.query(later).contains("2031-01"))
            try await bench.update(later, true, false)
            #expect(try await bench.query(later) == #"{"bit0":true,"bit1":false,"last_update_time":"2031-02"}"#)
            #expect(try await bench.query(try await bench.token(other)) == DeviceCheckBench.neverSet)
        }
    }

    @Test func `has a store for each environment and each team`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            let made = try await bench.control("POST", "/keys", ["keyId": "KEYOFOTHER", "teamId": "OTHERTEAM1"])
            let key = try ES256PrivateKey(pem: Secret(Array(try #require(made["privateKey"]?.text).utf8)))
            let bearer = try bench.bearer(team: "OTHERTEAM1", keyID: "KEYOFOTHER", key: key)
            try await bench.update(try await bench.token(device), false, true)
            let development = try await bench.token(device, ["environment": "development"])
            #expect(try await bench.query(development, in: "development") == DeviceCheckBench.neverSet)
            let foreign = try await bench.token(device, ["teamId": "OTHERTEAM1"])
            let answer = try await bench.call("query_two_bits", bench.body(foreign), authorization: bearer)
            #expect(answer.text == DeviceCheckBench.neverSet)
            let shown = try await bench.control("GET", "/devices/\(device)")["records"]
            #expect(shown?.elements.count == 1)
            #expect(shown?.elements.first?["environment"] == "production")
        }
    }

    @Test func `validates a token without a word about the device`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            let token = try await bench.token(device)
            let answer = try await bench.call("validate_device_token", bench.body(token))
            #expect(answer == (200, ""))
            #expect(try await bench.query(token) == DeviceCheckBench.neverSet)
            let bad = try await bench.call("validate_device_token", bench.body("AAAA"))
            #expect(bad == (400, DeviceCheckBench.badToken))
        }
    }

    @Test func `refuses a token of another environment or team, one that is old, and no token at all`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            let good = try await bench.token(device)
            let broken = good.prefix(76) + "\n" + good.dropFirst(76)
            let tokens: [JSONValue?] = [
                .string(try await bench.token(device, ["environment": "development"])),
                .string(try await bench.token(device, ["teamId": "OTHERTEAM1"])),
                .string(try await bench.token(device, ["age": "PT2M"])), .string(String(broken)),
                .string(good.replacing("+", with: "-").replacing("/", with: "_")), "", "x", nil, 7, [],
            ]
            for token in tokens {
                let answer = try await bench.call("query_two_bits", bench.body("", [("device_token", token)]))
                #expect(answer == (400, DeviceCheckBench.badToken))
            }
            let young = try await bench.token(device, ["age": "PT1M"])
            #expect(try await bench.query(young) == DeviceCheckBench.neverSet)
            try await bench.control("POST", "/clock", ["advance": "PT2M"])
            #expect(try await bench.query(good) == DeviceCheckBench.badToken)
        }
    }

    @Test func `checks a request in a fixed order`() async throws {
        try await withDeviceCheck { bench in
            let token = try await bench.token(try await bench.device())
            let seconds: JSONValue = .number(String(bench.reactor.wallNow.seconds))
            let wrong: [(String, JSONValue?)] = [
                ("device_token", "x"), ("timestamp", seconds), ("transaction_id", nil), ("bit0", "true"),
            ]
            // Each body has what stands behind its own fault wrong, too.
            let expected = [
                (wrong, DeviceCheckBench.badToken),
                (Array(wrong.dropFirst()), "Missing or incorrectly formatted time stamp"),
                (Array(wrong.dropFirst(2)), "Bad Payload"),
                (Array(wrong.dropFirst(3)), "Missing or incorrectly formatted bits"),
            ]
            for (changes, text) in expected {
                #expect(try await bench.call("update_two_bits", bench.body(token, changes)) == (400, text))
            }
            let unsigned = try await bench.call("update_two_bits", Array("{".utf8), authorization: "Basic YTpi")
            #expect(unsigned == (400, "Missing or badly formatted authorization token"))
            for body in ["{", "", "[]", "true"] {
                #expect(try await bench.call("query_two_bits", Array(body.utf8)) == (400, "Bad Payload"))
            }
            let get = try await bench.send("GET", "/production/v1/query_two_bits")
            #expect(get.status == 405)
            #expect(try await bench.call("query_three_bits", bench.body(token)).status == 404)
            #expect(try await bench.call("query_two_bits", bench.body(token), in: "sandbox").status == 404)
        }
    }

    @Test func `takes whole milliseconds near its clock alone`() async throws {
        try await withDeviceCheck { bench in
            let token = try await bench.token(try await bench.device())
            let now = bench.reactor.wallNow.microseconds / 1_000
            let stamps: [JSONValue?] = [
                .number(String(now / 1_000)), .number("\(now).0"), .number("1.7e12"), .string(String(now)), nil,
                .number(String(now - 660_000)), .number(String(now + 660_000)), .number("9223372036854775807"),
            ]
            for stamp in stamps {
                let answer = try await bench.call("query_two_bits", bench.body(token, [("timestamp", stamp)]))
                #expect(answer == (400, "Missing or incorrectly formatted time stamp"))
            }
            let late: JSONValue = .number(String(now - 540_000))
            #expect(try await bench.call("query_two_bits", bench.body(token, [("timestamp", late)])).status == 200)
        }
    }

    @Test func `takes what the first servers sent: JSON as a form, a time rounded up`() async throws {
        try await withDeviceCheck { bench in
            let token = try await bench.token(try await bench.device(), ["environment": "development"])
            // `json_encode` writes a slash with a backslash.
            let escaped = token.replacing("/", with: "\\/")
            let now = (bench.reactor.wallNow.microseconds + 999) / 1_000
            let common = #"{"device_token":"\#(escaped)","transaction_id":"5a1a7e9d0f3b2","timestamp":\#(now)"#
            let fields = [
                ("Authorization", try bench.bearer()), ("Accept", "*/*"),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ]
            let query = try await bench.send(
                "POST",
                "/development/v1/query_two_bits",
                Array((common + "}").utf8),
                fields: fields
            )
            #expect(String(decoding: query.body, as: UTF8.self) == DeviceCheckBench.neverSet)
            let update = try await bench.send(
                "POST",
                "/development/v1/update_two_bits",
                Array((common + #","bit0":true,"bit1":false}"#).utf8),
                fields: fields
            )
            #expect((update.status, update.body) == (200, []))
            #expect(try await bench.query(token, in: "development").hasPrefix(#"{"bit0":true,"bit1":false,"#))
        }
    }

    @Test(arguments: ["keep", "false", "refuse"])
    func `does with one bit alone what a tester wants`(rule: String) async throws {
        try await withDeviceCheck { bench in
            try await bench.control("POST", "/rules", ["absentBit": .string(rule)])
            let token = try await bench.token(try await bench.device())
            try await bench.update(token, true, true)
            let one = try await bench.call("update_two_bits", bench.body(token, [("bit1", false)]))
            #expect(one.status == (rule == "refuse" ? 400 : 200))
            let (bit0, bit1) = (rule != "false", rule == "refuse")
            #expect(try await bench.query(token).hasPrefix("{\"bit0\":\(bit0),\"bit1\":\(bit1),"))
            for bits in [[], [("bit0", "true"), ("bit1", true)], [("bit0", 1)]] as [[(String, JSONValue?)]] {
                let answer = try await bench.call("update_two_bits", bench.body(token, bits))
                #expect(answer == (400, "Missing or incorrectly formatted bits"))
            }
        }
    }

    @Test func `lets a token be used once for each call, or once, where a tester wants that`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            for rule in ["strict", "once"] {
                try await bench.control("POST", "/rules", ["use": .string(rule)])
                let token = try await bench.token(device)
                #expect(try await bench.call("query_two_bits", bench.body(token)).status == 200)
                // The same request once more is a repetition.
                #expect(try await bench.call("query_two_bits", bench.body(token)).status == 200)
                let other = bench.body(token, [("transaction_id", "0d1c79c2-4b2b-4a8c-8d64-a5f3f2f2a1b0")])
                #expect(try await bench.call("query_two_bits", other).status == 400)
                #expect(try await bench.update(token, false, false) == (rule == "strict" ? 200 : 400))
            }
        }
    }

    @Test func `has the texts of the documentation, too, a line break behind them, and ids`() async throws {
        try await withDeviceCheck { bench in
            try await bench.control("POST", "/rules", ["wording": "documented", "newline": true])
            let token = try await bench.token(try await bench.device())
            #expect(try await bench.query(token) == "Bit State Not Found\n")
            #expect(try await bench.query("x") == "Bad Device Token\n")
            let answer = try await bench.send("POST", "/production/v1/query_two_bits")
            #expect(String(decoding: answer.body, as: UTF8.self) == "Bad Authorization Token\n")
            for name in ["x-apple-request-uuid", "x-apple-jingle-correlation-key", "x-b3-traceid"] {
                #expect(answer.first(name)?.isEmpty == false, "\(name)")
            }
        }
    }

    @Test func `gives no token where the device has none`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device(["supported": false, "name": "An old Mac"])
            let answer = try await bench.control("POST", "/devices/\(device)/tokens")
            #expect(answer == ["supported": false])
        }
    }
}
