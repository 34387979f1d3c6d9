import DeviceAttestation
import EventIO
import HTTPClient
import HTTPCore
import Primitives
import Settings
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import DeviceCheck

@Suite("Apple's DeviceCheck service, over the wire")
struct AppleDeviceServiceTests {
    private typealias Row = (action: JSONValue, outcome: String, requests: Int)

    private static let set = DeviceBits(bit0: true, bit1: false)

    @Test func `knows nothing of a new device, then what it was told, and the month`() async throws {
        for wording in ["wire", "documented"] {
            try await DeviceServiceBench.run { bench, _ in
                try await bench.control("POST", "/rules", ["wording": .string(wording), "newline": true])
                let token = try await bench.token()
                #expect(try await bench.ask(.query, token).reply.answer == .record(.neverSet))
                #expect(try await bench.ask(.validate, token).reply.answer == .ok)
                let update = try await bench.ask(.update(Self.set), token)
                #expect(update.reply.answer == .ok && update.requests == 1 && !update.reply.isUncertain)
                let known = DeviceRecord.bits(Self.set, lastUpdate: DeviceMonth("2026-01"))
                let query = try await bench.ask(.query, token)
                #expect(query.reply.answer == .record(known) && query.reply.attempts == 1)
                #expect(query.reply.correlation.map(\.name).first == "x-apple-request-uuid")
                #expect(query.reply.correlation.count == 3)
                let entries = try await bench.entries()
                #expect(Set(entries.compactMap { $0["transactionId"]?.text }).count == 4)
                #expect(entries.allSatisfy { $0["contentType"] == "application/json" && $0["method"] == "POST" })
            }
        }
    }

    /// Rows of what Apple sends, for a query; the same for each call but where an update or a validation has 200.
    private static let rows: [Row] = [
        (["reasonCode": "badDeviceToken"], "bad-device-token", 1), (["reasonCode": "badBits"], "bad-request", 1),
        (["reasonCode": "badTimestamp"], "bad-request", 1), (["reasonCode": "badPayload"], "bad-request", 1),
        (["reasonCode": "badAuthorization"], "credentials", 1),
        (["reasonCode": "invalidAuthorization"], "credentials", 2),
        (["reasonCode": "expiredAuthorization"], "credentials-expired", 2), (["status": 403], "credentials", 1),
        (["reasonCode": "message"], "bad-device-token", 1), (["status": 400, "reasonCode": "no"], "bad-request", 1),
        (["status": 405], "bad-request", 1), (["status": 411], "bad-request", 1), (["status": 413], "bad-request", 1),
        (["status": 415], "bad-request", 1), (["status": 429], "throttled", 1), (["status": 500], "unavailable", 3),
        (["status": 502], "unavailable", 3), (["status": 503], "unavailable", 3), (["status": 599], "unavailable", 3),
        (["status": 503, "reasonCode": "neverSet"], "unavailable", 3),
        (["status": 404, "reasonCode": "neverSet"], "unreadable", 3),
        (["status": 201, "reasonCode": "neverSet"], "unreadable", 3), (["status": 404], "unreadable", 3),
        (["status": 302], "unreadable", 3), (["status": 451], "unreadable", 3),
        (["reasonCode": "redirect"], "unreadable", 3),
        (["reasonCode": "huge"], "unreadable", 3), (["resetBefore": true], "unavailable", 3),
        (["truncateBody": true], "unavailable", 3),
    ]

    private static let ofQuery: [Row] = [
        (["reasonCode": "empty"], "unreadable", 3), (["reasonCode": "cutJson"], "unreadable", 3),
        (["reasonCode": "list"], "unreadable", 3), (["reasonCode": "oneBit"], "unreadable", 3),
        (["reasonCode": "textBits"], "unreadable", 3), (["htmlBody": true, "status": 200], "unreadable", 3),
        (["badJson": true], "unreadable", 3), (["wrongContentType": true], "bits", 1),
        (["reasonCode": "neverSet"], "never-set", 1), (["status": 200, "reasonCode": .string(oddMonth)], "bits", 1),
        (["status": 200, "reasonCode": "Failed to find bit state, says the proxy"], "unreadable", 3),
    ]
    /// Bits of which nobody can say when they were set, in another order and beside more.
    private static let oddMonth = #"{"more":[{"a":1}],"bit1":false,"last_update_time":"2026-13","bit0":true}"#

