import AmazonPaySimulator
import StrictJSON
import Testing

extension Row {
    static let chargeRows: [Row] =
        stateRows + cancelRows + declineRows + [
            Row("charge: captured in part, once, the rest is released") { shop in
                let id = try await shop.complete(try await shop.held()).json["chargeId"]?.text ?? ""
                #expect(try await shop.capture(id, 4_000).json.state == "Captured")
                #expect(try await shop.capture(id, 1).refusal == Refusal(status: 422, reason: "InvalidChargeStatus"))
                let permission = try await shop.get("charges/" + id)["chargePermissionId"]?.text ?? ""
                let object = try await shop.get("chargePermissions/" + permission)
                #expect(object[path: "limits.amountBalance.amount"]?.text == "6000")
            },
            Row("charge: a capture after seven days takes a while") { shop in
                let id = try await shop.charge(in: "CaptureInitiated")
                #expect(try await shop.get("charges/" + id).state == "CaptureInitiated")
                try await shop.advance("PT30S")
                #expect(try await shop.get("charges/" + id).state == "Captured")
            },
            Row("charge: more than the authorisation cannot be captured") { shop in
                let id = try await shop.charge(in: "Authorized")
                let answer = try await shop.capture(id, 10_001)
                #expect(answer.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
            },
            Row("charge: ten million yen at most") { shop in
                let permission = try await shop.confirmed()
                let answer = try await shop.charge(permission, 10_000_001)
                #expect(answer.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
            },
            Row("charge: update is for payment service providers") { shop in
                let id = try await shop.charge(in: "Authorized")
                let answer = try await shop.call("PATCH", "charges/" + id, .object([]))
                #expect(answer.refusal == Refusal(status: 405, reason: "RequestNotSupported"))
            },
            Row("charge: a capture may name the statement") { shop in
                let id = try await shop.charge(in: "Authorized")
                let body: JSONValue = ["captureAmount": Bench.price(1), "softDescriptor": "SHOP 1"]
                let answer = try await shop.call("POST", "charges/\(id)/capture", body)
                #expect(answer.json["softDescriptor"]?.text == "SHOP 1")
            },
        ]

    /// Six states and the calls that they allow; get always is.
    private static var stateRows: [Row] {
        let allowed: [(state: String, capture: Bool, cancel: Bool, refund: Bool)] = [
            ("AuthorizationInitiated", false, true, false), ("Authorized", true, true, false),
            ("CaptureInitiated", false, false, false), ("Captured", false, false, true),
            ("Canceled", false, false, false), ("Declined", false, false, false),
        ]
        let wrong = Refusal(status: 422, reason: "InvalidChargeStatus")
        return allowed.map { row in
            Row("charge: calls in \(row.state)") { shop in
                let id = try await shop.charge(in: row.state)
                #expect(try await shop.get("charges/" + id).state == row.state)
                // What is refused comes first, because it changes nothing.
                if !row.capture { #expect(try await shop.capture(id).refusal == wrong) }
                if !row.refund { #expect(try await shop.refund(id).refusal == wrong) }
                if !row.cancel {
                    #expect(try await shop.call("DELETE", "charges/\(id)/cancel").refusal == wrong)
                    if row.refund { #expect(try await shop.refund(id).status == 201) }
                    #expect(try await shop.get("charges/" + id).state == row.state)
                    return
                }
                let other = try await shop.charge(in: row.state)
                #expect(try await shop.call("DELETE", "charges/\(id)/cancel").json.state == "Canceled")
                if row.capture { #expect(try await shop.capture(other).status == 200) }
            }
        }
    }

    private static var cancelRows: [Row] {
        [
            "ExpiredUnused", "MerchantCanceled", "AmazonCanceled", "ChargePermissionCanceled", "BuyerCanceled",
        ].map { reason in
            Row("charge: canceled, \(reason)") { shop in
                let id = try await shop.charge(in: "Authorized")
                let permission = try await shop.get("charges/" + id)["chargePermissionId"]?.text ?? ""
                switch reason {
                case "ExpiredUnused": try await shop.advance("P30D")
                case "MerchantCanceled":
                    try await shop.call("DELETE", "charges/\(id)/cancel", ["cancellationReason": "no stock"])
                case "ChargePermissionCanceled":
                    let body: JSONValue = ["closureReason": "done", "cancelPendingCharges": true]
                    try await shop.call("DELETE", "chargePermissions/\(permission)/close", body)
                default: try await shop.force("charges/" + id, "Canceled", reason)
                }
                let charge = try await shop.get("charges/" + id)
                #expect(charge.state == "Canceled")
                #expect(charge.stateReason == reason)
            }
        }
    }

    private static var declineRows: [Row] {
        let codes = ["SoftDeclined", "HardDeclined", "AmazonRejected", "TransactionTimedOut"].map { code in
            Row("charge: declined, \(code)") { shop in
                let permission = try await shop.confirmed()
                let answer = try await shop.charge(permission, 100, simulation: code)
                #expect(answer.refusal == Refusal(status: 422, reason: code))
                let known = try await shop.control("GET", "objects/" + permission).json
                let id = known[path: "_sim.chargeIds"]?.elements.first?.text ?? ""
                #expect(try await shop.get("charges/" + id).stateReason == code)
                // Amazon takes the permission away, a bank does not.
                #expect(known.state == (code == "AmazonRejected" ? "Closed" : "Chargeable"))
            }
        }
        return codes + [
            Row("charge: declined, ProcessingFailure") { shop in
                let id = try await shop.charge(in: "CaptureInitiated")
                try await shop.force("charges/" + id, "Declined", "ProcessingFailure")
                #expect(try await shop.get("charges/" + id).stateReason == "ProcessingFailure")
            },
            Row("charge: pending, then authorised") { shop in
                let id = try await shop.charge(in: "AuthorizationInitiated")
                try await shop.advance("PT30S")
                #expect(try await shop.get("charges/" + id).state == "Authorized")
            },
            Row("charge: pending, then declined") { shop in
                let session = try await shop.held(Bench.payment(10_000, pending: true), card: "card-4354")
                let id = try await shop.complete(session).json["chargeId"]?.text ?? ""
                #expect(try await shop.get("charges/" + id).state == "AuthorizationInitiated")
                try await shop.advance("PT30S")
                #expect(try await shop.get("charges/" + id).stateReason == "HardDeclined")
            },
            Row("charge: pending, then rejected by Amazon") { shop in
                let id = try await shop.charge(in: "AuthorizationInitiated")
                try await shop.force("charges/" + id, "Declined", "AmazonRejected")
                try await shop.advance("PT30S")
                let charge = try await shop.get("charges/" + id)
                #expect(charge.stateReason == "AmazonRejected")
                let permission = charge["chargePermissionId"]?.text ?? ""
                #expect(try await shop.get("chargePermissions/" + permission).state == "Closed")
            },
        ]
    }
}
