import Cryptography
import JOSE
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("A signer of tokens")
struct JWTSignerTests {
    private static func header(_ text: String) throws -> String {
        let part = try #require(text.split(separator: ".").first)
        return String(decoding: try #require(Base64URL.decode(String(part))), as: UTF8.self)
    }

    @Test func `names its key, and signs the claims`() throws {
        let key = try SignedText.key()
        let text = try JWTSigner(key: key, keyID: "2X9R4HXF34").sign(claims: ["iss": "a", "iat": 1_700_000_000])
        #expect(try JWTSignerTests.header(text) == #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#)
        let jws = try CompactJWS(text)
        #expect(jws.payloadBytes == Array(#"{"iss":"a","iat":1700000000}"#.utf8))
        try jws.verify(with: JWSVerificationKey(of: key), allowing: [.es256])
    }

    @Test func `leaves out what is not wanted, and adds what is`() throws {
        let key = try SignedText.key()
        let bare = try JWTSigner(key: key, keyID: nil, type: nil).sign(claims: [:])
        #expect(try JWTSignerTests.header(bare) == #"{"alg":"ES256"}"#)
        let more = try JWTSigner(key: key, keyID: "a", type: nil).sign(header: [JSONMember("cty", "b")], claims: [:])
        #expect(try JWTSignerTests.header(more) == #"{"alg":"ES256","kid":"a","cty":"b"}"#)
    }

    @Test func `writes no member twice`() throws {
        let signer = JWTSigner(key: try SignedText.key(), keyID: "a")
        for name in ["alg", "kid", "typ"] {
            #expect(throws: CryptographyError.self) { try signer.sign(header: [JSONMember(name, "b")], claims: [:]) }
        }
    }

    @Test func `brings the certificates that vouch for its key`() throws {
        let path = try TestPath()
        let signer = JWTSigner(key: try path.leafKey, certificates: [path.leaf, path.intermediate, path.root])
        let jws = try CompactJWS(signer.sign(claims: ["signedDate": 1_773_453_566_000]))
        let verified = try path.verifier().verify(try #require(jws.header.certificates), at: TestPath.now)
        try jws.verify(with: verified.key, allowing: [.es256])
        #expect(jws.header.keyID == nil && jws.header.type == nil)
    }
}
