import AmazonPay
import AmazonPaySimulator
import Commerce
import Testing

extension ClientRow {
    static let permissionRows: [ClientRow] =
        obstacleRows + closeRows + [
            ClientRow("permission: chargeable") { shop in
                let permission = try await shop.client.permission(try await shop.confirmed())
                #expect(permission.state == .chargeable)
                #expect(permission.reasons == [])
                #expect(permission.limit == nil && permission.balance == nil)
            },
            ClientRow("permission: a charge in progress, and what it leaves") { shop in
                let charge = try await shop.charge(in: .authorized)
                let before = try await shop.client.permission(charge.permission)
                #expect(before.state == .nonChargeable)
                #expect(before.reasons == [.chargeInProgress])
                #expect(before.limit?.yen == Yen(10_000))
                #expect(before.balance?.yen == Yen(0))
                _ = try await shop.client.cancel(charge, reason: "no stock")
                let after = try await shop.client.permission(charge.permission)
                #expect(after.state == .chargeable)
                #expect(after.balance?.yen == Yen(10_000))
            },
            ClientRow("permission: two obstacles at once") { shop in
                let charge = try await shop.charge(in: .authorized)
                try await shop.force(
                    "permissions/" + charge.permission.text,
                    "NonChargeable",
                    "PaymentMethodExpired"
                )
                let reasons = try await shop.client.permission(charge.permission).reasons
                #expect(reasons == [.paymentMethodExpired, .chargeInProgress])
            },
            ClientRow("permission: charged up to its balance, then closed by itself") { shop in
                let first = try await shop.charge(in: .authorized)
                #expect(await shop.capture(first, 6_000) == "done")
                let id = first.permission
                #expect(await shop.charge(id, 4_001).name == "refused TransactionAmountExceeded")
                #expect(await shop.charge(id, 4_000, now: true).name == "done")
                let used = try await shop.client.permission(id)
                #expect(used.state == .closed)
                #expect(used.reasons == [.amazonClosed])
                #expect(used.balance?.yen == Yen(0))
            },
            ClientRow("permission: twenty-five charges") { shop in
                let id = try await shop.confirmed()
                for _ in 0..<25 { #expect(await shop.charge(id, 1, now: true).name == "done") }
                #expect(await shop.charge(id, 1, now: true).name == "refused TransactionCountExceeded")
            },
            ClientRow("permission: an open charge is in the way of closing") { shop in
                let charge = try await shop.charge(in: .authorized)
                let refused = await shop.word { () async throws(AmazonPayError) in
                    let found = try await shop.client.close(charge.permission, reason: "", cancelsPending: false)
                    return "\(found.state)"
                }
                #expect(refused == "refused 422 InvalidChargePermissionStatus")
                let closed = try await shop.client.close(charge.permission, reason: "", cancelsPending: true)
                #expect(closed.reasons == [.merchantClosed])
                #expect(try await shop.client.charge(charge).reason == .chargePermissionCanceled)
                // Closed is closed: a repeat finds it so.
                #expect(
                    try await shop.client.close(charge.permission, reason: "", cancelsPending: false).state == .closed
                )
            },
            ClientRow("permission: frozen once it is closed") { shop in
                let id = try await shop.confirmed()
                let marks = MerchantMetadata(merchantReferenceId: "order-7", noteToBuyer: "thanks")
                #expect(try await shop.client.updatePermission(id, marks).merchantReferenceID == "order-7")
                _ = try await shop.client.close(id, reason: "done", cancelsPending: false)
                let refused = await shop.word { () async throws(AmazonPayError) in
                    "\(try await shop.client.updatePermission(id, marks).state)"
                }
                #expect(refused == "refused 422 ChargePermissionNotModifiable")
            },
            ClientRow("permission: the buyer for thirty days, the permission for 180") { shop in
                let id = try await shop.confirmed()
                #expect(try await shop.client.permission(id).buyer != nil)
                #expect(try await shop.client.permission(id).shippingAddress?[.stateOrRegion] == "東京都")
                try await shop.advance("P30D")
                #expect(try await shop.client.permission(id).buyer == nil)
                try await shop.advance("P149D")
                #expect(try await shop.client.permission(id).state == .chargeable)
                try await shop.advance("P1D")
                #expect(try await shop.client.permission(id).reasons == [.expired])
            },
        ]

    private static var obstacleRows: [ClientRow] {
        let reasons: [ReasonCode] = [
            .paymentMethodInvalid, .paymentMethodDeleted, .billingAddressDeleted, .paymentMethodExpired,
            .paymentMethodNotAllowed, .paymentMethodNotSet, .chargeInProgress, .mfaFailed,
        ]
        return reasons.map { reason in
            ClientRow("permission: not chargeable, \(reason)") { shop in
                let id = try await shop.confirmed()
                try await shop.force("permissions/" + id.text, "NonChargeable", reason.rawValue)
                let permission = try await shop.client.permission(id)
                #expect(permission.state == .nonChargeable)
                #expect(permission.reasons == [reason])
                #expect(await shop.charge(id, 1).name == "refused InvalidChargePermissionStatus")
                try await shop.force("permissions/" + id.text, "Chargeable")
                #expect(await shop.charge(id, 1).name == "done")
            }
        }
    }

    private static var closeRows: [ClientRow] {
        let reasons: [ReasonCode] = [
            .merchantClosed, .merchantCanceled, .buyerClosed, .buyerCanceled, .amazonClosed, .amazonCanceled, .expired,
        ]
        return reasons.map { reason in
            ClientRow("permission: closed, \(reason)") { shop in
                let id = try await shop.confirmed()
                switch reason {
                case .merchantClosed, .amazonClosed:
                    shop.wire.simulation = reason == .amazonClosed ? "AmazonClosed" : nil
                    _ = try await shop.client.close(id, reason: "over", cancelsPending: false)
                case .expired: try await shop.advance("P180D")
                default: try await shop.force("permissions/" + id.text, "Closed", reason.rawValue)
                }
                let permission = try await shop.client.permission(id)
                #expect(permission.state == .closed)
                #expect(permission.reasons == [reason])
                #expect(await shop.charge(id, 1).name == "refused InvalidChargePermissionStatus")
            }
        }
    }
}
