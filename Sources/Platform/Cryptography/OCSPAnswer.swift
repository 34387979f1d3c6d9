import COpenSSL
package import Primitives

/// What an authority says of one of its certificates, RFC 6960.
package enum RevocationStatus: Sendable, Equatable {
    /// It has not revoked the certificate; the answer may be kept until then.
    case good(until: WallTime)
    /// It has revoked the certificate at that time.
    case revoked(at: WallTime)
    /// It says nothing that counts: neither good nor revoked. Another question may get an answer.
    case undecided(Fault)

    /// Why an answer does not count.
    package enum Fault: String, Sendable {
        /// It cannot be read.
        case malformed
        /// The responder has an error of its own, for example `tryLater`.
        case unsuccessful
        /// It is not signed by the issuer, nor by somebody whom the issuer has appointed.
        case signer
        /// The signature is not the signer's, or not by ECDSA with SHA-256 or better.
        case signature
        /// It is about other certificates.
        case certificate
        /// The authority does not know the certificate.
        case unknown
        /// It is not valid yet, or no longer.
        case stale
    }
}

/// An answer of a responder.
package enum OCSPAnswer {
    /// How long an answer may be, in bytes.
    package static let limit = 65_536
    /// How much clocks may differ.
    package static let leeway = Duration.seconds(60)

    /// Reads an answer, RFC 6960 section 4.2.
    ///
    /// Takes up to 2 ms of computing.
    ///
    /// - Parameters:
    ///   - bytes: From anywhere: it travels in clear, and only its signature counts.
    ///   - certificate: That the question was about.
    ///   - issuer: That has issued it, itself trusted.
    /// - Returns: A refusal for anything that is not signed for this certificate at this time.
    package static func status(
        _ bytes: [UInt8],
        of certificate: X509Certificate,
        issuer: X509Certificate,
        at time: WallTime
    ) -> RevocationStatus {
        defer { ERR_clear_error() }
        guard bytes.count <= limit, let parties = try? Parties(certificate, issuer) else {
            return .undecided(.malformed)
        }
        do throws(Refusal) {
            let answer = try BasicAnswer.reading(bytes)
            try answer.demandSignature(parties, at: time)
            return try answer.status(parties, at: time)
        } catch {
            return .undecided(error.fault)
        }
    }
}

/// Typed throws of a fault that is no error of its own.
private struct Refusal: Error {
    let fault: RevocationStatus.Fault

    init(_ fault: RevocationStatus.Fault) { self.fault = fault }
}

/// The certificate in question and its issuer.
private struct Parties: ~Copyable {
    let certificate: Certificate
    let issuer: Certificate
    let authority: X509Certificate

    init(_ certificate: X509Certificate, _ issuer: X509Certificate) throws(CryptographyError) {
        authority = issuer
        let (subject, signer) = (certificate.der, issuer.der)
        let first = try Certificate.reading(der: subject)
        let second = try Certificate.reading(der: signer)
        self.certificate = first
        self.issuer = second
    }
}

/// The signed part of an answer, freed at its end.
@safe private struct BasicAnswer: ~Copyable {
    private let handle: OpaquePointer

