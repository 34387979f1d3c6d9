import COpenSSL

/// The certificate that a client has shown; it has proven that it has the key, whatever the chain is worth.
package struct TLSPeerCertificate: Sendable {
    /// An attribute of the subject.
    package struct Attribute: Sendable, Hashable {
        /// Short name as OpenSSL has it, for example `CN`, `OU`, `UID`.
        package let name: String
        /// As the certificate has it; not checked for anything.
        package let value: String
    }

    /// In the order of the certificate.
    package let subject: [Attribute]
    /// Why it leads to no authority of the server, in OpenSSL's words; `nil` where it does.
    package let complaint: String?

    /// The values of an attribute of the subject.
    package func values(_ name: String) -> [String] {
        subject.filter { $0.name == name }.map(\.value)
    }

    init?(of session: OpaquePointer) {
        guard let handle = unsafe SSL_get1_peer_certificate(session) else { return nil }
        let certificate = unsafe Certificate(handle: handle)
        subject = TLSPeerCertificate.subject(of: certificate)
        let result = unsafe SSL_get_verify_result(session)
        complaint = unsafe result == Int(X509_V_OK) ? nil : String(cString: X509_verify_cert_error_string(result))
    }

    private static func subject(of certificate: borrowing Certificate) -> [Attribute] {
        let name = unsafe X509_get_subject_name(certificate.handle)
        return (0..<(unsafe X509_NAME_entry_count(name))).compactMap { index in
            let entry = unsafe X509_NAME_get_entry(name, index)
            let kind = unsafe OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry))
            var text: UnsafeMutablePointer<UInt8>?
            let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
            guard let text = unsafe text else { return nil }
            defer { unsafe CRYPTO_free(text, "", 0) }
            guard count >= 0, let short = unsafe OBJ_nid2sn(kind) else { return nil }
            let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(count))
            return unsafe Attribute(name: String(cString: short), value: String(decoding: bytes, as: UTF8.self))
        }
    }
}
