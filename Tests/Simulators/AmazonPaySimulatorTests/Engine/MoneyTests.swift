import AmazonPaySimulator
import Primitives
import StrictJSON
import Testing

@Suite("A charge")
struct ChargeTests {
    @Test(arguments: [("card-0701", "Authorized", nil), ("card-4354", "Declined", "HardDeclined" as String?)])
    func `that is pending is decided after thirty seconds`(card: String, state: String, reason: String?) {
        var bench = Bench()
        let id = bench.held(card: card, Bench.payment(27_996, pending: true))
        let charge = bench.complete(id).json["chargeId"]?.text ?? ""
        bench.advance("PT29S")
        #expect(bench.object(charge).state == "AuthorizationInitiated")
        bench.advance("PT1S")
        #expect(bench.object(charge).state == state)
        #expect(bench.object(charge).stateReason == reason)
    }

    @Test func `is captured in part and once only`() {
        var bench = Bench()
        let paid = bench.paid()
        let path = "/v2/charges/\(paid.charge)/capture"
        let tooMuch = bench.call("POST", path, ["captureAmount": Bench.price(27_997)], key: "a")
        #expect(tooMuch.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
        let answer = bench.call("POST", path, ["captureAmount": Bench.price(20_000)], key: "b")
        #expect(answer.status == 200)
        #expect(answer.json.state == "Captured")
        #expect(answer.json[path: "captureAmount.amount"]?.text == "20000")
        let again = bench.call("POST", path, ["captureAmount": Bench.price(1)], key: "c")
        #expect(again.refusal == Refusal(status: 422, reason: "InvalidChargeStatus"))
        #expect(bench.object(paid.permission)[path: "limits.amountBalance.amount"]?.text == "7996")
    }

    @Test func `is captured a little later when seven days have passed`() {
        var bench = Bench()
        let paid = bench.paid()
        bench.advance("P8D")
        let path = "/v2/charges/\(paid.charge)/capture"
        let answer = bench.call("POST", path, ["captureAmount": Bench.price(27_996)], key: "a")
        #expect(answer.json.state == "CaptureInitiated")
        bench.advance("PT30S")
        #expect(bench.object(paid.charge).state == "Captured")
    }

    @Test func `expires unused after thirty days`() {
        var bench = Bench()
        let paid = bench.paid()
        bench.advance("P30D")
        #expect(bench.object(paid.charge).state == "Canceled")
        #expect(bench.object(paid.charge).stateReason == "ExpiredUnused")
    }

    @Test(arguments: [true, false])
    func `is canceled by the merchant with or without a reason`(hasBody: Bool) {
        var bench = Bench()
        let paid = bench.paid()
        let body: JSONValue? = hasBody ? ["cancellationReason": "buyer asked"] : nil
        let answer = bench.call("DELETE", "/v2/charges/\(paid.charge)/cancel", body)
        #expect(answer.json.state == "Canceled")
        #expect(answer.json.stateReason == "MerchantCanceled")
        #expect(bench.object(paid.permission).state == "Chargeable")
        let again = bench.call("DELETE", "/v2/charges/\(paid.charge)/cancel", body)
        #expect(again.refusal == Refusal(status: 422, reason: "InvalidChargeStatus"))
    }

    @Test(arguments: ["SoftDeclined", "HardDeclined", "AmazonRejected", "TransactionTimedOut"])
    func `is refused by a simulation code`(code: String) {
        var bench = Bench()
        let permission = bench.confirmed()
        let answer = bench.charge(permission, 100, simulation: code)
        #expect(answer.refusal == Refusal(status: 422, reason: code))
        let id = bench.object(permission)[path: "_sim.chargeIds"]?.elements.first?.text ?? ""
        #expect(bench.object(id).state == "Declined")
        #expect(bench.object(id).stateReason == code)
    }

    @Test func `is captured later by a simulation code`() {
        var bench = Bench()
        let permission = bench.confirmed()
        let answer = bench.charge(permission, 100, simulation: "CaptureInitiated", capturesNow: true)
        #expect(answer.status == 201)
        #expect(answer.json.state == "CaptureInitiated")
        bench.advance("PT30S")
        #expect(bench.object(answer.json["chargeId"]?.text ?? "").state == "Captured")
    }

    @Test func `has a ceiling of ten million yen`() {
        var bench = Bench()
        let permission = bench.confirmed()
        #expect(bench.charge(permission, 10_000_000).status == 201)
        let other = bench.confirmed()
        let answer = bench.charge(other, 10_000_001)
        #expect(answer.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
    }

    @Test func `captured now cannot be pending`() {
        var bench = Bench()
        let permission = bench.confirmed()
        let body: JSONValue = [
            "chargePermissionId": .string(permission), "chargeAmount": Bench.price(1), "captureNow": true,
            "canHandlePendingAuthorization": true,
        ]
        let answer = bench.call("POST", "/v2/charges", body, key: "k")
        #expect(answer.refusal == Refusal(status: 400, reason: "InvalidParameterCombination"))
    }
}

