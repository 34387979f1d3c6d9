import AmazonPay
import Cryptography
import Foundation
import Primitives
import SignatureTool
import Testing

@Suite("An explained signature")
struct SignatureExplanationTests {
    /// What is found in each bad sample of the vectors.
    static let findings: [String: String] = [
        "salt-20-under-v2": "good_under 20 AMZN-PAY-RSASSA-PSS-V2",
        "salt-max-under-v2": "good_under 222 AMZN-PAY-RSASSA-PSS-V2",
        "salt-zero-under-v2": "good_under 0 AMZN-PAY-RSASSA-PSS-V2",
        "pkcs1-v15": "good_for pkcs1",
        "mgf1-sha1": "good_for mask_sha1",
        "other-key": "wrong_key",
        "label-swapped": "good_under 32 AMZN-PAY-RSASSA-PSS-V2",
        "body-one-octet-changed": "other_text",
        "body-reserialised": "good_for compact_body",
        "body-slash-escaped": "good_for unescaped_slashes",
        "method-changed": "good_for other_method",
        "path-changed": "good_for other_environment",
        "query-added": "good_for query_left_out",
        "idempotency-key-changed": "other_text",
        "signed-header-order": "good_for sorted_headers",
        "signature-truncated": "damaged",
        "signature-not-base64": "damaged",
        "signature-url-safe-alphabet": "good_for base64_spelling",
        "listed-header-absent": "malformed MissingHeader",
        "date-header-absent": "malformed MissingHeader",
        "authorization-absent": "malformed MissingHeader",
        "authorization-garbage": "malformed InvalidHeaderValue",
        "algorithm-unknown": "malformed InvalidHeaderValue",
        "key-id-unknown": "malformed InvalidAuthentication",
        "date-in-future": "malformed InvalidHeaderValue",
        "date-malformed": "malformed InvalidHeaderValue",
        "idempotency-key-too-long": "malformed InvalidHeaderValue",
        "idempotency-key-bad-character": "malformed InvalidHeaderValue",
    ]

    static func word(_ verdict: SignatureVerdict) -> String {
        switch verdict {
        case .goodUnder(let length, let label): "\(verdict.code) \(length) \(label.label)"
        case .goodFor(let variant): "\(verdict.code) \(variant.rawValue)"
        case .malformed(let refusal): "\(verdict.code) \(refusal.reason)"
        default: verdict.code
        }
    }

    private func explain(
        _ vector: RequestVector,
        expected: [UInt8]? = nil
    ) throws -> SignatureExplanation {
        let isUnknown = vector.name == "key-id-unknown"
        return SignatureExplanation(
            request: vector.request,
            signer: .init(key: try Vectors.merchantKey(), keyID: isUnknown ? Vectors.keyID : nil),
            now: vector.clock,
            expected: expected
        )
    }

    @Test(arguments: Vectors.signed)
    func `shows the vector's texts and calls it good`(vector: RequestVector) throws {
        let explanation = try explain(vector)
        #expect(explanation.canonicalRequest == vector.canonicalRequest)
        #expect(explanation.stringToSign == vector.stringToSign)
        #expect(explanation.stringToSign.hasSuffix("\n" + explanation.canonicalHash))
        #expect(explanation.verdict == .good)
        #expect(explanation.differences.isEmpty)
        let odd = explanation.hints.map(\.code).filter { $0 != "idempotency_key" }
        #expect(odd.isEmpty)
    }

    @Test(arguments: Vectors.negative)
    func `names what is wrong with a bad sample`(vector: RequestVector) throws {
        let explanation = try explain(vector)
        #expect(SignatureExplanationTests.word(explanation.verdict) == SignatureExplanationTests.findings[vector.name])
        #expect(!explanation.hints.isEmpty)
    }

    @Test(arguments: Vectors.signed)
    func `without a key is unchecked and still shows the texts`(vector: RequestVector) {
        let explanation = SignatureExplanation(request: vector.request, signer: .init(key: nil), now: vector.clock)
        #expect(explanation.verdict == .unchecked)
        #expect(explanation.canonicalRequest == vector.canonicalRequest)
    }

