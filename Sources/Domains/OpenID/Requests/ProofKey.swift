import Cryptography
import Primitives

/// Proof keys of authorization codes (RFC 7636), with S256 alone.
package enum ProofKey {
    /// Why a verifier does not prove a challenge.
    package enum Refusal: String, Error, Sendable {
        /// Not `S256`.
        case methodNotAllowed = "method_not_allowed"
        /// Not 43 to 128 characters.
        case verifierLength = "verifier_length"
        /// A character that is not unreserved.
        case verifierCharset = "verifier_charset"
        /// Of another verifier.
        case challengeMismatch = "challenge_mismatch"
    }

    /// The challenge of a verifier.
    package static func challenge(of verifier: String) -> String {
        Base64URL.encode(SHA256.digest(of: Array(verifier.utf8)).bytes)
    }

    /// Whether a verifier proves a challenge.
    ///
    /// - Parameter method: As it was sent.
    /// - Throws: The first check that fails.
    package static func check(
        _ verifier: String,
        against challenge: String,
        method: String
    ) throws(Refusal) {
        guard method.octets == "S256" else { throw .methodNotAllowed }
        guard (43...128).contains(verifier.utf8.count) else { throw .verifierLength }
        guard verifier.utf8.allSatisfy(isUnreserved) else { throw .verifierCharset }
        guard constantTimeEqual(ProofKey.challenge(of: verifier).utf8Span.span, challenge.utf8Span.span) else {
            throw .challengeMismatch
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        Base64URL.contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
    }
}
