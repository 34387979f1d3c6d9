import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("The order of processing")
struct ProcessingOrderTests {
    @Test(arguments: [
        "/v2/checkoutSessions/ID", "/v2/checkoutSessions/ID/", "/sandbox/v2/checkoutSessions/ID",
        "/sandbox/v2/checkoutSessions/ID/", "/v2//checkoutSessions///ID",
    ])
    func `both path forms lead to the session, with and without a slash at the end`(form: String) {
        var bench = Bench()
        let id = bench.checkOut()
        #expect(bench.call("GET", form.replacing("ID", with: id)).status == 200)
    }

    @Test(arguments: [
        ("GET", "/v2/checkoutSessions", 405, "UnsupportedOperation"),
        ("PUT", "/v2/checkoutSessions/x", 405, "UnsupportedOperation"),
        ("POST", "/v2/charges/x", 405, "UnsupportedOperation"), ("GET", "/v2/nothing", 404, "ResourceNotFound"),
        ("GET", "/v2", 404, "ResourceNotFound"), ("GET", "/v2/checkoutSessions/x/y/z", 404, "ResourceNotFound"),
        ("GET", "/live/v2/checkoutSessions/x", 404, "ResourceNotFound"),
    ])
    func `a path that leads nowhere is refused`(method: String, path: String, status: Int, reason: String) {
        var bench = Bench()
        let key = [(name: "authorization", value: "X PublicKeyId=\(Bench.keyID), SignedHeaders=a, Signature=b")]
        #expect(bench.call(method, path, fields: key).refusal == Refusal(status: status, reason: reason))
    }

