import AmazonPay
import AmazonPaySimulator
import Commerce
import StrictJSON
import Testing

extension ClientRow {
    static let completeRows: [ClientRow] =
        [
            ClientRow("complete: the buyer is back") { shop in
                let id = try await shop.held()
                let outcome = await shop.complete(id)
                #expect(outcome.name == "completed")
                let charge = try #require(ChargeID(outcome.session?.chargeID ?? ""))
                #expect(try await shop.client.charge(charge).state == .authorized)
                #expect(try await shop.bench.effectiveCompletes(id.text) == 1)
            },
            ClientRow("complete: the bank has not decided yet") { shop in
                let id = try await shop.held(card: "card-0701", waiting)
                let outcome = await shop.complete(id)
                #expect(outcome.name == "pending")
                let charge = try #require(ChargeID(outcome.session?.chargeID ?? ""))
                #expect(try await shop.client.charge(charge).state == .authorizationInitiated)
            },
            ClientRow("complete: another amount") { shop in
                let id = try await shop.held()
                #expect(await shop.complete(id, Money(Yen(9_999))).name == "amount mismatch")
                #expect(try await shop.client.session(id).state == .open)
                #expect(await shop.complete(id).name == "completed")
            },
            ClientRow("complete: another currency") { shop in
                let id = try await shop.held()
                let dollars = try #require(Money(units: 10_000, .usd))
                #expect(await shop.complete(id, dollars).name == "amount mismatch")
                #expect(await shop.complete(id).name == "completed")
            },
            ClientRow("complete: before the processing page") { shop in
                let id = try await shop.reviewed()
                try await shop.place(id)
                #expect(await shop.complete(id).name == "not ready")
                try await shop.process(id)
                #expect(await shop.complete(id).name == "completed")
            },
            ClientRow("complete: already completed") { shop in
                let id = try await shop.held()
                let first = await shop.complete(id)
                let second = await shop.complete(id)
                #expect([first.name, second.name] == ["completed", "completed before"])
                #expect(first.session?.chargeID == second.session?.chargeID)
                #expect(try await shop.bench.effectiveCompletes(id.text) == 1)
            },
            ClientRow("complete: already completed, for another amount") { shop in
                let id = try await shop.held()
                #expect(await shop.complete(id).name == "completed")
                #expect(await shop.complete(id, Money(Yen(9_999))).name == "completed otherwise")
            },
            ClientRow("complete: refused at this point") { shop in
                let id = try await shop.held()
                #expect(await shop.complete(id, simulation: "Declined").name == "declined HardDeclined")
                #expect(try await shop.client.session(id).reason == .declined)
                // The session is dead: whoever asks again hears so.
                #expect(await shop.complete(id).name == "declined Declined")
            },
            ClientRow("complete: unknown") { shop in
                let id = try #require(CheckoutSessionID("00000000-0000-4000-8000-000000000000"))
                #expect(await shop.complete(id).name == "rejected ResourceNotFound")
            },
            ClientRow("complete: older than thirty days") { shop in
                let id = try await shop.held()
                try await shop.advance("P30D")
                #expect(await shop.complete(id).name == "rejected ResourceNotFound")
            },
        ] + ["BuyerCanceled", "Expired", "AmazonCanceled", "Declined"].map(canceled)

    /// Details of a shop that can wait for a bank.
    static var waiting: PaymentDetails {
        var payment = PaymentDetails(amount: ClientShop.yen)
        payment.canHandlePendingAuthorization = true
        return payment
    }

    /// A session that is canceled for a reason, each in its own way.
    private static func canceled(_ reason: String) -> ClientRow {
        ClientRow("complete: canceled, \(reason)") { shop in
            let card = ["BuyerCanceled": "card-3064", "Declined": "card-3434"][reason] ?? "card-1111"
            let id = try await shop.held(card: card)
            if reason == "Expired" { try await shop.advance("PT24H") }
            if reason == "AmazonCanceled" { try await shop.force("sessions/" + id.text, "Canceled", reason) }
            let session = try await shop.client.session(id)
            #expect(session.state == .canceled)
            #expect(session.reason == ReasonCode(rawValue: reason))
            let expected = reason == "Declined" ? "declined Declined" : "cancelled " + reason
            #expect(await shop.complete(id).name == expected)
            #expect(try await shop.bench.effectiveCompletes(id.text) == 0)
        }
    }
}

// MARK: - Finalize

extension ClientShop {
    static let address = Address([
        .name: "見本 太郎", .addressLine1: "目黒区下目黒1-8-1", .stateOrRegion: "東京都", .postalCode: "153-0064",
        .countryCode: "JP", .phoneNumber: "0312345678",
    ])

