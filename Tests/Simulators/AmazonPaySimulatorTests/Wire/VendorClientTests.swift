import AmazonPaySimulator
import HTTPServer
import StrictJSON
import TestKit
import Testing

/// The vendor's own client libraries, unchanged, against the simulator as a server with TLS and strict signatures.
///
/// They are not part of this project. `SALLYPORT_VENDOR_NODE` names the folder of the client for Node.js, with what it needs in
/// `NODE_PATH`; `SALLYPORT_VENDOR_PHP` names a PHP file that loads the one for PHP, which wants port 443 of this machine;
/// `SALLYPORT_VENDOR_JAVA` is the class path of the compiled one for Java and of what it needs. The requests that were recorded
/// of the first are replayed by `ReplayTests` in any case.
@Suite("A client library of the vendor", .serialized)
struct VendorClientTests {
    @Test(
        .enabled(if: VendorClient.place(.node) != nil, "SALLYPORT_VENDOR_NODE names no client"),
        arguments: VendorClient.all(.node)
    )
    func `for Node buys, captures, refunds and closes`(client: VendorClient) async throws {
        try await Self.run(client)
    }

    @Test(
        .enabled(if: VendorClient.place(.php) != nil, "SALLYPORT_VENDOR_PHP names no client"),
        arguments: VendorClient.all(.php)
    )
    func `for PHP buys, captures, refunds and closes`(client: VendorClient) async throws {
        try await Self.run(client)
    }

    @Test(
        .enabled(if: VendorClient.place(.java) != nil, "SALLYPORT_VENDOR_JAVA names no client"),
        arguments: VendorClient.all(.java)
    )
    func `for Java buys, captures, refunds and closes`(client: VendorClient) async throws {
        try await Self.run(client)
    }

    private static func run(_ client: VendorClient) async throws {
        try await withTemporaryFolder { folder in
            let tls = try WireTLS(folder: folder)
            // Every call starts a program.
            try await withLoop(deadline: .seconds(600)) { reactor in
                let bench = try WireBench(reactor, tls, port: client.port)
                let shop = VendorShop(client: client, bench: bench, folder: folder)
                do {
                    try await shop.doBusiness()
                } catch {
                    Issue.record(error)
                }
                // The port is needed once more.
                await bench.server.drain()
            }
        }
    }
}

/// A merchant who has nothing but the vendor's client.
private struct VendorShop {
    let client: VendorClient
    let bench: WireBench
    let folder: String

    private static let yen: JSONValue = Bench.price(27_996)

    private func call(_ method: String, _ values: JSONValue...) async throws -> VendorClient.Answer {
        try await client.call(method, values, in: folder, bench)
    }

    private func key(_ text: String) -> JSONValue { ["x-amz-pay-idempotency-key": .string(text)] }

    func doBusiness() async throws {
        try await createFromServer()
        let session = try await buy()
        let charge = try await capture(session)
        try await refund(charge)
        try await chargeAgain(charge)
        #expect(try await bench.effectiveCompletes(session) == 1)
    }

    private func createFromServer() async throws {
        let created = try await call("createCheckoutSession", Bench.payload, key("create-1"))
        #expect(created.status == 201, "\(created.body)")
        #expect(created.body.state == "Open")
        // The same key brings the same session.
        let again = try await call("createCheckoutSession", Bench.payload, key("create-1"))
        #expect(again.body["checkoutSessionId"]?.text == created.body["checkoutSessionId"]?.text)
    }

