import AmazonPay
import AmazonPaySimulator
import Cryptography
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("A request signature")
struct SignatureTests {
    /// A bench with strict signatures and the vectors' keys, its clock at their date.
    static func strict() -> Bench {
        var bench = Bench { $0.switches.signature = .strict }
        bench.now = WallTime(seconds: Bench.start.seconds)
        return bench
    }

    @Test(arguments: VectorFile.cases("request-signing.json", "signed"))
    func `of the vectors lets the request through to the service`(vector: VectorCase) {
        let bench = Self.strict()
        // Some spell the key's prefix in lower case, some name keys of their own.
        var configuration = Bench.configuration
        configuration.merchants = [
            Merchant(
                id: Bench.merchantID,
                storeIDs: [Bench.storeID],
                publicKeys: [.init(id: vector.text("publicKeyId"), pem: TestKeys.merchantPublic)]
            )
        ]
        var model = AmazonPayModel(configuration, at: bench.now)
        guard case .answer(let answer, .whole) = model.receive(vector.request, at: bench.now) else {
            Issue.record("no answer")
            return
        }
        let reason = Answer(answer).reason
        let refusals = ["InvalidRequestSignature", "InvalidHeaderValue", "MissingHeader", "InvalidAuthentication"]
        #expect(!refusals.contains(reason ?? ""), "\(Answer(answer).text)")
        #expect(answer.first("x-sim-warning") == nil)
    }

    @Test(arguments: VectorFile.cases("request-signing.json", "negative"))
    func `of the negative vectors is refused`(vector: VectorCase) {
        var bench = Self.strict()
        let expected = vector.value["expect"]
        let answer = bench.send(vector.request).0
        #expect(answer.status == expected?["status"]?.integer)
        #expect(answer.reason == expected?["reasonCode"]?.text)
    }

    @Test func `that is wrong shows what the service has signed`() {
        var bench = Self.strict()
        let vectors = VectorFile.cases("request-signing.json", "negative")
        guard let changed = vectors.first(where: { $0.text("name") == "body-one-octet-changed" }) else {
            Issue.record("the vector is missing")
            return
        }
        let message = bench.send(changed.request).0.json["message"]?.text ?? ""
        #expect(message.contains("signing String [AMZN-PAY-RSASSA-PSS-V2\n"))
        #expect(message.contains("signature ["))
    }

    @Test func `is checked before the path`() {
        var bench = Self.strict()
        let answer = bench.call("GET", "/v2/nothing")
        #expect(answer.refusal == Refusal(status: 400, reason: "MissingHeader"))
    }

    @Test(arguments: [("user-agent;accept", "strict", 400), ("accept", "documented", 404), ("accept", "off", 404)])
    func `must cover the mandatory fields in strict mode only`(list: String, mode: String, status: Int) async throws {
        var bench = Self.strict()
        bench.control("POST", "options", ["signature": .string(mode)])
        let request = try await Self.signed("GET", "/v2/charges/x", list: list, bench.now)
        #expect(bench.send(request).0.status == status)
    }

    @Test func `of a POST needs no idempotency key, though the answer warns`() async throws {
        var bench = Self.strict()
        let list = "accept;content-type;x-amz-pay-date;x-amz-pay-host;x-amz-pay-region"
        let body: JSONValue = ["chargePermissionId": "x", "chargeAmount": Bench.price(1)]
        let request = try await Self.signed("POST", "/v2/charges", list: list, bench.now, body: body.bytes)
        let answer = bench.send(request).0
        #expect(answer.refusal == Refusal(status: 404, reason: "ResourceNotFound"))
        #expect(answer.field("x-sim-warning") == "no idempotency key")
    }

    @Test(arguments: [(61, 400), (60, 404), (-900, 404), (-901, 400)])
    func `has a date near the real clock, wherever the simulated one is`(seconds: Int, status: Int) async throws {
        var bench = Self.strict()
        bench.advance("P10D")
        let list = "accept;content-type;x-amz-pay-date;x-amz-pay-host;x-amz-pay-region"
        let date = bench.now + .seconds(seconds)
        let answer = bench.send(try await Self.signed("GET", "/v2/charges/x", list: list, date)).0
        #expect(answer.status == status)
    }