    /// A session of an app whose buyer is back in it.
    func finalizable(
        _ payment: PaymentDetails = PaymentDetails(amount: yen),
        card: String = "card-1111"
    ) async throws -> CheckoutSessionID {
        let links = MobileLinks(
            result: "com.example.shop://checkout/result",
            cancel: "https://shop.example.test/app/cancel",
            error: "com.example.shop://checkout/error"
        )
        var payload = CheckoutPayload(mobile: links, payment: payment, storeID: Bench.storeID)
        payload.deliveryAddress = ClientShop.address
        let end = try await start(try await sign(payload), card: card)
        #expect(end.hasPrefix("com.example.shop://checkout/result?amazonCheckoutSessionId="), "\(end)")
        return try #require(CheckoutSessionID(Bench.sessionID(in: end)))
    }

    /// Tells the facts of the payload once more, some of them changed.
    func finalize(
        _ id: CheckoutSessionID,
        simulation: String? = nil,
        _ change: (inout FinalizeOrder) -> Void = { _ in }
    ) async -> CompleteOutcome {
        var order = FinalizeOrder(amount: ClientShop.yen)
        order.shippingAddress = ClientShop.address
        change(&order)
        wire.simulation = simulation
        return await client.finalize(id, order, key: key())
    }
}

extension ClientRow {
    static let finalizeRows: [ClientRow] = [
        ClientRow("finalize: the buyer is back in the app") { shop in
            let id = try await shop.finalizable()
            let outcome = await shop.finalize(id)
            #expect(outcome.name == "completed")
            // Its own answer shows the buyer, later ones do not.
            #expect(outcome.session?.buyer != nil)
            #expect(try await shop.client.session(id).buyer == nil)
            #expect(try await shop.bench.effectiveCompletes(id.text) == 1)
        },
        ClientRow("finalize: the bank has not decided yet") { shop in
            let id = try await shop.finalizable(waiting, card: "card-0701")
            #expect(await shop.finalize(id) { $0.canHandlePendingAuthorization = true }.name == "pending")
        },
        ClientRow("finalize: another amount, and another currency") { shop in
            let id = try await shop.finalizable()
            #expect(await shop.finalize(id) { $0.amount = Money(Yen(1)) }.name == "amount mismatch")
            let dollars = try #require(Money(units: 10_000, .usd))
            #expect(await shop.finalize(id) { $0.amount = dollars }.name == "amount mismatch")
            #expect(await shop.finalize(id).name == "completed")
        },
        ClientRow("finalize: other facts than the payload's") { shop in
            let id = try await shop.finalizable()
            let intent = await shop.finalize(id) { $0.intent = .authorizeWithCapture }
            #expect(intent.name == "rejected InvalidParameterValue")
            let home = await shop.finalize(id) { $0.shippingAddress?[.addressLine1] = "elsewhere" }
            #expect(home.name == "rejected InvalidParameterValue")
            #expect(await shop.finalize(id) { $0.shippingAddress = nil }.name == "rejected MissingParameterValue")
            #expect(await shop.finalize(id).name == "completed")
        },
        ClientRow("finalize: before the processing page") { shop in
            let id = try await shop.reviewed()
            try await shop.place(id)
            #expect(await shop.finalize(id).name == "not ready")
        },
        ClientRow("finalize: already completed") { shop in
            let id = try await shop.finalizable()
            let first = await shop.finalize(id)
            let second = await shop.finalize(id)
            #expect([first.name, second.name] == ["completed", "completed before"])
            #expect(try await shop.bench.effectiveCompletes(id.text) == 1)
        },
        ClientRow("finalize: canceled by the buyer's bank") { shop in
            let id = try await shop.finalizable(card: "card-3434")
            #expect(await shop.finalize(id).name == "declined Declined")
        },
        ClientRow("finalize: canceled by the buyer") { shop in
            let id = try await shop.finalizable(card: "card-3064")
            #expect(await shop.finalize(id).name == "cancelled BuyerCanceled")
        },
        ClientRow("finalize: a day later") { shop in
            let id = try await shop.finalizable()
            try await shop.advance("PT24H")
            #expect(await shop.finalize(id).name == "cancelled Expired")
        },
        ClientRow("finalize: refused at this point") { shop in
            let id = try await shop.finalizable()
            #expect(await shop.finalize(id, simulation: "Declined").name == "declined HardDeclined")
        },
        ClientRow("finalize: unknown") { shop in
            let id = try #require(CheckoutSessionID("00000000-0000-4000-8000-000000000000"))
            #expect(await shop.finalize(id).name == "rejected ResourceNotFound")
        },
    ]
}
