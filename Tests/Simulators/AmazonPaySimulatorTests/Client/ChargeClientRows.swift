import AmazonPay
import AmazonPaySimulator
import Commerce
import StrictJSON
import Testing

extension ClientRow {
    static let chargeRows: [ClientRow] =
        stateRows + cancelRows + declineRows + [
            ClientRow("charge: captured in part, once, the rest is released") { shop in
                let id = try await shop.charge(in: .authorized)
                #expect(await shop.capture(id, 4_000) == "done")
                // The same sum is taken for the same capture; another one cannot be taken any more.
                #expect(await shop.capture(id, 4_000) == "done")
                #expect(await shop.capture(id, 1) == "refused InvalidChargeStatus +")
                #expect(try await shop.effects("CaptureCharge") == 1)
                let permission = try await shop.client.permission(id.permission)
                #expect(permission.balance?.yen == Yen(6_000))
            },
            ClientRow("charge: a capture after seven days takes a while") { shop in
                let id = try await shop.charge(in: .authorized)
                try await shop.advance("P8D")
                let call = PayingCall.capture(id, ClientShop.yen, key: shop.key())
                #expect(await shop.pay(call) == "pending")
                #expect(await shop.pay(call.asRecovery()) == "pending")
                try await shop.advance("PT30S")
                #expect(await shop.pay(call.asRecovery()) == "done")
                #expect(try await shop.effects("CaptureCharge") == 1)
            },
            ClientRow("charge: more than the authorisation cannot be captured") { shop in
                let id = try await shop.charge(in: .authorized)
                #expect(await shop.capture(id, 10_001) == "refused TransactionAmountExceeded")
                #expect(await shop.capture(id) == "done")
            },
            ClientRow("charge: ten million yen at most") { shop in
                let permission = try await shop.confirmed()
                let outcome = await shop.charge(permission, 10_000_001)
                #expect(outcome.name == "refused TransactionAmountExceeded")
                #expect(await shop.charge(permission, 10_000_000).name == "done")
            },
            ClientRow("charge: captured at once") { shop in
                let permission = try await shop.confirmed()
                let outcome = await shop.charge(permission, 100, now: true)
                #expect(outcome.name == "done")
                #expect(outcome.object?.state == .captured)
                #expect(outcome.object?.captured?.yen == Yen(100))
            },
            ClientRow("charge: pending, then authorised") { shop in
                let id = try await shop.charge(in: .authorizationInitiated)
                try await shop.advance("PT30S")
                #expect(try await shop.client.charge(id).state == .authorized)
                #expect(await shop.capture(id) == "done")
            },
            ClientRow("charge: of another account, and unknown") { shop in
                let id = try #require(ChargeID("S03-0000000-0000000-C000000"))
                let read = await shop.word { () async throws(AmazonPayError) in
                    "\(try await shop.client.charge(id).state)"
                }
                #expect(read == "refused 404 ResourceNotFound")
                #expect(await shop.capture(id) == "refused ResourceNotFound")
                #expect(await shop.cancel(id) == "refused 404 ResourceNotFound")
            },
        ]

    /// Six states and the calls that they allow; what is refused comes first, because it changes nothing.
    private static var stateRows: [ClientRow] {
        let rows: [(state: Charge.State, capture: String, cancel: String, refund: String)] = [
            (.authorizationInitiated, "refused InvalidChargeStatus +", "canceled", "refused InvalidChargeStatus"),
            (.authorized, "done", "canceled", "refused InvalidChargeStatus"),
            // The sum is the one that is being taken: it is the same capture.
            (.captureInitiated, "pending", "refused 422 InvalidChargeStatus", "refused InvalidChargeStatus"),
            (.captured, "done", "refused 422 InvalidChargeStatus", "pending"),
            // Cancelled is cancelled, whoever did it.
            (.canceled, "refused MerchantCanceled +", "canceled", "refused InvalidChargeStatus"),
            (
                .declined, "refused HardDeclined +", "refused 422 InvalidChargeStatus",
                "refused InvalidChargeStatus"
            ),
        ]
        return rows.map { row in
            ClientRow("charge: calls in \(row.state)") { shop in
                #expect(await shop.refund(try await shop.charge(in: row.state)) == row.refund)
                #expect(await shop.cancel(try await shop.charge(in: row.state)) == row.cancel)
                let id = try await shop.charge(in: row.state)
                #expect(await shop.capture(id) == row.capture)
                let after = try await shop.client.charge(id).state
                #expect(after == (row.state == .authorized ? .captured : row.state))
            }
        }
    }