    @Test func `shows where a body that was encoded anew parts from the signed one`() throws {
        let vector = try #require(Vectors.negative.first { $0.name == "body-reserialised" })
        let differences = try explain(vector).differences
        #expect(differences.map(\.note) == ["the hash of the body", "the body"])
        for difference in differences { #expect(difference.ours != difference.theirs) }
        #expect(differences.last?.line == 1)
    }

    @Test func `compares with the text that the signer made`() throws {
        let vector = try #require(Vectors.signed.first { $0.name == "get-charge" })
        let canonical = try #require(vector.canonicalRequest)
        #expect(try explain(vector, expected: Array(canonical.utf8)).differences.isEmpty)
        let string = try #require(vector.stringToSign)
        #expect(try explain(vector, expected: Array(string.utf8)).differences.isEmpty)

        let changed = canonical.replacingOccurrences(of: "accept:application", with: "accept: application")
        let difference = try #require(explain(vector, expected: Array(changed.utf8)).differences.first)
        #expect(difference.line == 4)
        #expect(difference.column == 8)
        #expect(difference.note == "the header accept")
        #expect(difference.theirs.hasPrefix("accept: app"))

        let joined = canonical.replacingOccurrences(of: "\n\naccept;", with: "\naccept;")
        let missing = try #require(explain(vector, expected: Array(joined.utf8)).differences.first)
        #expect(missing.note.contains("the empty line behind the headers"))
        let longer = try #require(explain(vector, expected: Array(canonical.utf8) + [0x0A]).differences.first)
        #expect(longer.note.contains("nothing follows the last line"))
        let windows = canonical.replacingOccurrences(of: "\n", with: "\r\n")
        let returns = try #require(explain(vector, expected: Array(windows.utf8)).differences.first)
        #expect(returns.note.contains("carriage return"))
        let short = try #require(explain(vector, expected: Array(canonical.utf8.dropLast())).differences.first)
        #expect(short.note == "the signed text ends here")
    }

    @Test func `says how old a recorded request is, and does not hold it against the signature`() throws {
        let vector = try #require(Vectors.signed.first)
        let explanation = SignatureExplanation(
            request: vector.request,
            signer: .init(key: try Vectors.merchantKey()),
            now: vector.clock + .seconds(86_400)
        )
        #expect(explanation.verdict == .good)
        #expect(explanation.hints.map(\.code) == ["date"])
        #expect(explanation.hints[0].text.contains("1440 minutes"))
    }
}

/// A signer with one mistake.
struct SigningMistake: Sendable, CustomTestStringConvertible {
    let variant: SignatureVariant
    let method: String
    let target: String
    let body: String
    /// From the right canonical request to what the key is given.
    let sign: @Sendable (String) -> String

    var testDescription: String { variant.rawValue }

    init(
        _ variant: SignatureVariant,
        _ method: String = "POST",
        _ target: String = "/v2/charges",
        body: String = #"{"b":"https:\/\/例.test","a":1}"#,
        by sign: @escaping @Sendable (String) -> String
    ) {
        self.variant = variant
        self.method = method
        self.target = target
        self.body = body
        self.sign = sign
    }

    /// The same canonical request over another body.
    static func hashing(_ body: String) -> @Sendable (String) -> String {
        { canonical in
            let hash = Hex.encode(SHA256.digest(of: Array(body.utf8)).bytes)
            return string(String(canonical.dropLast(64)) + hash)
        }
    }

    /// The same canonical request with one text for another.
    static func with(_ old: String, _ new: String) -> @Sendable (String) -> String {
        { string($0.replacingOccurrences(of: old, with: new)) }
    }

    static func string(_ canonical: String) -> String {
        StringToSign(for: Array(canonical.utf8), .pssV2).text
    }

