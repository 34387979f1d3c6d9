import AmazonPay
import Commerce
import Foundation
import Primitives
import Testing

@Suite("A checkout session")
struct CheckoutSessionTests {
    private func session(_ json: String) throws -> CheckoutSession {
        try CheckoutSession(json: Array(json.utf8))
    }

    private func minimal(_ members: String) throws -> CheckoutSession {
        try session(#"{"checkoutSessionId":"\#(ClientBench.session)","# + members + "}")
    }

    @Test func `after review has a buyer, an address and constraints`() throws {
        let session = try CheckoutSession(json: VectorFiles.object("checkoutSession-after-review-redirect"))
        #expect(session.state == .open)
        #expect(session.buyer?.name == "見本 花子")
        #expect(session.buyer?.email == "buyer@example.test")
        #expect(session.shippingAddress?[.stateOrRegion] == "北海道")
        #expect(session.shippingAddress?[.addressLine2] == "見本ビル4階")
        #expect(session.shippingAddress?[.city] == nil)
        #expect(session.paymentDescriptor == "Visa ****1111 (Amazon Pay)")
        #expect(session.constraints == ["ChargeAmountNotSet", "CheckoutResultReturnUrlNotSet", "PaymentIntentNotSet"])
        #expect(session.redirectURL == nil)
        #expect(session.chargeAmount == nil)
        #expect(session.merchantReferenceID == nil)
        #expect(session.expiration == WallTime(seconds: 1_773_539_970))
    }

    @Test func `after an update has an amount and an address for the buyer`() throws {
        let session = try CheckoutSession(json: VectorFiles.object("checkoutSession-after-update"))
        #expect(session.redirectURL?.hasPrefix("https://sim.example.test/checkout/processing?") == true)
        #expect(session.isFor(Yen(28_536)))
        #expect(!session.isFor(Yen(28_535)))
        #expect(session.paymentIntent == "Authorize")
        #expect(session.merchantReferenceID == "MY-ORDER-1")
        #expect(session.constraints.isEmpty)
    }

    @Test func `once completed has its charge and no buyer`() throws {
        let session = try CheckoutSession(json: VectorFiles.object("checkoutSession-completed"))
        #expect(session.state == .completed)
        #expect(session.chargeID == "S03-1234567-7654321-C012345")
        #expect(session.chargePermissionID == "S03-1234567-7654321")
        #expect(session.buyer == nil)
        #expect(session.shippingAddress == nil)
        #expect(session.paymentDescriptor == nil)
    }

    @Test func `once declined has its reason`() throws {
        let session = try CheckoutSession(json: VectorFiles.object("checkoutSession-declined"))
        #expect(session.state == .canceled)
        #expect(session.reason == .declined)
    }

    @Test(arguments: [
        "charge-authorized", "chargePermission-in-progress", "refund-initiated", "buyer", "error",
    ])
    func `is not any other object`(name: String) throws {
        #expect(throws: AmazonPayError.self) { try CheckoutSession(json: VectorFiles.object(name)) }
    }

    @Test func `needs nothing but its identifier`() throws {
        let session = try minimal(#""new":{"deep":[1,{"x":null}]}"#)
        #expect(session.state == .unknown(""))
        #expect(session.constraints.isEmpty)
        #expect(!session.isFor(.zero))
    }

    @Test(arguments: [
        #""buyer":null,"shippingAddress":null,"paymentPreferences":null,"constraints":null,"statusDetails":null"#,
        #""buyer":"","shippingAddress":"","paymentPreferences":"","constraints":"","statusDetails":"""#,
        #""buyer":[],"shippingAddress":[],"paymentPreferences":{},"constraints":{},"statusDetails":[]"#,
        #""buyer":1,"shippingAddress":true,"paymentPreferences":[null],"constraints":[null,1,{}],"statusDetails":7"#,
        #""shippingAddress":{"name":"","city":null},"paymentPreferences":[{"paymentDescriptor":null},{"paymentDescriptor":""}]"#,
        #""webCheckoutDetails":null,"paymentDetails":[],"merchantMetadata":"x","chargeId":"","chargePermissionId":7"#,
    ])
    func `takes null, empty, missing and odd members for missing`(members: String) throws {
        let session = try minimal(members)
        #expect(session.buyer?.name == nil)
        #expect(session.shippingAddress == nil)
        #expect(session.paymentDescriptor == nil)
        #expect(session.constraints.isEmpty)
        #expect(session.chargeID == nil)
        #expect(session.chargePermissionID == nil)
        #expect(session.redirectURL == nil)
    }

    @Test func `passes over a null among its payment preferences`() throws {
        let session = try minimal(#""paymentPreferences":[null,{"paymentDescriptor":"Visa"}]"#)
        #expect(session.paymentDescriptor == "Visa")
    }

    @Test(arguments: [
        ("Open", CheckoutSession.State.open), ("Completed", .completed), ("Canceled", .canceled),
        ("Frozen", .unknown("Frozen")),
        ("open", .unknown("open")),
    ])
    func `keeps a state it does not know`(text: String, state: CheckoutSession.State) throws {
        #expect(try minimal(#""statusDetails":{"state":"\#(text)"}"#).state == state)
    }

    @Test(arguments: ["a b", "a\nb", "<b>", "", String(repeating: "a", count: 65)])
    func `takes no odd text for a reason`(text: String) throws {
        let literal = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        #expect(try minimal(#""statusDetails":{"state":"Canceled","reasonCode":\#(literal)}"#).reason == nil)
    }

    @Test(
        arguments: [
            (#""28536""#, 28_536), ("28536", 28_536), (#""28536.00""#, 28_536), ("28536.0", 28_536), (#""0""#, 0),
            ("0", 0),
        ] as [(String, UInt32)]
    )
    func `reads amounts as text and as numbers`(amount: String, expected: UInt32) throws {
        let session = try minimal(#""paymentDetails":{"chargeAmount":{"amount":\#(amount),"currencyCode":"JPY"}}"#)
        #expect(session.chargeAmount?.yen == Yen(expected))
    }

    @Test(arguments: [
        #""28536.5""#, "28536.5", #""-1""#, "-1", #""28,536""#, #""028536""#, #"" 28536""#, #""2e4""#, #""""#, "null",
        "true",
        #""９""#, "1e30", #""99999999999999999999""#, #""28536.""#, #"".5""#, "{}",
    ])
    func `reads no other amount`(amount: String) throws {
        let session = try minimal(#""paymentDetails":{"chargeAmount":{"amount":\#(amount),"currencyCode":"JPY"}}"#)
        #expect(session.chargeAmount?.money == nil)
    }

    @Test func `never takes another currency for yen`() throws {
        let session = try minimal(#""paymentDetails":{"chargeAmount":{"amount":"28536","currencyCode":"USD"}}"#)
        #expect(session.chargeAmount?.money?.units == 2_853_600)
        #expect(session.chargeAmount?.yen == nil)
        #expect(!session.isFor(Yen(28_536)))
        #expect(session.isFor(try #require(Money.parse("28536", .usd))))
    }

    @Test func `is not read from a tower of brackets`() {
        let tower = String(repeating: "[", count: 100_000)
        #expect(throws: AmazonPayError.self) { try CheckoutSession(json: Array(tower.utf8)) }
    }

    @Test(arguments: [
        "", "3F1C2D9E-7B40-4F0A-9A55-6F2C8F5B0E11", "3f1c2d9e7b404f0a9a556f2c8f5b0e11",
        "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e1",
        "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e111", "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e1g",
        "3f1c2d9e_7b40-4f0a-9a55-6f2c8f5b0e11",
        "3f1c2d9-e7b40-4f0a-9a55-6f2c8f5b0e11", "../../../../../../../../../../../x/y",
        " 3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11",
    ])
    func `has no other identifier`(text: String) {
        #expect(CheckoutSessionID(text) == nil)
    }
}

@Suite("A body")
struct BodyTests {
    private func payload() -> CheckoutPayload {
        var payload = CheckoutPayload(
            reviewURL: "https://shop.example.test/confirm_order",
            cancelURL: "https://shop.example.test/checkout_cancel",
            storeID: "amzn1.application-oa2-client.00000000000000000000000000000001"
        )
        payload.scopes = [.name, .email, .phoneNumber]
        payload.countries = ["JP"]
        payload.metadata = MerchantMetadata(merchantReferenceId: "flow-1", noteToBuyer: "</script>\u{2028}沖縄県")
        return payload
    }

    @Test func `that starts a checkout is the same text each time, with plain slashes`() {
        let text = String(decoding: payload().json, as: UTF8.self)
        #expect(
            text
                == #"{"chargePermissionType":"OneTime","deliverySpecifications":{"addressRestrictions":"#
                + #"{"restrictions":{"JP":{}},"type":"Allowed"}},"merchantMetadata":{"merchantReferenceId":"flow-1","#
                + "\"noteToBuyer\":\"</script>\u{2028}沖縄県\"},\"scopes\":[\"name\",\"email\",\"phoneNumber\"],"
                + #""storeId":"amzn1.application-oa2-client.00000000000000000000000000000001","#
                + #""webCheckoutDetails":{"checkoutCancelUrl":"https://shop.example.test/checkout_cancel","#
                + #""checkoutReviewReturnUrl":"https://shop.example.test/confirm_order"}}"#
        )
        #expect((0..<20).allSatisfy { _ in payload().json == payload().json })
    }

    @Test func `that starts a checkout names the addresses that can be chosen`() {
        var payload = payload()
        payload.restrictions = DeliveryRestrictions(.notAllowed, prefectures: [.okinawa], postalCodes: ["100-21*"])
        let text = String(decoding: payload.json, as: UTF8.self)
        #expect(
            text.contains(
                #""deliverySpecifications":{"addressRestrictions":{"restrictions":{"JP":{"statesOrRegions":["沖縄県"],"#
                    + #""zipCodes":["100-21*"]}},"type":"NotAllowed"}}"#
            ),
            "\(text)"
        )
    }

    @Test func `that starts a checkout leaves out what is not set`() {
        var payload = payload()
        payload.scopes = []
        payload.countries = []
        payload.metadata = MerchantMetadata()
        let text = String(decoding: payload.json, as: UTF8.self)
        #expect(!text.contains("scopes"))
        #expect(!text.contains("delivery"))
        #expect(!text.contains("null"))
    }

    @Test func `holds marks within the vendor's lengths, counted in characters`() {
        let name = String(repeating: "店", count: 50)
        #expect(MerchantMetadata(merchantReferenceId: "flow-1", merchantStoreName: name).problems.isEmpty)
        let long = MerchantMetadata(
            merchantReferenceId: String(repeating: "a", count: 257),
            merchantStoreName: name + "店",
            noteToBuyer: String(repeating: "a", count: 256),
            customInformation: String(repeating: "a", count: 4097)
        )
        #expect(long.problems.count == 4)
    }

    @Test(arguments: [
        "https://shop.example.test/confirm_order", "https://localhost:8443/confirm_order?a=b",
        "http://localhost:3000/x",
        "https://a.example/" + String(repeating: "a", count: 494),
    ])
    func `holds return addresses that the service takes`(url: String) {
        #expect(ReturnAddress.problem(url) == nil)
    }

    @Test(arguments: [
        "", "/confirm_order", "http://shop.example.test/", "https://shop.example.test/#x", "ftp://localhost/",
        "https://a b/",
        "https://a.example/" + String(repeating: "a", count: 495),
    ])
    func `holds no other return addresses`(url: String) {
        #expect(ReturnAddress.problem(url) != nil)
    }

    @Test func `is signed and shown as the same octets`() async throws {
        let signature = try await ButtonSigner(TestAccount.credentials()).sign(payload(), TestAccount.inPlace)
        #expect(Array(signature.payloadJSON.utf8) == payload().json)
        #expect(signature.publicKeyID == TestAccount.keyID)
        #expect(signature.algorithm.label == "AMZN-PAY-RSASSA-PSS-V2")
        let isGood = ButtonVerifier.isGood(
            payload: payload().json,
            signature: signature.signature,
            algorithm: .pssV2,
            key: try VectorFiles.merchantKey()
        )
        #expect(isGood)
    }
}

@Suite("A refusal")
struct RefusalTests {
    /// The vendor's table: status, reason, what may be done.
    @Test(arguments: [
        (400, "InvalidHeaderValue", AmazonPayError.Retry.never), (400, "DuplicateIdempotencyKey", .never),
        (400, "TransactionAmountExceeded", .never), (401, "UnauthorizedAccess", .never),
        (403, "InvalidAuthentication", .never),
        (404, "ResourceNotFound", .never), (405, "RequestNotSupported", .never), (408, "RequestTimeout", .sameKey),
        (409, "AmountMismatch", .never), (422, "InvalidCheckoutSessionStatus", .never), (422, "HardDeclined", .never),
        (422, "SoftDeclined", .newAttempt), (422, "TransactionTimedOut", .newAttempt), (425, "", .sameKey),
        (426, "TLSVersionNotSupported", .never), (429, "TooManyRequests", .sameKey),
        (500, "InternalServerError", .sameKey),
        (500, "ProcessingFailure", .sameKey), (502, "", .sameKey), (503, "ServiceUnavailable", .sameKey),
        (504, "", .sameKey),
        // Reason first: seen under other statuses.
        (400, "SoftDeclined", .newAttempt), (400, "TooManyRequests", .sameKey), (422, "ProcessingFailure", .sameKey),
        (418, "Brewing", .never), (302, "", .never),
    ])
    func `says what may be done about it`(status: Int, reason: String, retry: AmazonPayError.Retry) {
        let code = reason.isEmpty ? nil : ReasonCode(rawValue: reason)
        #expect(AmazonPayError.retry(status: status, reason: code) == retry)
        #expect(AmazonPayError(.refused, status: status, reason: code).retry == retry)
    }

    @Test func `describes itself without its detail`() {
        let error = AmazonPayError(
            .refused,
            status: 403,
            reason: .invalidRequestSignature,
            requestID: "r-1",
            detail: "for operators"
        )
        #expect(error.description == "refused 403 InvalidRequestSignature")
        #expect(error.debugDescription == "refused 403 InvalidRequestSignature request r-1: for operators")
    }
}
