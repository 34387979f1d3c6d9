import AmazonPay
import AmazonPaySimulator
import Commerce
import HTTPCore
import SimulatorCore
import StrictJSON
import Testing

/// Every call that moves or ends money, under everything that can go wrong between it and the service.
///
/// One simulator after the other: hundreds at once would starve each other's timers.
@Suite("A call that moves money", .serialized)
struct FaultMatrixTests {
    /// Something that goes wrong on the way.
    struct Mishap: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let action: JSONValue

        init(_ name: String, _ action: JSONValue) {
            testDescription = name
            self.action = action
        }
    }

    private static let mishaps = [
        Mishap("lost before the effect", ["resetBefore": true]), Mishap("lost after the effect", ["resetAfter": true]),
        Mishap("500", ["status": 500, "reasonCode": "InternalServerError"]),
        Mishap("502 in HTML", ["status": 502, "htmlBody": true]),
        Mishap("503", ["status": 503, "reasonCode": "ServiceUnavailable"]),
        Mishap("429", ["status": 429, "reasonCode": "TooManyRequests"]),
        Mishap("cut answer", ["truncateBody": true]), Mishap("answer that is no JSON", ["badJson": true]),
        Mishap("answer of another type", ["wrongContentType": true]), Mishap("success in HTML", ["htmlBody": true]),
    ]

    /// Later than the caller waits; what the vendor does in thirty seconds, scaled.
    private static let delays = [
        Mishap("late at the door", ["delayMs": 700]), Mishap("late inside", ["processingMs": 700]),
    ]

    @Test(arguments: MoneyCall.Kind.allCases, mishaps)
    func `takes effect once through a mishap`(kind: MoneyCall.Kind, mishap: Mishap) async throws {
        try await withSimulator { bench in
            let call = try await kind.prepare(ClientShop(bench))
            try await call.spoil(mishap.action, times: 1)
            let first = await call.start(.seconds(20))
            try await expectEnd(call, first)
        }
    }

    @Test(arguments: MoneyCall.Kind.allCases, mishaps)
    func `takes effect once by a recovery, where no try got through`(
        kind: MoneyCall.Kind,
        mishap: Mishap
    ) async throws {
        try await withSimulator { bench in
            let call = try await kind.prepare(ClientShop(bench))
            try await call.spoil(mishap.action, times: 3)
            let first = await call.start(.seconds(20))
            try await call.clear()
            try await expectEnd(call, first)
        }
    }

    @Test(arguments: MoneyCall.Kind.allCases, delays)
    func `takes effect once, though it comes late`(kind: MoneyCall.Kind, delay: Mishap) async throws {
        try await withSimulator { bench in
            let call = try await kind.prepare(ClientShop(bench))
            try await call.spoil(delay.action, times: 1)
            try await expectEnd(call, await call.start(.milliseconds(200)))
            // The late one comes when all is over, at the latest.
            try await call.waitForAll()
            #expect(try await call.effects() == 1)
        }
    }

    /// At the end the call has happened once, whoever knows of it; until then the operator can read what is wrong.
    private func expectEnd(_ call: MoneyCall, _ first: MoneyCall.End) async throws {
        var end = first
        if end.name != call.success {
            let error = try #require(end.error, "\(end)")
            #expect([.notSent, .outcomeUnknown, .unreadable].contains(error.code), "\(error)")
            #expect(error.retry == .sameKey)
            #expect(!error.detail.isEmpty || error.status != nil, "\(error.debugDescription)")
            end = await call.again(error.code == .notSent)
        }
        #expect(end.name == call.success)
        #expect(try await call.effects() == 1)
        // Once more changes nothing.
        #expect(await call.again(false).name == call.success)
        #expect(try await call.effects() == 1)
        #expect(try await call.state() == call.finalState)
    }
}

/// One call with everything that it needs, and what is to come of it.
struct MoneyCall {
    enum Kind: String, Sendable, CaseIterable {
        case complete = "CompleteCheckoutSession"
        case finalize = "FinalizeCheckoutSession"
        case createCharge = "CreateCharge"
        case capture = "CaptureCharge"
        case refund = "CreateRefund"
        case cancel = "CancelCharge"
        case close = "CloseChargePermission"
    }

    struct End {
        let name: String
        let error: AmazonPayError?
    }

    let kind: Kind
    let shop: ClientShop
    /// What the caller is told when all is well.
    let success: String
    let finalState: String
    /// The call, for so long, and whether it is a recovery.
    let run: (Duration, Bool) async -> End
    let state: () async throws -> String

    func start(_ limit: Duration) async -> End { await run(limit, false) }

    /// Asks again; what was never sent is no recovery.
    func again(_ isFirst: Bool) async -> End { await run(.seconds(20), !isFirst) }

    // MARK: The tester

    func spoil(_ action: JSONValue, times: Int) async throws {
        let match: JSONValue = ["operation": .string(kind.rawValue), "count": JSONValue(times)]
        try await shop.bench.control("POST", "faults", ["match": match, "action": action])
        shop.wire.forget()
    }

    func clear() async throws {
        try await shop.bench.control("DELETE", "faults")
    }

    func effects() async throws -> Int { try await shop.effects(kind.rawValue) }

