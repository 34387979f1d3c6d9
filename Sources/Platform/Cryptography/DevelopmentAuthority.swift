import COpenSSL
package import Primitives

/// A certificate with the key that belongs to it.
package struct IssuedCertificate: Sendable {
    /// The certificate in PEM, without its issuer.
    package let certificatePEM: [UInt8]
    /// The private key as PKCS#8 in PEM.
    package let keyPEM: Secret<[UInt8]>

    /// A certificate that was made before; its parts are read where it is used.
    package init(certificatePEM: [UInt8], keyPEM: Secret<[UInt8]>) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }
}

/// A certificate authority for a developer's own machine.
///
/// Its certificate is held to the names it was made for, so that a person who trusts it in a browser risks nothing should
/// its key leak. Keys are ECDSA on P-256 unless another kind is asked for. Making and issuing take well under a millisecond
/// but for RSA keys; no I/O.
package struct DevelopmentAuthority: Sendable {
    /// The authority's own certificate in PEM: what a browser or `curl --cacert` is given.
    package let certificatePEM: [UInt8]
    /// The authority's private key as PKCS#8 in PEM.
    package let keyPEM: Secret<[UInt8]>

    /// How long the authority's own certificate is valid: ten years.
    package static let lifetime = Duration.seconds(3650 * 86_400)
    /// How long an issued certificate is valid: 397 days, the longest that every browser takes.
    package static let leafLifetime = Duration.seconds(397 * 86_400)
    /// How far back validity begins: a day, for machines whose clock is behind.
    private static let backdating = Duration.seconds(-86_400)

    /// An authority that was made before.
    ///
    /// - Throws: `invalidCertificate` or `invalidKey` where one cannot be read, the two do not belong together, or the
    ///   certificate is not an authority's.
    package init(certificatePEM: [UInt8], keyPEM: Secret<[UInt8]>) throws(CryptographyError) {
        let certificate = try Certificate(pem: certificatePEM)
        let key = try Key(privatePEM: keyPEM.reveal())
        guard unsafe X509_check_private_key(certificate.handle, key.handle) == 1 else {
            throw CryptographyError.openSSL(.invalidKey, "the key does not belong to the certificate")
        }
        guard unsafe X509_check_ca(certificate.handle) == 1 else {
            throw CryptographyError.openSSL(.invalidCertificate, "not the certificate of an authority")
        }
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }

    /// Makes an authority with a new key.
    ///
    /// - Parameters:
    ///   - name: The common name, which browsers show in their list.
    ///   - names: All that it may ever issue for; a host stands for its subdomains too.
    ///   - intermediates: How many authorities may stand between it and a server's certificate, 0 or more.
    ///   - random: Supplies the serial number; the key comes from OpenSSL's generator.
    /// - Returns: The authority; the caller stores both parts.
    /// - Throws: `invalidCertificate` for a malformed name; `failed` where OpenSSL refuses.
    package static func make(
        name: String,
        permitting names: [CertificateName],
        intermediates: Int = 0,
        now: WallTime,
        random: any RandomSource
    ) throws(CryptographyError) -> DevelopmentAuthority {
        let key = try Key.make(on: .p256)
        let certificate = try Certificate()
        try certificate.describe(
            subject: name,
            serial: serial(random),
            from: now + backdating,
            to: now + lifetime,
            key: key
        )
        let constraints = try text(names.map(\.constraintText))
        try certificate.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:\(intermediates)", issuer: certificate)
        try certificate.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: certificate)
        try certificate.add(NID_subject_key_identifier, "hash", issuer: certificate)
        try certificate.add(NID_name_constraints, "critical," + constraints, issuer: certificate)
        try certificate.sign(as: certificate, with: key)
        return DevelopmentAuthority(
            trusted: try certificate.pem(),
            keyPEM: Secret(try key.privatePEM())
        )
    }

    /// Issues an authority that stands between this one and the certificates of servers.
    ///
    /// It is held to the same names, and valid for as long as an authority that is made at the same time.
    ///
    /// - Parameters:
    ///   - random: Supplies the serial number; the key comes from OpenSSL's generator.
    /// - Returns: The authority, without this one's certificate; it issues for servers only.
    /// - Throws: `failed` where OpenSSL refuses. Where this one was made for no intermediates, the new one is signed all the
    ///   same, and what it issues is refused by every client.
    package func issueAuthority(
        name: String,
        now: WallTime,
        random: any RandomSource
    ) throws(CryptographyError) -> DevelopmentAuthority {
        let issuer = try Certificate(pem: certificatePEM)
        let issuerKey = try Key(privatePEM: keyPEM.reveal())
        let key = try Key.make(on: .p256)
        let certificate = try Certificate()
        try certificate.describe(
            subject: name,
            serial: DevelopmentAuthority.serial(random),
            from: now + DevelopmentAuthority.backdating,
            to: now + DevelopmentAuthority.lifetime,
            key: key
        )
        try certificate.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: issuer)
        try certificate.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: issuer)
        try certificate.add(NID_subject_key_identifier, "hash", issuer: issuer)
        try certificate.add(NID_authority_key_identifier, "keyid", issuer: issuer)
        try certificate.sign(as: issuer, with: issuerKey)
        return DevelopmentAuthority(trusted: try certificate.pem(), keyPEM: Secret(try key.privatePEM()))
    }

    /// Issues a server certificate with a new key.
    ///
    /// - Parameters:
    ///   - names: What the server is called; the first host becomes the common name.
    /// - Returns: A certificate for TLS servers.
    /// - Throws: `invalidCertificate` for a malformed name or none; `failed` where OpenSSL refuses. A name outside the
    ///   authority's limits is signed all the same, and refused by every client.
    package func issue(
        for names: [CertificateName],
        key kind: KeyKind = .p256,
        now: WallTime,
        random: any RandomSource
    ) throws(CryptographyError) -> IssuedCertificate {
        let issuer = try Certificate(pem: certificatePEM)
        let issuerKey = try Key(privatePEM: keyPEM.reveal())
        let key = try Key.make(kind)
        let certificate = try Certificate()
        try certificate.describe(
            subject: DevelopmentAuthority.commonName(names),
            serial: DevelopmentAuthority.serial(random),
            from: now + DevelopmentAuthority.backdating,
            to: now + DevelopmentAuthority.leafLifetime,
            key: key
        )
        let alternatives = try DevelopmentAuthority.text(names.map(\.extensionText))
        try certificate.add(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer)
        try certificate.add(NID_key_usage, "critical,digitalSignature", issuer: issuer)
        try certificate.add(NID_ext_key_usage, "serverAuth", issuer: issuer)
        try certificate.add(NID_subject_key_identifier, "hash", issuer: issuer)
        try certificate.add(NID_authority_key_identifier, "keyid", issuer: issuer)
        try certificate.add(NID_subject_alt_name, alternatives, issuer: issuer)
        try certificate.sign(as: issuer, with: issuerKey)
        return IssuedCertificate(certificatePEM: try certificate.pem(), keyPEM: Secret(try key.privatePEM()))
    }

    private init(trusted certificatePEM: [UInt8], keyPEM: Secret<[UInt8]>) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }

    /// 127 random bits, positive as RFC 5280 section 4.1.2.2 asks.
    private static func serial(_ random: any RandomSource) -> [UInt8] {
        var bytes = random.bytes(16)
        bytes[0] = bytes[0] & 0x7F | 0x40
        return bytes
    }

    private static func commonName(_ names: [CertificateName]) -> String {
        for case .host(let name) in names { return name }
        return "server"
    }

    private static func text(_ parts: [String?]) throws(CryptographyError) -> String {
        let valid = parts.compactMap(\.self)
        guard !valid.isEmpty, valid.count == parts.count else {
            throw CryptographyError(.invalidCertificate, "a certificate needs well-formed names")
        }
        return valid.joined(separator: ",")
    }
}
