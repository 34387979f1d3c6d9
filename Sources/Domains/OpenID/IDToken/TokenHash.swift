import Cryptography
import Primitives

/// The hash by which an ID token names the access token or the code beside it (OpenID Connect Core 3.1.3.6 and 3.3.2.11).
package enum TokenHash {
    /// The left half of a text's digest in Base64URL.
    ///
    /// - Parameter algorithm: That of the ID token, whose digest it is made with.
    /// - Returns: `nil` for an algorithm without a digest that is known.
    package static func make(of text: String, algorithm: String) -> String? {
        guard let digest = digest(for: algorithm) else { return nil }
        let bytes = digest.digest(of: Array(text.utf8))
        return Base64URL.encode(Array(bytes.prefix(bytes.count / 2)))
    }

    private static func digest(for algorithm: String) -> DigestAlgorithm? {
        if algorithm.octets == "EdDSA" { return .sha512 }
        // One of the letters and three digits: RS256.
        guard algorithm.utf8.count == 5 else { return nil }
        return switch algorithm.octets {
        case let name where name.ends(with: "256"): .sha256
        case let name where name.ends(with: "384"): .sha384
        case let name where name.ends(with: "512"): .sha512
        default: nil
        }
    }
}
