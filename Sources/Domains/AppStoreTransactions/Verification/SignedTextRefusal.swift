/// Why a signed text is refused.
package enum SignedTextRefusal: Error, Hashable, Sendable {
    /// No signed text, or a member of the payload is not what it must be.
    case malformed(Reason)
    /// The certificates do not lead to a trusted root, or are not those of the App Store.
    case certificate(Reason)
    /// The signature is not that of the certificate's key.
    case signature(Reason)
    /// A text of another app.
    case wrongApp(Reason)
    /// A text of another environment than the verifier's.
    case wrongEnvironment(Reason)
    /// A text of another kind than the one asked for.
    case wrongKind(Reason)
    /// Nobody says whether a certificate is revoked: to be asked again later.
    case revocationUnknown(Reason)
    /// The verifier cannot work as it is configured.
    case misconfigured(Reason)

    /// A finer reason, for operators and metrics; never anything of the text.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// More than a mebibyte.
        case tooLarge = "too_large"
        /// Not three parts of Base64URL with objects in JSON.
        case form
        /// A header that cannot be read, or extensions that have to be understood.
        case header
        /// Another algorithm than `ES256`.
        case algorithm
        /// Not three certificates in the header.
        case chainLength = "chain_length"
        /// A certificate cannot be read.
        case certificateForm = "certificate_form"
        /// No trusted root has the name of the issuer.
        case noRoot = "no_root"
        /// The certificates do not vouch for each other.
        case path
        /// A certificate was not valid at that time.
        case validity
        /// A marker of the App Store is missing.
        case marker
        /// A certificate is revoked.
        case revoked
        /// A certificate does not say whom to ask whether it is revoked.
        case noResponder = "no_responder"
        /// The one who says whether a certificate is revoked does not answer.
        case noAnswer = "no_answer"
        /// The answer does not count, or does not say it.
        case undecided
        /// The key of the certificate is not on the curve P-256.
        case key
        /// The signature is not good.
        case signature
        /// A text is none, too long, or has control characters.
        case text
        /// An identifier is none.
        case identifier
        /// A number is none, or out of its bounds.
        case number
        /// A truth value is none.
        case flag
        /// A UUID is none.
        case uuid
        /// A list is none.
        case list
        /// An object is none.
        case object
        /// A time is none.
        case time
        /// The bundle id is another one, or missing.
        case bundleID = "bundle_id"
        /// The app's number is another one, or missing.
        case appAppleID = "app_apple_id"
        /// The environment is another one, or missing.
        case environment
        /// What makes the kind of a text is missing.
        case missingMember = "missing_member"
        /// What another kind of text has is there.
        case foreignMember = "foreign_member"
        /// Production needs the app's number.
        case noAppAppleID = "no_app_apple_id"
    }

    /// A stable word for answers and metrics.
    package var code: String {
        switch self {
        case .malformed: "malformed"
        case .certificate: "certificate"
        case .signature: "signature"
        case .wrongApp: "wrong_app"
        case .wrongEnvironment: "wrong_environment"
        case .wrongKind: "wrong_kind"
        case .revocationUnknown: "revocation_unknown"
        case .misconfigured: "misconfigured"
        }
    }

    /// The finer reason.
    package var reason: Reason {
        switch self {
        case .malformed(let reason), .certificate(let reason), .signature(let reason), .wrongApp(let reason),
            .wrongEnvironment(let reason), .wrongKind(let reason), .revocationUnknown(let reason),
            .misconfigured(let reason):
            reason
        }
    }

    /// Whether the same text may be good later.
    package var isRetryable: Bool {
        if case .revocationUnknown = self { true } else { false }
    }
}

extension SignedTextRefusal: CustomStringConvertible {
    /// Code and reason.
    package var description: String { "\(code): \(reason.rawValue)" }
}
