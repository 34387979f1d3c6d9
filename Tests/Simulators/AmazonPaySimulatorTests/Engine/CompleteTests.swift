import AmazonPaySimulator
import Primitives
import StrictJSON
import Testing

@Suite("Complete")
struct CompleteTests {
    @Test func `makes the payment real once the buyer has been through processing`() {
        var bench = Bench()
        let id = bench.held()
        let before = bench.session(id)
        #expect(before.state == "Open")
        #expect(before["chargeId"] == nil)
        let answer = bench.complete(id)
        #expect(answer.status == 200)
        #expect(answer.json.state == "Completed")
        let permission = answer.json["chargePermissionId"]?.text ?? ""
        let charge = answer.json["chargeId"]?.text ?? ""
        #expect(permission.hasPrefix("S03-"))
        #expect(charge.hasPrefix(permission + "-C"))
        #expect(bench.call("GET", "/v2/charges/" + charge).json.state == "Authorized")
        #expect(bench.effectiveCompletes(id) == 1)
    }

    @Test func `answers 202 while the bank thinks`() {
        var bench = Bench()
        let id = bench.held(card: "card-0701", Bench.payment(27_996, pending: true))
        let answer = bench.complete(id)
        #expect(answer.status == 202)
        #expect(answer.json.state == "Completed")
        let charge = answer.json["chargeId"]?.text ?? ""
        #expect(bench.call("GET", "/v2/charges/" + charge).json.state == "AuthorizationInitiated")
    }

    @Test func `refuses another amount`() {
        var bench = Bench()
        let id = bench.held()
        #expect(bench.complete(id, 27_995).refusal == Refusal(status: 409, reason: "AmountMismatch"))
        #expect(bench.session(id).state == "Open")
        #expect(bench.complete(id).status == 200)
    }

    @Test func `refuses another currency`() {
        var bench = Bench()
        let id = bench.held()
        let dollars: JSONValue = ["chargeAmount": ["amount": "27996", "currencyCode": "USD"]]
        let answer = bench.call("POST", "/v2/checkoutSessions/\(id)/complete", dollars, key: "k")
        #expect(answer.refusal == Refusal(status: 400, reason: "CurrencyMismatch"))
    }

    @Test func `wants every amount that the session has`() {
        var bench = Bench()
        let id = bench.checkOut()
        var payment = Bench.payment(27_996).members
        payment.append(JSONMember("totalOrderAmount", Bench.price(30_000)))
        bench.place(id, .object(payment))
        _ = bench.process(id)
        #expect(bench.complete(id).refusal == Refusal(status: 400, reason: "MissingParameterValue"))
        let path = "/v2/checkoutSessions/\(id)/complete"
        let total: JSONValue = ["totalOrderAmount": Bench.price(30_000)]
        let missing = bench.call("POST", path, total, key: "k1")
        #expect(missing.refusal == Refusal(status: 400, reason: "MissingParameterValue"))
        let both: JSONValue = ["chargeAmount": Bench.price(27_996), "totalOrderAmount": Bench.price(30_000)]
        #expect(bench.call("POST", path, both, key: "k2").status == 200)
    }

    @Test func `refuses before the buyer went through processing`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.place(id)
        #expect(bench.complete(id).refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
    }

    @Test func `refuses a second call with another key and charges once`() {
        var bench = Bench()
        let id = bench.held()
        #expect(bench.complete(id).status == 200)
        #expect(bench.complete(id).refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
        #expect(bench.session(id).state == "Completed")
        #expect(bench.effectiveCompletes(id) == 1)
    }

    @Test(arguments: [("card-3064", "BuyerCanceled"), ("card-3434", "Declined")])
    func `finds the session canceled where the card did that`(card: String, reason: String) {
        var bench = Bench()
        let id = bench.held(card: card)
        // The effect is there before complete is called.
        #expect(bench.session(id).state == "Canceled")
        #expect(bench.session(id).stateReason == reason)
        #expect(bench.complete(id).refusal == Refusal(status: 422, reason: "CheckoutSessionCanceled"))
        #expect(bench.effectiveCompletes(id) == 0)
    }

    @Test(arguments: [
        ("BuyerCanceled", "CheckoutSessionCanceled", "BuyerCanceled"),
        ("AmazonCanceled", "CheckoutSessionCanceled", "AmazonCanceled"), ("Declined", "HardDeclined", "Declined"),
    ])
    func `lets a simulation code refuse the payment`(code: String, reason: String, state: String) {
        var bench = Bench()
        let id = bench.held()
        #expect(bench.complete(id, simulation: code).refusal == Refusal(status: 422, reason: reason))
        #expect(bench.session(id).state == "Canceled")
        #expect(bench.session(id).stateReason == state)
    }

    @Test func `lets a simulation code beat the card`() {
        var bench = Bench()
        let id = bench.held(Bench.payment(27_996, pending: true))
        #expect(bench.complete(id, simulation: "AuthorizationInitiated").status == 202)
    }

    @Test(arguments: ["Nonsense", "SoftDeclined", ""])
    func `refuses a simulation code that it does not know`(code: String) {
        var bench = Bench()
        let id = bench.held()
        let answer = bench.complete(id, simulation: code)
        #expect(answer.refusal == Refusal(status: 400, reason: "InvalidSandboxSimulationSpecified"))
    }

    @Test func `does not know a session that is not there`() {
        var bench = Bench()
        let answer = bench.complete("00000000-0000-4000-8000-000000000000")
        #expect(answer.refusal == Refusal(status: 404, reason: "ResourceNotFound"))
    }

    @Test func `captures at once where the intent says so`() {
        var bench = Bench()
        let paid = bench.paid(Bench.payment(27_996, intent: "AuthorizeWithCapture"))
        let charge = bench.call("GET", "/v2/charges/" + paid.charge).json
        #expect(charge.state == "Captured")
        #expect(charge[path: "captureAmount.amount"]?.text == "27996")
    }

    @Test func `charges nothing where the intent is Confirm`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.place(id, ["paymentIntent": "Confirm"])
        _ = bench.process(id)
        let answer = bench.call("POST", "/v2/checkoutSessions/\(id)/complete", .object([]), key: "k")
        #expect(answer.status == 200)
        #expect(answer.json["chargeId"] == nil)
        let permission = answer.json["chargePermissionId"]?.text ?? ""
        #expect(bench.call("GET", "/v2/chargePermissions/" + permission).json.state == "Chargeable")
    }

    @Test(arguments: ["card-0701", "card-4354"])
    func `is out of reach with a pending card that the merchant cannot handle`(card: String) {
        var bench = Bench()
        let id = bench.checkOut(card: card)
        bench.place(id)
        let page = bench.process(id)
        #expect(page.status == 422)
        #expect(page.text.contains("id=\"page-select\""))
        #expect(bench.session(id).state == "Open")
        // Another card helps.
        let answer = bench.post("/ap/select", [("cardId", "card-1111"), ("action", "continue")])
        #expect(bench.follow(answer).location?.hasPrefix(Bench.result) == true)
        #expect(bench.complete(id).status == 200)
    }
}
