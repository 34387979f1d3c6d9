/// An algorithm that a signed text may name, RFC 7518 section 3.1.
///
/// None that works with a shared secret, and not `none`: what is not listed verifies nothing.
package enum JWSAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
}