    static let all: [SigningMistake] = [
        SigningMistake(.spacedBody, by: hashing(#"{"b": "https:\/\/例.test", "a": 1}"#)),
        SigningMistake(.unescapedSlashes, by: hashing(#"{"b":"https://例.test","a":1}"#)),
        SigningMistake(.backslashesStripped, body: #"{"a":"\"x\/"}"#, by: hashing(#"{"a":""x/"}"#)),
        SigningMistake(.escapedSlashes, body: #"{"a":"x/y"}"#, by: hashing(#"{"a":"x\/y"}"#)),
        SigningMistake(.unescapedCharacters, body: #"{"a":"\u4f8b\ud83d\ude00"}"#, by: hashing(#"{"a":"例😀"}"#)),
        SigningMistake(.escapedCharacters, by: hashing(#"{"b":"https:\/\/\u4f8b.test","a":1}"#)),
        SigningMistake(.escapedBoth, body: #"{"a":"/例😀"}"#, by: hashing(#"{"a":"\/\u4f8b\ud83d\ude00"}"#)),
        SigningMistake(.htmlReferences, body: "{&quot;a&quot;:&quot;&amp;&quot;}", by: hashing(#"{"a":"&"}"#)),
        SigningMistake(.sortedKeys, by: hashing(#"{"a":1,"b":"https:\/\/例.test"}"#)),
        SigningMistake(.finalBlanks, body: "{\"a\":1}\r\n", by: hashing(#"{"a":1}"#)),
        SigningMistake(.addedLineFeed, body: #"{"a":1}"#, by: hashing("{\"a\":1}\n")),
        SigningMistake(.bodyLeftOut, "DELETE", by: hashing("")),
        SigningMistake(.trailingSlash, by: with("/v2/charges\n", "/v2/charges/\n")),
        SigningMistake(.noTrailingSlash, "POST", "/v2/charges/", by: with("/v2/charges/\n", "/v2/charges\n")),
        SigningMistake(.otherEnvironment, by: with("/v2/", "/live/v2/")),
        SigningMistake(.rawPath, "GET", "/v2/a*b", body: "", by: with("/v2/a%2Ab", "/v2/a*b")),
        SigningMistake(.rawQuery, "GET", "/v2/a?c=(1)&b=2", body: "", by: with("b=2&c=%281%29", "c=(1)&b=2")),
        SigningMistake(.queryLeftOut, "GET", "/v2/a?c=1", body: "", by: with("c=1", "")),
        SigningMistake(.otherMethod, by: with("POST\n", "PATCH\n")),
        SigningMistake(.capitalNames, by: with("accept:", "Accept:")),
        SigningMistake(.rawHeaders, by: with("two words", "two  words")),
        SigningMistake(.otherRegion, by: with("region:jp", "region:JP")),
        SigningMistake(.otherHost, by: with("pay-api.amazon.jp", "pay-api.amazon.com")),
        SigningMistake(.noBlankLine, by: with("\n\nAccept", "\nAccept")),
        SigningMistake(.finalLineFeed) { string($0 + "\n") },
        SigningMistake(.carriageReturns, by: with("\n", "\r\n")),
        SigningMistake(.lowerCaseList, by: with(";x-amz-pay-region\n", ";x-amz-pay-region\n".lowercased())),
        SigningMistake(.signedDirectly) { $0 },
        SigningMistake(.hashedTwice) { Hex.encode(SHA256.digest(of: Array(string($0).utf8)).bytes) },
        SigningMistake(.hashOnly) { Hex.encode(SHA256.digest(of: Array($0.utf8)).bytes) },
        SigningMistake(.upperCaseHash) { canonical in
            let hash = Hex.encode(SHA256.digest(of: Array(canonical.utf8)).bytes)
            return "AMZN-PAY-RSASSA-PSS-V2\n" + hash.uppercased()
        },
    ]
}

@Suite("A signer's mistake")
struct SigningMistakeTests {
    private static let list = "Accept;content-type;x-amz-pay-date;x-amz-pay-host;x-amz-pay-region"

    private func request(_ mistake: SigningMistake) -> SignedRequest {
        RecordedRequest(
            method: mistake.method,
            target: mistake.target,
            fields: [
                ("Accept", "application/json"), ("content-type", "two  words"), ("x-amz-pay-date", "20260314T015926Z"),
                ("x-amz-pay-host", "pay-api.amazon.jp"), ("x-amz-pay-region", "jp"),
            ],
            body: Array(mistake.body.utf8)
        ).request
    }

    private func explain(_ mistake: SigningMistake, saltLength: Int32) throws -> SignatureExplanation {
        var request = request(mistake)
        let canonical = String(
            decoding: request.canonicalOctets(signedHeaders: SigningMistakeTests.list),
            as: UTF8.self
        )
        let key = try Vectors.merchantPrivateKey()
        // The list is in lower case for one mistake only, and that is on the side of what was sent.
        let isLowered = mistake.variant == .lowerCaseList
        let text =
            isLowered
            ? SigningMistake.string(canonical.replacingOccurrences(of: "\nAccept;", with: "\naccept;"))
            : mistake.sign(canonical)
        let signature = Base64.encode(try key.signPSS(Array(text.utf8), saltLength: saltLength))
        request.fields.append(
            (
                "Authorization",
                "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=\(Vectors.keyID), "
                    + "SignedHeaders=\(SigningMistakeTests.list), Signature=\(signature)"
            )
        )
        return SignatureExplanation(
            request: request,
            signer: .init(key: try Vectors.merchantKey()),
            now: Vectors.time
        )
    }

    @Test(arguments: SigningMistake.all)
    func `is found, and the advice says what to do`(mistake: SigningMistake) throws {
        let explanation = try explain(mistake, saltLength: 32)
        #expect(explanation.verdict == .goodFor(mistake.variant))
        #expect(explanation.hints.contains { $0.text == mistake.variant.advice })
        #expect(!explanation.hints.contains { $0.code == "salt_length" })
    }

    @Test(arguments: SigningMistake.all)
    func `is found under a wrong salt length too, and both are reported`(mistake: SigningMistake) throws {
        let explanation = try explain(mistake, saltLength: 20)
        #expect(explanation.verdict == .goodFor(mistake.variant))
        #expect(explanation.hints.contains { $0.code == "salt_length" && $0.text.contains("20 octets") })
    }

    @Test func `has advice of its own for each kind`() {
        let advice = SignatureVariant.allCases.map(\.advice)
        #expect(Set(advice).count == SignatureVariant.allCases.count)
        for (variant, text) in zip(SignatureVariant.allCases, advice) { #expect(text != variant.rawValue) }
    }
}

@Suite("An explained button payload")
struct ButtonExplanationTests {
    static let findings: [String: String] = [
        "payload-token-changed": "other_text",
        "payload-reserialised": "good_for compact_body",
        "payload-slash-escaped": "good_for unescaped_slashes",
        "payload-final-newline": "good_for final_blanks",
        "label-swapped": "good_under 32 AMZN-PAY-RSASSA-PSS-V2",
        "other-key": "wrong_key",
        "payload-signed-directly": "good_for signed_directly",
        "hex-of-string-to-sign": "good_for hashed_twice",
    ]

    private func explain(_ vector: ButtonVector, isNamed: Bool = true) throws -> ButtonExplanation {
        ButtonExplanation(
            ButtonExplanation.Payload(
                octets: Array(vector.payloadJSON.utf8),
                signature: vector.signature,
                algorithm: isNamed ? SigningAlgorithm(rawValue: vector.algorithm) : nil
            ),
            key: try Vectors.merchantKey()
        )
    }

    @Test(arguments: Vectors.buttons)
    func `shows the vector's string and calls it good`(vector: ButtonVector) throws {
        let explanation = try explain(vector)
        #expect(explanation.stringToSign == vector.stringToSign)
        #expect(explanation.stringToSign.hasSuffix("\n" + explanation.payloadHash))
        #expect(explanation.verdict == .good)
    }

    @Test(arguments: Vectors.badButtons)
    func `names what is wrong with a bad sample`(vector: ButtonVector) throws {
        let verdict = try explain(vector).verdict
        #expect(SignatureExplanationTests.word(verdict) == ButtonExplanationTests.findings[vector.name])
    }

    @Test func `says that a page which names no label is taken for the older one`() throws {
        let vector = try #require(Vectors.buttons.first { $0.saltLength == 32 })
        let explanation = try explain(vector, isNamed: false)
        #expect(explanation.verdict == .goodUnder(saltLength: 32, label: .pssV2))
        #expect(explanation.hints.contains { $0.code == "algorithm" })
    }

    @Test func `finds the backslashes that the vendor's PHP library drops`() throws {
        let payload = #"{"note":"\"日本\"","url":"https:\/\/shop.example.test"}"#
        let hashed = #"{"note":""日本"","url":"https://shop.example.test"}"#
        let key = try Vectors.merchantPrivateKey()
        let string = StringToSign(for: Array(hashed.utf8), .pssV2).text
        let signature = Base64.encode(try key.signPSS(Array(string.utf8), saltLength: 32))
        let explanation = ButtonExplanation(
            ButtonExplanation.Payload(octets: Array(payload.utf8), signature: signature, algorithm: .pssV2),
            key: try key.publicKey()
        )
        #expect(explanation.verdict == .goodFor(.backslashesStripped))
        #expect(explanation.hints.map(\.code) == ["backslashes_stripped", "backslash"])
        let difference = try #require(explanation.differences.first)
        #expect(difference.line == 1)
        #expect(difference.column == 10)
    }
}
