package import Cryptography

/// A signed button payload, as the checkout script's configuration takes it.
///
/// It has no date: the same payload and signature work for ever and for anyone who copies them.
package struct ButtonSignature: Sendable, Hashable {
    /// Exactly the text that was signed; a page must hand over the same octets.
    package let payloadJSON: String
    /// Standard Base64.
    package let signature: String
    /// The label; without it the script assumes the older one.
    package let algorithm: SigningAlgorithm
    /// The key's name.
    package let publicKeyID: String
}

/// Signs button payloads for an account.
package struct ButtonSigner: Sendable {
    private let credentials: Credentials

    /// A signer.
    package init(_ credentials: Credentials) {
        self.credentials = credentials
    }

    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - payload: What the button starts. It holds no text from a request: an attacker who can have URLs signed can send
    ///     buyers anywhere.
    /// - Throws: What OpenSSL refuses; not to be expected of a key that was read.
    package func sign(
        _ payload: CheckoutPayload,
        _ offLoop: SignOffLoop
    ) async throws(CryptographyError) -> ButtonSignature {
        try await sign(octets: payload.json, offLoop)
    }

    /// Signs a payload that is already text.
    ///
    /// - Parameters:
    ///   - octets: UTF-8, with no text from a request in it.
    /// - Throws: What OpenSSL refuses; not to be expected of a key that was read.
    package func sign(octets: [UInt8], _ offLoop: SignOffLoop) async throws(CryptographyError) -> ButtonSignature {
        let string = StringToSign(for: octets, credentials.algorithm)
        return ButtonSignature(
            payloadJSON: String(decoding: octets, as: UTF8.self),
            signature: try await credentials.signer.signature(of: string, offLoop),
            algorithm: credentials.algorithm,
            publicKeyID: credentials.publicKeyID.text
        )
    }
}

/// Verifies signed button payloads as the hosted pages do; the simulator's half of `ButtonSigner`.
package enum ButtonVerifier {
    /// Whether a payload's signature is good.
    ///
    /// - Parameters:
    ///   - payload: The octets as they came.
    ///   - signature: Standard Base64, from anywhere.
    package static func isGood(
        payload: [UInt8],
        signature: String,
        algorithm: SigningAlgorithm,
        key: RSAPublicKey
    ) -> Bool {
        StringToSign(for: payload, algorithm).isSigned(signature, by: key)
    }
}