@Suite("A charge permission")
struct ChargePermissionTests {
    @Test func `cannot be charged while a charge is not final`() {
        var bench = Bench()
        let paid = bench.paid()
        let permission = bench.call("GET", "/v2/chargePermissions/" + paid.permission).json
        #expect(permission.state == "NonChargeable")
        let reasons = permission[path: "statusDetails.reasons"]?.elements
        #expect(reasons?.first?["reasonCode"]?.text == "ChargeInProgress")
        #expect(permission[path: "limits.amountLimit.amount"]?.text == "27996")
        #expect(permission[path: "limits.amountBalance.amount"]?.text == "0")
        #expect(
            bench.charge(paid.permission, 1).refusal == Refusal(status: 422, reason: "InvalidChargePermissionStatus")
        )
    }

    @Test func `closes by itself when it is used up`() {
        var bench = Bench()
        let id = bench.held(Bench.payment(500, intent: "AuthorizeWithCapture"))
        let permission = bench.complete(id, 500).json["chargePermissionId"]?.text ?? ""
        #expect(bench.object(permission).state == "Closed")
    }

    @Test func `takes twenty-five charges`() {
        var bench = Bench()
        let permission = bench.confirmed()
        for _ in 0..<25 { #expect(bench.charge(permission, 1, capturesNow: true).status == 201) }
        let answer = bench.charge(permission, 1, capturesNow: true)
        #expect(answer.refusal == Refusal(status: 422, reason: "TransactionCountExceeded"))
    }

    @Test func `closes with open charges only where they may be canceled`() {
        var bench = Bench()
        let paid = bench.paid()
        let path = "/v2/chargePermissions/\(paid.permission)/close"
        let refused = bench.call("DELETE", path, ["closureReason": "done", "cancelPendingCharges": false])
        #expect(refused.refusal == Refusal(status: 422, reason: "InvalidChargePermissionStatus"))
        let answer = bench.call("DELETE", path, ["closureReason": "done", "cancelPendingCharges": true])
        #expect(answer.json.state == "Closed")
        let reasons = answer.json[path: "statusDetails.reasons"]?.elements
        #expect(reasons?.first?["reasonCode"]?.text == "MerchantClosed")
        #expect(bench.object(paid.charge).stateReason == "ChargePermissionCanceled")
        let again = bench.call("DELETE", path, ["cancelPendingCharges": true])
        #expect(again.refusal == Refusal(status: 422, reason: "InvalidChargePermissionStatus"))
    }

    @Test func `closes in Amazon's name by a simulation code`() {
        var bench = Bench()
        let permission = bench.confirmed()
        let answer = bench.call(
            "DELETE",
            "/v2/chargePermissions/\(permission)/close",
            fields: [("x-amz-pay-simulation-code", "AmazonClosed")]
        )
        let reasons = answer.json[path: "statusDetails.reasons"]?.elements
        #expect(reasons?.first?["reasonCode"]?.text == "AmazonClosed")
    }

    @Test func `expires after a hundred and eighty days`() {
        var bench = Bench()
        let permission = bench.confirmed()
        bench.advance("P179D")
        #expect(bench.object(permission).state == "Chargeable")
        bench.advance("P1D")
        #expect(bench.object(permission).state == "Closed")
    }

    @Test func `shows the buyer for thirty days`() {
        var bench = Bench()
        let permission = bench.confirmed()
        #expect(bench.object(permission)[path: "buyer.name"] != nil)
        #expect(bench.object(permission)[path: "shippingAddress.postalCode"] != nil)
        bench.advance("P30D")
        #expect(bench.object(permission)["buyer"] == nil)
    }

    @Test func `lets its metadata be changed until it is closed`() {
        var bench = Bench()
        let permission = bench.confirmed()
        let path = "/v2/chargePermissions/" + permission
        let names: JSONValue = ["merchantReferenceId": "MY-ORDER-2", "customInformation": "mark-2"]
        let body: JSONValue = ["merchantMetadata": names]
        let before = bench.object(permission)["merchantMetadata"]
        #expect(before?["merchantReferenceId"]?.text == "flow-1", "as the checkout session had it")
        for metadata in [bench.call("PATCH", path, body).json, bench.object(permission)].map({ $0["merchantMetadata"] })
        {
            #expect(metadata?["merchantReferenceId"]?.text == "MY-ORDER-2")
            #expect(metadata?["customInformation"]?.text == "mark-2")
            #expect(metadata?["merchantStoreName"] == before?["merchantStoreName"], "what is not named stays")
        }
        let long: JSONValue = ["customInformation": .string(String(repeating: "店", count: 4_097))]
        #expect(bench.call("PATCH", path, ["merchantMetadata": long]).status == 400)
        _ = bench.call("DELETE", path + "/close")
        #expect(
            bench.call("PATCH", path, body).refusal == Refusal(status: 422, reason: "ChargePermissionNotModifiable")
        )
    }
}

