import DeviceAttestation
import EventIO
import FeatureTestKit
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import Telemetry
import Testing

@testable import DeviceCheck

@Suite struct `Marks of an outage` {
    private let accounts = (0..<3).map { DeviceFixture.account($0 + 1) }

    private func waiting(_ shop: DeviceFixture) async throws -> [DeviceState: Int] {
        let read = try await shop.part.loop.database.read(DeviceStatement.waiting()).all()
        return Dictionary(uniqueKeysWithValues: read.map { ($0.state, $0.count) })
    }

    private func shows(_ text: String, _ shop: DeviceFixture) -> Bool {
        shop.part.loop.metrics.prometheusText().contains(text)
    }

    @Test func `wait where operators see them, and are gone soon after Apple is back`() async throws {
        try await withDevices { shop in
            try shop.open(accounts)
            #expect(try await waiting(shop) == [:])
            // Apple is away before it is asked, behind that, and when it is written to.
            for (index, call) in [DeviceCheckCall.query, .query, .update].enumerated() {
                shop.apple.faults[call] = .answer(index == 1 ? .throttled : .unavailable, attempts: 3)
                let bought = await shop.claim(accounts[index], device: index, "purchase")
                #expect(bought["isGranted"]?.flag == true && bought["needsReview"]?.flag == true, "\(bought)")
            }
            #expect(try await waiting(shop) == [.paid: 3])
            #expect(shows("sallyport_device_check_unwritten_marks_total 3", shop))
            let gauges = DeviceGauges(shop.part.loop.metrics)
            try shop.admin.run("UPDATE device_account SET queued_at = queued_at - interval '10 hours'")
            gauges.show(try await shop.part.loop.database.read(DeviceStatement.waiting()).all())
            #expect(shows("sallyport_device_check_waiting_marks{state=\"paid\"} 3", shop))
            #expect(shows("sallyport_device_check_waiting_marks_oldest_seconds{state=\"paid\"} 36", shop))
            // The next visit writes the mark, and the one after that finds it: then nothing waits.
            for visit in 0..<2 {
                for (index, account) in accounts.enumerated() {
                    _ = await shop.check(account, shop.apple.token(of: index), "free-trial")
                    #expect(shop.apple.state(of: index) == .paid)
                }
                #expect(try await waiting(shop) == (visit == 0 ? [.paid: 3] : [:]))
            }
            gauges.show(try await shop.part.loop.database.read(DeviceStatement.waiting()).all())
            #expect(shows("sallyport_device_check_waiting_marks{state=\"paid\"} 0", shop))
            #expect(shows("sallyport_device_check_unwritten_marks_total 3", shop))
        }
    }

    @Test func `that waited and cannot be written are counted again, and those without a token are not`() async throws {
        try await withDevices { shop in
            try shop.open(accounts)
            _ = try await shop.part.queue("fraud", of: accounts[0], from: "test")
            _ = await shop.mark(accounts[1], nil, "purchased")
            #expect(shows("sallyport_device_check_unwritten_marks_total 0", shop))
            shop.apple.faults[.update] = .answer(.unavailable, attempts: 3)
            _ = await shop.check(accounts[0], shop.apple.token(of: 0), "free-trial")
            #expect(shows("sallyport_device_check_unwritten_marks_total 1", shop))
            #expect(try await waiting(shop) == [.blocked: 1, .paid: 1])
        }
    }

    @Test func `leave a breaker, the age of the bearer token and the clock to be seen`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let gauges = DeviceGauges(bench.metrics)
            func shown() -> String {
                gauges.show(bench.access)
                return bench.metrics.prometheusText()
            }
            #expect(shown().contains("sallyport_device_check_token_made_timestamp_seconds 0"))
            let token = try await bench.token()
            _ = try await bench.ask(.query, token)
            let made = try #require(bench.access.tokens.made).seconds
            #expect(shown().contains("sallyport_device_check_token_made_timestamp_seconds \(made)"))
            #expect(shown().contains("sallyport_device_check_held{environment=\"production\"} 0"))
            #expect(shown().contains("sallyport_device_check_clock_difference_seconds "))
            try await bench.fault(["status": 401])
            _ = try await bench.ask(.query, token)
            #expect(shown().contains("sallyport_device_check_held{environment=\"production\"} 1"))
            #expect(shown().contains("sallyport_device_check_held{environment=\"development\"} 0"))
            try bench.forgive()
            #expect(shown().contains("sallyport_device_check_held{environment=\"production\"} 0"))
        }
    }
}
