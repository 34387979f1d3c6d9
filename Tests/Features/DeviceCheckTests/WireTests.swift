import DeviceAttestation
import EventIO
import HTTPCore
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing

@testable import DeviceCheck

@Suite struct `Over the wire to Apple` {
    /// What a device is, or why nobody can tell.
    private enum Case: Sendable {
        case state(DeviceState)
        case away, unsupported
    }

    /// What is decided, whether it is to be looked at, and what the device is afterwards.
    private typealias Row = (Case, verdict: String, needsReview: Bool, after: DeviceState?)

    /// The table of policies in docs/device-policies.md, row by row; no verdict is a refusal to answer now.
    private static let policies: [(purpose: String, rows: [Row])] = [
        ("free-trial", gift), ("ticket-gift", gift),
        (
            "purchase",
            [
                (.state(.new), "allow", false, .paid), (.state(.known), "allow", false, .paid),
                (.state(.trialUsed), "allow", false, .paid), (.state(.paid), "allow", false, .paid),
                (.state(.blocked), "deny", false, .blocked), (.away, "allow", true, nil),
                (.unsupported, "allow", true, nil),
            ]
        ),
        (
            "sign-up",
            [
                (.state(.new), "allow", false, .known), (.state(.known), "allow", false, .known),
                (.state(.trialUsed), "allow", false, .trialUsed), (.state(.paid), "allow", false, .paid),
                (.state(.blocked), "deny", false, .blocked), (.away, "allow", true, nil),
                (.unsupported, "allow", false, nil),
            ]
        ),
        ("refund-abuse", [(.state(.new), "unknown", false, .new), (.state(.blocked), "unknown", false, .blocked)]),
    ]

    private static let gift: [Row] = [
        (.state(.new), "allow", false, .trialUsed), (.state(.known), "allow", false, .trialUsed),
        (.state(.trialUsed), "deny", false, .trialUsed), (.state(.paid), "deny", false, .paid),
        (.state(.blocked), "deny", false, .blocked), (.away, "", false, nil), (.unsupported, "deny", false, nil),
    ]

    @Test func `each purpose is decided by its row, and marks the device as its row says`() async throws {
        try await WiredDevices.run { wire in
            var number = 10
            for (purpose, rows) in Self.policies {
                for (situation, verdict, needsReview, after) in rows {
                    number += 1
                    let account = DeviceFixture.account(number)
                    try wire.shop.open([account])
                    try await wire.fault(nil)
                    var device = 0
                    let answer: JSONValue
                    switch situation {
                    case .state(let state):
                        device = try await wire.device(state)
                        answer = try await wire.claim(account, on: device, purpose)
                    case .away:
                        device = try await wire.device(.new)
                        try await wire.fault(["status": 403])
                        answer = try await wire.claim(account, on: device, purpose)
                    case .unsupported: answer = await wire.shop.claim(account, nil, purpose)
                    }
                    let story: Comment = "\(purpose), \(situation): \(answer)"
                    #expect(answer.word("decision") ?? "" == verdict, story)
                    if verdict.isEmpty { #expect(answer.word("code") == "device_check_unavailable", story) }
                    #expect(answer["needsReview"]?.flag ?? false == needsReview, story)
                    #expect(answer["isGranted"]?.flag ?? false == (verdict == "allow"), story)
                    if let after { #expect(try await wire.state(of: device) == after, story) }
                }
            }
        }
    }

    @Test func `a mark that waits is written at the next visit, and counts at once`() async throws {
        try await WiredDevices.run { wire in
            let account = DeviceFixture.account(1)
            try wire.shop.open([account])
            let device = try await wire.device(.known)
            #expect(try await wire.shop.part.queue("fraud", of: account, from: "test"))
            #expect(try await wire.claim(account, on: device).word("reason") == "state-refused")
            #expect(try await wire.state(of: device) == .blocked)
        }
    }

    @Test func `a used trial ages by the months that Apple says`() async throws {
        let policies = """
            {"version":2,"policies":{"free-trial":{"accept":["new","known"],"unavailable":"later","unsupported":"deny",
            "write":"trial-used","ageAfterMonths":24}}}
            """
        try await WiredDevices.run(policies: policies) { wire in
            let account = DeviceFixture.account(1)
            try wire.shop.open([account])
            let (device, now) = (try await wire.device(.new), DeviceMonth(SystemClock().now()))
            for (months, reason) in [(23, "state-refused"), (24, "aged"), (-1, "state-refused")] {
                let index = now.year * 12 + now.month - 1 - months
                let month = try #require(DeviceMonth(year: index / 12, month: index % 12 + 1))
                let bits: JSONValue = ["bit0": true, "bit1": false, "last_update_time": .string(month.text)]
                try await wire.control("POST", "/devices/\(device)/bits", bits)
                let answer = try await wire.claim(account, on: device)
                #expect(
                    answer.word("reason") == reason && answer.word("lastUpdate") == month.text,
                    "\(months): \(answer)"
                )
            }
        }
    }

    @Test func `the bit of another app stays as it is, and what is once a month is stamped with the month`()
        async throws
    {
        let policies = """
            {"version":2,"meaning":{"version":1,"states":[{"bit0":false,"bit1":false,"state":"known"},
            {"bit0":false,"bit1":true,"state":"known"},{"bit0":true,"bit1":false,"state":"trial-used"},
            {"bit0":true,"bit1":true,"state":"trial-used"}]},"policies":{
            "free-trial":{"accept":["new","known"],"unavailable":"later","unsupported":"deny","write":"trial-used"},
            "coupon":{"accept":["new","known"],"unavailable":"later","unsupported":"deny","write":"known","everyMonths":1}}}
            """
        try await WiredDevices.run(policies: policies) { wire in
            let account = DeviceFixture.account(1)
            try wire.shop.open([account])
            let device = try await wire.device(.new)
            let old: JSONValue = ["bit0": false, "bit1": true, "last_update_time": "2026-01"]
            try await wire.control("POST", "/devices/\(device)/bits", old)
            #expect(try await wire.claim(account, on: device, "coupon")["isGranted"]?.flag == true)
            let month = DeviceMonth(SystemClock().now()).text
            #expect(
                try await wire.record(of: device) == ["bit0": false, "bit1": true, "last_update_time": .string(month)]
            )
            #expect(try await wire.claim(account, on: device, "coupon").word("reason") == "too-soon")
            #expect(try await wire.claim(account, on: device)["isGranted"]?.flag == true)
            #expect(try await wire.record(of: device)["bit0"] == true)
            #expect(try await wire.record(of: device)["bit1"] == true)
        }
    }

