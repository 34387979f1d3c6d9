/// Why the certificates of a signed text are not believed; an index counts from the leaf, which is 0, to the root, which is 2.
package enum CertificatePathError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not three certificates.
    case count
    /// No certificate in DER in canonical standard Base64, or one that says something twice.
    case form(Int)
    /// No trusted root has the name of the intermediate's issuer.
    case noRoot
    /// The leaf is not issued by the intermediate, by name.
    case name
    /// The signature is not that of the next certificate's key, or key or digest are too weak.
    case signature(Int)
    /// The intermediate or the root may not issue certificates, or not so many below each other.
    case notAuthority
    /// An extension has to be understood and is not.
    case critical(Int)
    /// The extension for the purpose is missing.
    case marker(Int)
    /// The key of the leaf is of no kind that signs texts.
    case key
    /// The time is before the validity.
    case notYetValid(Int)
    /// The time is behind the validity.
    case expired(Int)

    /// A word for logs and counters, for example `marker_1`.
    package var description: String {
        switch self {
        case .count: "count"
        case .form(let index): "form_\(index)"
        case .noRoot: "no_root"
        case .name: "name"
        case .signature(let index): "signature_\(index)"
        case .notAuthority: "not_authority"
        case .critical(let index): "critical_\(index)"
        case .marker(let index): "marker_\(index)"
        case .key: "key"
        case .notYetValid(let index): "not_yet_valid_\(index)"
        case .expired(let index): "expired_\(index)"
        }
    }
}
