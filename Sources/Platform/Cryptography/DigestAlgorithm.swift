import COpenSSL

/// The digest that a signature is made over.
package enum DigestAlgorithm: Sendable, Hashable {
    /// SHA-1, broken for signatures over texts that an attacker chooses; only for senders that know no other.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-384, which goes with the curve P-384.
    case sha384
    /// SHA-512.
    case sha512

    /// The algorithm of an object identifier: SHA-1 or SHA-256, or `nil` for any other.
    package init?(identifier: String) {
        switch identifier {
        case "1.3.14.3.2.26": self = .sha1
        case "2.16.840.1.101.3.4.2.1": self = .sha256
        default: return nil
        }
    }

    /// Whether the identifier of a signature by RSASSA-PKCS1-v1_5 leaves the digest open or names this one; `nil` for another kind.
    package func isAnnounced(by signature: String) -> Bool? {
        switch signature {
        case "1.2.840.113549.1.1.1": true
        case "1.2.840.113549.1.1.5": self == .sha1
        case "1.2.840.113549.1.1.11": self == .sha256
        case "1.2.840.113549.1.1.12": self == .sha384
        case "1.2.840.113549.1.1.13": self == .sha512
        default: nil
        }
    }

    /// The digest of bytes: 20, 32, 48 or 64 of them.
    package func digest(of bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        guard unsafe EVP_Digest(bytes, bytes.count, &output, &count, method, nil) == 1 else {
            preconditionFailure("OpenSSL offers SHA-1 and SHA-2")
        }
        return Array(output.prefix(Int(count)))
    }

    /// OpenSSL's algorithm, which lives as long as the program.
    var method: OpaquePointer? {
        switch self {
        case .sha1: unsafe EVP_sha1()
        case .sha256: unsafe EVP_sha256()
        case .sha384: unsafe EVP_sha384()
        case .sha512: unsafe EVP_sha512()
        }
    }
}
