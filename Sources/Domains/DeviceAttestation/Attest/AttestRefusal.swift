import JOSE

/// Why an attestation, an assertion or a receipt is refused; the raw value is a word for logs and metrics.
package enum AttestRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// More bytes than any device sends.
    case tooLarge = "too_large"
    /// No CBOR, or no DER in a receipt.
    case form
    /// A map without the members that it must have, or with one of another kind.
    case members
    /// Another format than Apple's.
    case format
    /// Not two certificates.
    case certificateCount = "certificate_count"
    /// A certificate cannot be read.
    case certificateForm = "certificate_form"
    /// The certificates do not vouch for each other up to a trusted root.
    case path
    /// The certificate is not one of this purpose.
    case marker
    /// A certificate is not valid at this time.
    case validity
    /// The key is not on the curve P-256.
    case key
    /// The certificate says in no readable way what was attested.
    case nonceForm = "nonce_form"
    /// The certificate is for other bytes or another challenge.
    case nonce
    /// The certificate is for another key than the one that was named.
    case keyID = "key_id"
    /// Of another app.
    case app
    /// The counter of a new key is not zero.
    case counter
    /// Of the other environment, or of another authenticator.
    case environment
    /// What the authenticator calls the key is not its id.
    case credentialID = "credential_id"
    /// What the authenticator says of itself is cut, or has something behind it.
    case authenticatorData = "authenticator_data"
    /// The key that the authenticator names is not that of the certificate.
    case credentialKey = "credential_key"
    /// The signature is not that of the key.
    case signature
    /// A field of a receipt is missing, stands there twice, or is not what it must be.
    case field
    /// A receipt is older than a fresh one, over, or of the future.
    case age

    init(_ error: CertificatePathError) {
        switch error {
        case .count: self = .certificateCount
        case .form: self = .certificateForm
        case .noRoot, .name, .signature, .notAuthority, .critical: self = .path
        case .marker: self = .marker
        case .key: self = .key
        case .notYetValid, .expired: self = .validity
        }
    }
}

extension AttestRefusal: CustomStringConvertible {
    package var description: String { rawValue }
}
