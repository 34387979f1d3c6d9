/// How a server asks its clients for a certificate.
package struct TLSClientTrust: Sendable {
    /// Roots that are believed, and authorities below them that clients may leave out, PEM.
    package let authoritiesPEM: [UInt8]
    /// Whether the handshake fails for a client that shows none; one that shows any is served, see `TLSPeerCertificate`.
    package let isRequired: Bool

    /// The given trust.
    package init(authoritiesPEM: [UInt8], isRequired: Bool) {
        self.authoritiesPEM = authoritiesPEM
        self.isRequired = isRequired
    }
}
