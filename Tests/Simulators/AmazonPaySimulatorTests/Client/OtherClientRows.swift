import AmazonPay
import AmazonPaySimulator
import Commerce
import StrictJSON
import Testing

// Refunds, the cards and codes of the sandbox, and buyers who only sign in.

extension ClientRow {
    static let refundRows: [ClientRow] =
        [
            ClientRow("refund: on its way, then refunded, once") { shop in
                let charge = try await shop.charge(in: .captured)
                let call = PayingCall.refund(charge, Money(Yen(1_000)), key: shop.key())
                let outcome: PayingOutcome<Refund> = await shop.client.pay(call)
                #expect(outcome.name == "pending")
                let id = try #require(outcome.object?.id)
                try await shop.advance("PT5S")
                #expect(try await shop.client.refund(id).state == .refunded)
                #expect(try await shop.client.charge(charge).refunded?.yen == Yen(1_000))
                // A repeat brings what was answered first.
                #expect(await shop.pay(call.asRecovery()) == "pending")
                #expect(try await shop.effects("CreateRefund") == 1)
            },
            ClientRow("refund: a little more than was captured, 15 %") { shop in
                let charge = try await shop.charge(in: .captured)
                #expect(await shop.refund(charge, 10_000) == "pending")
                #expect(await shop.refund(charge, 1_501) == "refused TransactionAmountExceeded")
                #expect(await shop.refund(charge, 1_500) == "pending")
            },
            ClientRow("refund: a little more than was captured, 8,400 yen") { shop in
                let outcome = await shop.charge(try await shop.confirmed(), 100_000, now: true)
                let charge = try #require(outcome.object?.id)
                #expect(await shop.refund(charge, 108_401) == "refused TransactionAmountExceeded")
                #expect(await shop.refund(charge, 108_400) == "pending")
            },
            ClientRow("refund: a little more than was captured, 75 dollars") { japan in
                let shop = try ClientShop(japan.bench, of: Bench.american)
                let thousand = try #require(Money.parse("1000.50", .usd))
                let session = try await shop.held(PaymentDetails(.authorizeWithCapture, amount: thousand))
                let done = try #require(await shop.complete(session, thousand).session)
                let charge = try #require(ChargeID(done.chargeID ?? ""))
                #expect(try await shop.client.charge(charge).captured?.money == thousand)
                let tooMuch = try #require(Money.parse("1075.51", .usd))
                #expect(
                    await shop.pay(.refund(charge, tooMuch, key: shop.key())) == "refused TransactionAmountExceeded"
                )
                let most = try #require(Money.parse("1075.50", .usd))
                #expect(await shop.pay(.refund(charge, most, key: shop.key())) == "pending")
            },
            ClientRow("refund: too many") { shop in
                let charge = try await shop.charge(in: .captured)
                for _ in 0..<25 { #expect(await shop.refund(charge, 1) == "pending") }
                #expect(await shop.refund(charge, 1) == "refused TransactionCountExceeded")
            },
            ClientRow("refund: no latest date") { shop in
                let charge = try await shop.charge(in: .captured)
                try await shop.advance("P365D")
                #expect(await shop.refund(charge, 1) == "pending")
            },
            ClientRow("refund: unknown") { shop in
                let id = try #require(RefundID("S03-0000000-0000000-R000000"))
                let read = await shop.word { () async throws(AmazonPayError) in
                    "\(try await shop.client.refund(id).state)"
                }
                #expect(read == "refused 404 ResourceNotFound")
            },
        ] + [ReasonCode.amazonRejected, .processingFailure].map(declinedRefund)

    /// A refund that comes back; what it took can be refunded once more.
    private static func declinedRefund(_ reason: ReasonCode) -> ClientRow {
        ClientRow("refund: declined, \(reason)") { shop in
            let charge = try await shop.charge(in: .captured)
            let outcome: PayingOutcome<Refund> = await shop.client.pay(
                .refund(charge, Money(Yen(11_500)), key: shop.key())
            )
            let id = try #require(outcome.object?.id)
            try await shop.force("refunds/" + id.text, "Declined", reason.rawValue)
            let refund = try await shop.client.refund(id)
            #expect(refund.state == .declined)
            #expect(refund.reason == reason)
            #expect(try await shop.client.charge(charge).refunded == nil)
            #expect(await shop.refund(charge, 11_500) == "pending")
        }
    }

