import Cryptography
import JOSE
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("A signed text")
struct CompactJWSTests {
    @Test func `is taken apart`() throws {
        let header = #"{"alg":"RS256","kid":"first","typ":"JWT","x5c":["AA==","no certificate"]}"#
        let payload = #"{"sub":"a\u00e9","n":1.50}"#
        let jws = try CompactJWS(SignedText.text(header: header, payload: payload, signature: [1, 2, 3]))
        #expect(jws.header.algorithm == .rs256)
        #expect(jws.header.algorithmText == "RS256")
        #expect(jws.header.keyID == "first")
        #expect(jws.header.type == "JWT")
        #expect(jws.header.certificates == ["AA==", "no certificate"])
        #expect(jws.header.members.count == 4)
        #expect(jws.payload == ["sub": "aé", "n": .number("1.50")])
        #expect(jws.payloadBytes == Array(payload.utf8))
        #expect(jws.signature == [1, 2, 3])
    }

    @Test(arguments: [
        #"{"alg":"ES256"}"#, #"{"alg":"ES256","x5c":"AA=="}"#, #"{"alg":"ES256","x5c":["AA==",1]}"#,
        #"{"alg":"ES256","x5c":null}"#,
    ])
    func `has no certificates where they are no list of texts`(header: String) throws {
        let jws = try CompactJWS(SignedText.text(header: header))
        #expect(jws.header.certificates == nil)
        #expect(jws.header.keyID == nil)
        #expect(jws.header.type == nil)
    }

