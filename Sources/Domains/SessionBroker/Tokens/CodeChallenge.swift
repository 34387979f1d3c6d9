import Cryptography
package import Primitives

/// The commitment to a verifier that native code sends with the issue, RFC 7636, method S256 only.
package struct CodeChallenge: Sendable {
    /// SHA-256 of the verifier.
    package let digest: Digest32

    /// The challenge behind the two parameters of the issue, or `nil` where they are not of that form.
    ///
    /// - Parameters:
    ///   - text: 43 characters, base64url without padding of 32 bytes.
    ///   - method: Must be `S256`; a missing one would mean `plain`, which is refused.
    package static func parse(_ text: String, method: String?) -> CodeChallenge? {
        guard method?.octets == "S256", text.utf8.count == 43, let bytes = Base64URL.decode(text),
            let digest = Digest32(bytes.span)
        else { return nil }
        return CodeChallenge(digest: digest)
    }
}

/// The verifier that native code kept, RFC 7636 section 4.1; only its hash leaves this type.
package struct CodeVerifier: Sendable, CustomStringConvertible, CustomReflectable {
    /// SHA-256 of the verifier, to compare with the challenge.
    package let digest: Digest32

    /// The verifier behind the parameter of a purchase, or `nil` where it is not of that form.
    ///
    /// - Parameter text: 43 to 128 characters of `[A-Za-z0-9._~-]`.
    /// - Returns: A verifier that may or may not fit.
    package static func parse(_ text: String) -> CodeVerifier? {
        let characters = Array(text.utf8)
        guard characters.count >= 43, characters.count <= 128, characters.allSatisfy(isUnreserved) else { return nil }
        return CodeVerifier(digest: SHA256.digest(of: characters))
    }

    package var description: String { "<verifier>" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        Base64URL.contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
    }
}