    // MARK: The sandbox

    static let sandboxRows: [ClientRow] =
        ["1111", "0005", "4444", "9424", "0000"].map { digits in
            ClientRow("card \(digits): success") { shop in
                let id = try await shop.held(card: "card-" + digits)
                #expect(try await shop.client.session(id).paymentDescriptor?.contains(digits) == true)
                #expect(await shop.complete(id).name == "completed")
            }
        }
        + [("3064", "cancelled BuyerCanceled"), ("3434", "declined Declined")].map { digits, outcome in
            ClientRow("card \(digits): \(outcome), before complete") { shop in
                let id = try await shop.held(card: "card-" + digits)
                #expect(try await shop.client.session(id).state == .canceled)
                #expect(await shop.complete(id).name == outcome)
            }
        }
        + [("0701", Charge.State.authorized), ("4354", .declined)].map { digits, end in
            ClientRow("card \(digits): pending for thirty seconds, for those who can wait") { shop in
                let hasty = try await shop.held(card: "card-" + digits)
                #expect(await shop.complete(hasty).name == "not ready")
                let outcome = await shop.complete(try await shop.held(card: "card-" + digits, waiting))
                #expect(outcome.name == "pending")
                let id = try #require(ChargeID(outcome.session?.chargeID ?? ""))
                try await shop.advance("PT29S")
                #expect(try await shop.client.charge(id).state == .authorizationInitiated)
                try await shop.advance("PT1S")
                #expect(try await shop.client.charge(id).state == end)
            }
        }
        + [
            ("BuyerCanceled", "cancelled BuyerCanceled"), ("AmazonCanceled", "cancelled AmazonCanceled"),
            ("Declined", "declined HardDeclined"), ("Nonsense", "rejected InvalidSandboxSimulationSpecified"),
        ].map { code, outcome in
            ClientRow("code \(code) on complete: \(outcome)") { shop in
                let id = try await shop.held()
                #expect(await shop.complete(id, simulation: code).name == outcome)
            }
        } + otherCodes

    private static let otherCodes: [ClientRow] = [
        ClientRow("code AuthorizationInitiated on complete: pending, with any card") { shop in
            let id = try await shop.held(waiting)
            #expect(await shop.complete(id, simulation: "AuthorizationInitiated").name == "pending")
        },
        ClientRow("code CaptureInitiated on create charge: taken a little later") { shop in
            let permission = try await shop.confirmed()
            let outcome = await shop.charge(permission, 100, simulation: "CaptureInitiated", now: true)
            #expect(outcome.name == "pending")
            let id = try #require(outcome.object?.id)
            try await shop.advance("PT30S")
            #expect(try await shop.client.charge(id).state == .captured)
        },
        ClientRow("code that nobody knows on create charge and close") { shop in
            let permission = try await shop.confirmed()
            let charged = await shop.charge(permission, 100, simulation: "Nonsense")
            #expect(charged.name == "refused InvalidSandboxSimulationSpecified")
            shop.wire.simulation = "Nonsense"
            let closed = await shop.word { () async throws(AmazonPayError) in
                "\(try await shop.client.close(permission, reason: "", cancelsPending: false).state)"
            }
            #expect(closed == "refused 400 InvalidSandboxSimulationSpecified")
            #expect(try await shop.client.permission(permission).state == .chargeable)
        },
        ClientRow("buyer: what the scopes allow, for a day") { shop in
            let payload: JSONValue = [
                "signInReturnUrl": "https://shop.example.test/signed-in", "storeId": .string(Bench.storeID),
                "signInScopes": ["name", "email", "postalCode"],
            ]
            let end = try await shop.start(try await shop.sign(octets: payload.bytes), product: "SignIn")
            let mark = "https://shop.example.test/signed-in?buyerToken="
            #expect(end.hasPrefix(mark), "\(end)")
            let token = try #require(BuyerToken(String(end.dropFirst(mark.count))))
            let profile = try await shop.client.buyer(token)
            #expect(profile.buyer.name == "見本 太郎")
            #expect(profile.postalCode == "153-0064")
            #expect(profile.phoneNumber == nil && profile.shippingAddress == nil)
            try await shop.advance("PT24H")
            let late = await shop.word { () async throws(AmazonPayError) in
                try await shop.client.buyer(token).buyerID
            }
            #expect(late == "refused 404")
        },
    ]
}
