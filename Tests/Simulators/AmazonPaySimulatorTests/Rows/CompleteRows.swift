import AmazonPaySimulator
import StrictJSON
import Testing

extension Row {
    static let completeRows: [Row] =
        [
            Row("complete: the buyer is back") { shop in
                let id = try await shop.held()
                let answer = try await shop.complete(id)
                #expect(answer.status == 200)
                #expect(answer.json.state == "Completed")
                #expect(answer.json["chargeId"]?.text?.isEmpty == false)
                // What the buyer has shared is not shown any longer.
                #expect(answer.json["buyer"] == nil)
            },
            Row("complete: the bank has not decided yet") { shop in
                let id = try await shop.held(Bench.payment(10_000, pending: true), card: "card-0701")
                let answer = try await shop.complete(id)
                #expect(answer.status == 202)
                #expect(answer.json.state == "Completed")
                let charge = answer.json["chargeId"]?.text ?? ""
                #expect(try await shop.get("charges/" + charge).state == "AuthorizationInitiated")
            },
            Row("complete: another amount") { shop in
                let id = try await shop.held()
                #expect(try await shop.complete(id, 9_999).refusal == Refusal(status: 409, reason: "AmountMismatch"))
                #expect(try await shop.get("checkoutSessions/" + id).state == "Open")
            },
            Row("complete: another currency") { shop in
                let id = try await shop.held()
                let dollars: JSONValue = ["chargeAmount": ["amount": "10000", "currencyCode": "USD"]]
                let answer = try await shop.call("POST", "checkoutSessions/\(id)/complete", dollars)
                #expect(answer.refusal == Refusal(status: 400, reason: "CurrencyMismatch"))
            },
            Row("complete: before the processing page") { shop in
                let id = try await shop.reviewed()
                try await shop.place(id)
                let answer = try await shop.complete(id)
                #expect(answer.refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
            },
            Row("complete: already completed") { shop in
                let id = try await shop.held()
                #expect(try await shop.complete(id).status == 200)
                let answer = try await shop.complete(id)
                #expect(answer.refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
                #expect(try await shop.get("checkoutSessions/" + id).state == "Completed")
            },
            Row("complete: refused at this point") { shop in
                let id = try await shop.held()
                let answer = try await shop.complete(id, simulation: "Declined")
                #expect(answer.refusal == Refusal(status: 422, reason: "HardDeclined"))
                #expect(try await shop.get("checkoutSessions/" + id).stateReason == "Declined")
            },
            Row("complete: unknown") { shop in
                let answer = try await shop.complete("00000000-0000-4000-8000-000000000000")
                #expect(answer.refusal == Refusal(status: 404, reason: "ResourceNotFound"))
            },
            Row("complete: older than thirty days") { shop in
                let id = try await shop.held()
                try await shop.advance("P30D")
                #expect(try await shop.complete(id).refusal == Refusal(status: 404, reason: "ResourceNotFound"))
            },
        ] + ["BuyerCanceled", "Expired", "AmazonCanceled", "Declined"].map(canceled)

    /// A session that is canceled for a reason, each in its own way.
    private static func canceled(_ reason: String) -> Row {
        Row("complete: canceled, \(reason)") { shop in
            let card = ["BuyerCanceled": "card-3064", "Declined": "card-3434"][reason] ?? "card-1111"
            let id = try await shop.held(card: card)
            if reason == "Expired" { try await shop.advance("PT24H") }
            if reason == "AmazonCanceled" { try await shop.force("sessions/" + id, "Canceled", reason) }
            let session = try await shop.get("checkoutSessions/" + id)
            #expect(session.state == "Canceled")
            #expect(session.stateReason == reason)
            #expect(try await shop.complete(id).refusal == Refusal(status: 422, reason: "CheckoutSessionCanceled"))
        }
    }
}

// MARK: - Finalize

extension RowShop {
    static let shopAddress: JSONValue = [
        "name": "見本 太郎", "addressLine1": "目黒区下目黒1-8-1", "stateOrRegion": "東京都", "postalCode": "153-0064",
        "countryCode": "JP", "phoneNumber": "0312345678",
    ]

    static let links: JSONValue = [
        "checkoutMode": "ProcessOrder", "checkoutResultReturnUrl": "com.example.shop://checkout/result",
        "checkoutCancelUrl": "https://shop.example.test/app/cancel",
        "checkoutErrorUrl": "com.example.shop://checkout/error",
    ]

    /// What an app's server signs.
    static func mobilePayload(
        _ payment: JSONValue = Bench.payment(10_000),
        supplementaryData: String? = nil
    ) -> JSONValue {
        [
            "webCheckoutDetails": links, "storeId": .string(Bench.storeID), "paymentDetails": payment,
            "addressDetails": shopAddress, "supplementaryData": JSONValue(supplementaryData),
        ]
    }

    /// A session of an app whose buyer is back in it.
    func finalizable(
        _ payload: JSONValue = RowShop.mobilePayload(),
        card: String = "card-1111"
    ) async throws -> String {
        let end = try await start(payload, card: card)
        #expect(end.hasPrefix("com.example.shop://checkout/result?amazonCheckoutSessionId="), "\(end)")
        return Bench.sessionID(in: end)
    }

