package import Cryptography
package import Primitives

/// Issues certificates of pass types in the shape that their vendor gives them, under a root that nobody else believes.
package struct PassAuthority: Sendable {
    /// What phones believe.
    package let root: IssuedCertificate
    /// Stands between the root and certificates of pass types.
    package let intermediate: IssuedCertificate

    private static let organization = "Sallyport Simulator"
    private static let day = Duration.seconds(86_400)

    /// Makes a root and an intermediate.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package static func make(now: WallTime, random: any RandomSource) throws(CryptographyError) -> PassAuthority {
        let root = try IssuedCertificate.make(
            CertificateProfile(
                subject: [
                    .init("CN", "Simulated Root CA"), .init("OU", "Simulated Certification Authority"),
                    .init("O", organization), .init("C", "US"),
                ],
                extensions: [
                    .init("basicConstraints", "critical,CA:TRUE"), .init("keyUsage", "critical,keyCertSign,cRLSign"),
                    .init("subjectKeyIdentifier", "hash"),
                ],
                lifetime: day * 7_300
            ),
            issuer: nil,
            key: .rsa2048,
            now: now,
            random: random
        )
        let intermediate = try IssuedCertificate.make(
            CertificateProfile(
                subject: [
                    .init("CN", "Simulated Worldwide Developer Relations Certification Authority"), .init("OU", "G4"),
                    .init("O", organization), .init("C", "US"),
                ],
                extensions: [
                    .init("basicConstraints", "critical,CA:TRUE,pathlen:0"),
                    .init("keyUsage", "critical,keyCertSign,cRLSign"), .init("subjectKeyIdentifier", "hash"),
                    .init("authorityKeyIdentifier", "keyid"), .init("1.2.840.113635.100.6.2.1", "DER:05:00"),
                ],
                lifetime: day * 3_650
            ),
            issuer: root,
            key: .rsa2048,
            now: now,
            random: random
        )
        return PassAuthority(root: root, intermediate: intermediate)
    }

    /// Issues the certificate of a pass type, with a new RSA key; it signs passes, and wakes phones.
    ///
    /// - Parameters:
    ///   - type: For example `pass.com.example.member`.
    ///   - team: Ten capitals and digits.
    /// - Throws: `failed` where OpenSSL refuses.
    package func issue(
        type: String,
        team: String,
        now: WallTime,
        random: any RandomSource
    ) throws(CryptographyError) -> IssuedCertificate {
        try IssuedCertificate.make(
            CertificateProfile(
                subject: [
                    .init("UID", type), .init("CN", "Pass Type ID: \(type)"), .init("OU", team),
                    .init("O", Self.organization), .init("C", "US"),
                ],
                extensions: [
                    .init("basicConstraints", "critical,CA:FALSE"), .init("keyUsage", "critical,digitalSignature"),
                    .init("extendedKeyUsage", "clientAuth,1.2.840.113635.100.4.14"),
                    .init("subjectKeyIdentifier", "hash"), .init("authorityKeyIdentifier", "keyid"),
                    .init("1.2.840.113635.100.6.1.16", "ASN1:UTF8String:\(type)"),
                    .init("1.2.840.113635.100.6.3.2", "DER:05:00"),
                ],
                lifetime: Self.day * 397
            ),
            issuer: intermediate,
            key: .rsa2048,
            now: now,
            random: random
        )
    }
}
