import AmazonPay
import Cryptography
import Primitives
import Testing

@Suite("The verifier of requests")
struct RequestVerifierTests {
    private static let fields = [
        ("accept", "application/json"), ("content-type", "application/json"), ("x-amz-pay-date", "20260314T015926Z"),
        ("x-amz-pay-host", "pay-api.amazon.jp"), ("x-amz-pay-region", "jp"),
    ]

    private func verifier(isEnabled: Bool = true) throws -> RequestVerifier {
        RequestVerifier(
            keys: [TestAccount.keyID: RequestVerifier.Key(try VectorFiles.merchantKey(), isEnabled: isEnabled)]
        )
    }

    private func signed(
        _ fields: [(String, String)] = fields,
        unsigned: [(String, String)] = []
    ) async throws -> SignedRequest {
        var request = SignedRequest(method: "GET", path: "/v2/charges/X", fields: fields)
        let signer = RequestSigner(try TestAccount.credentials())
        let authorization = try await signer.authorization(for: request, TestAccount.inPlace)
        request.fields += unsigned + [("authorization", authorization)]
        return request
    }

    private func reason(
        _ request: SignedRequest,
        _ verifier: RequestVerifier,
        now: WallTime = vectorTime
    ) -> ReasonCode? {
        do throws(RequestRefusal) {
            _ = try verifier.verify(request, now: now)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        "accept", "content-type", "x-amz-pay-date", "x-amz-pay-host", "x-amz-pay-region", "authorization",
    ])
    func `demands each mandatory header, with a value`(name: String) async throws {
        var request = try await signed()
        request.fields.removeAll { $0.0 == name }
        #expect(reason(request, try verifier()) == .missingHeader)
        request.fields.append((name, "  "))
        #expect(reason(request, try verifier()) == .missingHeaderValue)
    }

    @Test(arguments: [
        (60, nil), (61, ReasonCode.invalidHeaderValue), (-900, nil), (-901, .invalidHeaderValue),
        (86_400, .invalidHeaderValue),
    ])
    func `allows a date sixty seconds ahead and fifteen minutes behind`(
        ahead: Int,
        expected: ReasonCode?
    ) async throws {
        let request = try await signed()
        #expect(reason(request, try verifier(), now: WallTime(seconds: vectorTime.seconds - Int64(ahead))) == expected)
    }

    @Test func `takes other bounds for the date`() async throws {
        var verifier = try verifier()
        verifier.ahead = .seconds(600)
        let request = try await signed()
        #expect(reason(request, verifier, now: WallTime(seconds: vectorTime.seconds - 600)) == nil)
    }

    @Test(arguments: [
        "20260314T015926", "20260314T015926z", "2026-03-14T01:59:26", "2026-3-14T01:59:26Z", "20261314T015926Z",
        "20260230T015926Z", "20260314T245926Z", "20260314T016026Z", "20260314 015926Z", "2026031４T015926Z", "0", "Z",
        "T",
        "20260314T015926ZZ", "-0260314T015926Z", "2026-0314T01:59:26Z",
    ])
    func `reads no other form of date`(text: String) async throws {
        let fields = RequestVerifierTests.fields.map { $0.0 == "x-amz-pay-date" ? ($0.0, text) : $0 }
        let request = try await signed(fields)
        #expect(reason(request, try verifier()) == .invalidHeaderValue)
    }

    @Test func `in strict mode demands that all mandatory headers are signed`() async throws {
        let few = RequestVerifierTests.fields.filter { $0.0 == "content-type" || $0.0 == "x-amz-pay-date" }
        let rest = RequestVerifierTests.fields.filter { $0.0 != "content-type" && $0.0 != "x-amz-pay-date" }
        let request = try await signed(few, unsigned: rest)
        var verifier = try verifier()
        #expect(reason(request, verifier) == .invalidHeaderValue)
        verifier.mode = .documented
        #expect(reason(request, verifier) == nil)
    }

    @Test func `in strict mode demands a signed idempotency key when there is one`() async throws {
        let request = try await signed(unsigned: [("x-amz-pay-idempotency-key", "abc")])
        var verifier = try verifier()
        #expect(reason(request, verifier) == .invalidHeaderValue)
        verifier.mode = .documented
        #expect(reason(request, verifier) == nil)
    }

