package import Primitives

/// A public key on the curve P-256, for signatures of tokens: ECDSA with SHA-256, RFC 7518 section 3.4.
///
/// The key may be used from any thread.
package final class ES256PublicKey: Sendable {
    /// The same key as one of either curve.
    package let key: ECDSAPublicKey

    /// Length of a signature: two numbers of 32 bytes.
    package static let signatureBytes = 64

    /// Reads a key.
    ///
    /// - Parameter pem: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    /// - Throws: `invalidKey` for anything else, or another curve.
    package init(pem: [UInt8]) throws(CryptographyError) {
        key = try ECDSAPublicKey(pem: pem)
        guard key.curve == .p256 else { throw CryptographyError(.invalidKey, "not a key on the curve P-256") }
    }

    /// The public half of a key.
    ///
    /// - Parameter privatePEM: PKCS#8 (`BEGIN PRIVATE KEY`), as a `.p8` file has it.
    /// - Throws: `invalidKey` for anything else, or another curve.
    package convenience init(privatePEM: Secret<[UInt8]>) throws(CryptographyError) {
        let key = try Key(privatePEM: privatePEM.reveal())
        try self.init(pem: key.publicPEM())
    }

    /// Whether a signature is good.
    ///
    /// - Parameter signature: Bytes from anywhere; anything but 64 is refused.
    package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool { key.verify(signature, of: message) }
}