    @Test(arguments: ["none", "NONE", "es256", "Es256", "ES256 ", "HS256", "ES512", "PS256", ""])
    func `names no algorithm that is not known letter by letter`(name: String) throws {
        let jws = try CompactJWS(SignedText.text(header: #"{"alg":"\#(name)"}"#))
        #expect(jws.header.algorithm == nil)
        #expect(jws.header.algorithmText == name)
        let key = try JWSVerificationKey(of: SignedText.key())
        #expect(throws: JWSError.algorithm) { try jws.verify(with: key, allowing: Set(JWSAlgorithm.allCases)) }
    }

    @Test(arguments: ["", "a", "e30", "e30.e30", "e30.e30.e30.e30", "e30.e30.e30.e30.e30", "....", "e30 e30 e30"])
    func `has three parts`(text: String) {
        #expect(SignedText.fault(text) == .malformed(.parts))
    }

    @Test func `is written in Base64URL, in one way`() {
        let good = SignedText.text(header: #"{"alg":"ES256"}"#, signature: [0xFB])
        #expect(good.hasSuffix("e30.-w"))
        #expect(SignedText.fault(good) == nil)
        let start = good.dropLast(2)
        for end in ["+w", "-w==", "-x", "-", "-w\n-w", "-w ", "\u{0}-w", "\u{E9}w"] where end != "-w " {
            #expect(SignedText.fault(start + end) == .malformed(.encoding), "\(end)")
        }
        #expect(SignedText.fault(good.replacing("e30.", with: "e30=.")) == .malformed(.encoding))
        #expect(SignedText.fault("=" + good) == .malformed(.encoding))
    }

    @Test func `may have white space around it, and none inside`() {
        let good = SignedText.text(header: #"{"alg":"ES256"}"#)
        #expect(SignedText.fault(" \t\r\n" + good + "\r\n ") == nil)
        #expect(SignedText.fault(good.replacing(".", with: ". ", maxReplacements: 1)) == .malformed(.encoding))
        #expect(SignedText.fault(" \n ") == .malformed(.parts))
        #expect(SignedText.fault("\u{A0}" + good) == .malformed(.encoding))
    }

    @Test(arguments: [
        "", "null", "[]", "[{}]", "1", "{", "{}}", #"{"alg":"ES256","alg":"ES256"}"#,
        #"{"alg":"ES256","\u0061lg":"none"}"#,
        "{}", #"{"alg":null}"#, #"{"alg":["ES256"]}"#, #"{"alg":"ES256","kid":1}"#, #"{"alg":"ES256","kid":null}"#,
        #"{"alg":"ES256","typ":[]}"#, #"{"alg":"ES256","a":[[[[1]]]]}"#, "\u{FEFF}{\"alg\":\"ES256\"}",
        #"{"alg":"\ud800"}"#, #"{"Alg":"ES256"}"#,
    ])
    func `has a header of one reading`(header: String) {
        #expect(SignedText.fault(SignedText.text(header: header)) == .malformed(.header))
    }

    @Test(arguments: [#"["exp"]"#, "[]", "null", #""""#])
    func `has no extensions that a reader has to understand`(value: String) {
        let header = #"{"alg":"ES256","crit":\#(value)}"#
        #expect(SignedText.fault(SignedText.text(header: header)) == .malformed(.critical))
    }

    @Test(arguments: [
        "", "null", "[]", #""text""#, "{", #"{"a":1,"a":1}"#, #"{"a":{"b":1,"\u0062":2}}"#, #"{"a":NaN}"#, "{} {}",
    ])
    func `has a payload of one reading`(payload: String) {
        let text = SignedText.text(header: #"{"alg":"ES256"}"#, payload: payload)
        #expect(SignedText.fault(text) == .malformed(.payload))
    }

    @Test func `is UTF-8 inside`() {
        let header = Array(#"{"alg":"ES256"}"#.utf8)
        let broken = Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(SignedText.fault(SignedText.text(header: header, payload: broken)) == .malformed(.payload))
        let other = Array(#"{"alg":"ES256","a":""#.utf8) + [0xC3] + Array(#""}"#.utf8)
        #expect(SignedText.fault(SignedText.text(header: other, payload: Array("{}".utf8))) == .malformed(.header))
    }

    @Test func `is bounded in size and depth`() {
        let header = #"{"alg":"ES256"}"#
        let text = SignedText.text(header: header)
        #expect(SignedText.fault(text, limit: text.utf8.count) == nil)
        #expect(SignedText.fault(text, limit: text.utf8.count - 1) == .malformed(.size))
        #expect(SignedText.fault(String(repeating: "A", count: (1 << 20) + 1)) == .malformed(.size))
        let nested = { (depth: Int) in
            let lists = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            return SignedText.text(header: header, payload: #"{"a":\#(lists)}"#)
        }
        #expect(SignedText.fault(nested(16)) == nil)
        #expect(SignedText.fault(nested(17)) == .malformed(.payload))
        let long = String(repeating: "a", count: 65_536)
        #expect(SignedText.fault(SignedText.text(header: #"{"alg":"\#(long)"}"#)) == .malformed(.header))
        let many = String(repeating: "1,", count: 300) + "1"
        #expect(SignedText.fault(SignedText.text(header: #"{"alg":"ES256","a":[\#(many)]}"#)) == .malformed(.header))
        let more = String(repeating: "1,", count: 20_000) + "1"
        let crowded = SignedText.text(header: header, payload: #"{"a":[\#(more)]}"#)
        #expect(SignedText.fault(crowded) == .malformed(.payload))
    }

    @Test func `is refused without a word of it`() {
        let text = SignedText.text(header: #"{"alg":"none","kid":7,"secret":"sesame"}"#)
        #expect(SignedText.fault(text).map { "\($0)" } == "malformed_header")
        #expect("\(JWSError.algorithm) \(JWSError.signature)" == "algorithm signature")
    }

    @Test func `is taken apart in time that grows with its length`() {
        let growth = Growth.of("marks", size: 16_384) { size in
            let marks = HostileText.marks(size)
            let text = SignedText.text(header: #"{"alg":"ES256","\#(marks)":1,"kid":"\#(marks)"}"#)
            _ = try? CompactJWS(text)
        }
        #expect(growth.isLinear, "\(growth)")
    }
}

@Suite("The signature of a text")
struct JWSSignatureTests {
    private static let header = #"{"alg":"ES256"}"#

    private static func fault(
        _ text: String,
        _ key: JWSVerificationKey,
        _ allowed: Set<JWSAlgorithm>
    ) throws -> JWSError? {
        let jws = try CompactJWS(text)
        do throws(JWSError) {
            try jws.verify(with: key, allowing: allowed)
            return nil
        } catch {
            return error
        }
    }

    @Test func `is good under the key, and over every octet as it came`() throws {
        let key = try SignedText.key()
        let verification = try JWSVerificationKey(of: key)
        let text = try SignedText.signed(header: JWSSignatureTests.header, payload: #"{"n": 1}"#, by: key)
        #expect(try JWSSignatureTests.fault(text, verification, [.es256]) == nil)
        #expect(try JWSSignatureTests.fault(" \(text)\n", verification, [.es256, .rs256]) == nil)
        let parts = text.split(separator: ".").map(String.init)
        // The same object in other octets.
        let payload = Base64URL.encode(Array(#"{"n":1}"#.utf8))
        let header = Base64URL.encode(Array(#"{"alg": "ES256"}"#.utf8))
        for other in [[parts[0], payload, parts[2]], [header, parts[1], parts[2]]] {
            #expect(try JWSSignatureTests.fault(other.joined(separator: "."), verification, [.es256]) == .signature)
        }
    }

    @Test func `counts only with an algorithm that is allowed and the key's`() throws {
        let key = try SignedText.key()
        let verification = try JWSVerificationKey(of: key)
        let text = try SignedText.signed(header: JWSSignatureTests.header, by: key)
        for allowed in [[], [.es384], [.rs256, .es384]] as [Set<JWSAlgorithm>] {
            #expect(try JWSSignatureTests.fault(text, verification, allowed) == .algorithm)
        }
        for name in ["RS256", "ES384", "HS256", "none"] {
            let text = try SignedText.signed(header: #"{"alg":"\#(name)"}"#, by: key)
            #expect(try JWSSignatureTests.fault(text, verification, Set(JWSAlgorithm.allCases)) == .algorithm)
        }
    }

    @Test func `has two numbers of 32 bytes, neither of them zero`() throws {
        let key = try SignedText.key()
        let verification = try JWSVerificationKey(of: key)
        let text = try SignedText.signed(header: JWSSignatureTests.header, by: key)
        let signature = try CompactJWS(text).signature
        let sequence = try #require(ECDSASignature(octets: signature, on: .p256)).der
        let others: [[UInt8]] = [
            [], sequence, Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: 64),
            Array(signature.suffix(32)) + Array(signature.prefix(32)), signature.map { ~$0 },
            [UInt8](repeating: 0, count: 32) + signature.suffix(32), [UInt8](repeating: 0xFF, count: 64),
        ]
        for other in others {
            let text = text.split(separator: ".").prefix(2).joined(separator: ".") + "." + Base64URL.encode(other)
            #expect(try JWSSignatureTests.fault(text, verification, [.es256]) == .signature)
        }
    }

    @Test func `of another key is none, whatever key the header brings`() throws {
        let (key, other) = (try TestPath().leafKey, try SignedText.key())
        let header = #"{"alg":"ES256","jwk":{"kty":"EC"},"jku":"https://example.com/","x5u":"https://example.com/"}"#
        let text = try SignedText.signed(header: header, by: key)
        #expect(try JWSSignatureTests.fault(text, JWSVerificationKey(of: key), [.es256]) == nil)
        #expect(try JWSSignatureTests.fault(text, JWSVerificationKey(of: other), [.es256]) == .signature)
    }

    @Test func `of RFC 7515 is good for RS256 and ES256`() throws {
        let cases = try JSONParser.parse(JOSEVectors.bytes("rfc7515.json"))["cases"]?.elements ?? []
        var verified: [String] = []
        for one in cases {
            guard let text = one["jws"]?.text, let jws = try? CompactJWS(text), let jwk = one["key"],
                let key = try? JWSVerificationKey(jwk: jwk)
            else { continue }
            try jws.verify(with: key, allowing: [.es256, .rs256])
            verified.append(jws.header.algorithmText)
        }
        #expect(verified == ["RS256", "ES256"])
    }

    @Test func `is good on P-384 with ES384`() throws {
        var leaf = TestPath.leaf
        leaf.key = .p384
        let path = try TestPath(leaf: leaf)
        let key = try JWSVerificationKey(certificate: path.leaf)
        #expect(key.algorithm == .es384)
        let text = SignedText.text(header: #"{"alg":"ES384"}"#, signature: [UInt8](repeating: 1, count: 96))
        #expect(try JWSSignatureTests.fault(text, key, [.es384]) == .signature)
        #expect(try JWSSignatureTests.fault(text, key, [.es256]) == .algorithm)
    }
}