    @Test(arguments: [
        (
            #"{"webCheckoutDetails":{"checkoutReviewReturnUrl":"https://a.test/"},"storeId":"x","more":1}"#,
            "UnrecognizedField"
        ),
        (#"{"webCheckoutDetails":{"checkoutMode":"ProcessOrder"},"storeId":"x"}"#, "UnrecognizedField"),
        (#"{"storeId":7}"#, "InvalidParameterValue"), (#"{"storeId":"wrong"}"#, "InvalidParameterValue"),
        (#"{}"#, "MissingParameterValue"), (#"{"storeId":null}"#, "MissingParameterValue"),
        (#"{"storeId":""}"#, "MissingParameterValue"), (#"{"#, "InvalidRequestFormat"), ("", "InvalidRequestFormat"),
        ("[]", "InvalidRequestFormat"), ("\u{FEFF}{}", "InvalidRequestFormat"),
        (#"{"storeId":"a","storeId":"b"}"#, "InvalidRequestFormat"),
    ])
    func `a body is checked before anything happens`(body: String, reason: String) {
        var bench = Bench()
        let request = SimulatorRequest("POST", "/v2/checkoutSessions", body: Array(body.utf8))
        #expect(bench.send(request).0.refusal == Refusal(status: 400, reason: reason))
    }

    @Test(arguments: [
        (#"{"unknown":1,"chargeAmount":1}"#, "UnrecognizedField"),
        (#"{"chargeAmount":{"amount":"1","currencyCode":"JPY","more":0}}"#, "UnrecognizedField"),
        (#"{"chargeAmount":{"amount":"x","currencyCode":"JPY","more":0}}"#, "UnrecognizedField"),
        (#"{"chargeAmount":{"amount":"1.5","currencyCode":"JPY"}}"#, "InvalidParameterValue"),
        (#"{"chargeAmount":{"amount":"-1","currencyCode":"JPY"}}"#, "InvalidParameterValue"),
        (#"{"chargeAmount":{"amount":"01","currencyCode":"JPY"}}"#, "InvalidParameterValue"),
        (#"{"chargeAmount":{"amount":"1e3","currencyCode":"JPY"}}"#, "InvalidParameterValue"),
        (#"{"chargeAmount":{"amount":"99999999999999999999","currencyCode":"JPY"}}"#, "InvalidParameterValue"),
        (#"{"chargeAmount":{"amount":"1","currencyCode":"ABC"}}"#, "InvalidParameterValue"),
        (#"{"chargeAmount":"1"}"#, "InvalidParameterValue"),
    ])
    func `unknown members come before wrong values`(body: String, reason: String?) {
        var bench = Bench()
        let id = bench.held()
        let path = "/v2/checkoutSessions/\(id)/complete"
        let fields = [(name: "x-amz-pay-idempotency-key", value: "k")]
        let answer = bench.send(SimulatorRequest("POST", path, fields: fields, body: Array(body.utf8))).0
        #expect(answer.status == (reason == nil ? 409 : 400))
        if let reason { #expect(answer.reason == reason) }
    }

    @Test func `an amount may be a number`() {
        var bench = Bench()
        let id = bench.held()
        let body = #"{"chargeAmount":{"amount":27996,"currencyCode":"JPY"}}"#
        let answer = bench.send(
            SimulatorRequest("POST", "/v2/checkoutSessions/\(id)/complete", body: Array(body.utf8))
        )
        #expect(answer.0.status == 200)
    }

    @Test(arguments: ["productType", "scopes", "storeId", "chargePermissionType", "deliverySpecifications"])
    func `what is fixed cannot be updated`(member: String) {
        var bench = Bench()
        let id = bench.checkOut()
        let answer = bench.call("PATCH", "/v2/checkoutSessions/" + id, .object([JSONMember(member, "x")]))
        #expect(answer.refusal == Refusal(status: 400, reason: "UnrecognizedField"))
    }

    @Test(arguments: [
        ("merchantReferenceId", 256), ("merchantStoreName", 50), ("noteToBuyer", 255), ("customInformation", 4096),
    ])
    func `lengths count characters`(member: String, limit: Int) {
        var bench = Bench()
        let path = "/v2/checkoutSessions/" + bench.checkOut()
        for (length, status) in [(limit, 200), (limit + 1, 400)] {
            let text = JSONValue.string(String(repeating: "店", count: length))
            let answer = bench.call("PATCH", path, ["merchantMetadata": .object([JSONMember(member, text)])])
            #expect(answer.status == status)
        }
    }

    @Test(arguments: [
        "http://shop.example.test/", "ftp://shop.example.test/", "javascript:alert(1)",
        "https://user@shop.example.test/",
        "https://shop.example.test/\u{0}", "https:///path", "https://shop.example.test:99999/", "//shop.example.test/",
    ])
    func `a return URL is https or on this machine`(url: String) {
        var bench = Bench()
        let path = "/v2/checkoutSessions/" + bench.checkOut()
        let update: JSONValue = ["webCheckoutDetails": ["checkoutResultReturnUrl": .string(url)]]
        #expect(bench.call("PATCH", path, update).refusal == Refusal(status: 400, reason: "InvalidParameterValue"))
        let local: JSONValue = ["webCheckoutDetails": ["checkoutResultReturnUrl": "http://localhost:8080/r"]]
        #expect(bench.call("PATCH", path, local).status == 200)
    }

    @Test func `combinations are checked`() {
        var bench = Bench()
        let path = "/v2/checkoutSessions/" + bench.checkOut()
        let pending: JSONValue = ["paymentDetails": Bench.payment(1, intent: "AuthorizeWithCapture", pending: true)]
        #expect(bench.call("PATCH", path, pending).reason == "InvalidParameterCombination")
        let text: JSONValue = ["paymentDetails": ["paymentIntent": "Authorize", "softDescriptor": "SHOP"]]
        #expect(bench.call("PATCH", path, text).reason == "InvalidParameterCombination")
        let dollars: JSONValue = ["paymentDetails": ["chargeAmount": ["amount": "1.50", "currencyCode": "USD"]]]
        #expect(bench.call("PATCH", path, dollars).reason == "CurrencyMismatch")
        let tooMuch: JSONValue = ["paymentDetails": ["chargeAmount": Bench.price(10_000_001)]]
        #expect(bench.call("PATCH", path, tooMuch).reason == "TransactionAmountExceeded")
    }

    @Test func `another merchant's object is not there`() {
        var bench = Bench()
        let paid = bench.paid()
        let stranger = [
            (
                name: "authorization",
                value: "X PublicKeyId=SANDBOX-BFTESTKEY0000000000000002, SignedHeaders=a, Signature=b"
            )
        ]
        for path in [
            "checkoutSessions/" + paid.session, "charges/" + paid.charge, "chargePermissions/" + paid.permission,
        ] {
            #expect(bench.call("GET", "/v2/" + path).status == 200)
            #expect(
                bench.call("GET", "/v2/" + path, fields: stranger).refusal
                    == Refusal(status: 404, reason: "ResourceNotFound")
            )
        }
    }

    @Test func `the environment of a key decides where its objects are`() {
        var bench = Bench()
        let id = bench.checkOut()
        func key(_ id: String) -> [(name: String, value: String)] {
            [("authorization", "X PublicKeyId=\(id), SignedHeaders=a, Signature=b")]
        }
        let live = key("LIVE-AFTESTKEY0000000000000001")
        #expect(bench.call("GET", "/v2/checkoutSessions/" + id, fields: live).status == 404)
        // A prefix names the environment, and then the path does not.
        let prefixed = key(Bench.keyID)
        #expect(bench.call("GET", "/v2/checkoutSessions/" + id, fields: prefixed).status == 200)
        for path in ["/sandbox/v2/checkoutSessions/", "/live/v2/checkoutSessions/"] {
            let answer = bench.call("GET", path + id, fields: prefixed)
            #expect(answer.refusal == Refusal(status: 404, reason: "ResourceNotFound"))
        }
        let refused = bench.call("POST", "/sandbox/v2/checkoutSessions", Bench.payload, key: "p", fields: prefixed)
        #expect(refused.status == 404)
        let old = key("AFTESTKEY000000000000001")
        #expect(bench.call("GET", "/sandbox/v2/checkoutSessions/" + id, fields: old).status == 200)
        #expect(bench.call("GET", "/live/v2/checkoutSessions/" + id, fields: old).status == 404)
        #expect(bench.call("GET", "/v2/checkoutSessions/" + id, fields: old).status == 404)
        let created = bench.call("POST", "/v2/checkoutSessions", Bench.payload, key: "l", fields: live)
        #expect(created.json["releaseEnvironment"]?.text == "Live")
    }

    @Test func `a large body is refused before anything else`() {
        var bench = Bench()
        let body = [UInt8](repeating: 0x20, count: AmazonPayModel.bodyLimit + 1)
        #expect(bench.send(SimulatorRequest("POST", "/v2/checkoutSessions", body: body)).0.status == 413)
    }

    @Test func `an answer without a checked signature says so`() {
        var bench = Bench()
        let answer = bench.call("GET", "/v2/checkoutSessions/" + bench.checkOut())
        #expect(answer.field("x-sim-warning") == "signature not checked")
        let keyless = bench.call("POST", "/v2/charges", .object([]))
        #expect(keyless.field("x-sim-warning") == "signature not checked, no idempotency key")
        #expect(answer.field("x-amz-pay-request-id") != nil)
        #expect(answer.field("content-type") == "application/json")
    }
}

@Suite("Throttling")
struct RequestRateLimiterTests {
    @Test func `is off until it is asked for`() {
        var bench = Bench()
        let id = bench.checkOut()
        for _ in 0..<30 { #expect(bench.call("GET", "/v2/checkoutSessions/" + id).status == 200) }
    }

    @Test func `refuses when the bucket is empty and refills by the second`() {
        var bench = Bench()
        let path = "/v2/checkoutSessions/" + bench.checkOut()
        bench.control("POST", "options", ["quota": "sandbox"])
        for _ in 0..<10 { #expect(bench.call("GET", path).status == 200) }
        #expect(bench.call("GET", path).refusal == Refusal(status: 429, reason: "TooManyRequests"))
        // Every operation has a bucket of its own.
        #expect(bench.call("PATCH", path, .object([])).status == 200)
        bench.advance("PT1S")
        #expect(bench.call("GET", path).status == 200)
        #expect(bench.call("GET", path).status == 429)
    }

    /// A demo's account is one of the sandbox, and is to meet the limits that a shop meets.
    @Test(arguments: [(SimulatorSwitches.Quota.sandbox, 10), (.live, 40)], ["SANDBOX", "LIVE"])
    func `has the limits that are set, whatever the key`(quota: (SimulatorSwitches.Quota, Int), environment: String) {
        let key = environment + "-AFTESTKEY0000000000000001"
        var bench = Bench { $0.switches.quota = quota.0 }
        let burst = quota.1
        let fields = [(name: "authorization", value: "X PublicKeyId=\(key), SignedHeaders=a, Signature=b")]
        let statuses = (0...burst).map { _ in bench.call("GET", "/v2/checkoutSessions/x", fields: fields).status }
        #expect(statuses == [Int](repeating: 404, count: burst) + [429])
    }

    @Test(arguments: [
        ("POST", "checkoutSessions", 5), ("GET", "checkoutSessions/x", 10), ("PATCH", "checkoutSessions/x", 5),
        ("POST", "checkoutSessions/x/complete", 2), ("POST", "checkoutSessions/x/finalize", 2), ("POST", "charges", 2),
        ("GET", "charges/x", 5), ("POST", "charges/x/capture", 2), ("DELETE", "charges/x/cancel", 2),
        ("GET", "chargePermissions/x", 10), ("PATCH", "chargePermissions/x", 5),
        ("DELETE", "chargePermissions/x/close", 2), ("POST", "refunds", 2), ("GET", "refunds/x", 5),
        ("GET", "buyers/x", 10),
    ])
    func `has the sandbox's bucket for every operation`(method: String, path: String, burst: Int) {
        var bench = Bench { $0.switches.quota = .sandbox }
        let statuses = (0...burst).map { _ in bench.call(method, "/v2/" + path, .object([])).status }
        #expect(statuses.firstIndex(of: 429) == burst)
    }

    @Test(arguments: [
        ("POST", "checkoutSessions", 40), ("GET", "checkoutSessions/x", 40), ("PATCH", "checkoutSessions/x", 20),
        ("POST", "checkoutSessions/x/complete", 20), ("POST", "checkoutSessions/x/finalize", 20),
        ("POST", "charges", 10), ("GET", "charges/x", 20), ("POST", "charges/x/capture", 20),
        ("DELETE", "charges/x/cancel", 10), ("GET", "chargePermissions/x", 20), ("PATCH", "chargePermissions/x", 10),
        ("DELETE", "chargePermissions/x/close", 10), ("POST", "refunds", 10), ("GET", "refunds/x", 20),
        ("GET", "buyers/x", 40),
    ])
    func `has the live bucket for every operation`(method: String, path: String, burst: Int) {
        var bench = Bench { $0.switches.quota = .live }
        let statuses = (0...burst).map { _ in bench.call(method, "/v2/" + path, .object([])).status }
        #expect(statuses.firstIndex(of: 429) == burst)
    }

    @Test func `counts each account for itself`() {
        var bench = Bench { $0.switches.quota = .sandbox }
        func status(_ key: String) -> Int {
            let fields = [(name: "authorization", value: "X PublicKeyId=\(key), SignedHeaders=a, Signature=b")]
            return bench.call("POST", "/v2/refunds", .object([]), fields: fields).status
        }
        #expect((0..<3).map { _ in status("SANDBOX-AFTESTKEY0000000000000001") }.last == 429)
        #expect(status("SANDBOX-BFTESTKEY0000000000000002") != 429)
    }

    @Test func `can be asked for by a single request`() {
        var bench = Bench()
        let path = "/v2/checkoutSessions/\(bench.checkOut())/complete"
        let asking = [(name: "x-sim-throttle", value: "1")]
        let statuses = (0..<3).map { _ in bench.call("POST", path, .object([]), fields: asking).status }
        #expect(statuses == [422, 422, 429])
        #expect(bench.call("POST", path, .object([])).status == 422)
    }
}
