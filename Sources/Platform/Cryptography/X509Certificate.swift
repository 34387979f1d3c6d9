import COpenSSL
package import Primitives

/// A certificate of X.509 as a value: its bytes, and what a reader of its fields wants to know.
///
/// Nothing is said about its worth; see `isSigned` and `SignedMessage.verify`.
package struct X509Certificate: Sendable {
    /// The certificate in DER.
    package let der: [UInt8]
    /// The serial number, big-endian, as it is encoded.
    package let serialNumber: [UInt8]
    /// The name of the issuer in DER.
    package let issuer: [UInt8]
    /// The name of the subject in DER.
    package let subject: [UInt8]
    /// Not valid before this time.
    package let notBefore: WallTime
    /// Not valid after this time.
    package let notAfter: WallTime
    private let subjectAttributes: [NameAttribute]
    private let issuerAttributes: [NameAttribute]
    private let extensions: [CertificateExtension]

    private struct NameAttribute {
        let identifier: String
        let text: String?
    }

    private struct CertificateExtension {
        let identifier: String
        let isCritical: Bool
        let content: [UInt8]
    }

    /// Reads the first certificate of bytes in PEM or DER, told apart by their content.
    ///
    /// - Throws: `invalidCertificate` where there is none, or one that cannot be read.
    package init(_ bytes: [UInt8]) throws(CryptographyError) {
        try self.init(der: bytes.first == DERValue.Tag.sequence ? bytes : Certificate(pem: bytes).der())
    }

    /// Reads a certificate in DER, with nothing behind it.
    ///
    /// - Throws: `invalidCertificate` for anything else.
    package init(der: [UInt8]) throws(CryptographyError) {
        // OpenSSL must be able to read what is read here.
        _ = try Certificate.reading(der: der)
        do throws(DERError) {
            try self.init(reading: der)
        } catch {
            throw CryptographyError(.invalidCertificate, error.sentence)
        }
    }

    /// Reads all certificates of a text in PEM, or the one of bytes in DER.
    ///
    /// - Throws: `invalidCertificate` where there is none, or one that cannot be read.
    package static func list(_ bytes: [UInt8]) throws(CryptographyError) -> [X509Certificate] {
        if bytes.first == DERValue.Tag.sequence { return [try X509Certificate(bytes)] }
        let list = try CertificateList(pem: bytes)
        guard list.count > 0 else { throw CryptographyError(.invalidCertificate, "no certificate in PEM or DER") }
        return try list.values()
    }

    private init(reading der: [UInt8]) throws(DERError) {
        self.der = der
        let parts = try DERValue(der).values(of: DERValue.Tag.sequence)
        guard parts.count == 3 else { throw DERError("a certificate has three parts") }
        var fields = try parts[0].values(of: DERValue.Tag.sequence)
        if fields.first?.tag == 0xA0 { fields.removeFirst() }
        guard fields.count >= 6 else { throw DERError("a certificate has six fields at least") }
        serialNumber = fields[0].content
        issuer = fields[2].encoding
        subject = fields[4].encoding
        let validity = try fields[3].values(of: DERValue.Tag.sequence)
        guard validity.count == 2 else { throw DERError("a validity has two ends") }
        notBefore = try validity[0].time()
        notAfter = try validity[1].time()
        subjectAttributes = try X509Certificate.attributes(ofName: fields[4])
        issuerAttributes = try X509Certificate.attributes(ofName: fields[2])
        extensions =
            try fields.dropFirst(6).first { $0.tag == 0xA3 }.map { (field) throws(DERError) in
                try X509Certificate.extensions(in: field)
            } ?? []
    }

    private static func attributes(ofName name: DERValue) throws(DERError) -> [NameAttribute] {
        var attributes: [NameAttribute] = []
        for set in try name.values(of: DERValue.Tag.sequence) {
            for pair in try set.values(of: DERValue.Tag.set) {
                let parts = try pair.values(of: DERValue.Tag.sequence)
                guard parts.count == 2 else { throw DERError("an attribute of a name has two parts") }
                attributes.append(NameAttribute(identifier: try parts[0].identifier(), text: parts[1].text))
            }
        }
        return attributes
    }

    private static func extensions(in field: DERValue) throws(DERError) -> [CertificateExtension] {
        guard let list = try field.values().first else { throw DERError("no list of extensions") }
        var extensions: [CertificateExtension] = []
        for item in try list.values(of: DERValue.Tag.sequence) {
            let parts = try item.values(of: DERValue.Tag.sequence)
            guard parts.count == 2 || parts.count == 3 && parts[1].tag == DERValue.Tag.boolean,
                let first = parts.first, let last = parts.last, last.tag == DERValue.Tag.octetString
            else { throw DERError("an extension has a name, perhaps a mark, and a content") }
            let isCritical = parts.count == 3 && parts[1].content != [0]
            let identifier = try first.identifier()
            extensions.append(
                CertificateExtension(identifier: identifier, isCritical: isCritical, content: last.content)
            )
        }
        return extensions
    }
}