    @Test func `of a suspended account is refused`() async throws {
        let known = Bench.merchant
        var bench = Bench { configuration in
            configuration.switches.signature = .strict
            configuration.merchants = [
                Merchant(id: known.id, storeIDs: known.storeIDs, publicKeys: known.publicKeys, isActive: false)
            ]
        }
        let list = "accept;content-type;x-amz-pay-date;x-amz-pay-host;x-amz-pay-region"
        let answer = bench.send(try await Self.signed("GET", "/v2/charges/x", list: list, bench.now)).0
        #expect(answer.refusal == Refusal(status: 403, reason: "InvalidAccountStatus"))
    }

    /// A request that the merchant's key has signed over the given list of fields.
    static func signed(
        _ method: String,
        _ path: String,
        list: String,
        _ date: WallTime,
        body: [UInt8] = []
    ) async throws -> SimulatorRequest {
        var fields = [
            ("accept", "application/json"), ("content-type", "application/json"),
            ("x-amz-pay-date", CalendarDate(date).compactText), ("x-amz-pay-host", "pay-api.amazon.jp"),
            ("x-amz-pay-region", "jp"), ("user-agent", "test"),
        ]
        let octets = SignedRequest(method: method, path: path, fields: fields, body: body)
            .canonicalOctets(signedHeaders: list)
        let string = StringToSign(for: octets, .pssV2)
        let key = try RSAPrivateKey(pem: Secret(Array(TestKeys.merchantPrivate.utf8)))
        let signature = Base64.encode(try key.signPSS(Array(string.text.utf8), saltLength: 32))
        fields.append(
            (
                "authorization",
                "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=\(Bench.keyID), SignedHeaders=\(list), Signature=\(signature)"
            )
        )
        return SimulatorRequest(method, path, fields: fields.map { (name: $0.0, value: $0.1) }, body: body)
    }
}

@Suite("A button signature")
struct ButtonSignatureTests {
    private static func start(_ vector: VectorCase) -> Answer {
        var bench = SignatureTests.strict()
        let form = Bench.startForm(changing: [
            "payloadJSON": vector.text("payloadJSON"), "signature": vector.text("signature"),
            "algorithm": vector.text("algorithm"),
        ])
        return bench.post("/checkout/start", form)
    }

    @Test(arguments: VectorFile.cases("button-signing.json", "valid"))
    func `of the vectors is good`(vector: VectorCase) {
        #expect(!Self.start(vector).text.contains("InvalidSignatureError"))
    }

    @Test(arguments: VectorFile.cases("button-signing.json", "negative"))
    func `of the negative vectors shows the error page`(vector: VectorCase) {
        let answer = Self.start(vector)
        #expect(answer.status == 400)
        // Line breaks at the end do not even survive a form.
        if vector.text("name") != "payload-final-newline" {
            #expect(answer.text.contains("<code id=\"error-code\">InvalidSignatureError</code>"))
            for shown in ["error-signature", "error-stringToSign", "error-merchantId"] {
                #expect(answer.text.contains("id=\"\(shown)\""))
            }
        }
    }

    @Test func `without a label is taken for the older one`() {
        let vectors = VectorFile.cases("button-signing.json", "valid")
        let older = vectors.first { $0.text("name") == "v2-sample-minimal-default-algorithm" }
        var bench = SignatureTests.strict()
        var changes: [String: String?] = ["algorithm": nil]
        changes["payloadJSON"] = older?.text("payloadJSON")
        changes["signature"] = older?.text("signature")
        #expect(bench.post("/checkout/start", Bench.startForm(changing: changes)).status == 303)
    }

    @Test(arguments: [
        ("algorithm", "RSA" as String?, "InvalidParameterValue"), ("signature", nil, "MissingParameterValue"),
    ])
    func `needs a label that is known and a signature`(name: String, value: String?, code: String) {
        var bench = SignatureTests.strict()
        let answer = bench.post("/checkout/start", Bench.startForm(changing: [name: value]))
        #expect(answer.text.contains("<code id=\"error-code\">\(code)</code>"))
    }
}