    /// Lets time pass, by asking for nothing, until every call that was sent has been carried out.
    func waitForAll() async throws {
        let sent = shop.wire.sent.count { $0.method != "GET" }
        while try await shop.calls(kind.rawValue).count < sent {
            for _ in 0..<20 { try await shop.bench.control("GET", "health") }
        }
    }
}

extension MoneyCall.Kind {
    func prepare(_ shop: ClientShop) async throws -> MoneyCall {
        switch self {
        case .complete:
            let id = try await shop.held()
            let key = shop.key()
            return settling(id, shop) { limit, isRecovery in
                await shop.client.complete(
                    .init(session: id, money: ClientShop.yen, key: key, isRecovery: isRecovery),
                    within: limit
                )
            }
        case .finalize:
            let id = try await shop.finalizable()
            let key = shop.key()
            var order = FinalizeOrder(amount: ClientShop.yen)
            order.shippingAddress = ClientShop.address
            let facts = order
            return settling(id, shop) { limit, isRecovery in
                await shop.client.finalize(id, facts, key: key, isRecovery: isRecovery, within: limit)
            }
        case .createCharge: return try await charging(shop)
        case .capture: return try await capturing(shop)
        case .refund: return try await refunding(shop)
        case .cancel: return try await cancelling(shop)
        case .close: return try await closing(shop)
        }
    }

    /// Complete and finalize; that an earlier try did it is as good.
    private func settling(
        _ id: CheckoutSessionID,
        _ shop: ClientShop,
        _ run: @escaping (Duration, Bool) async -> CompleteOutcome
    ) -> MoneyCall {
        MoneyCall(kind: self, shop: shop, success: "completed", finalState: "completed") { limit, isRecovery in
            switch await run(limit, isRecovery) {
            case .completed, .alreadyCompleted: MoneyCall.End(name: "completed", error: nil)
            case .unknown(let error): MoneyCall.End(name: "unknown", error: error)
            case .notSent(let error): MoneyCall.End(name: "not sent", error: error)
            case let outcome: MoneyCall.End(name: outcome.name, error: nil)
            }
        } state: {
            "\(try await shop.client.session(id).state)"
        }
    }

    private func charging(_ shop: ClientShop) async throws -> MoneyCall {
        let permission = try await shop.confirmed()
        let call = shop.creation(permission, 100)
        return MoneyCall(kind: self, shop: shop, success: "done", finalState: "1 charge") { limit, isRecovery in
            await Self.end(
                await shop.client.pay(isRecovery ? call.asRecovery() : call, within: limit) as PayingOutcome<Charge>
            )
        } state: {
            let known = try await shop.bench.control("GET", "objects/" + permission.text)
            return "\(known[path: "_sim.chargeIds"]?.elements.count ?? 0) charge"
        }
    }

    private func capturing(_ shop: ClientShop) async throws -> MoneyCall {
        let charge = try await shop.charge(in: .authorized)
        let call = PayingCall.capture(charge, Money(Yen(9_000)), key: shop.key())
        return MoneyCall(kind: self, shop: shop, success: "done", finalState: "captured 9000") { limit, isRecovery in
            await Self.end(
                await shop.client.pay(isRecovery ? call.asRecovery() : call, within: limit) as PayingOutcome<Charge>
            )
        } state: {
            let charge = try await shop.client.charge(charge)
            return "\(charge.state) \(charge.captured?.amountText ?? "-")"
        }
    }

    private func refunding(_ shop: ClientShop) async throws -> MoneyCall {
        let charge = try await shop.charge(in: .captured)
        let call = PayingCall.refund(charge, Money(Yen(1_000)), key: shop.key())
        return MoneyCall(kind: self, shop: shop, success: "pending", finalState: "1000") { limit, isRecovery in
            await Self.end(
                await shop.client.pay(isRecovery ? call.asRecovery() : call, within: limit) as PayingOutcome<Refund>
            )
        } state: {
            try await shop.client.charge(charge).refunded?.amountText ?? "-"
        }
    }

    private func cancelling(_ shop: ClientShop) async throws -> MoneyCall {
        let charge = try await shop.charge(in: .authorized)
        return MoneyCall(kind: self, shop: shop, success: "canceled", finalState: "canceled") { limit, _ in
            await Self.end { () async throws(AmazonPayError) in
                "\(try await shop.client.cancel(charge, reason: "no stock", within: limit).state)"
            }
        } state: {
            "\(try await shop.client.charge(charge).state)"
        }
    }

    private func closing(_ shop: ClientShop) async throws -> MoneyCall {
        let permission = try await shop.charge(in: .authorized).permission
        return MoneyCall(kind: self, shop: shop, success: "closed", finalState: "closed") { limit, _ in
            await Self.end { () async throws(AmazonPayError) in
                let found = try await shop.client.close(
                    permission,
                    reason: "over",
                    cancelsPending: true,
                    within: limit
                )
                return "\(found.state)"
            }
        } state: {
            "\(try await shop.client.permission(permission).state)"
        }
    }

    private static func end<Object>(_ outcome: PayingOutcome<Object>) async -> MoneyCall.End {
        MoneyCall.End(name: outcome.name, error: outcome.error)
    }

    private static func end(_ call: () async throws(AmazonPayError) -> String) async -> MoneyCall.End {
        do throws(AmazonPayError) {
            return MoneyCall.End(name: try await call(), error: nil)
        } catch {
            return MoneyCall.End(name: error.code == .notSent ? "not sent" : "unknown", error: error)
        }
    }
}