    @Test func `of two accounts that both read before either writes both are given something, and nobody behind them`()
        async throws
    {
        try await WiredDevices.run { wire in
            let people = (1...3).map { DeviceFixture.account($0) }
            try wire.shop.open(people)
            let device = try await wire.device(.new)
            try await wire.control("POST", "/devices/\(device)/hold", ["operation": "updateTwoBits", "requests": 2])
            let answers = AnswerList()
            for person in people.prefix(2) {
                let token = try await wire.token(of: device)
                wire.shop.part.loop.reactor.startTask { answers.all.append(("", await wire.shop.claim(person, token))) }
            }
            _ = await waitUntil(wire.shop.part.loop.reactor) { answers.all.count == 2 }
            #expect(answers.all.allSatisfy { $0.1["isGranted"]?.flag == true }, "\(answers.all)")
            #expect(try await wire.claim(people[2], on: device).word("reason") == "state-refused")
        }
    }

    @Test func `an update whose answer is lost is repeated, and given once`() async throws {
        try await WiredDevices.run { wire in
            let people = (1...2).map { DeviceFixture.account($0) }
            try wire.shop.open(people)
            let device = try await wire.device(.new)
            try await wire.fault(["resetAfter": true], "updateTwoBits", times: 1)
            #expect(try await wire.claim(people[0], on: device)["isGranted"]?.flag == true)
            #expect(wire.exchange.requests.count == 3)
            // Lost for good: the device is marked, and only its account may finish.
            let other = try await wire.device(.new)
            try await wire.fault(["resetAfter": true], "updateTwoBits")
            #expect(try await wire.claim(people[1], on: other).word("code") == "device_check_unavailable")
            try await wire.fault(nil)
            #expect(try await wire.state(of: other) == .trialUsed)
            #expect(try wire.shop.value("SELECT status FROM device_claim WHERE grants = 0") == "uncertain")
            let third = DeviceFixture.account(3)
            try wire.shop.open([third])
            #expect(try await wire.claim(third, on: other).word("reason") == "state-refused")
            let finished = try await wire.claim(people[1], on: other)
            #expect(finished["isGranted"]?.flag == true && finished.word("reason") == "resumed")
        }
    }

    /// Nobody says whether a token serves both calls: where it does not, nothing is given and nothing is left to finish.
    @Test func `a claim needs a token that serves a query and an update`() async throws {
        try await WiredDevices.run { wire in
            let account = DeviceFixture.account(1)
            try wire.shop.open([account])
            let device = try await wire.device(.new)
            try await wire.control("POST", "/rules", ["use": "once"])
            #expect(try await wire.claim(account, on: device).word("code") == "device_token_refused")
            #expect(try wire.shop.value("SELECT count(*) FROM device_claim") == "0")
            try await wire.control("POST", "/rules", ["use": "strict"])
            #expect(try await wire.claim(account, on: device)["isGranted"]?.flag == true)
        }
    }
}
