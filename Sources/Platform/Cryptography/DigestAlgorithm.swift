import COpenSSL

/// The digest that a signature is made over.
package enum DigestAlgorithm: Sendable, Hashable {
    /// SHA-1, broken for signatures over texts that an attacker chooses; only for senders that know no other.
    case sha1
    /// SHA-256.
    case sha256

    /// OpenSSL's algorithm, which lives as long as the program.
    var method: OpaquePointer? {
        switch self {
        case .sha1: unsafe EVP_sha1()
        case .sha256: unsafe EVP_sha256()
        }
    }
}
