import AmazonPay
import Commerce
import EventIO
import HTTPCore
import Primitives
import StrictJSON
import Testing

/// The broker's own client against the simulator's limits, on the wire; the time of both passes only while the client sleeps.
@Suite("Limits of the service")
struct QuotaTests {
    private final class Timeline {
        private(set) var uptime = Duration.zero
        private(set) var pauses: [Duration] = []
        private var shown: Int64 = 0

        /// Whole seconds pass for the simulator.
        func pass(_ pause: Duration, _ bench: WireBench) async {
            pauses.append(pause)
            uptime += pause
            let seconds = uptime.components.seconds - shown
            guard seconds > 0 else { return }
            shown += seconds
            do {
                try await bench.control("POST", "clock", ["advance": .string("PT\(seconds)S")])
            } catch {
                Issue.record(error)
            }
        }
    }

    private static func client(_ bench: WireBench, _ time: Timeline, _ table: QuotaTable) throws -> CheckoutClient {
        CheckoutClient(
            bench.credentials,
            endpoint: try AmazonPayEndpoint(simulator: bench.origin, for: bench.credentials),
            quota: CallQuota(table),
            over: bench.curl,
            signOffLoop: { work in work() },
            timing: CallTiming(
                sleep: { pause in await time.pass(pause, bench) },
                uptime: { time.uptime },
                clock: SystemClock(),
                random: bench.reactor.random
            )
        )
    }

    private static func statuses(_ bench: WireBench, _ operation: String) async throws -> [Int] {
        let log = try await bench.control("GET", "log?limit=5000")
        return (log["entries"]?.elements ?? []).filter { $0["operation"]?.text == operation }
            .compactMap { $0["status"]?.integer }
    }

    private static let charge = ChargeID("S03-1234567-7654321-C012345")
    private static let key = IdempotencyKey.derive(
        webviewSession: UUIDBytes(high: 7, low: 7),
        attempt: 1,
        step: "quota"
    )

    @Test(arguments: ["live", "sandbox"])
    func `are never met by a client that keeps to the same table`(table: String) async throws {
        try await withSimulator { bench in
            try await bench.control("POST", "options", ["quota": .string(table)])
            let time = Timeline()
            let client = try Self.client(bench, time, try #require(QuotaTable(rawValue: table)))
            let charge = try #require(Self.charge)
            for index in 0..<60 {
                let priority = Priority.allCases[index % 3]
                let error = await #expect(throws: AmazonPayError.self) {
                    try await client.charge(charge, priority: priority, within: .seconds(60))
                }
                #expect(error?.status == 404)
            }
            #expect(try await Self.statuses(bench, "GetCharge") == Array(repeating: 404, count: 60))
            #expect(time.uptime > .seconds(10))
        }
    }

    @Test func `are waited out by a client that knows none`() async throws {
        try await withSimulator { bench in
            try await bench.control("POST", "options", ["quota": "sandbox"])
            let time = Timeline()
            let client = try Self.client(bench, time, .unlimited)
            let charge = try #require(Self.charge)
            for _ in 0..<12 {
                let error = await #expect(throws: AmazonPayError.self) { try await client.charge(charge) }
                #expect(error?.status == 404)
            }
            let statuses = try await Self.statuses(bench, "GetCharge")
            #expect(statuses.filter { $0 == 404 }.count == 12)
            // Five at once, then one a second: each of seven was refused at least once.
            #expect(statuses.filter { $0 == 429 }.count >= 7)
        }
    }

    @Test func `end a purchase with its deadline; the next one charges once under its own key`() async throws {
        try await withSimulator { bench in
            let held = try await bench.held()
            let session = try #require(held)
            let time = Timeline()
            let client = try Self.client(bench, time, .unlimited)
            try await bench.control(
                "POST",
                "faults",
                [
                    "match": ["operation": "CompleteCheckoutSession", "count": 1000],
                    "action": ["reasonCode": "TooManyRequests"],
                ]
            )
            let completion = CheckoutClient.Completion(session: session, amount: Yen(27_996), key: Self.key)
            let outcome = await client.complete(completion, within: .seconds(35))
            guard case .notSent(let error) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(error.status == 429 && error.reason == .tooManyRequests)
            #expect(time.uptime >= .seconds(34) && time.uptime <= .seconds(35))
            #expect(try await Self.statuses(bench, "CompleteCheckoutSession").count > 5)
            _ = try await bench.send("DELETE", "/_sim/faults")
            guard case .completed = await client.complete(completion) else {
                Issue.record("not completed")
                return
            }
            #expect(try await bench.effectiveCompletes(session.text) == 1)
        }
    }

    @Test(arguments: ["7", nil])
    func `that name a time are met again only after it`(seconds: String?) async throws {
        try await withSimulator { bench in
            let held = try await bench.held()
            let session = try #require(held)
            let time = Timeline()
            let client = try Self.client(bench, time, .unlimited)
            var date: [UInt8] = []
            HTTPDate.append(SystemClock().now() + .seconds(3600), to: &date)
            let text = seconds ?? String(decoding: date, as: UTF8.self)
            let action: JSONValue = ["reasonCode": "TooManyRequests", "retryAfter": .string(text)]
            try await bench.addFault("CompleteCheckoutSession", action)
            let completion = CheckoutClient.Completion(session: session, amount: Yen(27_996), key: Self.key)
            let outcome = await client.complete(completion, within: .seconds(35))
            let count = try await Self.statuses(bench, "CompleteCheckoutSession").count
            if seconds == nil {
                // An hour is longer than the deadline.
                guard case .notSent = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(time.pauses.isEmpty && count == 1)
            } else {
                guard case .completed = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(time.uptime >= .seconds(7) && time.uptime < .seconds(8) && count == 2)
            }
        }
    }
}
