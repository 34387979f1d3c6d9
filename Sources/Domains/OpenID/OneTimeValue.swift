import Cryptography
package import Primitives

/// A value that was sent to a provider once and has to come back: a state, a nonce.
package enum OneTimeValue: Sendable {
    /// Derived anew, so it is there in full.
    case text(String)
    /// Kept as its SHA-256 alone.
    case digest(Digest32)

    /// Whether a text is the value; takes the same time whatever differs.
    package func isSame(as text: String) -> Bool {
        switch self {
        case .text(let own): constantTimeEqual(own.utf8Span.span, text.utf8Span.span)
        case .digest(let own): own == SHA256.digest(of: Array(text.utf8))
        }
    }
}
