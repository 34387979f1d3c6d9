package import Cryptography
import Primitives

/// Signs API requests for an account.
package struct RequestSigner: Sendable {
    private let credentials: Credentials

    /// A signer.
    package init(_ credentials: Credentials) {
        self.credentials = credentials
    }

    /// Signs a request, all of its fields included.
    ///
    /// - Parameters:
    ///   - request: With every field that is to be signed; `Authorization` must not be among them.
    /// - Returns: The value of the `Authorization` field.
    /// - Throws: What OpenSSL refuses; not to be expected of a key that was read.
    package func authorization(
        for request: SignedRequest,
        _ offLoop: SignOffLoop
    ) async throws(CryptographyError) -> String {
        let signedHeaders = request.allHeaders
        let string = StringToSign(for: request.canonicalOctets(signedHeaders: signedHeaders), credentials.algorithm)
        return AuthorizationField(
            algorithm: credentials.algorithm,
            publicKeyID: credentials.publicKeyID.text,
            signedHeaders: signedHeaders,
            signature: try await credentials.signer.signature(of: string, offLoop)
        ).text
    }
}
