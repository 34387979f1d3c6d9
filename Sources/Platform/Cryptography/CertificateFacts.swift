import COpenSSL
package import Primitives

/// Facts of a certificate for operators: whose it is and until when it holds.
package struct CertificateFacts: Sendable {
    /// The last common name of the subject; empty where there is none.
    package let commonName: String
    /// The host names and addresses it speaks for, in its own order; version 6 addresses as eight groups without `::`.
    package let names: [CertificateName]
    /// Not valid before this time.
    package let notBefore: WallTime
    /// Not valid after this time.
    package let notAfter: WallTime
    /// Whether it may sign other certificates.
    package let isAuthority: Bool
    /// SHA-256 of the certificate in DER, as browsers show it.
    package let fingerprint: Digest32

    /// The facts of the first certificate in a text.
    ///
    /// - Parameter pem: One or more certificates in PEM; what follows the first is not read.
    /// - Throws: `invalidCertificate` where it cannot be read.
    package init(pem: [UInt8]) throws(CryptographyError) {
        let certificate = try Certificate(pem: pem)
        var start: Int64 = 0
        var end: Int64 = 0
        guard unsafe shim_validity(certificate.handle, &start, &end) == 1 else {
            throw CryptographyError.openSSL(.invalidCertificate, "a time that is not a time")
        }
        var digest = [UInt8](repeating: 0, count: Digest32.byteCount)
        guard unsafe X509_digest(certificate.handle, EVP_sha256(), &digest, nil) == 1,
            let fingerprint = Digest32(digest.span)
        else {
            throw CryptographyError.openSSL(.failed, "X509_digest")
        }
        notBefore = WallTime(seconds: start)
        notAfter = WallTime(seconds: end)
        commonName = CertificateFacts.commonName(of: certificate)
        names = CertificateFacts.names(of: certificate)
        isAuthority = unsafe X509_check_ca(certificate.handle) == 1
        self.fingerprint = fingerprint
        // Absent extensions leave their note in the thread's queue.
        ERR_clear_error()
    }

    private static func commonName(of certificate: borrowing Certificate) -> String {
        var start: UnsafePointer<UInt8>?
        let count = unsafe shim_common_name(certificate.handle, &start)
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private static func names(of certificate: borrowing Certificate) -> [CertificateName] {
        guard let list = unsafe shim_names(certificate.handle) else { return [] }
        defer { unsafe shim_names_free(list) }
        return (0..<(unsafe shim_names_count(list))).compactMap { index in
            var start: UnsafePointer<UInt8>?
            var kind: Int32 = 0
            let count = unsafe shim_names_item(list, index, &kind, &start)
            let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
            switch kind {
            case GEN_DNS: return .host(String(decoding: bytes, as: UTF8.self))
            case GEN_IPADD: return .address(text(ofAddress: bytes))
            default: return nil
            }
        }
    }

    private static func text(ofAddress bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
