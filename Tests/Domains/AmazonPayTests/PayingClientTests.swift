import Commerce
import Cryptography
import HTTPCore
import Primitives
import Testing

@testable import AmazonPay

@Suite("A call that moves money")
struct PayingClientTests {
    private let key = IdempotencyKey("0123456789abcdef0123456789ABCDEF")

    private func capture(isRecovery: Bool = false) throws -> PayingCall {
        let charge = try #require(ChargeID(ObjectBodies.charge))
        let call = PayingCall.capture(charge, Money(Yen(28_536)), key: try #require(key))
        return isRecovery ? call.asRecovery() : call
    }

    private func refund(isRecovery: Bool = false) throws -> PayingCall {
        let charge = try #require(ChargeID(ObjectBodies.charge))
        let call = PayingCall.refund(charge, Money(Yen(1_000)), key: try #require(key))
        return isRecovery ? call.asRecovery() : call
    }

    private func creation() throws -> PayingCall {
        let permission = try #require(ChargePermissionID(ObjectBodies.permission))
        var creation = ChargeCreation(permission, Money(Yen(28_536)))
        creation.metadata = MerchantMetadata(merchantReferenceId: "order-1")
        return .create(creation, key: try #require(key))
    }

    private static let captured = ScriptedExchange.Step.answer(200, ObjectBodies.charge("Captured", captured: "28536"))
    private static let authorized = ScriptedExchange.Step.answer(200, ObjectBodies.charge("Authorized"))

    private func expectSigned(_ request: OutboundRequest) throws {
        let verifier = RequestVerifier(keys: [TestAccount.keyID: RequestVerifier.Key(try VectorFiles.merchantKey())])
        #expect(try verifier.verify(request.signed, now: vectorTime) == TestAccount.keyID)
        #expect(request.first("x-amz-pay-idempotency-key") == key?.text)
        #expect(request.timeout == .seconds(30))
        #expect(request.method == "POST")
    }

    // MARK: What is sent

    @Test func `makes a charge under a permission`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(201, ObjectBodies.charge("Authorized"))]
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(creation())
        #expect(outcome.name == "done")
        let request = try #require(bench.exchange.requests.first)
        #expect(request.url == "https://pay-api.amazon.jp/v2/charges")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"canHandlePendingAuthorization":false,"captureNow":false,"#
                + #""chargeAmount":{"amount":"28536","currencyCode":"JPY"},"#
                + #""chargePermissionId":"S03-1234567-7654321","merchantMetadata":{"merchantReferenceId":"order-1"}}"#
        )
        try expectSigned(request)
    }

