import Commerce
import Cryptography
import HTTPCore
import Primitives
import TestKit
import Testing

@testable import AmazonPay

@Suite("An operation")
struct OperationTests {
    private func permission() throws -> ChargePermissionID {
        try #require(ChargePermissionID(ObjectBodies.permission))
    }

    private func charge() throws -> ChargeID {
        try #require(ChargeID(ObjectBodies.charge))
    }

    private func key() throws -> IdempotencyKey {
        try #require(IdempotencyKey("0123456789abcdef0123456789ABCDEF"))
    }

    /// Checks a request against what was to be sent.
    private func expect(
        _ request: OutboundRequest?,
        _ line: String,
        body: String = "",
        seconds: Int64 = 10,
        key: IdempotencyKey? = nil
    ) throws {
        let request = try #require(request)
        #expect("\(request.method) \(request.url)" == line.replacing(" /", with: " https://pay-api.amazon.jp/v2/"))
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        #expect(request.timeout == .seconds(seconds))
        #expect(request.first("x-amz-pay-idempotency-key") == key?.text)
        let verifier = RequestVerifier(keys: [TestAccount.keyID: RequestVerifier.Key(try VectorFiles.merchantKey())])
        #expect(try verifier.verify(request.signed, now: vectorTime) == TestAccount.keyID)
    }

    // MARK: Reading

    @Test func `reads charges, refunds and permissions`() async throws {
        let bench = ClientBench()
        let client = try bench.client()
        bench.exchange.steps = [
            .answer(200, ObjectBodies.charge("Authorized")), .answer(200, ObjectBodies.refund("Refunded")),
            .answer(200, ObjectBodies.permission("Chargeable")),
        ]
        #expect(try await client.charge(charge()).state == .authorized)
        #expect(try await client.refund(try #require(RefundID(ObjectBodies.refund))).state == .refunded)
        #expect(try await client.permission(permission()).state == .chargeable)
        let requests = bench.exchange.requests
        try expect(requests.first, "GET /charges/S03-1234567-7654321-C012345")
        try expect(requests.dropFirst().first, "GET /refunds/S03-1234567-7654321-R012345")
        try expect(requests.last, "GET /chargePermissions/S03-1234567-7654321")
    }

