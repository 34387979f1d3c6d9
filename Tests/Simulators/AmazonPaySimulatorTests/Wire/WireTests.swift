import AmazonPay
import AmazonPaySimulator
import Commerce
import EventIO
import HTTPCore
import HTTPServer
import Primitives
import SimulatorCore
import StrictJSON
import TestKit
import Testing

@Suite("The simulator on a socket")
struct WireTests {
    private static let key = IdempotencyKey.derive(
        webviewSession: UUIDBytes(high: 1, low: 2),
        attempt: 1,
        step: "complete"
    )

    @Test(arguments: [ServerConfiguration.Security.clear, .tls])
    func `serves a whole purchase of the broker's own client`(security: ServerConfiguration.Security) async throws {
        try await withSimulator(security) { bench in
            let id = try #require(CheckoutSessionID(try await bench.checkOut()))
            let review = try await bench.merchant.session(id)
            #expect(review.state == .open)
            #expect(review.shippingAddress?[.stateOrRegion] == "東京都")
            #expect(review.redirectURL == nil)
            let metadata = MerchantMetadata(merchantReferenceId: "flow-7", merchantStoreName: "見本店")
            let update = CheckoutUpdate(resultURL: Bench.result, amount: Yen(27_996), metadata: metadata)
            let placed = try await bench.merchant.update(id, update)
            #expect(placed.merchantReferenceID == "flow-7")
            let processing = try #require(placed.redirectURL)
            #expect(processing.hasPrefix(bench.origin + "/checkout/processing?"))
            try await bench.control("POST", "next-buyer", .object([]))
            let back = try await bench.follow("GET", processing)
            #expect(back == Bench.result + "?amazonCheckoutSessionId=" + id.text)
            let outcome = await bench.merchant.complete(.init(session: id, amount: Yen(27_996), key: Self.key))
            guard case .completed(let session) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(session.chargeID?.hasPrefix("S03-") == true)
            #expect(try await bench.effectiveCompletes(id.text) == 1)
        }
    }

    private func key(_ step: StaticString) -> IdempotencyKey {
        IdempotencyKey.derive(webviewSession: UUIDBytes(high: 1, low: 2), attempt: 1, step: step)
    }

    @Test func `serves all that happens to money after the purchase`() async throws {
        try await withSimulator { bench in
            let merchant = bench.merchant
            let charge = try await bench.charged(key("complete"))
            #expect(try await merchant.charge(charge).state == .authorized)
            let marks = MerchantMetadata(merchantReferenceId: "order-7")
            let marked = try await merchant.updatePermission(charge.permission, marks)
            #expect(marked.merchantReferenceID == "order-7")
            #expect(marked.reasons == [.chargeInProgress])
            let taking = PayingCall.capture(charge, Money(Yen(20_000)), key: key("capture"))
            for call in [taking, taking, taking.asRecovery()] {
                guard case .done(let taken) = await merchant.pay(call) as PayingOutcome<Charge> else {
                    Issue.record("not captured")
                    return
                }
                #expect(taken.captured?.yen == Yen(20_000))
            }
            let giving = PayingCall.refund(charge, Money(Yen(1_000)), key: key("refund"))
            var refunds: Set<RefundID> = []
            for call in [giving, giving.asRecovery()] {
                guard case .pending(let refund) = await merchant.pay(call) as PayingOutcome<Refund> else {
                    Issue.record("not refunded")
                    return
                }
                refunds.insert(refund.id)
            }
            #expect(refunds.count == 1)
            try await bench.control("POST", "clock", ["advance": "PT1M"])
            #expect(try await merchant.refund(try #require(refunds.first)).state == .refunded)
            #expect(try await merchant.charge(charge).refunded?.yen == Yen(1_000))
        }
    }

