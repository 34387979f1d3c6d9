import COpenSSL
package import Primitives

/// A question to an authority's responder: is a certificate still good? RFC 6960 section 4.1.
package enum OCSPRequest {
    /// The media type to send it with, by POST.
    package static let mediaType = "application/ocsp-request"

    /// The question about one certificate.
    ///
    /// - Parameter issuer: That of the certificate.
    /// - Returns: DER; without a nonce, since responders keep ready-made answers.
    /// - Throws: `failed` where OpenSSL refuses.
    package static func about(
        _ certificate: X509Certificate,
        issuer: X509Certificate
    ) throws(CryptographyError) -> [UInt8] {
        let certificate = try Certificate.reading(der: certificate.der)
        let issuer = try Certificate.reading(der: issuer.der)
        guard let request = unsafe OCSP_REQUEST_new() else { throw .openSSL(.failed, "OCSP_REQUEST_new") }
        defer { unsafe OCSP_REQUEST_free(request) }
        guard let id = unsafe OCSP_cert_to_id(EVP_sha256(), certificate.handle, issuer.handle) else {
            throw .openSSL(.failed, "OCSP_cert_to_id")
        }
        // The request takes it over.
        guard unsafe OCSP_request_add0_id(request, id) != nil else {
            unsafe OCSP_CERTID_free(id)
            throw .openSSL(.failed, "OCSP_request_add0_id")
        }
        let count = unsafe i2d_OCSP_REQUEST(request, nil)
        guard count > 0 else { throw .openSSL(.failed, "i2d_OCSP_REQUEST") }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe bytes.withUnsafeMutableBufferPointer { room in
            var start = room.baseAddress
            return unsafe i2d_OCSP_REQUEST(request, &start)
        }
        guard written == count else { throw .openSSL(.failed, "i2d_OCSP_REQUEST") }
        return bytes
    }
}

extension X509Certificate {
    /// Where the authority answers questions about the certificate; `nil` where it names no http or https address.
    ///
    /// The address is the authority's choice: only that of a certificate that is trusted is asked.
    package var responder: HTTPURL? {
        guard let content = value(ofExtension: "1.3.6.1.5.5.7.1.1"), let list = try? DERValue(content),
            let descriptions = try? list.values(of: DERValue.Tag.sequence)
        else { return nil }
        for description in descriptions {
            // The method, and a general name that is a URI.
            guard let parts = try? description.values(of: DERValue.Tag.sequence), parts.count == 2,
                let method = try? parts[0].identifier(), method == "1.3.6.1.5.5.7.48.1", parts[1].tag == 0x86
            else { continue }
            if let url = HTTPURL(String(decoding: parts[1].content, as: UTF8.self)) { return url }
        }
        return nil
    }
}