extension X509Certificate: Hashable {
    package static func == (one: X509Certificate, other: X509Certificate) -> Bool { one.der == other.der }

    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

// MARK: - Fields

extension X509Certificate {
    /// The texts of the subject under an object identifier, in order; one that is no text is left out.
    package func subjectTexts(_ identifier: String) -> [String] {
        subjectAttributes.filter { $0.identifier == identifier }.compactMap(\.text)
    }

    /// The texts of the issuer under an object identifier, in order; one that is no text is left out.
    package func issuerTexts(_ identifier: String) -> [String] {
        issuerAttributes.filter { $0.identifier == identifier }.compactMap(\.text)
    }

    /// The content of an extension; `nil` where it is absent.
    package func value(ofExtension identifier: String) -> [UInt8]? {
        extensions.first { $0.identifier == identifier }?.content
    }

    /// The object identifiers of the extended key usage; none where it is absent or cannot be read.
    package var extendedUsages: [String] {
        guard let content = value(ofExtension: "2.5.29.37"), let list = try? DERValue(content),
            let values = try? list.values(of: DERValue.Tag.sequence)
        else { return [] }
        return values.compactMap { try? $0.identifier() }
    }

    /// Whether the key usage has `digitalSignature`; `false` where it is absent.
    package var maySign: Bool { hasUsage(0x80) }

    /// Whether it may sign other certificates; a key usage that is absent does not forbid it.
    package var isAuthority: Bool {
        guard let isAuthority = basicConstraints?.isAuthority, isAuthority else { return false }
        return value(ofExtension: "2.5.29.15") == nil || maySignCertificates
    }

    /// Whether the key usage has `keyCertSign`; `false` where it is absent.
    package var maySignCertificates: Bool { hasUsage(0x04) }

    /// How many authorities may stand between it and the last certificate; `nil` where nothing is said.
    package var pathLength: Int? { basicConstraints?.pathLength }

    /// The basic constraints, RFC 5280 section 4.2.1.9; `nil` where they are absent or cannot be read.
    private var basicConstraints: (isAuthority: Bool, pathLength: Int?)? {
        guard let content = value(ofExtension: "2.5.29.19"), let basic = try? DERValue(content),
            let values = try? basic.values(of: DERValue.Tag.sequence)
        else { return nil }
        var rest = values[...]
        var isAuthority = false
        if let first = rest.first, first.tag == DERValue.Tag.boolean {
            isAuthority = first.content == [0xFF]
            rest.removeFirst()
        }
        guard let length = rest.popFirst() else { return (isAuthority, nil) }
        guard rest.isEmpty, let digits = try? length.magnitude() else { return nil }
        // No path is that long.
        return (isAuthority, digits.count > 2 ? Int(UInt16.max) : digits.reduce(0) { $0 << 8 | Int($1) })
    }

    /// The object identifiers of the extensions that a reader has to understand, in order.
    package var criticalExtensions: [String] { extensions.filter(\.isCritical).map(\.identifier) }