    @Test func `takes what is held`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [Self.captured]
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(capture())
        #expect(outcome.name == "done")
        let request = try #require(bench.exchange.requests.first)
        #expect(request.url.hasSuffix("/v2/charges/S03-1234567-7654321-C012345/capture"))
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"captureAmount":{"amount":"28536","currencyCode":"JPY"}}"#
        )
        try expectSigned(request)
    }

    @Test func `gives money back, to the cent`() async throws {
        let bench = ClientBench()
        let body = ObjectBodies.refund("RefundInitiated", amount: "12.50").replacing("JPY", with: "USD")
        bench.exchange.steps = [.answer(201, body)]
        let charge = try #require(ChargeID(ObjectBodies.charge))
        let amount = try #require(Money(units: 1_250, .usd))
        let call = PayingCall.refund(charge, amount, softDescriptor: "SORRY", key: try #require(key))
        let outcome: PayingOutcome<Refund> = try await bench.client().pay(call)
        #expect(outcome.name == "pending")
        let request = try #require(bench.exchange.requests.first)
        #expect(request.url.hasSuffix("/v2/refunds"))
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"chargeId":"S03-1234567-7654321-C012345","#
                + #""refundAmount":{"amount":"12.50","currencyCode":"USD"},"softDescriptor":"SORRY"}"#
        )
        try expectSigned(request)
    }

    // MARK: Trying again

    @Test(arguments: [
        ScriptedExchange.Step.answer(408), .answer(425), .answer(429, ClientBench.refusal("TooManyRequests")),
        .answer(500, ClientBench.refusal("ProcessingFailure")), .answer(502, "<html>Bad gateway</html>"),
        .answer(503, ""), .answer(504), .failure(.connectFailed), .failure(.timedOut), .failure(.connectionLost),
        .failure(.bodyTooLarge), .failure(.protocolViolation),
    ])
    func `tries again with the same octets under the same key`(step: ScriptedExchange.Step) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [step, step, .answer(201, ObjectBodies.refund("RefundInitiated"))]
        let outcome: PayingOutcome<Refund> = try await bench.client().pay(refund())
        #expect(outcome.name == "pending")
        let requests = bench.exchange.requests
        #expect(requests.count == 3)
        #expect(Set(requests.map(\.body)).count == 1)
        for request in requests { try expectSigned(request) }
    }

    @Test(arguments: [
        (ScriptedExchange.Step.failure(.connectFailed), "notSent"), (.answer(408), "unknown"),
        (.answer(500), "unknown"), (.answer(503), "unknown"),
        (.failure(.timedOut), "unknown"),
    ])
    func `gives up after three tries`(step: ScriptedExchange.Step, name: String) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [step, step, step, step]
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(capture())
        #expect(outcome.name == name)
        #expect(bench.exchange.requests.count == 3)
        #expect(bench.exchange.requests.allSatisfy { $0.method == "POST" })
    }

    @Test func `takes a charge for declined whose processing failed three times in a row`() async throws {
        let failure = ScriptedExchange.Step.answer(500, ClientBench.refusal("ProcessingFailure"))
        let bench = ClientBench()
        bench.exchange.steps = [failure, failure, failure]
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(creation())
        #expect(outcome.name == "refused ProcessingFailure")
        // Other answers in between, or other calls: nobody knows.
        for step in [ScriptedExchange.Step.answer(503), .failure(.connectionLost)] {
            let mixed = ClientBench()
            mixed.exchange.steps = [failure, step, failure]
            let unclear: PayingOutcome<Charge> = try await mixed.client().pay(creation())
            #expect(unclear.name.hasPrefix("unknown"))
        }
        let other = ClientBench()
        other.exchange.steps = [failure, failure, failure]
        let given: PayingOutcome<Refund> = try await other.client().pay(refund())
        #expect(given.name == "unknown ProcessingFailure")
    }

    @Test(arguments: [
        [ScriptedExchange.Step.answer(500, ClientBench.refusal("ProcessingFailure"))],
        [.answer(422, ClientBench.refusal("ProcessingFailure"))],
    ])
    func `takes failed processing for no decline behind a lost answer`(answer: [ScriptedExchange.Step]) async throws {
        let bench = ClientBench()
        bench.exchange.steps = answer + answer + answer
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(creation().asRecovery())
        #expect(outcome.name == "unknown ProcessingFailure")
    }

    @Test func `believes no refusal after a lost answer`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [
            .failure(.connectionLost), .answer(403, ClientBench.refusal("InvalidAccountStatus")), Self.captured,
        ]
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(capture())
        #expect(outcome.name == "done")
        #expect(bench.exchange.requests.map(\.method) == ["POST", "POST", "GET"])

        let other = ClientBench()
        other.exchange.steps = [.failure(.connectionLost), .answer(422, ClientBench.refusal("InvalidChargeStatus"))]
        let given: PayingOutcome<Refund> = try await other.client().pay(refund())
        #expect(given.name == "unknown InvalidChargeStatus")
        #expect(other.exchange.requests.count == 2)
    }

    @Test func `leaves time for reading the charge even at its deadline`() async throws {
        let bench = ClientBench()
        bench.exchange.duration = .seconds(20)
        bench.exchange.steps = [.answer(422, ClientBench.refusal("InvalidChargeStatus")), Self.authorized]
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(capture(), within: .seconds(20))
        #expect(outcome.name == "refused InvalidChargeStatus +")
        #expect(bench.exchange.requests.last?.timeout == .seconds(5))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `sends nothing when there is no time`(limit: Duration) async throws {
        let bench = ClientBench()
        let first: PayingOutcome<Refund> = try await bench.client().pay(refund(), within: limit)
        #expect(first.name == "notSent")
        let again: PayingOutcome<Refund> = try await bench.client().pay(refund(isRecovery: true), within: limit)
        #expect(again.name == "unknown")
        #expect(bench.exchange.requests.isEmpty)
    }

    // MARK: Recovery

    @Test(
        arguments: [
            (captured, "done"), (.answer(200, ObjectBodies.charge("CaptureInitiated")), "pending"),
            (.answer(200, ObjectBodies.charge("Captured", captured: "1")), "refused InvalidChargeStatus +"),
            (.answer(200, ObjectBodies.charge("Canceled", reason: "AmazonCanceled")), "refused AmazonCanceled +"),
            (.answer(404, ClientBench.refusal("ResourceNotFound")), "refused ResourceNotFound"),
            (.answer(403, ClientBench.refusal("InvalidAccountStatus")), "unknown"),
            (.answer(200, ObjectBodies.charge("Frozen")), "unknown"), (.answer(200, "<html>"), "unknown"),
        ] as [(ScriptedExchange.Step, String)]
    )
    func `of a capture reads first, and sends nothing where that tells`(
        step: ScriptedExchange.Step,
        name: String
    ) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [step]
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(capture(isRecovery: true))
        #expect(outcome.name == name)
        #expect(bench.exchange.requests.map(\.method) == ["GET"])
    }

    @Test func `of a capture sends the same octets where the money is still held`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [Self.authorized, Self.captured]
        let outcome: PayingOutcome<Charge> = try await bench.client().pay(capture(isRecovery: true))
        #expect(outcome.name == "done")
        #expect(bench.exchange.requests.map(\.method) == ["GET", "POST"])
        let request = try #require(bench.exchange.requests.last)
        #expect(request.body == (try capture().body))
        try expectSigned(request)
    }

    @Test func `of a refund sends the same octets at once, for there is nothing to read`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(201, ObjectBodies.refund("RefundInitiated"))]
        let outcome: PayingOutcome<Refund> = try await bench.client().pay(refund(isRecovery: true))
        #expect(outcome.name == "pending")
        let request = try #require(bench.exchange.requests.first)
        #expect(bench.exchange.requests.count == 1)
        #expect(request.body == (try refund().body))
        try expectSigned(request)
    }

    @Test func `never says in a recovery that nothing was sent`() async throws {
        for first in [ScriptedExchange.Step.failure(.connectFailed), Self.authorized] {
            let bench = ClientBench()
            bench.exchange.steps = [first] + Array(repeating: .failure(.connectFailed), count: 3)
            let outcome: PayingOutcome<Charge> = try await bench.client().pay(capture(isRecovery: true))
            #expect(outcome.name == "unknown")
        }
    }

    // MARK: Turns

    /// A client whose limits leave some calls no turn for a minute.
    private func client(_ bench: ClientBench, without operations: [AmazonPayOperation]) throws -> CheckoutClient {
        let client = try bench.client(.sandbox)
        for operation in operations {
            for _ in 0..<60 {
                let patience = Duration.seconds(600)
                _ = client.quota.reserve(operation, at: bench.uptime, patience: patience, priority: .purchase)
            }
        }
        return client
    }

    @Test func `says that it had no turn where nothing of it has left`() async throws {
        let bench = ClientBench()
        let client = try client(bench, without: [.createRefund, .getCharge])
        let first: PayingOutcome<Refund> = try await client.pay(refund())
        #expect(first.name == "notSent" && first.isHeldBack)
        let again: PayingOutcome<Refund> = try await client.pay(refund(isRecovery: true))
        #expect(again.name == "unknown" && again.isHeldBack)
        // What is to be read first had no turn either.
        let capture: PayingOutcome<Charge> = try await client.pay(capture(isRecovery: true))
        #expect(capture.name == "unknown" && capture.isHeldBack)
        #expect(bench.exchange.requests.isEmpty)
    }

    @Test func `never says so where a try may have got through, whatever has no turn behind it`() async throws {
        // Turned away, and the next try has no turn in time.
        let throttled = ClientBench()
        throttled.exchange.steps = Array(repeating: .answer(429), count: 9)
        let turned: PayingOutcome<Refund> = try await throttled.client(.sandbox)
            .pay(refund(isRecovery: true), within: .seconds(1))
        #expect(turned.name == "unknown" && !turned.isHeldBack)
        #expect(throttled.exchange.requests.count == 1)
        // Lost, and the charge cannot be read.
        for step in [ScriptedExchange.Step.answer(422, ClientBench.refusal("InvalidChargeStatus")), .answer(200, "?")] {
            let bench = ClientBench()
            bench.exchange.steps = [step]
            let client = try client(bench, without: [.getCharge])
            let outcome: PayingOutcome<Charge> = try await client.pay(capture())
            #expect(outcome.name == "unknown" && !outcome.isHeldBack)
            #expect(bench.exchange.requests.count == 1)
        }
    }

    @Test func `does not call it a want of turns where reading has taken all the time`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [Self.authorized]
        bench.exchange.duration = .seconds(9)
        let outcome: PayingOutcome<Charge> = try await bench.client()
            .pay(capture(isRecovery: true), within: .seconds(9))
        #expect(outcome.name == "unknown" && !outcome.isHeldBack)
    }

    @Test func `sends no octets that it did not make`() async throws {
        let bench = ClientBench()
        let good = try capture()
        let body = Array(#"{"captureAmount":"28536"}"#.utf8)
        for isRecovery in [false, true] {
            let call = PayingCall(
                operation: .capture,
                resource: good.resource,
                body: body,
                key: good.key,
                isRecovery: isRecovery
            )
            let outcome: PayingOutcome<Charge> = try await bench.client().pay(call)
            #expect(outcome.name == (isRecovery ? "unknown" : "notSent"))
            // Nor where an object is asked for that the call does not bring.
            let other: PayingOutcome<Refund> = try await bench.client().pay(isRecovery ? good.asRecovery() : good)
            #expect(other.name == (isRecovery ? "unknown" : "notSent"))
        }
        #expect(bench.exchange.requests.isEmpty)
    }

    @Test func `says beforehand what the service would refuse of a charge`() throws {
        let permission = try #require(ChargePermissionID(ObjectBodies.permission))
        var creation = ChargeCreation(permission, Money(Yen(1)))
        #expect(creation.problems.isEmpty)
        creation.softDescriptor = String(repeating: "a", count: 17)
        #expect(creation.problems.count == 2)
        creation.capturesNow = true
        creation.softDescriptor = String(repeating: "a", count: 16)
        #expect(creation.problems.isEmpty)
        creation.canHandlePendingAuthorization = true
        creation.metadata = MerchantMetadata(merchantStoreName: String(repeating: "a", count: 51))
        #expect(creation.problems.count == 2)
    }
}
