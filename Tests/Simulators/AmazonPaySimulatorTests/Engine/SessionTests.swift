import AmazonPaySimulator
import Primitives
import StrictJSON
import Testing

@Suite("A checkout session")
struct SessionTests {
    @Test func `after the review redirect it shows the buyer and what is missing`() throws {
        var bench = Bench()
        let id = bench.checkOut()
        let session = bench.session(id)
        #expect(session.state == "Open")
        #expect(session[path: "buyer.name"]?.text == "見本 太郎")
        #expect(session[path: "shippingAddress.stateOrRegion"]?.text == "東京都")
        #expect(session[path: "shippingAddress.postalCode"]?.text == "153-0064")
        #expect(
            session["paymentPreferences"]?.elements.first?["paymentDescriptor"]?.text == "Visa ****1111 (Amazon Pay)"
        )
        #expect(session[path: "merchantMetadata.merchantReferenceId"]?.text == "flow-1")
        #expect(session[path: "webCheckoutDetails.amazonPayRedirectUrl"] == nil)
        let constraints = session["constraints"]?.elements.compactMap { $0["constraintId"]?.text }
        #expect(constraints == ["ChargeAmountNotSet", "CheckoutResultReturnUrlNotSet", "PaymentIntentNotSet"])
        #expect(session["creationTimestamp"]?.text == "20260314T015926Z")
        #expect(session["expirationTimestamp"]?.text == "20260315T015926Z")
    }

    /// As the vendor's own test suite lists them; it compares the order, too.
    private static let members = [
        "checkoutSessionId", "webCheckoutDetails", "productType", "paymentDetails", "chargePermissionType", "orderType",
        "recurringMetadata", "paymentMethodOnFileMetadata", "merchantDetails", "merchantMetadata", "supplementaryData",
        "buyer", "billingAddress", "paymentPreferences", "statusDetails", "shippingAddress", "platformId",
        "chargePermissionId", "chargeId", "constraints", "creationTimestamp", "expirationTimestamp", "storeId",
        "providerMetadata", "releaseEnvironment", "checkoutButtonText", "deliverySpecifications", "tokens",
    ]

    @Test func `it has every member of the vendor's object, in the vendor's order`() throws {
        var bench = Bench()
        #expect(bench.session(bench.checkOut()).members.map(\.name) == SessionTests.members)
    }

    @Test func `for several addresses it lists them as texts, and has no single one`() throws {
        var bench = Bench()
        let id = bench.checkOut(productType: "PayAndShipMultiAddress")
        let session = bench.session(id)
        let more = ["multiAddressesCheckoutMetadata", "shippingAddressList"]
        #expect(session.members.map(\.name) == SessionTests.members + more)
        #expect(session["shippingAddress"] == nil && session["multiAddressesCheckoutMetadata"] == nil)
        let texts = session["shippingAddressList"]?.elements.compactMap(\.text) ?? []
        let addresses = try texts.map { try JSONParser.parse(Array($0.utf8)) }
        #expect(addresses.map { $0["addressId"]?.text } == ["tokyo", "hokkaido", "okinawa"])
        #expect(addresses.last?["stateOrRegion"]?.text == "沖縄県")
        let prices: JSONValue = [["addressId": "tokyo", "price": Bench.price(1080)]]
        let update = bench.call("PATCH", "/v2/checkoutSessions/" + id, ["multiAddressesCheckoutMetadata": prices])
        #expect(update.json["multiAddressesCheckoutMetadata"] == prices)
    }

    @Test func `an update without constraints left yields the processing page`() {
        var bench = Bench()
        let id = bench.checkOut()
        let answer = bench.place(id)
        #expect(answer.status == 200)
        #expect(answer.json["constraints"]?.elements.isEmpty == true)
        let url = answer.json[path: "webCheckoutDetails.amazonPayRedirectUrl"]?.text
        #expect(url == "https://sim.example.test/checkout/processing?amazonCheckoutSessionId=" + id)
    }

    @Test func `an update keeps what it does not name`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.place(id)
        let answer = bench.call(
            "PATCH",
            "/v2/checkoutSessions/" + id,
            ["merchantMetadata": ["noteToBuyer": "thanks"], "paymentDetails": ["chargeAmount": Bench.price(1080)]]
        )
        #expect(answer.json[path: "merchantMetadata.merchantReferenceId"]?.text == "flow-1")
        #expect(answer.json[path: "merchantMetadata.noteToBuyer"]?.text == "thanks")
        #expect(answer.json[path: "paymentDetails.paymentIntent"]?.text == "Authorize")
        #expect(answer.json[path: "paymentDetails.chargeAmount.amount"]?.text == "1080")
    }

    @Test func `Confirm needs no amount`() {
        var bench = Bench()
        let id = bench.checkOut()
        #expect(bench.place(id, ["paymentIntent": "Confirm"]).json["constraints"]?.elements.isEmpty == true)
    }

    @Test func `a recurring one needs a frequency`() {
        var bench = Bench()
        var payload = Bench.payload.members
        payload.append(JSONMember("chargePermissionType", "Recurring"))
        let id = bench.checkOut(payload: .object(payload))
        let constraints = bench.place(id).json["constraints"]?.elements.compactMap { $0["constraintId"]?.text }
        #expect(constraints == ["RecurringFrequencyNotSet"])
        let frequency: JSONValue = ["unit": "Month", "value": "1"]
        let update: JSONValue = ["recurringMetadata": ["frequency": frequency]]
        #expect(bench.call("PATCH", "/v2/checkoutSessions/" + id, update).json["constraints"]?.elements == [])
    }

    @Test func `one that the merchant creates has no buyer until somebody signs in`() {
        var bench = Bench()
        let created = bench.call("POST", "/v2/checkoutSessions", Bench.payload, key: "k")
        #expect(created.status == 201)
        let constraint = created.json["constraints"]?.elements.first
        #expect(constraint?["constraintId"]?.text == "BuyerNotAssociated")
        #expect(constraint?["description"]?.text?.hasSuffix("Amazon Pay Button to allow buyer to login.") == true)
        #expect(created.json["buyer"] == nil && created.json["productType"] == nil)
        #expect(created.json["paymentPreferences"]?.elements == [.null])
        let id = created.json["checkoutSessionId"]?.text ?? ""
        _ = bench.get("/ap/select?amazonCheckoutSessionId=\(id)&changeAction=changeAddress")
        _ = bench.post("/ap/signin", [("buyer", "okinawa@example.test"), ("action", "signin")])
        let answer = bench.post("/ap/select", [("addressId", "okinawa"), ("cardId", "card-4444")])
        #expect(answer.location == Bench.review + "?amazonCheckoutSessionId=" + id)
        #expect(bench.session(id)[path: "shippingAddress.stateOrRegion"]?.text == "沖縄県")
        #expect(bench.session(id)["productType"]?.text == "PayAndShip")
    }

    @Test(arguments: ["Open", "Completed", "Canceled"])
    func `the buyer's data is there only while it is open`(state: String) {
        var bench = Bench()
        let id = bench.held()
        if state == "Completed" { _ = bench.complete(id) }
        if state == "Canceled" { bench.advance("PT25H") }
        let session = bench.session(id)
        #expect(session.state == state)
        #expect((session["buyer"] != nil) == (state == "Open"))
        #expect((session["shippingAddress"] != nil) == (state == "Open"))
        #expect((session["paymentPreferences"]?.elements == [.null]) == (state != "Open"))
    }

    @Test func `scopes decide what is shared`() {
        var bench = Bench()
        let narrow: JSONValue = [
            "webCheckoutDetails": ["checkoutReviewReturnUrl": .string(Bench.review)],
            "storeId": .string(Bench.storeID), "scopes": ["name", "billingAddress"],
        ]
        let session = bench.session(bench.checkOut(payload: narrow))
        #expect(session[path: "buyer.name"]?.text == "見本 太郎")
        #expect(session[path: "buyer.email"] == nil)
        #expect(session["shippingAddress"] == nil)
        #expect(session[path: "billingAddress.stateOrRegion"]?.text == "東京都")
    }

    @Test func `it expires after a day and is forgotten after thirty`() {
        var bench = Bench()
        let id = bench.held()
        bench.advance("PT23H59M59S")
        #expect(bench.session(id).state == "Open")
        bench.advance("PT1S")
        let session = bench.session(id)
        #expect(session.state == "Canceled")
        #expect(session.stateReason == "Expired")
        #expect(session[path: "statusDetails.lastUpdatedTimestamp"]?.text == "20260315T015926Z")
        #expect(bench.complete(id).refusal == Refusal(status: 422, reason: "CheckoutSessionCanceled"))
        bench.advance("P29D")
        #expect(
            bench.call("GET", "/v2/checkoutSessions/" + id).refusal == Refusal(status: 404, reason: "ResourceNotFound")
        )
    }

    @Test func `a completed one does not expire`() {
        var bench = Bench()
        let paid = bench.paid()
        bench.advance("PT25H")
        #expect(bench.session(paid.session).state == "Completed")
    }

    @Test func `the oldest one is forgotten with its charge when there are too many`() {
        var bench = Bench { $0.sessionCapacity = 2 }
        let paid = bench.paid()
        let second = bench.checkOut()
        #expect(bench.object(paid.charge).state == "Authorized")
        let third = bench.checkOut()
        for id in [paid.session, paid.permission, paid.charge] {
            #expect(bench.control("GET", "objects/" + id).status == 404)
        }
        let latest = bench.control("GET", "state").json["checkoutSessions"]?.elements
        #expect(latest?.compactMap { $0["checkoutSessionId"]?.text } == [third, second])
        // What was still due for it does no harm.
        bench.advance("P200D")
        #expect(bench.control("GET", "health").status == 200)
    }

    @Test func `what came of the oldest one goes too, though the session itself was forgotten before`() {
        var bench = Bench { $0.sessionCapacity = 1 }
        let paid = bench.paid(Bench.payment(27_996, intent: "AuthorizeWithCapture"))
        let refund = bench.refund(paid.charge, 1).json["refundId"]?.text ?? ""
        bench.advance("P31D")
        #expect(bench.object(paid.permission).state == "Closed")
        #expect(bench.object(refund).state == "Refunded")
        _ = bench.checkOut()
        let counts = bench.control("GET", "state").json["counts"]
        for kind in ["charges", "chargePermissions", "refunds"] { #expect(counts?[kind]?.integer == 0) }
    }

    @Test func `after processing it takes no more updates`() {
        var bench = Bench()
        let id = bench.held()
        #expect(bench.place(id).refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
    }

    @Test func `after the end it takes no more updates`() {
        var bench = Bench()
        let paid = bench.paid()
        #expect(bench.place(paid.session).refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
        let declined = bench.held(card: "card-3434")
        #expect(bench.place(declined).refusal == Refusal(status: 422, reason: "CheckoutSessionCanceled"))
    }

    @Test(arguments: [
        ("hokkaido@example.test", "hokkaido", "北海道"), ("okinawa@example.test", "okinawa", "沖縄県"),
        ("threelines@example.test", "osaka", "大阪府"), ("pobox@example.test", "pobox", "東京都"),
        ("abroad@example.test", "seattle", "WA"), ("nophone@example.test", "kyoto", "京都府"),
    ])
    func `every buyer has an address for one rule`(email: String, address: String, state: String) {
        var bench = Bench()
        let session = bench.session(bench.checkOut(as: email, address: address))
        #expect(session[path: "shippingAddress.stateOrRegion"]?.text == state)
        #expect(session[path: "buyer.email"]?.text == email)
        if email.hasPrefix("threelines") { #expect(session[path: "shippingAddress.addressLine3"] != nil) }
        if email.hasPrefix("nophone") { #expect(session[path: "shippingAddress.phoneNumber"]?.text == "") }
        if email.hasPrefix("abroad") { #expect(session[path: "shippingAddress.countryCode"]?.text == "US") }
    }
}
