package import Primitives

extension RSAPrivateKey {
    /// Makes a key pair of 2048 bits, drawn from OpenSSL's own generator.
    ///
    /// Takes from a tenth of a second to a second of computing: for development and tests, never on a loop.
    ///
    /// - Returns: The private key as PKCS#8 and the public key as SubjectPublicKeyInfo, both in PEM.
    /// - Throws: `failed` where OpenSSL refuses.
    package static func generatePEM() throws(CryptographyError) -> (privateKey: Secret<[UInt8]>, publicKey: [UInt8]) {
        let key = try Key.makeRSA()
        return (Secret(try key.privatePEM()), try key.publicPEM())
    }
}