    /// Whether an extension stands there twice, which RFC 5280 section 4.2 forbids: two readers could take either.
    package var repeatsAnExtension: Bool { Set(extensions.map(\.identifier)).count < extensions.count }

    /// The identifier of its own key; `nil` where it is absent.
    package var keyIdentifier: [UInt8]? {
        guard let content = value(ofExtension: "2.5.29.14"), let value = try? DERValue(content) else { return nil }
        return value.content
    }

    /// The identifier of the key that signed it; `nil` where it is absent.
    package var issuerKeyIdentifier: [UInt8]? {
        guard let content = value(ofExtension: "2.5.29.35"), let value = try? DERValue(content),
            let parts = try? value.values(of: DERValue.Tag.sequence)
        else { return nil }
        return parts.first { $0.tag == 0x80 }?.content
    }

    private func hasUsage(_ bit: UInt8) -> Bool {
        // The first byte counts the bits that are not used.
        guard let content = value(ofExtension: "2.5.29.15"), let bits = try? DERValue(content),
            bits.tag == DERValue.Tag.bitString, bits.content.count >= 2
        else { return false }
        return bits.content[1] & bit != 0
    }

    /// The certificate in PEM.
    package func pem() throws(CryptographyError) -> [UInt8] { try Certificate.reading(der: der).pem() }

    /// SHA-256 of the certificate in DER.
    package var fingerprint: Digest32 { SHA256.digest(of: der) }

    /// Whether another certificate is the issuer by name, and its key verifies the signature.
    ///
    /// - Parameter strength: What the issuer's key and the digest of the signature have to have, in bits: 112 excludes SHA-1
    ///   and RSA of 1024 bits.
    package func isSigned(by issuer: X509Certificate, strength: Int32 = 0) -> Bool {
        guard self.issuer == issuer.subject, let certificate = try? Certificate.reading(der: der),
            let authority = try? Certificate.reading(der: issuer.der)
        else { return false }
        defer { ERR_clear_error() }
        let key = unsafe X509_get0_pubkey(authority.handle)
        if strength > 0 {
            var bits: Int32 = 0
            guard unsafe X509_get_signature_info(certificate.handle, nil, nil, &bits, nil) == 1, bits >= strength,
                unsafe EVP_PKEY_get_security_bits(key) >= strength
            else { return false }
        }
        return unsafe X509_verify(certificate.handle, key) == 1
    }

    /// Whether a time is within its validity.
    package func isValid(at time: WallTime) -> Bool { notBefore <= time && time <= notAfter }
}

extension Certificate {
    /// Reads a certificate in DER, with nothing behind it.
    static func reading(der: [UInt8]) throws(CryptographyError) -> Certificate {
        let memory = try Memory.holding(der)
        guard let handle = unsafe d2i_X509_bio(memory.handle, nil) else {
            throw CryptographyError.openSSL(.invalidCertificate, "not a certificate in DER")
        }
        // Owned, so that it is freed whatever follows.
        let certificate = unsafe Certificate(owning: handle)
        guard memory.bytes.isEmpty else {
            throw CryptographyError(.invalidCertificate, "bytes behind a certificate in DER")
        }
        return certificate
    }

    /// The certificate in DER.
    func der() throws(CryptographyError) -> [UInt8] {
        let memory = try Memory()
        guard unsafe i2d_X509_bio(memory.handle, handle) == 1 else {
            throw CryptographyError.openSSL(.failed, "i2d_X509_bio")
        }
        return memory.bytes
    }
}

extension CertificateList {
    /// The certificates as values.
    func values() throws(CryptographyError) -> [X509Certificate] {
        var values: [X509Certificate] = []
        for index in 0..<count {
            let memory = try Memory()
            guard unsafe i2d_X509_bio(memory.handle, shim_certificate(handle, index)) == 1 else {
                throw CryptographyError.openSSL(.failed, "i2d_X509_bio")
            }
            values.append(try X509Certificate(memory.bytes))
        }
        return values
    }
}