    private static var cancelRows: [ClientRow] {
        let reasons: [ReasonCode] = [
            .expiredUnused, .merchantCanceled, .amazonCanceled, .chargePermissionCanceled, .buyerCanceled,
        ]
        return reasons.map { reason in
            ClientRow("charge: canceled, \(reason)") { shop in
                let id = try await shop.charge(in: .authorized)
                switch reason {
                case .expiredUnused: try await shop.advance("P30D")
                case .merchantCanceled: _ = try await shop.client.cancel(id, reason: "no stock")
                case .chargePermissionCanceled:
                    _ = try await shop.client.close(id.permission, reason: "done", cancelsPending: true)
                default: try await shop.force("charges/" + id.text, "Canceled", reason.rawValue)
                }
                let charge = try await shop.client.charge(id)
                #expect(charge.state == .canceled)
                #expect(charge.reason == reason)
                #expect(await shop.capture(id) == "refused \(reason) +")
                #expect(try await shop.effects("CaptureCharge") == 0)
            }
        }
    }

    private static var declineRows: [ClientRow] {
        let codes: [(ReasonCode, AmazonPayError.Retry, ChargePermission.State)] = [
            (.softDeclined, .newAttempt, .chargeable), (.hardDeclined, .never, .chargeable),
            // Amazon takes the permission away, a bank does not.
            (.amazonRejected, .never, .closed), (.transactionTimedOut, .newAttempt, .chargeable),
        ]
        return codes.map { code, retry, state in
            ClientRow("charge: declined, \(code)") { shop in
                let permission = try await shop.confirmed()
                let outcome = await shop.charge(permission, 100, simulation: code.rawValue)
                #expect(outcome.name == "refused \(code)")
                #expect(outcome.error?.status == 422)
                #expect(outcome.error?.retry == retry)
                #expect(try await shop.client.permission(permission).state == state)
                // A new attempt has a key of its own.
                let again = await shop.charge(permission, 100).name
                #expect(again == (state == .closed ? "refused InvalidChargePermissionStatus" : "done"))
            }
        }
            + codes.map { code, _, _ in
                ClientRow("charge: declined, \(code), and the answer lost") { shop in
                    let permission = try await shop.confirmed()
                    // The simulation goes with the first try alone: the second one is told what that came to.
                    let match: JSONValue = ["operation": "CreateCharge", "count": 1]
                    try await shop.bench.control("POST", "faults", ["match": match, "action": ["resetAfter": true]])
                    let outcome = await shop.charge(permission, 100, simulation: code.rawValue)
                    #expect(outcome.name == "refused \(code)")
                    #expect(try await shop.calls("CreateCharge").count == 2)
                }
            } + [
                ClientRow("charge: declined, ProcessingFailure") { shop in
                    let id = try await shop.charge(in: .captureInitiated)
                    try await shop.force("charges/" + id.text, "Declined", "ProcessingFailure")
                    #expect(try await shop.client.charge(id).reason == .processingFailure)
                    #expect(await shop.capture(id) == "refused ProcessingFailure +")
                },
                ClientRow("charge: pending, then declined") { shop in
                    let session = try await shop.held(card: "card-4354", waiting)
                    let outcome = await shop.complete(session)
                    #expect(outcome.name == "pending")
                    let id = try #require(ChargeID(outcome.session?.chargeID ?? ""))
                    try await shop.advance("PT30S")
                    let charge = try await shop.client.charge(id)
                    #expect(charge.state == .declined)
                    #expect(charge.reason == .hardDeclined)
                },
                ClientRow("charge: pending, then rejected by Amazon") { shop in
                    let id = try await shop.charge(in: .authorizationInitiated)
                    try await shop.force("charges/" + id.text, "Declined", "AmazonRejected")
                    try await shop.advance("PT30S")
                    #expect(try await shop.client.charge(id).reason == .amazonRejected)
                    #expect(try await shop.client.permission(id.permission).reasons == [.amazonClosed])
                },
            ]
    }
}
