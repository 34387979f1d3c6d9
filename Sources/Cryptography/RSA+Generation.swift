import COpenSSL
package import Primitives

extension RSAPrivateKey {
    /// Makes a key pair of 2048 bits, drawn from OpenSSL's own generator.
    ///
    /// Takes from a tenth of a second to a second of computing: for development and tests, never on a loop.
    ///
    /// - Returns: The private key as PKCS#8 and the public key as SubjectPublicKeyInfo, both in PEM.
    /// - Throws: `failed` where OpenSSL refuses.
    package static func generatePEM() throws(CryptographyError) -> (privateKey: Secret<[UInt8]>, publicKey: [UInt8]) {
        let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe context != nil, unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1, unsafe EVP_PKEY_generate(context, &made) == 1,
            let made = unsafe made
        else { throw CryptographyError.openSSL(.failed, "RSA key generation") }
        let key = unsafe Key(owning: made)
        return (Secret(try key.privatePEM()), try key.publicPEM())
    }
}