@Suite("A refund")
struct RefundTests {
    @Test func `arrives after five seconds`() {
        var bench = Bench()
        let charge = bench.captured()
        let answer = bench.refund(charge, 1000)
        #expect(answer.status == 201)
        #expect(answer.json.state == "RefundInitiated")
        let id = answer.json["refundId"]?.text ?? ""
        bench.advance("PT5S")
        #expect(bench.call("GET", "/v2/refunds/" + id).json.state == "Refunded")
        #expect(bench.object(charge)[path: "refundedAmount.amount"]?.text == "1000")
    }

    @Test(arguments: [(10_000, 11_500), (100_000, 108_400)])
    func `may exceed the charge by a little`(captured: Int, most: Int) {
        var bench = Bench()
        let charge = bench.captured(captured)
        #expect(bench.refund(charge, captured).status == 201)
        let tooMuch = bench.refund(charge, most - captured + 1)
        #expect(tooMuch.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
        #expect(bench.refund(charge, most - captured).status == 201)
    }

    @Test func `of dollars may exceed the charge by seventy-five`() {
        let known = Bench.merchant
        var bench = Bench { configuration in
            configuration.merchants = [
                Merchant(
                    id: known.id,
                    storeIDs: known.storeIDs,
                    publicKeys: known.publicKeys,
                    allowedDomains: known.allowedDomains,
                    ledgerCurrency: "USD"
                )
            ]
        }
        bench.control("POST", "next-buyer", .object([]))
        let start = bench.post("/checkout/start", Bench.startForm(changing: ["ledgerCurrency": "USD"]))
        let id = Bench.sessionID(in: bench.follow(start).location)
        bench.place(id, ["paymentIntent": "Confirm"])
        _ = bench.process(id)
        let done = bench.call("POST", "/v2/checkoutSessions/\(id)/complete", .object([]), key: "c").json
        func dollars(_ amount: String) -> JSONValue { ["amount": .string(amount), "currencyCode": "USD"] }
        let order: JSONValue = [
            "chargePermissionId": done["chargePermissionId"] ?? .null, "chargeAmount": dollars("1000.00"),
            "captureNow": true,
        ]
        let charge = bench.call("POST", "/v2/charges", order, key: "d").json["chargeId"] ?? .null
        let tooMuch = bench.call("POST", "/v2/refunds", ["chargeId": charge, "refundAmount": dollars("1075.01")])
        #expect(tooMuch.refusal == Refusal(status: 400, reason: "TransactionAmountExceeded"))
        let most = bench.call("POST", "/v2/refunds", ["chargeId": charge, "refundAmount": dollars("1075")])
        #expect(most.json[path: "refundAmount.amount"]?.text == "1075.00")
    }

    @Test func `needs a captured charge`() {
        var bench = Bench()
        let paid = bench.paid()
        #expect(bench.refund(paid.charge, 1).refusal == Refusal(status: 422, reason: "InvalidChargeStatus"))
        #expect(
            bench.refund("S03-0000000-0000000-C000000", 1).refusal == Refusal(status: 404, reason: "ResourceNotFound")
        )
    }
}

extension Bench {
    /// A charge permission without a limit and without a charge.
    mutating func confirmed() -> String {
        let id = checkOut()
        place(id, ["paymentIntent": "Confirm"])
        _ = process(id)
        let answer = call("POST", "/v2/checkoutSessions/\(id)/complete", .object([]), key: freshKey())
        return answer.json["chargePermissionId"]?.text ?? ""
    }

    mutating func charge(
        _ permission: String,
        _ yen: Int,
        simulation: String? = nil,
        capturesNow: Bool = false
    ) -> Answer {
        let body: JSONValue = [
            "chargePermissionId": .string(permission), "chargeAmount": Bench.price(yen),
            "captureNow": .bool(capturesNow),
        ]
        let fields = simulation.map { [(name: "x-amz-pay-simulation-code", value: $0)] } ?? []
        return call("POST", "/v2/charges", body, key: freshKey(), fields: fields)
    }

    /// A captured charge.
    mutating func captured(_ yen: Int = 27_996) -> String {
        charge(confirmed(), yen, capturesNow: true).json["chargeId"]?.text ?? ""
    }

    mutating func refund(_ charge: String, _ yen: Int) -> Answer {
        call("POST", "/v2/refunds", ["chargeId": .string(charge), "refundAmount": Bench.price(yen)], key: freshKey())
    }
}
