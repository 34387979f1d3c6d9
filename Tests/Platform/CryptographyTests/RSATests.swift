import Cryptography
import Primitives
import Testing

@Suite("An RSA signature")
struct RSATests {
    private let message = Array("the two-line string".utf8)

    private func publicKey(_ pem: String = TestKeys.publicKey) throws -> RSAPublicKey {
        try RSAPublicKey(pem: Array(pem.utf8))
    }

    @Test(arguments: [TestKeys.privatePKCS8, TestKeys.privatePKCS1], [Int32(20), 32])
    func `verifies under the same salt length and key`(pem: String, saltLength: Int32) throws {
        let key = try RSAPrivateKey(pem: pem.asKey)
        let signature = try key.signPSS(message, saltLength: saltLength)
        #expect(signature.count == 256)
        #expect(try publicKey().verifyPSS(signature, of: message, saltLength: saltLength))
        #expect(try key.publicKey().verifyPSS(signature, of: message, saltLength: saltLength))
        #expect(try !publicKey(TestKeys.otherPublicKey).verifyPSS(signature, of: message, saltLength: saltLength))
        #expect(try !publicKey().verifyPSS(signature, of: message + [0], saltLength: saltLength))
        #expect(try !publicKey().verifyPKCS1(signature, of: message, digest: .sha256))
    }

    @Test(arguments: [Int32(0), 19, 20, 21, 33, 222, -1, -2, -3])
    func `with a salt of 32 bytes is refused under any other length`(saltLength: Int32) throws {
        let signature = try RSAPrivateKey(pem: TestKeys.privatePKCS8.asKey).signPSS(message, saltLength: 32)
        #expect(try !publicKey().verifyPSS(signature, of: message, saltLength: saltLength))
    }

    @Test func `differs each time, for its salt is random`() throws {
        let key = try RSAPrivateKey(pem: TestKeys.privatePKCS8.asKey)
        #expect(try key.signPSS(message, saltLength: 32) != key.signPSS(message, saltLength: 32))
    }

    @Test func `of the wrong length or content is refused, not an error`() throws {
        let signature = try RSAPrivateKey(pem: TestKeys.privatePKCS8.asKey).signPSS(message, saltLength: 32)
        var flipped = signature
        flipped[100] ^= 1
        let key = try publicKey()
        for bad in [
            [], [0], Array(signature.dropLast()), signature + [0], flipped, [UInt8](repeating: 0xFF, count: 256),
        ] {
            #expect(!key.verifyPSS(bad, of: message, saltLength: 32))
        }
        // A refusal leaves nothing behind that would spoil the next call of this thread.
        #expect(key.verifyPSS(signature, of: message, saltLength: 32))
    }

    @Test func `with a salt that does not fit cannot be made`() throws {
        let key = try RSAPrivateKey(pem: TestKeys.privatePKCS8.asKey)
        let error = try #require(throws: CryptographyError.self) { try key.signPSS(message, saltLength: 223) }
        #expect(error.code == .failed)
        #expect(error.debugDescription.contains("EVP_DigestSign"))
        #expect("\(error)" == "failed")
    }

    @Test(arguments: [
        "", "-----BEGIN PRIVATE KEY-----", "not a key", TestKeys.publicKey, TestKeys.shortPrivate,
        TestKeys.curvePrivate,
        TestKeys.encrypted,
    ])
    func `needs a strong private RSA key without a passphrase`(pem: String) throws {
        let error = try #require(throws: CryptographyError.self) { try RSAPrivateKey(pem: pem.asKey) }
        #expect(error.code == .invalidKey)
    }

    @Test(arguments: ["", "not a key", TestKeys.privatePKCS8])
    func `needs a public key to be verified`(pem: String) throws {
        let error = try #require(throws: CryptographyError.self) { try publicKey(pem) }
        #expect(error.code == .invalidKey)
    }

    @Test func `that is refused leaves nothing in the thread's error queue`() throws {
        let key = try publicKey()
        let clean = try #require(throws: CryptographyError.self) { try publicKey("") }
        for _ in 0..<5 { #expect(!key.verifyPSS([1, 2, 3], of: message, saltLength: 32)) }
        let after = try #require(throws: CryptographyError.self) { try publicKey("") }
        #expect(after.detail == clean.detail)
    }

    /// Made by `openssl dgst -sha256 -sign` over the message above; this padding is deterministic.
    @Test func `by PKCS1 version 1.5 of another program verifies`() throws {
        let signature = try #require(Base64.decode(TestKeys.signaturePKCS1))
        #expect(try publicKey().verifyPKCS1(signature, of: message, digest: .sha256))
        #expect(try !publicKey().verifyPKCS1(signature, of: message + [0], digest: .sha256))
        #expect(
            try !publicKey(TestKeys.otherPublicKey).verifyPKCS1(signature, of: message, digest: .sha256)
        )
        #expect(try !publicKey().verifyPSS(signature, of: message, saltLength: 32))
    }

    @Test func `by PKCS1 version 1.5 is the same as another program's`() throws {
        let key = try RSAPrivateKey(pem: TestKeys.privatePKCS8.asKey)
        #expect(Base64.encode(try key.signPKCS1(message, digest: .sha256)) == TestKeys.signaturePKCS1)
    }

    @Test(arguments: [(DigestAlgorithm.sha1, DigestAlgorithm.sha256), (.sha256, .sha1)])
    func `over one digest is refused under the other`(digest: DigestAlgorithm, other: DigestAlgorithm) throws {
        let signature = try RSAPrivateKey(pem: TestKeys.privatePKCS8.asKey).signPKCS1(message, digest: digest)
        #expect(try publicKey().verifyPKCS1(signature, of: message, digest: digest))
        #expect(try !publicKey().verifyPKCS1(signature, of: message, digest: other))
        #expect(try !publicKey().verifyPSS(signature, of: message, saltLength: 32))
    }
}
