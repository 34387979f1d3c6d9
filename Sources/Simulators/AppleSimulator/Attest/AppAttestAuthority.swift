package import Cryptography
import EventIO
package import Primitives

/// Root, intermediate and receipt signer in the shape that Apple's have for App Attest, under names that say they are for tests.
///
/// Unlike Apple's, the intermediate's key is on P-256.
package struct AppAttestAuthority: Sendable {
    /// What verifiers of attestations believe.
    package let root: IssuedCertificate
    /// What verifiers of receipts believe.
    package let receiptRoot: IssuedCertificate
    /// What issues for devices; for tests that want another certificate than a device has.
    package let issuing: IssuedCertificate
    let intermediate: Issuer
    let receiptIntermediate: IssuedCertificate
    let receiptSigner: Issuer

    /// A certificate with its key, ready to sign.
    struct Issuer: Sendable {
        let certificate: X509Certificate
        let key: ES256PrivateKey

        init(_ issued: IssuedCertificate) throws(CryptographyError) {
            certificate = try X509Certificate(issued.certificatePEM)
            key = try ES256PrivateKey(pem: issued.keyPEM)
        }
    }

    private static let year = Duration.seconds(365 * 86_400)

    /// Makes a root for attestations, valid from ten years ago to thirty years ahead.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package static func makeRoot(now: WallTime) throws(CryptographyError) -> IssuedCertificate {
        try IssuedCertificate.make(
            CertificateProfile(
                subject: subject("Sallyport Test App Attestation Root CA"),
                extensions: [
                    .init("basicConstraints", "critical,CA:TRUE"), .init("keyUsage", "critical,keyCertSign,cRLSign"),
                    .init("subjectKeyIdentifier", "hash"),
                ],
                lifetime: year * 30,
                backdating: year * 10
            ),
            issuer: nil,
            key: .p384,
            now: now,
            random: KernelRandom()
        )
    }

    /// Issues what stands between the roots and a device.
    ///
    /// - Parameters:
    ///   - root: As `makeRoot` gives it.
    ///   - receiptRoot: As `AppStoreAuthority.makeRoot` gives it.
    /// - Throws: `failed` where OpenSSL refuses, `invalidKey` where certificate and key of a root cannot be read.
    package init(
        root: IssuedCertificate,
        receiptRoot: IssuedCertificate,
        now: WallTime
    ) throws(CryptographyError) {
        self.root = root
        self.receiptRoot = receiptRoot
        issuing = try Self.issueAuthority("Sallyport Test App Attestation CA 1", root, "CA:TRUE,pathlen:0", now)
        intermediate = try Issuer(issuing)
        receiptIntermediate = try Self.issueAuthority(
            "Sallyport Test Application Integration CA 5",
            receiptRoot,
            "CA:TRUE",
            now
        )
        receiptSigner = try Issuer(Self.issueReceiptSigner(receiptIntermediate, nil, now))
    }

    /// An authority with roots of its own, for tests.
    package static func make(now: WallTime) throws(CryptographyError) -> AppAttestAuthority {
        try AppAttestAuthority(root: makeRoot(now: now), receiptRoot: AppStoreAuthority.makeRoot(now: now), now: now)
    }

    // MARK: Issuing

    private static func subject(_ name: String) -> [CertificateProfile.Attribute] {
        [.init("CN", name), .init("O", "Sallyport Simulator"), .init("ST", "California")]
    }

    private static func issueAuthority(
        _ name: String,
        _ root: IssuedCertificate,
        _ constraints: String,
        _ now: WallTime
    ) throws(CryptographyError) -> IssuedCertificate {
        try IssuedCertificate.make(
            CertificateProfile(
                subject: subject(name),
                extensions: [
                    .init("basicConstraints", "critical,\(constraints)"),
                    .init("keyUsage", "critical,keyCertSign,cRLSign"), .init("subjectKeyIdentifier", "hash"),
                    .init("authorityKeyIdentifier", "keyid"),
                ],
                lifetime: year * 10,
                backdating: year * 5
            ),
            issuer: root,
            key: .p256,
            now: now,
            random: KernelRandom()
        )
    }

    static func issueReceiptSigner(
        _ issuer: IssuedCertificate,
        _ flaw: ReceiptFlaw?,
        _ now: WallTime
    ) throws(CryptographyError) -> IssuedCertificate {
        let mark = CertificateProfile.Extension("1.2.840.113635.100.12.15", "DER:05:00")
        return try IssuedCertificate.make(
            CertificateProfile(
                subject: subject("Sallyport Test Attestation Fraud Receipt Signing"),
                extensions: [
                    .init("basicConstraints", "critical,CA:FALSE"), .init("keyUsage", "critical,digitalSignature"),
                    .init("subjectKeyIdentifier", "hash"), .init("authorityKeyIdentifier", "keyid"),
                ] + (flaw == .unmarked ? [] : [mark]),
                lifetime: flaw == .expired ? .seconds(-86_400) : year * 5,
                backdating: year
            ),
            issuer: issuer,
            key: .p256,
            now: now,
            random: KernelRandom()
        )
    }
}
