import AmazonPay
import Cryptography
import Foundation
import Primitives
import Testing

@Suite("A signed request")
struct RequestSigningVectorTests {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        struct Expectation: Decodable {
            let status: Int
            let reasonCode: String
        }

        let name: String
        let publicKeyId: String
        let algorithm: String
        let saltLength: Int32
        let method: String
        let url: String
        let headers: [String: String]
        let body: String?
        let signedHeaders: String
        let authorization: String?
        let canonicalPath: String?
        let canonicalQuery: String?
        let canonicalRequest: String?
        let stringToSign: String?
        let signature: String?
        let verifierClock: String?
        let refusal: Expectation?

        var testDescription: String { name }

        private enum CodingKeys: String, CodingKey {
            case name, publicKeyId, algorithm, saltLength, method, url, headers, body, signedHeaders, authorization
            case canonicalPath, canonicalQuery, canonicalRequest, stringToSign, signature, verifierClock, expect
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = try members.decode(String.self, forKey: .name)
            publicKeyId = try members.decode(String.self, forKey: .publicKeyId)
            algorithm = try members.decode(String.self, forKey: .algorithm)
            saltLength = try members.decode(Int32.self, forKey: .saltLength)
            method = try members.decode(String.self, forKey: .method)
            url = try members.decode(String.self, forKey: .url)
            headers = try members.decode([String: String].self, forKey: .headers)
            body = try members.decodeIfPresent(String.self, forKey: .body)
            signedHeaders = try members.decode(String.self, forKey: .signedHeaders)
            authorization = try members.decodeIfPresent(String.self, forKey: .authorization)
            canonicalPath = try members.decodeIfPresent(String.self, forKey: .canonicalPath)
            canonicalQuery = try members.decodeIfPresent(String.self, forKey: .canonicalQuery)
            canonicalRequest = try members.decodeIfPresent(String.self, forKey: .canonicalRequest)
            stringToSign = try members.decodeIfPresent(String.self, forKey: .stringToSign)
            signature = try members.decodeIfPresent(String.self, forKey: .signature)
            verifierClock = try members.decodeIfPresent(String.self, forKey: .verifierClock)
            refusal = try? members.decode(Expectation.self, forKey: .expect)
        }

        /// The request as it arrives, with its `Authorization` field.
        var request: SignedRequest {
            let rest = url.dropFirst("https://".count)
            let target = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
            let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            var fields = headers.map { ($0.key, $0.value) }
            if let authorization { fields.append(("Authorization", authorization)) }
            return SignedRequest(
                method: method,
                path: String(parts.first ?? ""),
                query: parts.count > 1 ? String(parts[1]) : "",
                fields: fields,
                body: Array((body ?? "").utf8)
            )
        }

        /// The clock that the vector assumes: the given one, or the request's own date.
        var clock: WallTime {
            let date = verifierClock ?? headers["x-amz-pay-date"] ?? ""
            let digits = date.filter { $0.isNumber }
            guard date.hasPrefix("2026"), let number = Int64(digits) else { return vectorTime }
            let day = number / 1_000_000 % 100
            let seconds = number / 10_000 % 100 * 3600 + number / 100 % 100 * 60 + number % 100
            return WallTime(seconds: vectorTime.seconds / 86_400 * 86_400 + (day - 14) * 86_400 + seconds)
        }
    }

    private struct File: Decodable {
        let signed: [Vector]
        let negative: [Vector]
    }

    private static let file: File? = try? VectorFiles.decode("request-signing.json")
    static let signed = file?.signed ?? []
    static let negative = file?.negative ?? []

    private func verifier() throws -> RequestVerifier {
        let key = RequestVerifier.Key(try VectorFiles.merchantKey())
        let names = Set(RequestSigningVectorTests.signed.map(\.publicKeyId))
        return RequestVerifier(keys: Dictionary(uniqueKeysWithValues: names.map { ($0, key) }))
    }

    @Test func `comes in 38 good and 28 bad samples`() {
        #expect(RequestSigningVectorTests.signed.count == 38)
        #expect(RequestSigningVectorTests.negative.count == 28)
    }

    @Test(arguments: signed)
    func `has the canonical octets and the string to sign of the vector`(vector: Vector) throws {
        let algorithm = try #require(SigningAlgorithm(rawValue: vector.algorithm))
        #expect(algorithm.saltLength == vector.saltLength)
        let octets = vector.request.canonicalOctets(signedHeaders: vector.signedHeaders)
        #expect(String(decoding: octets, as: UTF8.self) == vector.canonicalRequest)
        #expect(StringToSign(for: octets, algorithm).text == vector.stringToSign)
        let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        if let path = vector.canonicalPath { #expect(lines[1] == path) }
        if let query = vector.canonicalQuery { #expect(lines[2] == query) }
    }

    @Test(arguments: signed)
    func `of another program verifies`(vector: Vector) throws {
        let keyID = try verifier().verify(vector.request, now: vector.clock)
        #expect(keyID == vector.publicKeyId)
    }

    @Test(arguments: signed)
    func `of ours verifies too`(vector: Vector) async throws {
        let algorithm = try #require(SigningAlgorithm(rawValue: vector.algorithm))
        var request = vector.request
        request.fields.removeAll { $0.0 == "Authorization" }
        let signer = RequestSigner(try TestAccount.credentials(algorithm))
        let authorization = try await signer.authorization(for: request, TestAccount.inPlace)
        #expect(authorization.hasPrefix("\(vector.algorithm) PublicKeyId=\(TestAccount.keyID), SignedHeaders=accept;"))
        request.fields.append(("authorization", authorization))
        #expect(try verifier().verify(request, now: vector.clock) == TestAccount.keyID)
    }

    @Test(arguments: signed)
    func `is signed by the second opinion's rules as well`(vector: Vector) throws {
        let string = try #require(vector.stringToSign)
        let text = try #require(vector.signature)
        let signature = try #require(Base64.decode(text))
        #expect(
            try VectorFiles.merchantKey().verifyPSS(signature, of: Array(string.utf8), saltLength: vector.saltLength)
        )
        let other: Int32 = vector.saltLength == 20 ? 32 : 20
        #expect(try !VectorFiles.merchantKey().verifyPSS(signature, of: Array(string.utf8), saltLength: other))
    }

    @Test(arguments: negative)
    func `that is bad gets the named answer`(vector: Vector) throws {
        let expected = try #require(vector.refusal)
        let refusal = try #require(throws: RequestRefusal.self) {
            try verifier().verify(vector.request, now: vector.clock)
        }
        #expect(refusal.status == expected.status)
        #expect(refusal.reason.rawValue == expected.reasonCode)
    }

    @Test func `that does not verify is told the string and the signature`() throws {
        let vector = try #require(RequestSigningVectorTests.negative.first { $0.name == "body-one-octet-changed" })
        let refusal = try #require(throws: RequestRefusal.self) {
            try verifier().verify(vector.request, now: vector.clock)
        }
        let octets = vector.request.canonicalOctets(signedHeaders: vector.signedHeaders)
        #expect(refusal.message.contains(StringToSign(for: octets, .pssV2).text))
        let signature = try #require(vector.signature)
        #expect(refusal.message.contains(signature))
    }
}
