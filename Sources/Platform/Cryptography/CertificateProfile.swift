import COpenSSL
package import Primitives

/// What a certificate of a simulated vendor says beyond names of hosts.
package struct CertificateProfile: Sendable {
    /// A part of the subject.
    package struct Attribute: Sendable {
        let name: String
        let value: String

        /// A part, for example `UID`.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// An extension in OpenSSL's textual form.
    package struct Extension: Sendable {
        let name: String
        let value: String

        /// An extension by short name or object identifier, for example `1.2.3` with `ASN1:UTF8String:text`.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    let subject: [Attribute]
    let extensions: [Extension]
    let lifetime: Duration
    let backdating: Duration

    /// A profile; nothing is added to it but key identifiers.
    ///
    /// - Parameters:
    ///   - lifetime: From the time at which it is made; below zero for one that has expired.
    ///   - backdating: How long before that time validity begins.
    package init(
        subject: [Attribute],
        extensions: [Extension],
        lifetime: Duration,
        backdating: Duration = .seconds(86_400)
    ) {
        self.subject = subject
        self.extensions = extensions
        self.lifetime = lifetime
        self.backdating = backdating
    }
}

extension IssuedCertificate {
    /// Makes a certificate with a new key.
    ///
    /// - Parameters:
    ///   - issuer: Signs it; `nil` for a root, which signs itself.
    ///   - kind: RSA takes up to a second.
    ///   - random: Supplies the serial number.
    /// - Throws: `failed` where OpenSSL refuses, for example an extension it cannot read.
    package static func make(
        _ profile: CertificateProfile,
        issuer: IssuedCertificate?,
        key kind: KeyKind,
        now: WallTime,
        random: any RandomSource
    ) throws(CryptographyError) -> IssuedCertificate {
        let key = try Key.make(kind)
        let certificate = try Certificate()
        var serial = random.bytes(16)
        serial[0] = serial[0] & 0x7F | 0x40
        let start = now + profile.backdating * -1
        let name = unsafe X509_get_subject_name(certificate.handle)
        var isDescribed =
            unsafe X509_set_version(certificate.handle, Int(X509_VERSION_3)) == 1
            && shim_set_serial(certificate.handle, serial, serial.count) == 1
            && shim_set_validity(certificate.handle, start.seconds, (now + profile.lifetime).seconds) == 1
            && X509_set_pubkey(certificate.handle, key.handle) == 1
        for part in profile.subject {
            let value = Array(part.value.utf8)
            guard let count = Int32(exactly: value.count) else { throw CryptographyError(.failed, "a name too long") }
            isDescribed =
                unsafe isDescribed
                && X509_NAME_add_entry_by_txt(name, part.name, MBSTRING_UTF8, value, count, -1, 0) == 1
        }
        guard isDescribed else { throw CryptographyError.openSSL(.failed, "X509_set") }
        if let issuer {
            let parent = try Certificate(pem: issuer.certificatePEM)
            let parentKey = try Key(privatePEM: issuer.keyPEM.reveal())
            try certificate.add(profile.extensions, issuer: parent)
            try certificate.sign(as: parent, with: parentKey)
        } else {
            try certificate.add(profile.extensions, issuer: certificate)
            try certificate.sign(as: certificate, with: key)
        }
        return IssuedCertificate(certificatePEM: try certificate.pem(), keyPEM: Secret(try key.privatePEM()))
    }
}

extension Certificate {
    fileprivate func add(
        _ extensions: [CertificateProfile.Extension],
        issuer: borrowing Certificate
    ) throws(CryptographyError) {
        for one in extensions {
            guard unsafe shim_add_named_extension(issuer.handle, handle, one.name, one.value) == 1 else {
                throw CryptographyError.openSSL(.failed, "X509V3_EXT_nconf")
            }
        }
    }
}
