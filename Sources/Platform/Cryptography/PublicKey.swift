import Primitives

/// A public key of one of the kinds that signatures here are verified with.
package enum PublicKey: Sendable {
    /// On the curve P-256 or P-384.
    case ecdsa(ECDSAPublicKey)
    /// RSA of 2048 bits or more.
    case rsa(RSAPublicKey)

    /// Reads a key.
    ///
    /// - Parameter pem: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    /// - Throws: `invalidKey` for anything else, or a key of another kind or strength.
    package init(pem: [UInt8]) throws(CryptographyError) { try self.init(owning: Key(publicPEM: pem)) }

    /// Reads a key in DER.
    ///
    /// - Parameter subjectPublicKeyInfo: RFC 5280 section 4.1.2.7, with nothing behind.
    /// - Throws: `invalidKey` for anything else, or a key of another kind or strength, or a point off its curve.
    package init(subjectPublicKeyInfo: [UInt8]) throws(CryptographyError) {
        try self.init(owning: Key.reading(subjectPublicKeyInfo: subjectPublicKeyInfo))
    }

    /// Takes the key of a certificate, whatever the certificate is worth.
    ///
    /// - Throws: `invalidCertificate` where it cannot be read; `invalidKey` for a key of another kind or strength.
    package init(certificate: X509Certificate) throws(CryptographyError) {
        let certificate = try Certificate.reading(der: certificate.der)
        try self.init(pem: certificate.publicKeyPEM())
    }

    /// The key whose numbers are given, RFC 8017 section 3.1.
    ///
    /// - Parameters:
    ///   - modulus: Big-endian; zeros in front are fine.
    ///   - exponent: Likewise.
    /// - Throws: `invalidKey` for fewer than 2048 bits, or an exponent that is even or below 3.
    package static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) -> PublicKey {
        let digits = exponent.drop { $0 == 0 }
        guard let last = digits.last, last & 1 == 1, digits.count > 1 || last >= 3 else {
            throw CryptographyError(.invalidKey, "an exponent that is even or below 3")
        }
        let numbers = DERValue.sequence(DERValue.integer(modulus), DERValue.integer(digits))
        let algorithm = DERValue.sequence(
            DERValue.encode(DERValue.Tag.identifier, PublicKey.rsaIdentifier),
            DERValue.encode(0x05, [])
        )
        let info = DERValue.sequence(algorithm, DERValue.encode(DERValue.Tag.bitString, [0] + numbers))
        return try PublicKey(subjectPublicKeyInfo: info)
    }

    /// The key whose point is given.
    ///
    /// - Parameters:
    ///   - x: As many bytes as a coordinate has on the curve.
    ///   - y: Likewise.
    /// - Throws: `invalidKey` for other lengths or a point that is not on the curve.
    package static func ecdsa(x: [UInt8], y: [UInt8], on curve: EllipticCurve) throws(CryptographyError) -> PublicKey {
        guard x.count == curve.numberBytes, y.count == curve.numberBytes else {
            throw CryptographyError(.invalidKey, "coordinates of another length than the curve's")
        }
        return try PublicKey(owning: Key.reading(point: [4] + x + y, on: curve))
    }

    /// The numbers that the key consists of.
    package enum Numbers: Sendable, Equatable {
        /// Big-endian, without zeros in front.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// Each as long as a coordinate is on the curve.
        case ecdsa(x: [UInt8], y: [UInt8], EllipticCurve)
    }

    /// The numbers that the key consists of.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package func numbers() throws(CryptographyError) -> Numbers {
        switch self {
        case .ecdsa(let ecdsa):
            try ecdsa.key.withLock { (key) throws(CryptographyError) in
                let size = ecdsa.curve.numberBytes
                return .ecdsa(
                    x: try key.number("qx", bytes: size),
                    y: try key.number("qy", bytes: size),
                    ecdsa.curve
                )
            }
        case .rsa(let rsa):
            try rsa.key.withLock { (key) throws(CryptographyError) in
                .rsa(modulus: try key.number("n"), exponent: try key.number("e"))
            }
        }
    }

    private init(owning key: consuming sending Key) throws(CryptographyError) {
        if key.curve != nil {
            self = .ecdsa(try ECDSAPublicKey(owning: key))
        } else {
            self = .rsa(try RSAPublicKey(owning: key))
        }
    }

    private static let rsaIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let ecdsaIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
}
