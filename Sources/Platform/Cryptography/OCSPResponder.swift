import COpenSSL
package import Primitives

/// Answers for the state of certificates, RFC 6960, as an authority signs them itself.
///
/// For authorities of simulated vendors.
package enum OCSPResponder {
    /// What a certificate is worth.
    package enum Status: Sendable, Equatable {
        /// Nothing is known against it.
        case good
        /// Withdrawn since then.
        case revoked(at: WallTime)
        /// Nobody knows it.
        case unknown
    }

    /// Why there is no answer, in the numbers of section 4.2.1.
    package enum Failure: Int32, Sendable {
        /// The request cannot be read.
        case malformedRequest = 1
        /// Something is wrong with the responder.
        case internalError = 2
        /// The client is to come again.
        case tryLater = 3
        /// The certificate is somebody else's.
        case unauthorized = 6
    }

    /// The time for which an answer holds.
    package struct Validity: Sendable {
        let start: WallTime
        let end: WallTime

        /// From one time to another.
        package init(from start: WallTime, to end: WallTime) {
            (self.start, self.end) = (start, end)
        }
    }

    /// An answer without a state.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package static func answer(_ failure: Failure) throws(CryptographyError) -> [UInt8] {
        try unsafe encode(OCSP_response_create(failure.rawValue, nil))
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: DER, from anywhere.
    ///   - issuers: Whose certificates it may be about.
    ///   - signer: Signs in the place of the issuer; `nil` for the issuer itself.
    ///   - status: Of a serial number, big-endian without zeros in front.
    /// - Returns: DER; a failure for a request that cannot be read or is about other certificates.
    /// - Throws: `failed` where OpenSSL refuses.
    package static func answer(
        to request: [UInt8],
        issuers: [IssuedCertificate],
        signer: IssuedCertificate? = nil,
        validity: Validity,
        status: (_ serial: [UInt8]) -> Status
    ) throws(CryptographyError) -> [UInt8] {
        let question = unsafe request.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_OCSP_REQUEST(nil, &start, bytes.count)
        }
        defer { unsafe OCSP_REQUEST_free(question) }
        guard unsafe question != nil, unsafe OCSP_request_onereq_count(question) == 1,
            let id = unsafe OCSP_onereq_get0_id(OCSP_request_onereq_get0(question, 0))
        else {
            ERR_clear_error()
            return try answer(.malformedRequest)
        }
        for issuer in issuers {
            let certificate = try Certificate(pem: issuer.certificatePEM)
            guard unsafe shim_ocsp_is_issuer(id, certificate.handle) == 1 else { continue }
            var serial = [UInt8](repeating: 0, count: 32)
            let count = unsafe shim_ocsp_serial(id, &serial)
            guard count >= 0 else { return try answer(.malformedRequest) }
            let found = status(Array(serial.prefix(Int(count))))
            return unsafe try sign(found, of: id, to: question, by: signer ?? issuer, validity)
        }
        return try answer(.unauthorized)
    }

    /// The responder is named by the digest of its key, as vendors do.
    private static let namedByKey = UInt(OCSP_RESPID_KEY)

    private static func sign(
        _ status: Status,
        of id: OpaquePointer,
        to question: OpaquePointer?,
        by signer: IssuedCertificate,
        _ validity: Validity
    ) throws(CryptographyError) -> [UInt8] {
        let certificate = try Certificate(pem: signer.certificatePEM)
        let key = try Key(privatePEM: signer.keyPEM.reveal())
        let basic = unsafe OCSP_BASICRESP_new()
        defer { unsafe OCSP_BASICRESP_free(basic) }
        let (code, revokedAt): (Int32, Int64) =
            switch status {
            case .good: (V_OCSP_CERTSTATUS_GOOD, 0)
            case .revoked(let time): (V_OCSP_CERTSTATUS_REVOKED, time.seconds)
            case .unknown: (V_OCSP_CERTSTATUS_UNKNOWN, 0)
            }
        // A request without a nonce is answered without one.
        unsafe OCSP_copy_nonce(basic, question)
        let isSigned =
            unsafe shim_ocsp_add(basic, id, code, revokedAt, validity.start.seconds, validity.end.seconds) == 1
            && OCSP_basic_sign(basic, certificate.handle, key.handle, EVP_sha384(), nil, namedByKey) == 1
        guard isSigned else { throw CryptographyError.openSSL(.failed, "OCSP_basic_sign") }
        return try unsafe encode(OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic))
    }

    private static func encode(_ response: OpaquePointer?) throws(CryptographyError) -> [UInt8] {
        defer { unsafe OCSP_RESPONSE_free(response) }
        let count = unsafe i2d_OCSP_RESPONSE(response, nil)
        guard unsafe response != nil, count > 0 else { throw CryptographyError.openSSL(.failed, "OCSP_RESPONSE") }
        var output = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe output.withUnsafeMutableBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe i2d_OCSP_RESPONSE(response, &start)
        }
        guard written == count else { throw CryptographyError.openSSL(.failed, "i2d_OCSP_RESPONSE") }
        return output
    }
}