    @Test(arguments: [
        ObjectBodies.charge("Authorized", id: "S03-1234567-7654321-C099999"), "<html>", "{}",
        ObjectBodies.refund("Refunded"),
    ])
    func `takes no other object for the one it asked for`(body: String) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, body)]
        let error = await #expect(throws: AmazonPayError.self) { try await bench.client().charge(charge()) }
        #expect(error?.code == .unreadable)
    }

    @Test func `in the background waits rather than take what buyers need`() async throws {
        let bench = ClientBench()
        let client = try bench.client(.sandbox)
        bench.exchange.duration = .zero
        bench.exchange.steps = Array(repeating: .answer(200, ObjectBodies.charge("Authorized")), count: 6)
        let id = try charge()
        _ = try await client.charge(id, priority: .background)
        // Of four, one is for buyers, and two are for purchases.
        _ = try await client.charge(id)
        for _ in 0..<2 { _ = try await client.charge(id, priority: .purchase) }
        #expect(bench.pauses.isEmpty)
        _ = try await client.charge(id, priority: .background)
        #expect(bench.pauses.count == 1)
        #expect(bench.pauses.allSatisfy { $0 > .seconds(4) && $0 < .seconds(5) })
        let error = await #expect(throws: AmazonPayError.self) {
            try await client.charge(id, priority: .background, within: .milliseconds(10))
        }
        #expect(error?.code == .notSent)
    }

    // MARK: Buyers

    @Test func `reads a buyer, whose token is encoded and in no log`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, String(decoding: try VectorFiles.object("buyer"), as: UTF8.self))]
        let token = try #require(BuyerToken("Atza|IwEBIA-secret_9.~"))
        let profile = try await bench.client().buyer(token)
        #expect(profile.buyer.name == "見本 花子")
        try expect(bench.exchange.requests.first, "GET /buyers/Atza%7CIwEBIA-secret_9.~")
        #expect(!bench.log.lines(with: "get_buyer").isEmpty)
        #expect(bench.log.lines(with: "secret").isEmpty)
    }

    @Test(arguments: [
        (403, "InvalidAuthentication", nil), (404, "ResourceNotFound", nil), (403, "", nil),
        (401, "UnauthorizedAccess", ReasonCode.unauthorizedAccess), (400, "InvalidRequest", .invalidRequest),
    ])
    func `says of a bad token and of an old one the same`(
        status: Int,
        reason: String,
        expected: ReasonCode?
    ) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(status, ClientBench.refusal(reason))]
        let token = try #require(BuyerToken("abc"))
        let error = await #expect(throws: AmazonPayError.self) { try await bench.client().buyer(token) }
        #expect(error?.code == .refused)
        #expect(error?.reason == expected)
        #expect(bench.exchange.requests.count == 1)
    }

    // MARK: Sessions

    @Test func `creates a session from the server, without the mode of a button`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(503), .answer(201, ClientBench.body("Open"))]
        var payload = CheckoutPayload(reviewURL: "https://a.test/r", cancelURL: "https://a.test/c", storeID: "store")
        payload.payment = PaymentDetails(amount: Money(Yen(28_536)))
        let session = try await bench.client().create(CheckoutCreation(payload), key: key())
        #expect(session.state == .open)
        let body =
            #"{"chargePermissionType":"OneTime","merchantMetadata":{},"#
            + #""paymentDetails":{"canHandlePendingAuthorization":false,"#
            + #""chargeAmount":{"amount":"28536","currencyCode":"JPY"},"paymentIntent":"Authorize"},"storeId":"store","#
            + #""webCheckoutDetails":{"checkoutCancelUrl":"https://a.test/c","#
            + #""checkoutReviewReturnUrl":"https://a.test/r"}}"#
        #expect(bench.exchange.requests.count == 2)
        for request in bench.exchange.requests {
            try expect(request, "POST /checkoutSessions", body: body, key: key())
        }
    }

    private func order() throws -> FinalizeOrder {
        var order = FinalizeOrder(amount: Money(Yen(28_536)))
        order.shippingAddress = Address([.name: "見本 花子", .stateOrRegion: "北海道", .county: "石狩"])
        order.totalOrderAmount = Money(Yen(30_000))
        return order
    }

    @Test func `finalizes with the facts of the payload`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ClientBench.body("Completed"))]
        let outcome = try await bench.client().finalize(ClientBench.id(), order(), key: key())
        guard case .completed = outcome else { throw Unexpected(outcome) }
        try expect(
            bench.exchange.requests.first,
            "POST /checkoutSessions/\(ClientBench.session)/finalize",
            body: #"{"canHandlePendingAuthorization":false,"chargeAmount":{"amount":"28536","currencyCode":"JPY"},"#
                + #""paymentIntent":"Authorize","shippingAddress":{"county":"石狩","name":"見本 花子","#
                + #""stateOrRegion":"北海道"},"totalOrderAmount":{"amount":"30000","currencyCode":"JPY"}}"#,
            seconds: 30,
            key: key()
        )
    }

    @Test func `finalizes once: reads the session after a doubtful answer, and first in a recovery`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [
            .failure(.timedOut), .answer(422, ClientBench.refusal("InvalidCheckoutSessionStatus")),
            .answer(200, ClientBench.body("Completed")),
        ]
        let outcome = try await bench.client().finalize(ClientBench.id(), order(), key: key())
        guard case .alreadyCompleted = outcome else { throw Unexpected(outcome) }
        #expect(bench.exchange.requests.map(\.method) == ["POST", "POST", "GET"])
        #expect(Set(bench.exchange.requests.dropLast().map(\.body)).count == 1)

        let recovery = ClientBench()
        recovery.exchange.steps = [.answer(200, ClientBench.body("Completed", amount: "1"))]
        let found = try await recovery.client().finalize(ClientBench.id(), order(), key: key(), isRecovery: true)
        guard case .completedOtherwise = found else { throw Unexpected(found) }
        #expect(recovery.exchange.requests.map(\.method) == ["GET"])
    }

    @Test func `completes a session that names the whole order`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ClientBench.body("Completed"))]
        var completion = CheckoutClient.Completion(session: try ClientBench.id(), amount: Yen(28_536), key: try key())
        completion.totalOrderAmount = Money(Yen(30_000))
        _ = try await bench.client().complete(completion)
        try expect(
            bench.exchange.requests.first,
            "POST /checkoutSessions/\(ClientBench.session)/complete",
            body: #"{"chargeAmount":{"amount":"28536","currencyCode":"JPY"},"#
                + #""totalOrderAmount":{"amount":"30000","currencyCode":"JPY"}}"#,
            seconds: 30,
            key: key()
        )
    }

    // MARK: Ending

    @Test func `marks a permission`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ObjectBodies.permission("Chargeable"))]
        let marks = MerchantMetadata(merchantReferenceId: "order-1")
        _ = try await bench.client().updatePermission(permission(), marks)
        try expect(
            bench.exchange.requests.first,
            "PATCH /chargePermissions/S03-1234567-7654321",
            body: #"{"merchantMetadata":{"merchantReferenceId":"order-1"}}"#
        )
    }

    @Test func `gives up what is held, with a reason of bounded length`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ObjectBodies.charge("Canceled", reason: "MerchantCanceled"))]
        let reason = String(repeating: "店", count: 256)
        let found = try await bench.client().cancel(charge(), reason: reason)
        #expect(found.state == .canceled)
        try expect(
            bench.exchange.requests.first,
            "DELETE /charges/S03-1234567-7654321-C012345/cancel",
            body: #"{"cancellationReason":"\#(reason.dropLast())"}"#,
            seconds: 30
        )
    }

    @Test func `closes a permission`() async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(200, ObjectBodies.permission("Closed"))]
        let found = try await bench.client().close(permission(), reason: "done", cancelsPending: true)
        #expect(found.state == .closed)
        try expect(
            bench.exchange.requests.first,
            "DELETE /chargePermissions/S03-1234567-7654321/close",
            body: #"{"cancelPendingCharges":true,"closureReason":"done"}"#,
            seconds: 30
        )
    }

    @Test(arguments: [
        [ScriptedExchange.Step.answer(422, ClientBench.refusal("InvalidChargeStatus"))],
        [.failure(.connectionLost), .answer(403, ClientBench.refusal("InvalidAccountStatus"))],
        [.answer(200, "<html>")], [.answer(200, ObjectBodies.charge("Authorized"))], [.answer(204)],
    ])
    func `reads what it wanted to end where the answer does not tell`(steps: [ScriptedExchange.Step]) async throws {
        let over = ClientBench()
        over.exchange.steps = steps + [.answer(200, ObjectBodies.charge("Canceled"))]
        #expect(try await over.client().cancel(charge(), reason: "r").state == .canceled)
        #expect(over.exchange.requests.last?.method == "GET")

        let held = ClientBench()
        held.exchange.steps = steps + [.answer(200, ObjectBodies.charge("Authorized"))]
        await #expect(throws: AmazonPayError.self) { try await held.client().cancel(charge(), reason: "r") }
        #expect(held.exchange.requests.last?.method == "GET")
    }

    @Test(arguments: [(403, "InvalidAccountStatus"), (404, "ResourceNotFound"), (400, "InvalidParameterValue")])
    func `believes a refusal to end when nothing can have got through`(status: Int, reason: String) async throws {
        let bench = ClientBench()
        bench.exchange.steps = [.answer(status, ClientBench.refusal(reason))]
        let error = await #expect(throws: AmazonPayError.self) {
            try await bench.client().close(permission(), reason: "r", cancelsPending: false)
        }
        #expect(error?.code == .refused)
        #expect(error?.reason?.rawValue == reason)
        #expect(bench.exchange.requests.count == 1)
    }

    @Test(arguments: [403, 404, 400, 409, 422])
    func `does not believe a refusal to end what somebody may have ended before`(status: Int) async throws {
        func client(_ second: ScriptedExchange.Step) throws -> (ClientBench, CheckoutClient) {
            let bench = ClientBench()
            bench.exchange.steps = [.answer(status, ClientBench.refusal("InvalidAccountStatus")), second]
            return (bench, try bench.client())
        }
        let (over, first) = try client(.answer(200, ObjectBodies.charge("Canceled")))
        #expect(try await first.cancel(charge(), reason: "r", isRecovery: true).state == .canceled)
        #expect(over.exchange.requests.count == 2)
        let (closed, second) = try client(.answer(200, ObjectBodies.permission("Closed")))
        let found = try await second.close(permission(), reason: "r", cancelsPending: false, isRecovery: true)
        #expect(found.state == .closed)
        #expect(closed.exchange.requests.count == 2)
        // A refusal of the call itself counts only where its state was looked into.
        let (held, third) = try client(.answer(200, ObjectBodies.charge("Authorized")))
        let refusal = await #expect(throws: AmazonPayError.self) {
            try await third.cancel(charge(), reason: "r", isRecovery: true)
        }
        #expect(refusal?.code == (status == 409 || status == 422 ? .refused : .outcomeUnknown))
        let (unread, fourth) = try client(.answer(403, ClientBench.refusal("InvalidAccountStatus")))
        let doubt = await #expect(throws: AmazonPayError.self) {
            try await fourth.close(permission(), reason: "r", cancelsPending: false, isRecovery: true)
        }
        #expect(doubt?.code == .outcomeUnknown)
        #expect(held.exchange.requests.count == 2 && unread.exchange.requests.count == 2)
    }

    // MARK: All

    @Test func `carries a key exactly where it is posted, and waits for the bank where money moves`() {
        for operation in AmazonPayOperation.allCases {
            #expect(operation.carriesKey == (operation.method == "POST"))
            let names = operation.label.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) }
            #expect(names, "\(operation) is a label")
        }
        for operation in [AmazonPayOperation.complete, .finalize, .createCharge, .capture, .createRefund] {
            #expect(operation.carriesKey && operation.timeout == .seconds(30))
        }
        #expect(Set(AmazonPayOperation.allCases.map { $0.method + $0.resource("x") }).count == 15)
    }
}
