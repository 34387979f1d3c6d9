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

    /// The content of the object identifier that names the curve in keys.
    var identifier: [UInt8] {
        switch self {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        }
    }
}

extension Key {
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
