import AmazonPay
import Commerce
import Cryptography
import HTTPCore
import Primitives
import TestKit
import Testing

@Suite("The checkout client")
struct CheckoutClientTests {
    private func verifier() throws -> RequestVerifier {
        RequestVerifier(keys: [TestAccount.keyID: RequestVerifier.Key(try VectorFiles.merchantKey())])
    }

    private let key = IdempotencyKey("0123456789abcdef0123456789ABCDEF")

    private func completion(isRecovery: Bool = false) throws -> CheckoutClient.Completion {
        CheckoutClient.Completion(
            session: try ClientBench.id(),
            amount: Yen(28_536),
            key: try #require(key),
            isRecovery: isRecovery
        )
    }

    // MARK: What is sent

    @Test func `asks for a session with a signature that the service accepts`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ClientBench.body("Open"))]
        let session = try await bench.client().session(ClientBench.id())
        #expect(session.state == .open)
        let request = try #require(bench.exchange.requests.first)
        #expect(request.method == "GET")
        #expect(request.url == "https://pay-api.amazon.jp/v2/checkoutSessions/\(ClientBench.session)")
        #expect(request.first("x-amz-pay-date") == "20260314T015926Z")
        #expect(request.first("x-amz-pay-idempotency-key") == nil)
        #expect(request.body.isEmpty)
        #expect(request.timeout == .seconds(10))
        #expect(try verifier().verify(request.signed, now: vectorTime) == TestAccount.keyID)
        #expect(bench.signatures == 1)
    }

    @Test func `updates by a PATCH without a key`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ClientBench.body("Open"))]
        let update = CheckoutUpdate(
            resultURL: "https://shop.example.test/checkout_result",
            amount: Yen(28_536),
            metadata: MerchantMetadata(merchantReferenceId: "flow-1", merchantStoreName: "見本店")
        )
        _ = try await bench.client().update(ClientBench.id(), update)
        let request = try #require(bench.exchange.requests.first)
        #expect(request.method == "PATCH")
        #expect(request.first("x-amz-pay-idempotency-key") == nil)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"merchantMetadata":{"merchantReferenceId":"flow-1","merchantStoreName":"見本店"},"#
                + #""paymentDetails":{"canHandlePendingAuthorization":false,"#
                + #""chargeAmount":{"amount":"28536","currencyCode":"JPY"},"paymentIntent":"Authorize"},"#
                + #""webCheckoutDetails":{"checkoutResultReturnUrl":"https://shop.example.test/checkout_result"}}"#
        )
        #expect(try verifier().verify(request.signed, now: vectorTime) == TestAccount.keyID)
    }

    @Test func `completes by a POST with the key of the attempt`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ClientBench.body("Completed"))]
        let outcome = try await bench.client().complete(completion())
        guard case .completed(let session) = outcome else { throw Unexpected(outcome) }
        #expect(session.chargeID == "S03-1234567-7654321-C012345")
        #expect(session.chargePermissionID == "S03-1234567-7654321")
        let request = try #require(bench.exchange.requests.first)
        #expect(request.method == "POST")
        #expect(request.url.hasSuffix("/v2/checkoutSessions/\(ClientBench.session)/complete"))
        #expect(request.first("x-amz-pay-idempotency-key") == key?.text)
        #expect(request.timeout == .seconds(30))
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"chargeAmount":{"amount":"28536","currencyCode":"JPY"}}"#
        )
        #expect(try verifier().verify(request.signed, now: vectorTime) == TestAccount.keyID)
    }

    // MARK: Trying again

    @Test(arguments: [
        ScriptedExchange.Step.answer(408), .answer(425), .answer(429, ClientBench.refusal("TooManyRequests")),
        .answer(500, ClientBench.refusal("InternalServerError")), .answer(502, "<html>Bad gateway</html>"),
        .answer(503, ""), .answer(504), .failure(.connectFailed), .failure(.timedOut), .failure(.connectionLost),
        .failure(.bodyTooLarge), .failure(.protocolViolation),
    ])
    func `tries again with the same key`(step: ScriptedExchange.Step) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [step, step, .answer(200, ClientBench.body("Completed"))]
        let outcome = try await bench.client().complete(completion())
        guard case .completed = outcome else { throw Unexpected(outcome) }
        let requests = bench.exchange.requests
        #expect(requests.count == 3)
        #expect(Set(requests.compactMap { $0.first("x-amz-pay-idempotency-key") }) == [try #require(key).text])
        #expect(Set(requests.map(\.body)).count == 1)
        #expect(Set(requests.compactMap { $0.first("authorization") }).count == 3)
        #expect(bench.pauses.count == 2)
        #expect(bench.pauses[0] <= .milliseconds(200))
        #expect(bench.pauses[1] <= .milliseconds(400))
    }

    @Test(arguments: [
        (ScriptedExchange.Step.answer(503), AmazonPayError.Code.outcomeUnknown),
        (.failure(.connectFailed), .notSent), (.failure(.timedOut), .outcomeUnknown),
    ])
    func `gives up after three tries`(step: ScriptedExchange.Step, code: AmazonPayError.Code) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [step, step, step, step]
        let error = await #expect(throws: AmazonPayError.self) { try await bench.client().session(ClientBench.id()) }
        #expect(error?.code == code)
        #expect(bench.exchange.requests.count == 3)
        #expect(error?.retry == .sameKey)
    }

    @Test(arguments: [
        (400, "InvalidParameterValue"), (401, "UnauthorizedAccess"), (403, "InvalidRequestSignature"),
        (404, "ResourceNotFound"), (405, "UnsupportedOperation"), (409, "AmountMismatch"),
        (422, "InvalidCheckoutSessionStatus"), (426, "TLSVersionNotSupported"),
    ])
    func `does not repeat what was refused`(status: Int, reason: String) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(status, ClientBench.refusal(reason), [("X-Amz-Pay-Request-Id", "req-1")])]
        let error = await #expect(throws: AmazonPayError.self) { try await bench.client().session(ClientBench.id()) }
        #expect(error?.code == .refused)
        #expect(error?.status == status)
        #expect(error?.reason?.rawValue == reason)
        #expect(error?.requestID == "req-1")
        #expect(bench.exchange.requests.count == 1)
    }

    @Test func `ends at its deadline, and never asks for more time than is left`() async throws {
        let bench = ClientBench()
        bench.exchange.duration = .seconds(60)
        bench.exchange.steps = [.failure(.timedOut), .failure(.timedOut), .failure(.timedOut)]
        let start = bench.uptime
        let outcome = try await bench.client().complete(completion(), within: .seconds(40))
        guard case .unknown(let error) = outcome else { throw Unexpected(outcome) }
        #expect(error.code == .outcomeUnknown)
        #expect(bench.exchange.requests.count == 2)
        #expect(bench.exchange.requests.first?.timeout == .seconds(30))
        #expect(try #require(bench.exchange.requests.last?.timeout) < .seconds(10))
        #expect(bench.uptime - start <= .seconds(40))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `sends nothing when there is no time`(limit: Duration) async throws {
        let bench = ClientBench()
        let outcome = try await bench.client().complete(completion(), within: limit)
        guard case .notSent = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.isEmpty)
    }

    @Test func `sends nothing without a signature`() async throws {
        let bench = ClientBench()
        bench.signing = .failure(CryptographyError(.failed, "worker gone"))
        let outcome = try await bench.client().complete(completion())
        guard case .notSent(let error) = outcome else { throw Unexpected(outcome) }
        #expect(error.debugDescription.contains("worker gone"))
        #expect(bench.exchange.requests.isEmpty)
    }

    // MARK: Clocks

    @Test(arguments: [600, -600])
    func `signs once more with the service's clock when its own is wrong`(seconds: Int) async throws {
        let bench = ClientBench()
        let refusal = ClientBench.refusal("InvalidHeaderValue")
        let date = seconds > 0 ? "Sat, 14 Mar 2026 02:09:26 GMT" : "Sat, 14 Mar 2026 01:49:26 GMT"
        bench.exchange.steps = [
            .answer(400, refusal, [("Date", date)]), .answer(200, ClientBench.body("Completed")),
        ]
        let outcome = try await bench.client().complete(completion())
        guard case .completed = outcome else { throw Unexpected(outcome) }
        let dates = bench.exchange.requests.map { $0.first("x-amz-pay-date") }
        #expect(dates == ["20260314T015926Z", seconds > 0 ? "20260314T020926Z" : "20260314T014926Z"])
        #expect(bench.pauses.isEmpty)
        #expect(!bench.log.lines(with: "amazonpay.clock_differs").isEmpty)
    }

    @Test func `keeps to the service's clock at the tries that follow`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [
            .answer(400, ClientBench.refusal("InvalidHeaderValue"), [("Date", "Sat, 14 Mar 2026 02:09:26 GMT")]),
            .answer(503), .failure(.connectionLost), .answer(200, ClientBench.body("Completed")),
        ]
        let outcome = try await bench.client().complete(completion())
        guard case .completed = outcome else { throw Unexpected(outcome) }
        let dates = bench.exchange.requests.compactMap { $0.first("x-amz-pay-date") }
        #expect(dates.first == "20260314T015926Z")
        #expect(dates.count == 4 && dates.dropFirst().allSatisfy { $0.hasPrefix("20260314T0209") }, "\(dates)")
    }

    @Test func `sends nothing that a worker signed too late`() async throws {
        let bench = ClientBench()
        bench.signingTime = .seconds(46)
        let outcome = try await bench.client().complete(completion())
        guard case .notSent = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.isEmpty)
    }

    @Test(arguments: [("28536", true), ("28535", false)])
    func `asks the charge where a completed session does not tell its amount`(amount: String, isOurs: Bool) async throws
    {
        let bench = ClientBench()
        bench.exchange.steps = [
            .answer(200, ClientBench.body("Completed", amount: nil)),
            .answer(200, ObjectBodies.charge("Authorized", amount: amount)),
        ]
        let outcome = try await bench.client().complete(completion(isRecovery: true))
        switch outcome {
        case .alreadyCompleted: #expect(isOurs)
        case .completedOtherwise: #expect(!isOurs)
        default: throw Unexpected(outcome)
        }
        #expect(bench.exchange.requests.map(\.method) == ["GET", "GET"])
        #expect(bench.exchange.requests.last?.url.hasSuffix("/v2/charges/S03-1234567-7654321-C012345") == true)
    }

    @Test func `signs again for a wrong clock only once, whatever the service's clock does`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = ["02:09:26", "02:29:26", "02:59:26"].map { time in
            .answer(400, ClientBench.refusal("InvalidHeaderValue"), [("Date", "Sat, 14 Mar 2026 \(time) GMT")])
        }
        let outcome = try await bench.client().complete(completion())
        guard case .rejected = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.count == 2)
    }

    @Test(arguments: ["Sat, 14 Mar 2026 01:59:28 GMT", "no date", ""])
    func `does not blame a clock that is right`(date: String) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(400, ClientBench.refusal("InvalidHeaderValue"), [("date", date)])]
        let outcome = try await bench.client().complete(completion())
        guard case .rejected = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.count == 1)
        #expect(bench.log.lines(with: "amazonpay.clock_differs").isEmpty)
    }

    // MARK: Answers

    @Test(arguments: [
        "", "<html>", "{", "null", "[]", "{}", #"{"checkoutSessionId":"x"}"#,
        String(ClientBench.body("Open").dropLast(9)),
        ClientBench.body("Open", id: "00000000-0000-0000-0000-000000000000"),
    ])
    func `takes no session from a body that holds none`(body: String) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, body)]
        let error = await #expect(throws: AmazonPayError.self) { try await bench.client().session(ClientBench.id()) }
        #expect(error?.code == .unreadable)
        #expect(bench.exchange.requests.count == 1)
    }

    @Test func `writes neither names nor amounts into its log`() async throws {
        let bench = ClientBench()
        let body = String(decoding: try VectorFiles.object("checkoutSession-after-update"), as: UTF8.self)
        bench.exchange.steps = [.answer(200, body, [("x-amz-pay-request-id", "req-9")])]
        _ = try await bench.client().session(ClientBench.id())
        #expect(bench.log.lines(with: "req-9").count == 1)
        for word in ["見本", "buyer@example.test", "28536", "Signature", "060-0001"] {
            #expect(bench.log.lines(with: word).isEmpty)
        }
    }

    // MARK: Completions that need a second look

    @Test func `reads the session after a doubtful refusal`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [
            .answer(422, ClientBench.refusal("InvalidCheckoutSessionStatus")),
            .answer(200, ClientBench.body("Completed")),
        ]
        let outcome = try await bench.client().complete(completion())
        guard case .alreadyCompleted = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.map(\.method) == ["POST", "GET"])
    }

    @Test func `after a lost answer believes no refusal before it has read the session`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [
            .failure(.connectionLost), .answer(403, ClientBench.refusal("InvalidAccountStatus")),
            .answer(200, ClientBench.body("Completed")),
        ]
        let outcome = try await bench.client().complete(completion())
        guard case .alreadyCompleted = outcome else { throw Unexpected(outcome) }
    }

    @Test func `leaves time for reading the session even at its deadline`() async throws {
        let bench = ClientBench()
        bench.exchange.duration = .seconds(20)
        bench.exchange.steps = [
            .answer(422, ClientBench.refusal("InvalidCheckoutSessionStatus")), .answer(200, ClientBench.body("Open")),
        ]
        let outcome = try await bench.client().complete(completion(), within: .seconds(20))
        guard case .notReady = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.last?.timeout == .seconds(5))
    }

    @Test func `in a recovery reads first and completes only an open session`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ClientBench.body("Completed"))]
        let settled = try await bench.client().complete(completion(isRecovery: true))
        guard case .alreadyCompleted = settled else { throw Unexpected(settled) }
        #expect(bench.exchange.requests.map(\.method) == ["GET"])

        let open = ClientBench()
        open.exchange.steps = [.answer(200, ClientBench.body("Open")), .answer(200, ClientBench.body("Completed"))]
        let completed = try await open.client().complete(completion(isRecovery: true))
        guard case .completed = completed else { throw Unexpected(completed) }
        #expect(open.exchange.requests.map(\.method) == ["GET", "POST"])
        #expect(open.exchange.requests.last?.first("x-amz-pay-idempotency-key") == key?.text)
    }

    @Test func `in a recovery never says that nothing was sent`() async throws {
        let unread = ClientBench()
        unread.exchange.steps = [.failure(.connectFailed), .failure(.connectFailed), .failure(.connectFailed)]
        let first = try await unread.client().complete(completion(isRecovery: true))
        guard case .unknown = first else { throw Unexpected(first) }

        let read = ClientBench()
        read.exchange.steps = [
            .answer(200, ClientBench.body("Open")), .failure(.connectFailed), .failure(.connectFailed),
            .failure(.connectFailed),
        ]
        let second = try await read.client().complete(completion(isRecovery: true))
        guard case .unknown = second else { throw Unexpected(second) }
    }

    // MARK: Limits

    @Test func `waits for the account's limits rather than be refused`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = Array(repeating: .answer(200, ClientBench.body("Completed")), count: 3)
        let client = try bench.client(.sandbox)
        for _ in 0..<3 { _ = await client.complete(try completion()) }
        #expect(bench.exchange.requests.count == 3)
        #expect(bench.pauses.count == 2)
        #expect(bench.pauses.allSatisfy { $0 > .milliseconds(900) && $0 < .milliseconds(1112) })
    }

    @Test func `sends nothing when the limits allow nothing before the deadline`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ClientBench.body("Completed"))]
        let client = try bench.client(.sandbox)
        _ = await client.complete(try completion())
        let outcome = await client.complete(try completion(), within: .milliseconds(500))
        guard case .notSent = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.count == 1)
    }
}

/// An outcome that a test did not expect.
struct Unexpected: Error {
    let outcome: CompleteOutcome

    init(_ outcome: CompleteOutcome) {
        self.outcome = outcome
    }
}