    @Test func `reads the body of a DELETE`() async throws {
        try await withSimulator { bench in
            let merchant = bench.merchant
            let charge = try await bench.charged(key("complete"))
            let blocked = await #expect(throws: AmazonPayError.self) {
                try await merchant.close(charge.permission, reason: "over", cancelsPending: false)
            }
            #expect(blocked?.reason == .invalidChargePermissionStatus)
            // Twice: what is over is over.
            for _ in 0..<2 {
                let cancelled = try await merchant.cancel(charge, reason: "品切れ")
                #expect(cancelled.state == .canceled)
                #expect(cancelled.reason == .merchantCanceled)
            }
            for _ in 0..<2 {
                let closed = try await merchant.close(charge.permission, reason: "over", cancelsPending: false)
                #expect(closed.state == .closed)
            }
            #expect(try await merchant.permission(charge.permission).state == .closed)
        }
    }

    @Test func `lets a server create a session`() async throws {
        try await withSimulator { bench in
            let payload = CheckoutPayload(reviewURL: Bench.review, cancelURL: Bench.cancel, storeID: Bench.storeID)
            let first = try await bench.merchant.create(CheckoutCreation(payload), key: key("create"))
            let again = try await bench.merchant.create(CheckoutCreation(payload), key: key("create"))
            #expect(first.state == .open)
            #expect(again.id == first.id)
        }
    }

    @Test(
        arguments: [
            ("resetAfter", true), ("resetBefore", true), ("truncateBody", true), ("htmlBody", true), ("badJson", true),
            ("status", 503), ("status", 500), ("status", 429), ("delayMs", 1),
        ] as [(String, JSONValue)]
    )
    func `charges once whatever goes wrong on the way`(fault: String, value: JSONValue) async throws {
        try await withSimulator { bench in
            let id = try #require(try await bench.held())
            try await bench.addFault("CompleteCheckoutSession", .object([JSONMember(fault, value)]))
            let completion = CheckoutClient.Completion(session: id, amount: Yen(27_996), key: Self.key)
            var outcome = await bench.merchant.complete(completion)
            if case .unknown = outcome {
                var recovery = completion
                recovery.isRecovery = true
                outcome = await bench.merchant.complete(recovery)
            }
            switch outcome {
            case .completed, .alreadyCompleted: break
            default: Issue.record("\(outcome)")
            }
            #expect(try await bench.effectiveCompletes(id.text) == 1)
        }
    }

    @Test func `hangs up without a byte, before or after the effect`() async throws {
        try await withSimulator { bench in
            for (fault, effect) in [("resetBefore", 0), ("resetAfter", 1)] {
                let id = try #require(try await bench.held())
                try await bench.control("POST", "options", ["signature": "off"])
                try await bench.addFault("CompleteCheckoutSession", .object([JSONMember(fault, true)]))
                let body = Array(#"{"chargeAmount":{"amount":"27996","currencyCode":"JPY"}}"#.utf8)
                do {
                    _ = try await bench.send("POST", "/v2/checkoutSessions/\(id.text)/complete", body: body)
                    Issue.record("an answer came")
                } catch let error as HTTPExchangeError {
                    #expect(error.code == .connectionLost)
                }
                #expect(try await bench.effectiveCompletes(id.text) == effect)
                try await bench.control("POST", "options", ["signature": "strict"])
            }
        }
    }

    @Test func `sends half of an answer and the rest later`() async throws {
        try await withSimulator { bench in
            try await bench.control("POST", "options", ["signature": "off"])
            try await bench.addFault("GetCharge", ["slowBodyMs": 20])
            let whole = try await bench.send("GET", "/v2/charges/x")
            #expect(whole.status == 404)
            #expect(try JSONParser.parse(whole.body)["reasonCode"]?.text == "ResourceNotFound")
            try await bench.addFault("GetCharge", ["slowBodyMs": 60_000])
            do {
                _ = try await bench.send("GET", "/v2/charges/x", timeout: .milliseconds(100))
                Issue.record("an answer came")
            } catch let error as HTTPExchangeError {
                #expect(error.code == .timedOut)
            }
        }
    }

    @Test func `does what a client has asked for that did not wait`() async throws {
        try await withSimulator { bench in
            let id = try #require(try await bench.held())
            try await bench.control("POST", "options", ["signature": "off"])
            try await bench.addFault("CompleteCheckoutSession", ["processingMs": 4000])
            let body = Array(#"{"chargeAmount":{"amount":"27996","currencyCode":"JPY"}}"#.utf8)
            let target = "/v2/checkoutSessions/\(id.text)/complete"
            do {
                _ = try await bench.send("POST", target, body: body, timeout: .seconds(2))
                Issue.record("an answer came")
            } catch let error as HTTPExchangeError {
                #expect(error.code == .timedOut)
            }
            let patience = Patience()
            while try await bench.effectiveCompletes(id.text) == 0, patience.isLeft {}
            #expect(try await bench.effectiveCompletes(id.text) == 1)
        }
    }

    @Test func `lets a concurrent twin wait for the first`() async throws {
        try await withSimulator { bench in
            let id = try #require(try await bench.held())
            try await bench.addFault("CompleteCheckoutSession", ["processingMs": 50])
            let completion = CheckoutClient.Completion(session: id, amount: Yen(27_996), key: Self.key)
            let twin = Pair()
            bench.reactor.startTask { twin.outcome = await bench.merchant.complete(completion) }
            let mine = await bench.merchant.complete(completion)
            while twin.outcome == nil { _ = try await bench.control("GET", "health") }
            for outcome in [mine, twin.outcome] {
                guard case .completed? = outcome else {
                    Issue.record("\(String(describing: outcome))")
                    return
                }
            }
            let entries = try await bench.control("GET", "log")["entries"]?.elements ?? []
            let completes = entries.filter { $0["operation"]?.text == "CompleteCheckoutSession" }
            #expect(completes.count { $0["effective"]?.flag == true } == 1)
            #expect(completes.count { $0["replayed"]?.flag == true } == 1)
        }
    }

    @Test func `serves the script and pages with their fields`() async throws {
        try await withSimulator { bench in
            let script = try await bench.send("GET", "/checkout.js")
            #expect(script.status == 200)
            #expect(script.first("content-type") == "text/javascript; charset=utf-8")
            let page = try await bench.send("GET", "/ap/signin")
            #expect(page.status == 400)
            #expect(page.first("content-security-policy")?.hasPrefix("default-src 'none'") == true)
        }
    }

    @Test func `takes bodies up to its limit`() async throws {
        try await withSimulator { bench in
            try await bench.control("POST", "options", ["signature": "off"])
            let most = [UInt8](repeating: 0x20, count: AmazonPayModel.bodyLimit)
            #expect(try await bench.send("POST", "/v2/charges", body: most).status == 400)
            #expect(try await bench.send("POST", "/v2/charges", body: most + [0x20]).status == 413)
        }
    }

    @Test func `does not start on an address that others reach, nor with a broken set-up`() async throws {
        try await withSimulator { bench in
            let everywhere = ServerConfiguration.Listener(SocketAddress(v4: 0, port: 0), .clear)
            #expect(throws: SimulatorError.self) {
                _ = try AmazonPaySimulator.attach(Bench.configuration, listener: everywhere, reactor: bench.reactor)
            }
        }
    }
}

/// What a task leaves behind for the test on the same loop.
private final class Pair {
    var outcome: CompleteOutcome?
}