    @Test func `ends each call as the table of answers says, and none is repeated without end`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            _ = try await bench.ask(.update(Self.set), token)
            for (action, outcome, requests) in Self.rows + Self.ofQuery {
                try await bench.fault(action)
                let (reply, count) = try await bench.ask(.query, token)
                #expect(reply.answer.outcome == outcome && count == requests, "\(action): \(reply.answer), \(count)")
                #expect(reply.attempts == count && !reply.answer.outcome.isEmpty)
                if case .record(.bits(let bits, let month)) = reply.answer, action["reasonCode"] != nil {
                    #expect(bits == Self.set && month == nil)
                }
                try bench.forgive()
            }
            #expect(try await bench.entries().allSatisfy { $0["path"]?.text?.hasPrefix("/production/v1/") == true })
        }
    }

    @Test func `ends each call the same where Apple words its answers as documented`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            try await bench.control("POST", "/rules", ["wording": "documented", "newline": true])
            for (action, outcome, requests) in Self.rows + Self.ofQuery where action["reasonCode"] != nil {
                try await bench.fault(action)
                let (reply, count) = try await bench.ask(.query, token)
                #expect(reply.answer.outcome == outcome && count == requests, "\(action): \(reply.answer), \(count)")
                try bench.forgive()
            }
        }
    }

    @Test func `takes any answer of success to an update or a validation, and no other`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            for call in [DeviceCheckRequest.update(Self.set), .validate] {
                for word in ["empty", "cutJson", "list", "neverSet"] {
                    try await bench.fault(["reasonCode": .string(word)])
                    #expect(try await bench.ask(call, token).reply.answer == .ok)
                }
                for (action, outcome, requests) in Self.rows where action["truncateBody"] == nil {
                    try await bench.fault(action)
                    let (reply, count) = try await bench.ask(call, token)
                    #expect(reply.answer.outcome == outcome && count == requests, "\(call), \(action): \(reply.answer)")
                    try bench.forgive()
                }
            }
        }
    }

    @Test func `is asked again with the same ids, a new time and both bits`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            try await bench.fault(["status": 503], times: 1)
            try await bench.control("POST", "/faults", ["action": ["resetAfter": true]])
            let (reply, count) = try await bench.ask(.update(DeviceBits(bit0: false, bit1: true)), token)
            #expect(reply.answer == .ok && count == 3)
            let bodies = try bench.exchange.requests.map { try JSONParser.parse($0.body) }
            #expect(Set(bodies.compactMap { $0["transaction_id"]?.text }) == [reply.transactionID.description])
            #expect(Set(bodies.compactMap { $0["device_token"]?.text }) == [token.reveal()])
            #expect(Set(bodies.compactMap { $0["timestamp"]?.integer }).count == 3)
            #expect(bodies.allSatisfy { $0["bit0"] == false && $0["bit1"] == true })
        }
    }

    @Test func `that leaves an update open is said to`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            try await bench.fault(["resetAfter": true])
            let lost = try await bench.ask(.update(Self.set), token).reply
            #expect(lost.answer == .unavailable && lost.isUncertain)
            try bench.forgive()
            try await bench.fault(["reasonCode": "badDeviceToken"])
            #expect(try await !bench.ask(.update(Self.set), token).reply.isUncertain)
        }
    }

    @Test func `gets one bearer token for many calls, and one more where it refuses it`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            for _ in 0..<5 { #expect(try await bench.ask(.query, token).requests == 1) }
            await bench.pass(.seconds(29 * 60))
            try await bench.control("POST", "/rules", ["tokenLife": 86_400])
            #expect(try await bench.ask(.query, token).requests == 1)
            #expect(bench.exchange.bearers.count == 1)
            await bench.pass(.seconds(60))
            #expect(try await bench.ask(.query, token).requests == 1)
            #expect(bench.exchange.bearers.count == 2)
            try await bench.fault(["reasonCode": "expiredAuthorization"], times: 1)
            let (reply, count) = try await bench.ask(.query, token)
            #expect(reply.answer == .record(.neverSet) && count == 2 && bench.exchange.bearers.count == 3)
            // A token that had aged is held against nobody.
            #expect(try await bench.ask(.query, token).requests == 1)
        }
    }

    @Test func `that refuses our key is left alone for a minute, and an operator hears of it`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            try await bench.fault(["status": 401])
            #expect(try await bench.ask(.query, token).requests == 2)
            #expect(bench.log.lines(with: "device_check.key_refused").count == 1)
            let held = try await bench.ask(.query, token)
            #expect(held.reply.answer == .unavailable && held.requests == 0 && held.reply.attempts == 0)
            #expect(held.reply.retryAfter.map { $0 > .seconds(50) && $0 <= .seconds(60) } == true)
            // The other environment is asked on.
            try await bench.control("DELETE", "/faults")
            let other = try await bench.token("development")
            #expect(try await bench.ask(.query, other, in: .development).reply.answer == .record(.neverSet))
            await bench.pass(.seconds(61))
            #expect(try await bench.ask(.query, token).reply.answer == .record(.neverSet))
            let counted = bench.metrics.prometheusText()
            let wanted =
                #"sallyport_device_check_calls_total{environment="production",call="query_two_bits",outcome="credentials"} 2"#
            #expect(counted.contains(wanted))
            #expect(counted.contains(#"sallyport_device_check_breaker_openings_total{environment="production"} 1"#))
        }
    }

    @Test func `that does not work is left alone, then one call finds out`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            try await bench.fault(["status": 503])
            #expect(try await bench.ask(.query, token).requests == 3)
            #expect(try await bench.ask(.query, token).requests == 2)
            #expect(try await bench.ask(.query, token).requests == 0)
            await bench.pass(.seconds(11))
            #expect(try await bench.ask(.query, token).requests == 1)
            #expect(try await bench.ask(.query, token).requests == 0)
            try await bench.control("DELETE", "/faults")
            await bench.pass(.seconds(11))
            #expect(try await bench.ask(.query, token).reply.answer == .record(.neverSet))
            #expect(try await bench.ask(.query, token).requests == 1)
            #expect(bench.log.lines(with: "device_check.resumed").count == 1)
        }
    }

    @Test func `that is asked too much says when to come again`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            try await bench.fault(["status": 429, "retryAfter": "2"], times: 1)
            #expect(try await bench.ask(.query, token).requests == 2)
            try await bench.fault(["status": 429, "retryAfter": "90"], times: 1)
            let asked = try await bench.ask(.query, token)
            #expect(asked.reply.answer == .throttled && asked.requests == 1 && asked.reply.retryAfter == .seconds(90))
            #expect(try await bench.ask(.query, token).requests == 0)
            await bench.pass(.seconds(91))
            #expect(try await bench.ask(.query, token).requests == 1)
            // A date counts as well, and what no clock says is waited for, too.
            var date: [UInt8] = []
            HTTPDate.append(bench.clock.now() + .seconds(60), to: &date)
            for text in [String(decoding: date, as: UTF8.self), "soon"] {
                try await bench.fault(["status": 429, "retryAfter": .string(text)], times: 1)
                #expect(try await bench.ask(.query, token).requests == 1, "\(text)")
                #expect(try await bench.ask(.query, token).requests == 0)
                await bench.pass(.seconds(62))
                #expect(try await bench.ask(.query, token).requests == 1)
            }
        }
    }

    @Test func `takes another key without losing a call, and a revoked one no longer`() async throws {
        try await DeviceServiceBench.run { bench, folder in
            let token = try await bench.token()
            _ = try await bench.ask(.query, token)
            let ids = DeviceServiceBench.keyIDs
            let next = try DeviceServiceBench.settings(["PRIVATE_KEY": "\(folder)/AuthKey_\(ids[1]).p8"])
            try await bench.control("POST", "/keys/\(ids[0])/revoke")
            #expect(try await bench.ask(.query, token).reply.answer == .credentials)
            bench.access.replace(try next.tokens())
            #expect(try await bench.ask(.query, token).reply.answer == .record(.neverSet))
            #expect(try await bench.entries().compactMap { $0["keyId"]?.text }.last == ids[1])
        }
    }

    @Test func `shows by a made-up token whether it takes our key, and changes nothing`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let probe = CredentialProbe(
                service: bench.service,
                settings: bench.settings,
                environment: .production,
                random: SeededRandom(seed: 4)
            )
            func run() async throws -> CredentialProbe.Report {
                var report: CredentialProbe.Report?
                bench.reactor.startTask { report = await probe.run() }
                _ = await waitUntil(bench.reactor) {
                    if bench.exchange.pending == 0 {
                        bench.clock.advance(by: .milliseconds(50), waking: bench.reactor.executor)
                    }
                    return report != nil
                }
                return try #require(report)
            }
            let good = try await run()
            #expect(good.outcome == .good && good.sentence.contains("takes the key of team SPTEAM1234"))
            let rows: [(JSONValue, CredentialProbe.Outcome)] = [
                (["status": 401], .refused), (["status": 403], .refused), (["reasonCode": "badTimestamp"], .refused),
                (["reasonCode": "badAuthorization"], .refused), (["status": 503], .unanswered),
                (["status": 429], .unanswered), (["reasonCode": "redirect"], .unanswered),
                (["reasonCode": "empty"], .refused), (["resetBefore": true], .unanswered),
            ]
            for (action, outcome) in rows {
                try await bench.fault(action)
                #expect(try await run().outcome == outcome, "\(action)")
                try bench.forgive()
            }
            #expect(bench.exchange.requests.allSatisfy { $0.url.hasSuffix("/v1/validate_device_token") })
        }
    }

    @Test func `is shown each key once, and not often`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            func probe() async -> Int {
                let before = bench.exchange.requests.count
                await bench.service.probeWhenDue(.production)
                return bench.exchange.requests.count - before
            }
            #expect(await [probe(), probe()] == [1, 0])
            #expect(bench.log.lines(with: "device_check.key_taken").count == 1)
            try bench.forgive()
            #expect(await probe() == 0)
            await bench.pass(.seconds(301))
            #expect(await [probe(), probe()] == [1, 0])
        }
    }

    @Test func `of one environment knows no token of the other`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token("development")
            #expect(try await bench.ask(.update(Self.set), token).reply.answer == .badDeviceToken)
            #expect(try await bench.ask(.update(Self.set), token, in: .development).reply.answer == .ok)
        }
    }

    @Test func `is written of in the log without a secret`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            for (action, _, _) in Self.rows {
                try await bench.fault(action)
                _ = try await bench.ask(.update(Self.set), token)
                try bench.forgive()
            }
            let text = bench.log.lines.joined()
            #expect(text.contains("device_check.request_refused") && text.contains("device_check.key_refused"))
            for secret in bench.exchange.bearers.map({ $0.dropFirst(7).prefix(20) }) + [token.reveal().prefix(20)] {
                #expect(!text.contains(secret))
            }
        }
    }
}