    @Test func `knows a disabled account`() async throws {
        let request = try await signed()
        let refusal = try #require(throws: RequestRefusal.self) {
            try verifier(isEnabled: false).verify(request, now: vectorTime)
        }
        #expect(refusal.reason == .invalidAccountStatus)
        #expect(refusal.status == 403)
    }

    @Test(arguments: [
        "", "AMZN-PAY-RSASSA-PSS-V2", "AMZN-PAY-RSASSA-PSS-V2 ", "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=K",
        "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=K, SignedHeaders=a, Signature=",
        "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=K, SignedHeaders=a, Sig=b",
        "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=K, PublicKeyId=K, SignedHeaders=a, Signature=b",
        "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=K, SignedHeaders=a;;b, Signature=b",
        "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=K, SignedHeaders=accept;accept, Signature=b",
        "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=K, SignedHeaders=a, Signature=b, X=y",
        "amzn-pay-rsassa-pss-v2 PublicKeyId=K",
    ])
    func `reads no other form of Authorization`(text: String) throws {
        let request = SignedRequest(
            method: "GET",
            path: "/",
            fields: RequestVerifierTests.fields + [("authorization", text)]
        )
        let expected: ReasonCode = text.isEmpty ? .missingHeaderValue : .invalidHeaderValue
        #expect(reason(request, try verifier()) == expected)
    }

    @Test func `does not mind a second Authorization field being appended: it refuses both`() async throws {
        var request = try await signed()
        request.fields.append(("Authorization", request.value("authorization") ?? ""))
        #expect(reason(request, try verifier()) == .invalidHeaderValue)
    }

    /// Paths and queries beyond the vectors: raw form, canonical form.
    @Test(arguments: [
        ("", "/"), ("/", "/"), ("//", "/"), ("///a//b//", "/a/b/"), ("/a%2Fb", "/a%2Fb"), ("/%7e%41", "/~A"),
        ("/%zz", "/%25zz"),
        ("/%", "/%25"), ("/%4", "/%254"), ("/a+b", "/a%2Bb"), ("/あ", "/%E3%81%82"), ("/a:b@c", "/a%3Ab%40c"),
    ])
    func `spells paths one way`(raw: String, canonical: String) {
        let octets = SignedRequest(method: "GET", path: raw, fields: []).canonicalOctets(signedHeaders: "")
        #expect(String(decoding: octets, as: UTF8.self).hasPrefix("GET\n\(canonical)\n\n"))
    }

    @Test(arguments: [
        ("", ""), ("a", "a="), ("a=", "a="), ("a=b=c", "a=b%3Dc"), ("b=1&a=2", "a=2&b=1"), ("&&a=1&", "a=1"),
        ("a=%20&a=+", "a=%20&a=%2B"), ("a=2&a=10&a=1", "a=1&a=10&a=2"), ("=x", "=x"), ("a=あ", "a=%E3%81%82"),
        ("a=/", "a=%2F"),
    ])
    func `spells queries one way`(raw: String, canonical: String) {
        let octets = SignedRequest(method: "GET", path: "/", query: raw, fields: []).canonicalOctets(signedHeaders: "")
        #expect(String(decoding: octets, as: UTF8.self).hasPrefix("GET\n/\n\(canonical)\n"))
    }
}

@Suite("An idempotency key")
struct IdempotencyKeyTests {
    @Test(arguments: ["a", "0123456789abcdef0123456789ABCDEF", "-_", "A"])
    func `may be any short plain text`(text: String) {
        #expect(IdempotencyKey(text)?.text == text)
    }

    @Test(arguments: [
        "", "0123456789abcdef0123456789ABCDEF0", "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11", "a.b", "a b", "é", "a\n", "a=",
    ])
    func `is nothing else`(text: String) {
        #expect(IdempotencyKey(text) == nil)
    }

    /// Computed by another program: SHA-256 of `sallyport/ref/1`, the bytes 0 to 15, step and attempt.
    @Test func `follows from flow, attempt and step alone`() throws {
        let webviewSession = UUIDBytes(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
        let other = UUIDBytes(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E10)
        #expect(
            IdempotencyKey.derive(webviewSession: webviewSession, attempt: 1, step: "complete").text
                == "c549532f69c25f716c369549553b0cc1"
        )
        #expect(
            IdempotencyKey.derive(webviewSession: webviewSession, attempt: 12, step: "complete").text
                == "19e3e3d293eceac9754572d35dee0cf0"
        )
        let keys = [
            IdempotencyKey.derive(webviewSession: webviewSession, attempt: 1, step: "complete"),
            IdempotencyKey.derive(webviewSession: webviewSession, attempt: 2, step: "complete"),
            IdempotencyKey.derive(webviewSession: other, attempt: 1, step: "complete"),
            IdempotencyKey.derive(webviewSession: webviewSession, attempt: 1, step: "refund"),
        ]
        #expect(Set(keys).count == 4)
        #expect(keys.allSatisfy { IdempotencyKey($0.text) == $0 })
    }
}
