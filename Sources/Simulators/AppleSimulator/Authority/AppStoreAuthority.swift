package import Cryptography
import EventIO
import JOSE
package import Primitives

/// Root, intermediate and leaf in the shape that the store's have, under names that say they are for tests.
package struct AppStoreAuthority: Sendable {
    /// Something that is wrong with the certificates on purpose.
    package enum Flaw: String, Sendable, CaseIterable {
        /// The leaf's time is over.
        case expired
        /// The leaf lacks the extension that lets it sign texts of the store.
        case unmarked
        /// The intermediate lacks its extension.
        case unmarkedIntermediate
        /// Everything is right, under another root of the same name.
        case foreign
    }

    /// The certificates that a text carries, and the key of the first.
    package struct Signer: Sendable {
        /// Leaf, intermediate and root, DER.
        let chain: [[UInt8]]
        let texts: JWTSigner
        let notAfter: WallTime
    }

    /// What verifiers believe.
    package let root: IssuedCertificate
    /// Answers for the state of certificates; empty where none does.
    let responderURL: String
    private(set) var intermediate: IssuedCertificate
    private(set) var leaf: IssuedCertificate
    /// Whoever has issued certificates, those of before among them.
    private(set) var issuers: [IssuedCertificate]
    /// Of texts without a flaw.
    package private(set) var signer: Signer

    private static let day = Duration.seconds(86_400)
    private static let year = Duration.seconds(365 * 86_400)
    private static let mark = "DER:05:00"
    private static let intermediateMark = CertificateProfile.Extension("1.2.840.113635.100.6.2.1", mark)
    private static let leafMark = CertificateProfile.Extension("1.2.840.113635.100.6.11.1", mark)

    /// Makes a root.
    ///
    /// It is valid from ten years ago to thirty years ahead, so that a simulated clock may go far.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package static func makeRoot(now: WallTime) throws(CryptographyError) -> IssuedCertificate {
        try IssuedCertificate.make(
            CertificateProfile(
                subject: subject("Sallyport Test Root CA - G3"),
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

    /// Issues an intermediate and a leaf.
    ///
    /// - Parameters:
    ///   - root: On P-384, as `makeRoot` gives it.
    ///   - responderURL: For the certificates to name; empty for none.
    ///   - now: By the clock of the texts that it is to sign.
    /// - Throws: `failed` where OpenSSL refuses, `invalidKey` where certificate and key of the root cannot be read.
    package init(root: IssuedCertificate, responderURL: String, now: WallTime) throws(CryptographyError) {
        self.root = root
        self.responderURL = responderURL
        intermediate = try Self.issueIntermediate(root, responderURL, isMarked: true, now)
        leaf = try Self.issueLeaf(intermediate, responderURL, .none, now)
        signer = try Self.signer([leaf, intermediate, root])
        issuers = [root, intermediate]
    }

    /// Makes a new leaf, with a new key.
    mutating func rotateLeaf(now: WallTime) throws(CryptographyError) {
        leaf = try Self.issueLeaf(intermediate, responderURL, .none, now)
        signer = try Self.signer([leaf, intermediate, root])
    }

    /// Makes a new intermediate and a leaf under it.
    mutating func rotateIntermediate(now: WallTime) throws(CryptographyError) {
        intermediate = try Self.issueIntermediate(root, responderURL, isMarked: true, now)
        issuers.append(intermediate)
        try rotateLeaf(now: now)
    }

    /// A signer with a flaw, made for the occasion.
    func signer(with flaw: Flaw, now: WallTime) throws(CryptographyError) -> Signer {
        switch flaw {
        case .expired, .unmarked:
            return try Self.signer([try Self.issueLeaf(intermediate, responderURL, flaw, now), intermediate, root])
        case .unmarkedIntermediate:
            let plain = try Self.issueIntermediate(root, responderURL, isMarked: false, now)
            return try Self.signer([try Self.issueLeaf(plain, responderURL, .none, now), plain, root])
        case .foreign:
            let root = try Self.makeRoot(now: now)
            return try AppStoreAuthority(root: root, responderURL: responderURL, now: now).signer
        }
    }

    /// A certificate that signs itself, as the tests of Xcode have it.
    package static func xcodeSigner(now: WallTime) throws(CryptographyError) -> Signer {
        let own = try IssuedCertificate.make(
            CertificateProfile(
                subject: subject("StoreKit Testing in Xcode (test)"),
                extensions: [
                    .init("basicConstraints", "critical,CA:TRUE"),
                    .init("keyUsage", "critical,digitalSignature,keyCertSign"),
                ],
                lifetime: year,
                backdating: day
            ),
            issuer: nil,
            key: .p256,
            now: now,
            random: KernelRandom()
        )
        return try signer([own])
    }

    // MARK: Issuing

    private static func subject(_ name: String) -> [CertificateProfile.Attribute] {
        [
            .init("CN", name), .init("OU", "Test Certification Authority"), .init("O", "Sallyport Simulator"),
            .init("C", "US"),
        ]
    }

    private static func issueIntermediate(
        _ root: IssuedCertificate,
        _ responder: String,
        isMarked: Bool,
        _ now: WallTime
    ) throws(CryptographyError) -> IssuedCertificate {
        try IssuedCertificate.make(
            CertificateProfile(
                subject: subject("Sallyport Test Worldwide Developer Relations CA"),
                extensions: [
                    .init("basicConstraints", "critical,CA:TRUE,pathlen:0"),
                    .init("keyUsage", "critical,keyCertSign,cRLSign"), .init("subjectKeyIdentifier", "hash"),
                    .init("authorityKeyIdentifier", "keyid"),
                ] + access(responder) + (isMarked ? [intermediateMark] : []),
                lifetime: year * 5
            ),
            issuer: root,
            key: .p384,
            now: now,
            random: KernelRandom()
        )
    }

    private static func issueLeaf(
        _ issuer: IssuedCertificate,
        _ responder: String,
        _ flaw: Flaw?,
        _ now: WallTime
    ) throws(CryptographyError) -> IssuedCertificate {
        try IssuedCertificate.make(
            CertificateProfile(
                subject: subject("Sallyport Test App Store Receipt Signing"),
                extensions: [
                    .init("basicConstraints", "critical,CA:FALSE"), .init("keyUsage", "critical,digitalSignature"),
                    .init("subjectKeyIdentifier", "hash"), .init("authorityKeyIdentifier", "keyid"),
                ] + access(responder) + (flaw == .unmarked ? [] : [leafMark]),
                lifetime: flaw == .expired ? day * -1 : day * 397,
                backdating: flaw == .expired ? day * 30 : day
            ),
            issuer: issuer,
            key: .p256,
            now: now,
            random: KernelRandom()
        )
    }

    private static func access(_ responder: String) -> [CertificateProfile.Extension] {
        responder.isEmpty ? [] : [.init("authorityInfoAccess", "OCSP;URI:\(responder)")]
    }

    private static func signer(_ chain: [IssuedCertificate]) throws(CryptographyError) -> Signer {
        guard let first = chain.first else { throw CryptographyError(.failed, "no certificate") }
        var list: [X509Certificate] = []
        for one in chain { list.append(try X509Certificate(one.certificatePEM)) }
        return Signer(
            chain: list.map(\.der),
            texts: JWTSigner(key: try ES256PrivateKey(pem: first.keyPEM), certificates: list),
            notAfter: list[0].notAfter
        )
    }
}