    private init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe OCSP_BASICRESP_free(handle)
    }

    static func reading(_ bytes: [UInt8]) throws(Refusal) -> BasicAnswer {
        var rest = 0
        let answer = unsafe bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            let answer = unsafe d2i_OCSP_RESPONSE(nil, &start, buffer.count)
            if let start = unsafe start, let base = buffer.baseAddress {
                rest = unsafe base + buffer.count - start
            }
            return unsafe answer
        }
        defer { unsafe OCSP_RESPONSE_free(answer) }
        guard let answer = unsafe answer, rest == 0 else { throw Refusal(.malformed) }
        guard unsafe OCSP_response_status(answer) == OCSP_RESPONSE_STATUS_SUCCESSFUL else {
            throw Refusal(.unsuccessful)
        }
        guard let basic = unsafe OCSP_response_get1_basic(answer) else { throw Refusal(.malformed) }
        let owned = unsafe BasicAnswer(owning: basic)
        // Nothing that has to be understood is.
        guard unsafe OCSP_BASICRESP_get_ext_by_critical(basic, 1, -1) < 0 else { throw Refusal(.malformed) }
        return owned
    }

    /// Refuses an answer that is not the issuer's or its delegate's.
    func demandSignature(_ parties: borrowing Parties, at time: WallTime) throws(Refusal) {
        let digest = unsafe shim_ocsp_digest(handle)
        guard [NID_sha256, NID_sha384, NID_sha512].contains(digest) else { throw Refusal(.signature) }
        guard let list = unsafe shim_list_of(parties.issuer.handle) else { throw Refusal(.malformed) }
        defer { unsafe shim_free_list(list) }
        var signer: OpaquePointer?
        guard unsafe OCSP_resp_get0_signer(handle, &signer, list) == 1, let signer = unsafe signer,
            let certificate = unsafe BasicAnswer.certificate(signer),
            certificate == parties.authority || BasicAnswer.isDelegate(certificate, of: parties.authority, at: time)
        else { throw Refusal(.signer) }
        // Who signs is judged above, by the rules of this program; the call looks for the same certificate.
        guard unsafe OCSP_basic_verify(handle, list, nil, UInt(OCSP_NOVERIFY)) == 1 else { throw Refusal(.signature) }
    }

    private static func certificate(_ handle: OpaquePointer) -> X509Certificate? {
        guard let memory = try? Memory(), unsafe i2d_X509_bio(memory.handle, handle) == 1 else { return nil }
        return try? X509Certificate(der: memory.bytes)
    }

    /// Whether the issuer has appointed somebody to answer, RFC 6960 section 4.2.2.2.
    private static func isDelegate(
        _ certificate: X509Certificate,
        of authority: X509Certificate,
        at time: WallTime
    ) -> Bool {
        // Constraints, key usage, extended key usage.
        let understood = ["2.5.29.15", "2.5.29.19", "2.5.29.37"]
        return certificate.extendedUsages.contains("1.3.6.1.5.5.7.3.9") && !certificate.repeatsAnExtension
            && certificate.criticalExtensions.allSatisfy { understood.contains($0) }
            && certificate.isValid(at: time) && certificate.isSigned(by: authority, strength: 112)
    }

    /// What is said of the certificate; that it is revoked, where both is said.
    func status(_ parties: borrowing Parties, at time: WallTime) throws(Refusal) -> RevocationStatus {
        var found: [RevocationStatus] = []
        for index in 0..<(unsafe OCSP_resp_count(handle)) {
            guard let entry = unsafe OCSP_resp_get0(handle, index) else { throw Refusal(.malformed) }
            switch unsafe shim_ocsp_names(entry, parties.certificate.handle, parties.issuer.handle) {
            case 0: continue
            case 1: found.append(try unsafe BasicAnswer.status(entry, at: time))
            default: throw Refusal(.malformed)
            }
        }
        for case .revoked(let time) in found { return .revoked(at: time) }
        let refusal = found.first { if case .undecided = $0 { true } else { false } }
        guard let status = refusal ?? found.first else { throw Refusal(.certificate) }
        return status
    }

    private static func status(_ entry: OpaquePointer, at time: WallTime) throws(Refusal) -> RevocationStatus {
        guard unsafe OCSP_SINGLERESP_get_ext_by_critical(entry, 1, -1) < 0 else { throw Refusal(.malformed) }
        var reason: Int32 = 0
        var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var begin: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var end: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let status = unsafe OCSP_single_get0_status(entry, &reason, &revoked, &begin, &end)
        // An answer without an end would be good for ever.
        guard let begin = unsafe BasicAnswer.time(begin), let end = unsafe BasicAnswer.time(end),
            begin <= time + OCSPAnswer.leeway, time <= end + OCSPAnswer.leeway
        else { return .undecided(.stale) }
        switch status {
        case V_OCSP_CERTSTATUS_GOOD: return .good(until: end)
        case V_OCSP_CERTSTATUS_REVOKED:
            guard let revoked = unsafe BasicAnswer.time(revoked) else { throw Refusal(.malformed) }
            return .revoked(at: revoked)
        default: return .undecided(.unknown)
        }
    }

    private static func time(_ value: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?) -> WallTime? {
        var seconds: Int64 = 0
        guard let value = unsafe value, unsafe shim_time_seconds(value, &seconds) == 1 else { return nil }
        return WallTime(seconds: seconds)
    }
}
