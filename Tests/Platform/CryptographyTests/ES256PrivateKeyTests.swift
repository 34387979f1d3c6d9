import Cryptography
import Primitives
import TestKit
import Testing

@Suite("A private key for tokens")
struct ES256PrivateKeyTests {
    @Test func `signs with two numbers of 32 bytes, whatever they begin with`() throws {
        let key = try ES256PrivateKey(pem: Secret(TestCertificates.firstKey))
        var beginnings: Set<Bool> = []
        for number in 0..<2_000 {
            let signature = try key.sign([UInt8(number & 255), UInt8(number >> 8)])
            #expect(signature.count == 64)
            beginnings.insert(signature[0] == 0 || signature[32] == 0)
        }
        // One number in 256 begins with a zero, which the form with lengths leaves out.
        #expect(beginnings == [true, false])
    }

    @Test func `takes no key of another kind`() throws {
        for pem in [TestCertificates.rsaKey, TestCertificates.lockedKey, TestCertificates.first, []] {
            #expect(throws: CryptographyError.self) { _ = try ES256PrivateKey(pem: Secret(pem)) }
        }
    }
}
