import COpenSSL

/// A curve of signatures by ECDSA in tokens, RFC 7518 section 3.4.
package enum EllipticCurve: Sendable, Hashable, CaseIterable {
    /// P-256, with SHA-256.
    case p256
    /// P-384, with SHA-384.
    case p384

    /// Length of a coordinate, and of each of the two numbers of a signature, in bytes.
    package var numberBytes: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }

    /// The digest that goes with the curve.
    package var digest: DigestAlgorithm {
        switch self {
        case .p256: .sha256
        case .p384: .sha384
        }
    }

    /// As OpenSSL calls the curve.
    var groupName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        }
    }
}

extension Key {
    /// Reads a public key that is a point, X9.62.
    ///
    /// In DER it would take twice as long as a verification with it: OpenSSL tries all its decoders.
    static func reading(point: [UInt8], on curve: EllipticCurve) throws(CryptographyError) -> Key {
        let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe context != nil, unsafe EVP_PKEY_paramgen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, curve.groupName) == 1,
            unsafe EVP_PKEY_paramgen(context, &made) == 1, let made = unsafe made
        else { throw CryptographyError.openSSL(.failed, "EVP_PKEY_paramgen") }
        // Owned, so that it is freed whatever follows.
        let key = unsafe Key(owning: made)
        guard unsafe EVP_PKEY_set1_encoded_public_key(key.handle, point, point.count) == 1 else {
            throw CryptographyError.openSSL(.invalidKey, "not a point on its curve")
        }
        return key
    }

    /// The curve of the key; `nil` for a key of another kind or on another curve.
    var curve: EllipticCurve? {
        guard unsafe EVP_PKEY_get_base_id(handle) == EVP_PKEY_EC else { return nil }
        var name = [UInt8](repeating: 0, count: 64)
        var length = 0
        let isNamed = unsafe name.withUnsafeMutableBytes { bytes in
            let text = unsafe bytes.bindMemory(to: CChar.self)
            return unsafe EVP_PKEY_get_group_name(handle, text.baseAddress, text.count, &length) == 1
        }
        ERR_clear_error()
        guard isNamed else { return nil }
        return switch String(decoding: name.prefix(min(length, name.count)), as: UTF8.self) {
        case "prime256v1", "P-256": .p256
        case "secp384r1", "P-384": .p384
        default: nil
        }
    }
}