    /// From a button that the client has signed to the completed session.
    private func buy() async throws -> String {
        let payload = String(decoding: Bench.payload.bytes, as: UTF8.self)
        let signature = try await call("generateButtonSignature", .string(payload)).body.text
        try await bench.control("POST", "next-buyer", .object([]))
        let form = Bench.startForm(changing: [
            "signature": signature, "algorithm": client.algorithm, "publicKeyId": client.keyID,
        ])
        let end = try await bench.follow("POST", "/checkout/start", body: Bench.encoded(form))
        #expect(end.hasPrefix(Bench.review), "\(end)")
        let id = Bench.sessionID(in: end)
        let session = try await call("getCheckoutSession", .string(id))
        #expect(session.status == 200)
        #expect(session.body[path: "buyer.name"]?.text == "見本 太郎")
        let update: JSONValue = [
            "webCheckoutDetails": ["checkoutResultReturnUrl": .string(Bench.result)],
            "paymentDetails": ["paymentIntent": "Authorize", "chargeAmount": VendorShop.yen],
            "merchantMetadata": ["merchantStoreName": "見本店"],
        ]
        let updated = try await call("updateCheckoutSession", .string(id), update)
        #expect(updated.status == 200)
        let processing = try #require(updated.body[path: "webCheckoutDetails.amazonPayRedirectUrl"]?.text)
        try await bench.control("POST", "next-buyer", .object([]))
        #expect(try await bench.follow("GET", processing).hasPrefix(Bench.result))
        // As in the vendor's example: without an idempotency key.
        let completed = try await call("completeCheckoutSession", .string(id), ["chargeAmount": VendorShop.yen])
        #expect(completed.status == 200, "\(completed.body)")
        #expect(completed.body.state == "Completed")
        let again = try await call("completeCheckoutSession", .string(id), ["chargeAmount": VendorShop.yen])
        #expect(again.status == 422)
        #expect(again.body["reasonCode"]?.text == "InvalidCheckoutSessionStatus")
        return id
    }

    private func capture(_ session: String) async throws -> String {
        let body = try await call("getCheckoutSession", .string(session)).body
        let charge = try #require(body["chargeId"]?.text)
        let permission = try #require(body["chargePermissionId"]?.text)
        #expect(try await call("getCharge", .string(charge)).body.state == "Authorized")
        #expect(try await call("getChargePermission", .string(permission)).body.state == "NonChargeable")
        let amount: JSONValue = ["captureAmount": Bench.price(20_000), "softDescriptor": "SHOP"]
        let captured = try await call("captureCharge", .string(charge), amount, key("capture-1"))
        #expect(captured.status == 200, "\(captured.body)")
        #expect(captured.body.state == "Captured")
        return charge
    }

    private func refund(_ charge: String) async throws {
        let body: JSONValue = ["chargeId": .string(charge), "refundAmount": Bench.price(1_000)]
        let refund = try await call("createRefund", body, key("refund-1"))
        #expect(refund.status == 201, "\(refund.body)")
        #expect(refund.body.state == "RefundInitiated")
        let id = try #require(refund.body["refundId"]?.text)
        try await bench.control("POST", "clock", ["advance": "PT5S"])
        #expect(try await call("getRefund", .string(id)).body.state == "Refunded")
    }

    /// What is left of the permission; the calls that end something carry a body with DELETE.
    private func chargeAgain(_ charge: String) async throws {
        let permission = String(charge.prefix { $0 != "C" }.dropLast())
        let body: JSONValue = [
            "chargePermissionId": .string(permission), "chargeAmount": Bench.price(1_000), "captureNow": false,
        ]
        let second = try await call("createCharge", body, key("charge-2"))
        #expect(second.status == 201, "\(second.body)")
        let id = try #require(second.body["chargeId"]?.text)
        let cancelled = try await call("cancelCharge", .string(id), ["cancellationReason": "no stock"])
        #expect(cancelled.body.state == "Canceled", "\(cancelled.body)")
        let marks: JSONValue = ["merchantMetadata": ["merchantReferenceId": "order-7"]]
        let marked = try await call("updateChargePermission", .string(permission), marks)
        #expect(marked.body[path: "merchantMetadata.merchantReferenceId"]?.text == "order-7")
        let end: JSONValue = ["closureReason": "done", "cancelPendingCharges": false]
        let closed = try await call("closeChargePermission", .string(permission), end)
        #expect(closed.body.state == "Closed", "\(closed.body)")
    }
}
