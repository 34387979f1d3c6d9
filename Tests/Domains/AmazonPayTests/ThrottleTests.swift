import AmazonPay
import Commerce
import HTTPCore
import Primitives
import TestKit
import Testing

/// What becomes of a call that the service has no room for.
@Suite("A call that is throttled")
struct ThrottleTests {
    private static let answers = [429, 425]

    private func completion() throws -> CheckoutClient.Completion {
        CheckoutClient.Completion(
            session: try ClientBench.id(),
            amount: Yen(28536),
            key: try #require(IdempotencyKey("0123456789abcdef0123456789ABCDEF"))
        )
    }

    @Test(arguments: answers)
    func `is repeated under its key until there is room`(status: Int) async throws {
        let bench = ClientBench()
        bench.exchange.steps =
            Array(repeating: .answer(status), count: 12) + [.answer(200, ClientBench.body("Completed"))]
        let outcome = try await bench.client().complete(completion(), within: .seconds(60))
        guard case .completed = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.count == 13)
        #expect(Set(bench.exchange.requests.compactMap { $0.first("x-amz-pay-idempotency-key") }).count == 1)
        #expect(Set(bench.exchange.requests.map(\.body)).count == 1)
    }

    @Test(arguments: answers)
    func `ends with the deadline, and nothing was sent`(status: Int) async throws {
        let bench = ClientBench()
        bench.exchange.steps = Array(repeating: .answer(status), count: 1000)
        let start = bench.uptime
        let outcome = try await bench.client().complete(completion(), within: .seconds(35))
        guard case .notSent(let error) = outcome else { throw Unexpected(outcome) }
        #expect(error.status == status)
        #expect(bench.uptime - start >= .seconds(34) && bench.uptime - start <= .seconds(35))
        // The pauses grow to five seconds at most.
        #expect((10...100).contains(bench.exchange.requests.count))
    }

    @Test(arguments: [
        [("Retry-After", "7")], [("retry-after", "0000007")],
        // By the service's clock, however ours goes.
        [("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Retry-After", "Sun, 06 Nov 1994 08:49:44 GMT")],
    ])
    func `is left alone as long as the service says`(fields: [(String, String)]) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(429, "", fields), .answer(200, ClientBench.body("Completed"))]
        let outcome = try await bench.client().complete(completion())
        guard case .completed = outcome else { throw Unexpected(outcome) }
        #expect(bench.pauses.count == 1)
        #expect(bench.pauses.allSatisfy { $0 >= .seconds(7) && $0 <= .milliseconds(7200) })
    }

    @Test func `counts a date by our clock where the service shows none of its own`() async throws {
        let bench = ClientBench()
        var text: [UInt8] = []
        HTTPDate.append(bench.clock.now() + .seconds(7), to: &text)
        let fields = [("Retry-After", String(decoding: text, as: UTF8.self))]
        bench.exchange.steps = [.answer(429, "", fields), .answer(200, ClientBench.body("Completed"))]
        _ = try await bench.client().complete(completion())
        #expect(bench.pauses.allSatisfy { $0 >= .milliseconds(5900) && $0 <= .milliseconds(7200) })
        #expect(bench.pauses.count == 1)
    }

    @Test(arguments: [
        "", "soon", "-5", "1.5", "+3", "5 ", "Sun, 06 Nov 1994 08:49:37", "1994-11-06T08:49:37Z",
        "Thu, 01 Jan 1970 00:00:00 GMT",
    ])
    func `goes by the usual pauses where that cannot be read, or is past`(text: String) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [
            .answer(429, "", [("Retry-After", text)]), .answer(200, ClientBench.body("Completed")),
        ]
        let outcome = try await bench.client().complete(completion())
        guard case .completed = outcome else { throw Unexpected(outcome) }
        #expect(bench.pauses.allSatisfy { $0 <= .milliseconds(200) })
    }

    @Test(arguments: ["36", "86401", "99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func `ends at once where the service wants more time than there is`(text: String) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(429, "", [("Retry-After", text)])]
        let outcome = try await bench.client().complete(completion(), within: .seconds(35))
        guard case .notSent(let error) = outcome else { throw Unexpected(outcome) }
        #expect(error.status == 429)
        #expect(bench.pauses.isEmpty)
        #expect(bench.exchange.requests.count == 1)
    }

    @Test func `says nothing of a try before it whose answer was lost`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.failure(.timedOut)] + Array(repeating: .answer(429), count: 1000)
        let outcome = try await bench.client().complete(completion(), within: .seconds(35))
        guard case .unknown(let error) = outcome else { throw Unexpected(outcome) }
        #expect(error.code == .outcomeUnknown)
    }

    @Test func `uses up none of the tries that other failures have`() async throws {
        let bench = ClientBench()
        bench.exchange.steps =
            [.answer(429), .answer(503), .answer(429), .answer(503), .answer(429), .answer(503), .answer(200)]
        let error = await #expect(throws: AmazonPayError.self) {
            try await bench.client().session(ClientBench.id(), within: .seconds(60))
        }
        #expect(error?.status == 503)
        #expect(bench.exchange.requests.count == 6)
    }

    @Test(arguments: answers)
    func `moves money under the same octets, once there is room`(status: Int) async throws {
        let bench = ClientBench()
        bench.exchange.steps =
            Array(repeating: .answer(status), count: 12) + [.answer(201, ObjectBodies.refund("RefundInitiated"))]
        let key = try #require(IdempotencyKey("0123456789abcdef0123456789ABCDEF"))
        let charge = try #require(ChargeID(ObjectBodies.charge))
        let outcome: PayingOutcome<Refund> = try await bench.client().pay(.refund(charge, Money(Yen(1_000)), key: key))
        #expect(outcome.name == "pending")
        #expect(Set(bench.exchange.requests.map(\.body)).count == 1)
    }
}
