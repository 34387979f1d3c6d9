import AmazonPaySimulator
import StrictJSON
import Testing

extension JSONValue {
    /// The reasons of a charge permission, which come as a list or as null.
    fileprivate var reasons: [String] {
        self[path: "statusDetails.reasons"]?.elements.compactMap { $0["reasonCode"]?.text } ?? []
    }
}

extension Row {
    static let permissionRows: [Row] =
        obstacleRows + closeRows + [
            Row("permission: chargeable") { shop in
                let id = try await shop.confirmed()
                let permission = try await shop.get("chargePermissions/" + id)
                #expect(permission.state == "Chargeable")
                #expect(permission[path: "statusDetails.reasons"] == nil)
            },
            Row("permission: a charge in progress") { shop in
                let charge = try await shop.charge(in: "Authorized")
                let id = try await shop.get("charges/" + charge)["chargePermissionId"]?.text ?? ""
                #expect(try await shop.get("chargePermissions/" + id).reasons == ["ChargeInProgress"])
                try await shop.call("DELETE", "charges/\(charge)/cancel")
                #expect(try await shop.get("chargePermissions/" + id).state == "Chargeable")
            },
            Row("permission: two obstacles, one of which a charge takes away") { shop in
                let charge = try await shop.charge(in: "Authorized")
                let id = try await shop.get("charges/" + charge)["chargePermissionId"]?.text ?? ""
                try await shop.force("permissions/" + id, "NonChargeable", "PaymentMethodExpired")
                let both = try await shop.get("chargePermissions/" + id)
                #expect(both.reasons == ["PaymentMethodExpired", "ChargeInProgress"])
                try await shop.call("DELETE", "charges/\(charge)/cancel")
                #expect(try await shop.get("chargePermissions/" + id).reasons == ["PaymentMethodExpired"])
            },
            Row("permission: twenty-five charges") { shop in
                let id = try await shop.confirmed()
                for _ in 0..<25 { #expect(try await shop.charge(id, 1, now: true).status == 201) }
                let answer = try await shop.charge(id, 1, now: true)
                #expect(answer.refusal == Refusal(status: 422, reason: "TransactionCountExceeded"))
            },
            Row("permission: an open charge is in the way of closing") { shop in
                let charge = try await shop.charge(in: "Authorized")
                let id = try await shop.get("charges/" + charge)["chargePermissionId"]?.text ?? ""
                let path = "chargePermissions/\(id)/close"
                let refused = try await shop.call("DELETE", path, ["cancelPendingCharges": false])
                #expect(refused.refusal == Refusal(status: 422, reason: "InvalidChargePermissionStatus"))
                let closed = try await shop.call("DELETE", path, ["cancelPendingCharges": true])
                #expect(closed.json.reasons == ["MerchantClosed"])
            },
            Row("permission: frozen once it is closed") { shop in
                let id = try await shop.confirmed()
                try await shop.call("DELETE", "chargePermissions/\(id)/close")
                let body: JSONValue = ["merchantMetadata": ["noteToBuyer": "x"]]
                let answer = try await shop.call("PATCH", "chargePermissions/" + id, body)
                #expect(answer.refusal == Refusal(status: 422, reason: "ChargePermissionNotModifiable"))
            },
            Row("permission: the buyer for thirty days") { shop in
                let id = try await shop.confirmed()
                #expect(try await shop.get("chargePermissions/" + id)["buyer"] != nil)
                try await shop.advance("P30D")
                #expect(try await shop.get("chargePermissions/" + id)["buyer"] == nil)
            },
            Row("permission: thirteen months where that was asked for") { shop in
                let id = try await shop.held(["paymentIntent": "Confirm", "extendExpiration": true])
                let done = try await shop.call("POST", "checkoutSessions/\(id)/complete", .object([]))
                let permission = done.json["chargePermissionId"]?.text ?? ""
                try await shop.advance("P394D")
                #expect(try await shop.get("chargePermissions/" + permission).state == "Chargeable")
                try await shop.advance("P1D")
                #expect(try await shop.get("chargePermissions/" + permission).reasons == ["Expired"])
            },
        ]

    private static var obstacleRows: [Row] {
        [
            "PaymentMethodInvalid", "PaymentMethodDeleted", "BillingAddressDeleted", "PaymentMethodExpired",
            "PaymentMethodNotAllowed", "PaymentMethodNotSet", "ChargeInProgress", "MFAFailed",
        ].map { reason in
            Row("permission: not chargeable, \(reason)") { shop in
                let id = try await shop.confirmed()
                try await shop.force("permissions/" + id, "NonChargeable", reason)
                let permission = try await shop.get("chargePermissions/" + id)
                #expect(permission.state == "NonChargeable")
                #expect(permission.reasons == [reason])
                let refused = try await shop.charge(id, 1)
                #expect(refused.refusal == Refusal(status: 422, reason: "InvalidChargePermissionStatus"))
                try await shop.force("permissions/" + id, "Chargeable")
                #expect(try await shop.charge(id, 1).status == 201)
            }
        }
    }

    private static var closeRows: [Row] {
        [
            "MerchantClosed", "MerchantCanceled", "BuyerClosed", "BuyerCanceled", "AmazonClosed", "AmazonCanceled",
            "Expired",
        ].map { reason in
            Row("permission: closed, \(reason)") { shop in
                let id = try await shop.confirmed()
                let path = "chargePermissions/\(id)/close"
                switch reason {
                case "MerchantClosed": try await shop.call("DELETE", path)
                case "AmazonClosed": try await shop.call("DELETE", path, simulation: reason)
                case "Expired": try await shop.advance("P180D")
                default: try await shop.force("permissions/" + id, "Closed", reason)
                }
                let permission = try await shop.get("chargePermissions/" + id)
                #expect(permission.state == "Closed")
                #expect(permission.reasons == [reason])
                let refused = try await shop.charge(id, 1)
                #expect(refused.refusal == Refusal(status: 422, reason: "InvalidChargePermissionStatus"))
            }
        }
    }
}
