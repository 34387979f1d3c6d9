/// Something that is wrong with an attestation on purpose.
package enum AttestationFlaw: String, Sendable, CaseIterable {
    /// A byte behind the object.
    case trailingByte = "trailing_byte"
    /// The format of another vendor.
    case otherFormat = "other_format"
    /// No receipt.
    case noReceipt = "no_receipt"
    /// The intermediate is missing.
    case oneCertificate = "one_certificate"
    /// The root is there, too.
    case threeCertificates = "three_certificates"
    /// Leaf and intermediate in the other order.
    case swappedCertificates = "swapped_certificates"
    /// Everything is right, under another root of the same name.
    case foreignRoot = "foreign_root"
    /// The certificate's time is over.
    case expired
    /// The certificate's time has not come.
    case notYetValid = "not_yet_valid"
    /// The certificate does not say what was attested.
    case unmarked
    /// It says it in another form.
    case otherNonceForm = "other_nonce_form"
    /// It says it of another challenge.
    case otherChallenge = "other_challenge"
    /// It is for another key.
    case otherKey = "other_key"
    /// Another app.
    case otherApp = "other_app"
    /// The key has signed before.
    case counterMoved = "counter_moved"
    /// Another kind of authenticator.
    case otherAuthenticator = "other_authenticator"
    /// The credential is called by another id.
    case otherCredential = "other_credential"
    /// What the authenticator says is cut.
    case cutData = "cut_data"
    /// Something stands behind it.
    case trailingData = "trailing_data"
    /// The authenticator names another key than the certificate.
    case otherCredentialKey = "other_credential_key"
}

/// Something that is wrong with an assertion on purpose.
package enum AssertionFlaw: String, Sendable, CaseIterable {
    /// A byte behind the object.
    case trailingByte = "trailing_byte"
    /// No signature.
    case noSignature = "no_signature"
    /// What the authenticator says is cut.
    case cutData = "cut_data"
    /// Signed by another key.
    case otherKey = "other_key"
    /// The digest is signed as if it were one already.
    case signedDigest = "signed_digest"
    /// Signed for another request.
    case otherRequest = "other_request"
    /// Another app.
    case otherApp = "other_app"
    /// The counter of the assertion before.
    case sameCounter = "same_counter"
}

/// Something that is wrong with a receipt on purpose.
package enum ReceiptFlaw: String, Sendable, CaseIterable {
    /// Everything is right, under another root of the same name.
    case foreignRoot = "foreign_root"
    /// The signer's time is over.
    case expired
    /// The signer may sign something else.
    case unmarked
    /// The last bit of the content is another.
    case otherContent = "other_content"
    /// Another app.
    case otherApp = "other_app"
    /// Another key.
    case otherKey = "other_key"
    /// The other environment.
    case otherEnvironment = "other_environment"
    /// Made an hour ago.
    case old
    /// Made in an hour.
    case early
    /// It does not say when it was made.
    case noCreation = "no_creation"
    /// It says so twice.
    case fieldTwice = "field_twice"
    /// Neither of an attestation nor of an exchange.
    case otherKind = "other_kind"
}
