package import Primitives

/// What one side shows and proves: a certificate with its chain, and its private key.
package struct TLSIdentity: Sendable {
    /// The leaf first, then its issuers, PEM; ECDSA P-256 or RSA of 2048 bits and more.
    package let certificatePEM: [UInt8]
    /// The leaf's private key, PEM without a passphrase.
    package let keyPEM: Secret<[UInt8]>

    /// The given pair; whether its halves belong together shows when a context is made of it.
    ///
    /// - Parameters:
    ///   - certificatePEM: The leaf first, then its issuers.
    package init(certificatePEM: [UInt8], keyPEM: Secret<[UInt8]>) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }
}
