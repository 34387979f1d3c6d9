import COpenSSL
import Primitives

/// What kind of key is made.
package enum KeyKind: Sendable, Hashable {
    /// ECDSA on the curve P-256: well under a millisecond.
    case p256
    /// ECDSA on the curve P-384: about a millisecond.
    case p384
    /// RSA of 2048 bits: up to a second of computing, never on a loop.
    case rsa2048
}

/// An OpenSSL key, freed at its end.
///
/// It may be moved to another thread but not shared: one that is shared is kept in a `Mutex`.
@safe struct Key: ~Copyable {
    let handle: OpaquePointer

    /// Takes over a key.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// Reads a private key.
    init(privatePEM: [UInt8]) throws(CryptographyError) {
        let memory = try Memory.holding(privatePEM)
        guard let handle = unsafe PEM_read_bio_PrivateKey(memory.handle, nil, shim_no_passphrase, nil) else {
            throw CryptographyError.openSSL(.invalidKey, "not a private key in PEM without a passphrase")
        }
        unsafe self.handle = handle
    }

    /// Reads a public key.
    init(publicPEM: [UInt8]) throws(CryptographyError) {
        let memory = try Memory.holding(publicPEM)
        guard let handle = unsafe PEM_read_bio_PUBKEY(memory.handle, nil, shim_no_passphrase, nil) else {
            throw CryptographyError.openSSL(.invalidKey, "not a public key in PEM")
        }
        unsafe self.handle = handle
    }

    /// Reads a public key in DER, with nothing behind it.
    static func reading(subjectPublicKeyInfo: [UInt8]) throws(CryptographyError) -> Key {
        let memory = try Memory.holding(subjectPublicKeyInfo)
        guard let handle = unsafe d2i_PUBKEY_bio(memory.handle, nil) else {
            throw CryptographyError.openSSL(.invalidKey, "not a public key in DER")
        }
        // Owned, so that it is freed whatever follows.
        let key = unsafe Key(owning: handle)
        guard memory.bytes.isEmpty else { throw CryptographyError(.invalidKey, "bytes behind a public key in DER") }
        return key
    }

    /// A fresh key on a curve, drawn from OpenSSL's own generator.
    static func make(on curve: EllipticCurve) throws(CryptographyError) -> Key {
        let handle =
            switch curve {
            case .p256: unsafe shim_generate_key("P-256")
            case .p384: unsafe shim_generate_key("P-384")
            }
        guard let handle = unsafe handle else { throw CryptographyError.openSSL(.failed, "EVP_EC_gen") }
        return unsafe Key(owning: handle)
    }

    /// A fresh RSA key of 2048 bits, drawn from OpenSSL's own generator; up to a second of computing.
    static func makeRSA() throws(CryptographyError) -> Key {
        let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe context != nil, unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1, unsafe EVP_PKEY_generate(context, &made) == 1,
            let made = unsafe made
        else { throw CryptographyError.openSSL(.failed, "RSA key generation") }
        return unsafe Key(owning: made)
    }

    /// A fresh key of a kind.
    static func make(_ kind: KeyKind) throws(CryptographyError) -> Key {
        switch kind {
        case .p256: try make(on: .p256)
        case .p384: try make(on: .p384)
        case .rsa2048: try makeRSA()
        }
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// Refuses what is not an RSA key of a strength that is still in use.
    func demandRSA() throws(CryptographyError) {
        let bits = unsafe EVP_PKEY_get_bits(handle)
        guard unsafe EVP_PKEY_get_base_id(handle) == EVP_PKEY_RSA, bits >= 2048 else {
            throw CryptographyError(.invalidKey, "not an RSA key of 2048 bits or more")
        }
    }

    /// A number of the key, big-endian.
    ///
    /// - Parameters:
    ///   - name: OpenSSL's, for example `n`.
    ///   - bytes: How many to write; without it as many as the number has.
    func number(_ name: StaticString, bytes: Int? = nil) throws(CryptographyError) -> [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(handle, "\(name)", &number) == 1, let number = unsafe number else {
            throw CryptographyError.openSSL(.failed, "EVP_PKEY_get_bn_param")
        }
        defer { unsafe BN_free(number) }
        let count = unsafe bytes ?? Int(BN_num_bits(number) + 7) / 8
        var output = [UInt8](repeating: 0, count: count)
        guard unsafe BN_bn2binpad(number, &output, Int32(truncatingIfNeeded: count)) == count else {
            throw CryptographyError.openSSL(.failed, "BN_bn2binpad")
        }
        return output
    }

    /// The private key as PKCS#8 in PEM.
    func privatePEM() throws(CryptographyError) -> [UInt8] {
        let memory = try Memory()
        guard unsafe PEM_write_bio_PKCS8PrivateKey(memory.handle, handle, nil, nil, 0, nil, nil) == 1 else {
            throw CryptographyError.openSSL(.failed, "PEM_write_bio_PKCS8PrivateKey")
        }
        return memory.bytes
    }

    /// The public key as SubjectPublicKeyInfo in PEM.
    func publicPEM() throws(CryptographyError) -> [UInt8] {
        let memory = try Memory()
        guard unsafe PEM_write_bio_PUBKEY(memory.handle, handle) == 1 else {
            throw CryptographyError.openSSL(.failed, "PEM_write_bio_PUBKEY")
        }
        return memory.bytes
    }
}
