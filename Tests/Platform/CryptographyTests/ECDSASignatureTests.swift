import Cryptography
import Primitives
import TestKit
import Testing

@Suite("A signature by ECDSA")
struct ECDSASignatureTests {
    @Test(arguments: EllipticCurve.allCases)
    func `is the same in both forms`(curve: EllipticCurve) throws {
        let size = curve.numberBytes
        let random = SeededRandom(seed: 7)
        for zeros in [0, 0, 1, 2, size - 1, size] {
            let number = [UInt8](repeating: 0, count: zeros) + random.bytes(size - zeros)
            for octets in [number + random.bytes(size), random.bytes(size) + number, number + number] {
                let signature = try #require(ECDSASignature(octets: octets, on: curve))
                #expect(signature.octets == octets)
                #expect(ECDSASignature(der: signature.der, on: curve) == signature)
            }
        }
    }

    @Test func `is two integers in DER`() throws {
        let octets = [UInt8](repeating: 0, count: 30) + [0x80, 0x01] + [UInt8](repeating: 0, count: 31) + [0x7F]
        let signature = try #require(ECDSASignature(octets: octets, on: .p256))
        #expect(signature.der == [0x30, 0x08, 0x02, 0x03, 0x00, 0x80, 0x01, 0x02, 0x01, 0x7F])
        let large = try #require(ECDSASignature(octets: [UInt8](repeating: 0xFF, count: 96), on: .p384))
        #expect(large.der.count == 104 && large.der.prefix(4) == [0x30, 0x66, 0x02, 0x31])
    }

    @Test func `has the length of its curve`() {
        for count in [0, 1, 63, 65, 96] {
            #expect(ECDSASignature(octets: [UInt8](repeating: 1, count: count), on: .p256) == nil)
        }
        for count in [64, 95, 97, 132] {
            #expect(ECDSASignature(octets: [UInt8](repeating: 1, count: count), on: .p384) == nil)
        }
    }

    @Test(
        arguments: [
            [], [0x30, 0x00], [0x30, 0x03, 0x02, 0x01, 0x01], [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01, 0x00],
            [0x30, 0x09, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01],
            // Negative, long, with a zero too many, in another type, empty.
            [0x30, 0x06, 0x02, 0x01, 0x81, 0x02, 0x01, 0x01], [0x30, 0x81, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01],
            [0x30, 0x07, 0x02, 0x02, 0x00, 0x01, 0x02, 0x01, 0x01], [0x30, 0x06, 0x04, 0x01, 0x01, 0x02, 0x01, 0x01],
            [0x30, 0x05, 0x02, 0x00, 0x02, 0x01, 0x01], [0x31, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01],
        ] as [[UInt8]]
    )
    func `is read from DER alone`(der: [UInt8]) {
        #expect(ECDSASignature(der: der, on: .p256) == nil)
    }

    @Test func `has no number that is too long for its curve`() {
        let number = [0x02, 0x21, 0x01] + [UInt8](repeating: 0, count: 32)
        let der = [0x30, 0x26] + number + [0x02, 0x01, 0x01]
        #expect(ECDSASignature(der: der, on: .p256) == nil)
        #expect(ECDSASignature(der: der, on: .p384) != nil)
    }

    @Test func `is good under the public half of the key, on either curve`() throws {
        let key = try ES256PrivateKey(pem: Secret(TestCertificates.firstKey))
        let publicKey = try ECDSAPublicKey(pem: key.publicPEM())
        let message = Array("message".utf8)
        let signature = try key.sign(message)
        #expect(publicKey.curve == .p256)
        #expect(publicKey.verify(signature, of: message))
        #expect(!publicKey.verify(signature, of: message + [0]))
        #expect(try ES256PublicKey(pem: key.publicPEM()).verify(signature, of: message))
    }
}

@Suite("A public key")
struct PublicKeyTests {
    @Test func `is of one of three kinds`() throws {
        for (kind, curve) in [(KeyKind.p256, EllipticCurve?.some(.p256)), (.p384, .some(.p384)), (.rsa2048, nil)] {
            let profile = CertificateProfile(subject: [.init("CN", "a")], extensions: [], lifetime: .seconds(86_400))
            let issued = try IssuedCertificate.make(
                profile,
                issuer: nil,
                key: kind,
                now: WallTime(seconds: 1_773_453_566),
                random: SeededRandom(seed: 1)
            )
            switch try PublicKey(certificate: X509Certificate(issued.certificatePEM)) {
            case .ecdsa(let key): #expect(key.curve == curve)
            case .rsa: #expect(curve == nil)
            }
        }
    }

    @Test func `lies on its curve`() throws {
        // The base point of P-256.
        let x = try #require(Hex.decode("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"))
        let y = try #require(Hex.decode("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"))
        _ = try PublicKey.ecdsa(x: x, y: y, on: .p256)
        #expect(throws: CryptographyError.self) { try PublicKey.ecdsa(x: y, y: x, on: .p256) }
        #expect(throws: CryptographyError.self) { try PublicKey.ecdsa(x: [0] + x, y: y, on: .p256) }
        #expect(throws: CryptographyError.self) { try PublicKey.ecdsa(x: x, y: y, on: .p384) }
    }

    @Test func `of RSA has 2048 bits and an odd exponent`() throws {
        let modulus = [0xC1] + [UInt8](repeating: 0x55, count: 255)
        _ = try PublicKey.rsa(modulus: modulus, exponent: [1, 0, 1])
        _ = try PublicKey.rsa(modulus: [0, 0] + modulus, exponent: [3])
        for exponent in [[], [0], [1], [2], [1, 0]] as [[UInt8]] {
            #expect(throws: CryptographyError.self) { try PublicKey.rsa(modulus: modulus, exponent: exponent) }
        }
        let short = [0x7F] + [UInt8](repeating: 0x55, count: 255)
        #expect(throws: CryptographyError.self) { try PublicKey.rsa(modulus: short, exponent: [3]) }
        #expect(throws: CryptographyError.self) { try PublicKey.rsa(modulus: [0] + short, exponent: [3]) }
    }

    @Test func `has nothing behind it`() throws {
        let key = try ES256PrivateKey(pem: Secret(TestCertificates.firstKey))
        let lines = String(decoding: try key.publicPEM(), as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
        let der = try #require(Base64.decode(lines.joined()))
        _ = try PublicKey(subjectPublicKeyInfo: der)
        #expect(throws: CryptographyError.self) { try PublicKey(subjectPublicKeyInfo: der + [0]) }
        #expect(throws: CryptographyError.self) { try PublicKey(subjectPublicKeyInfo: Array(der.dropLast())) }
    }
}