    /// The facts of the payload, some of them changed; null leaves one out.
    func finalize(
        _ id: String,
        changing changes: [String: JSONValue] = [:],
        simulation: String? = nil
    ) async throws -> RowAnswer {
        var facts: [String: JSONValue] = [
            "chargeAmount": Bench.price(10_000), "paymentIntent": "Authorize", "shippingAddress": RowShop.shopAddress,
        ]
        for (name, value) in changes { facts[name] = value }
        let body = JSONValue.object(facts.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) })
        return try await call("POST", "checkoutSessions/\(id)/finalize", body, simulation: simulation)
    }
}

extension Row {
    static let finalizeRows: [Row] =
        [
            Row("finalize: the buyer is back in the app") { shop in
                let id = try await shop.finalizable()
                let answer = try await shop.finalize(id)
                #expect(answer.status == 200)
                #expect(answer.json.state == "Completed")
                #expect(answer.json["chargePermissionId"]?.text?.hasPrefix("S03-") == true)
                #expect(answer.json[path: "paymentDetails.chargeAmount.amount"]?.text == "10000")
                // Its own answer shows the buyer, later ones do not.
                #expect(answer.json[path: "buyer.name"] != nil)
                #expect(try await shop.get("checkoutSessions/" + id)["buyer"] == nil)
                let known = try await shop.control("GET", "objects/" + id).json
                #expect(known[path: "_sim.effectiveCompletes"]?.integer == 1)
            },
            Row("finalize: the bank has not decided yet") { shop in
                let payload = RowShop.mobilePayload(Bench.payment(10_000, pending: true))
                let id = try await shop.finalizable(payload, card: "card-0701")
                let answer = try await shop.finalize(id, changing: ["canHandlePendingAuthorization": true])
                #expect(answer.status == 202)
            },
            Row("finalize: before the processing page") { shop in
                let id = try await shop.reviewed()
                try await shop.place(id)
                let answer = try await shop.finalize(id)
                #expect(answer.refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
            },
            Row("finalize: already completed") { shop in
                let id = try await shop.finalizable()
                #expect(try await shop.finalize(id).status == 200)
                let answer = try await shop.finalize(id)
                #expect(answer.refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
            },
            Row("finalize: canceled") { shop in
                let id = try await shop.finalizable(card: "card-3434")
                #expect(try await shop.finalize(id).refusal == Refusal(status: 422, reason: "CheckoutSessionCanceled"))
            },
            Row("finalize: a day later") { shop in
                let id = try await shop.finalizable()
                try await shop.advance("PT24H")
                #expect(try await shop.finalize(id).refusal == Refusal(status: 422, reason: "CheckoutSessionCanceled"))
            },
            Row("finalize: refused at this point") { shop in
                let id = try await shop.finalizable()
                let answer = try await shop.finalize(id, simulation: "Declined")
                #expect(answer.refusal == Refusal(status: 422, reason: "HardDeclined"))
            },
            Row("finalize: unknown") { shop in
                let answer = try await shop.finalize("00000000-0000-4000-8000-000000000000")
                #expect(answer.refusal == Refusal(status: 404, reason: "ResourceNotFound"))
            },
            Row("finalize: the risk data must be the same") { shop in
                let id = try await shop.finalizable(RowShop.mobilePayload(supplementaryData: "{}"))
                let missing = try await shop.finalize(id)
                #expect(missing.refusal == Refusal(status: 400, reason: "MissingParameterValue"))
                let other = try await shop.finalize(id, changing: ["supplementaryData": "{ }"])
                #expect(other.refusal == Refusal(status: 400, reason: "InvalidParameterValue"))
                #expect(try await shop.finalize(id, changing: ["supplementaryData": "{}"]).status == 200)
            },
        ] + tampered

    /// Facts that are not those of the payload: refused, and the right ones still go through.
    private static var tampered: [Row] {
        let home: JSONValue = .object(
            RowShop.shopAddress.members.map { $0.name == "addressLine1" ? JSONMember($0.name, "elsewhere") : $0 }
        )
        let changes: [(String, JSONValue, Refusal)] = [
            ("chargeAmount", Bench.price(1), Refusal(status: 409, reason: "AmountMismatch")),
            ("chargeAmount", .null, Refusal(status: 400, reason: "MissingParameterValue")),
            (
                "chargeAmount", ["amount": "10000", "currencyCode": "USD"],
                Refusal(status: 400, reason: "CurrencyMismatch")
            ),
            ("paymentIntent", "AuthorizeWithCapture", Refusal(status: 400, reason: "InvalidParameterValue")),
            ("paymentIntent", .null, Refusal(status: 400, reason: "MissingParameterValue")),
            ("shippingAddress", home, Refusal(status: 400, reason: "InvalidParameterValue")),
            ("shippingAddress", .null, Refusal(status: 400, reason: "MissingParameterValue")),
            ("billingAddress", home, Refusal(status: 400, reason: "InvalidParameterValue")),
            ("canHandlePendingAuthorization", true, Refusal(status: 400, reason: "InvalidParameterValue")),
            ("unknown", true, Refusal(status: 400, reason: "UnrecognizedField")),
        ]
        return changes.map { name, value, refusal in
            Row("finalize: \(name) is not the payload's, \(refusal)") { shop in
                let id = try await shop.finalizable()
                #expect(try await shop.finalize(id, changing: [name: value]).refusal == refusal)
                #expect(try await shop.finalize(id).status == 200)
            }
        }
    }
}