@Suite("Settings of Apple's DeviceCheck service")
struct AppleDeviceSettingsTests {
    private static func problems(_ texts: [String: String], team: String = "SPTEAM1234") -> String {
        let pairs = texts.map { ("SALLYPORT_DEVICE_CHECK_" + $0.key, $0.value) }
        var reader = SettingReader(SettingSource(file: nil, environment: Dictionary(uniqueKeysWithValues: pairs)))
        _ = AppleDeviceSettings(&reader, teamID: team)
        return reader.problems(of: .everything).joined(separator: "\n")
    }

    @Test func `are Apple's where nothing is said, and nobody is asked without a key`() throws {
        let settings = try DeviceServiceBench.settings([:])
        #expect(!settings.isOn)
        #expect(settings.base(of: .production) == "https://api.devicecheck.apple.com")
        #expect(settings.base(of: .development) == "https://api.development.devicecheck.apple.com")
        let configuration = settings.purpose(.production).configuration
        #expect(configuration.bodyLimit == 16_384 && configuration.connectTimeout == .seconds(2))
    }

    @Test func `name an https address, a team and a key id`() {
        #expect(Self.problems(["PRODUCTION_URL": "http://apple.example"]).contains("device_check.production_url"))
        #expect(Self.problems(["DEVELOPMENT_URL": "https://apple.example/"]).contains("device_check.development_url"))
        #expect(Self.problems(["PRODUCTION_URL": "http://127.0.0.1:9"]).isEmpty)
        #expect(Self.problems(["PRIVATE_KEY": "/nowhere/key.p8"]).contains("device_check.key_id"))
        #expect(
            Self.problems(["PRIVATE_KEY": "/nowhere/AuthKey_SP2X9R4HXF.p8"], team: "").contains(
                "device_check.team_id is not"
            )
        )
    }
}
