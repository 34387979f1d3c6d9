import COpenSSL
import Primitives

/// Certificates in OpenSSL's own list, freed at its end.
@safe struct CertificateList: ~Copyable {
    let handle: OpaquePointer

    /// Reads every certificate of a PEM text; none for a text without one.
    init(pem: [UInt8]) throws(CryptographyError) {
        let memory = try Memory.holding(pem)
        guard let handle = unsafe shim_read_certificates(memory.handle) else {
            throw CryptographyError.openSSL(.invalidCertificate, "not certificates in PEM")
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe shim_free_certificates(handle)
    }

    var count: Int32 { unsafe shim_certificate_count(handle) }
}

/// Whose certificates are believed, as OpenSSL keeps it, freed at its end.
///
/// It may be moved to another thread but not shared: one that is shared is kept in a lock.
@safe struct TrustStore: ~Copyable {
    let handle: OpaquePointer

    private init() throws(CryptographyError) {
        guard let handle = unsafe X509_STORE_new() else {
            throw CryptographyError.openSSL(.failed, "X509_STORE_new")
        }
        unsafe self.handle = handle
    }

    /// A store of the given roots; the machine's where there are none given.
    static func make(anchorsPEM: [UInt8]?) throws(CryptographyError) -> TrustStore {
        let store = try TrustStore()
        if let anchorsPEM {
            try store.add(anchorsPEM)
        } else {
            guard unsafe X509_STORE_set_default_paths(store.handle) == 1 else {
                throw CryptographyError.openSSL(.failed, "X509_STORE_set_default_paths")
            }
            // A path that is not there leaves its note in the thread's queue.
            ERR_clear_error()
        }
        return store
    }

    /// A store of the given roots for signatures of any purpose.
    static func make(anchors: [X509Certificate], at time: WallTime) throws(CryptographyError) -> TrustStore {
        let store = try TrustStore()
        for anchor in anchors {
            let certificate = try Certificate.reading(der: anchor.der)
            guard unsafe X509_STORE_add_cert(store.handle, certificate.handle) == 1 else {
                throw CryptographyError.openSSL(.failed, "X509_STORE_add_cert")
            }
        }
        guard unsafe shim_set_any_purpose(store.handle, time.seconds) == 1 else {
            throw CryptographyError.openSSL(.failed, "X509_STORE_set_purpose")
        }
        return store
    }

    deinit {
        unsafe X509_STORE_free(handle)
    }

    private func add(_ pem: [UInt8]) throws(CryptographyError) {
        let anchors = try CertificateList(pem: pem)
        guard anchors.count > 0 else {
            throw CryptographyError(.invalidCertificate, "no certificate among the trust anchors")
        }
        for index in 0..<anchors.count {
            guard unsafe X509_STORE_add_cert(handle, shim_certificate(anchors.handle, index)) == 1 else {
                throw CryptographyError.openSSL(.failed, "X509_STORE_add_cert")
            }
        }
    }

    /// What is asked about a certificate.
    struct Question {
        /// The certificate; what follows the first is not read.
        let leafPEM: [UInt8]
        /// Certificates that may stand between it and a root, themselves not believed.
        let helpersPEM: [UInt8]
        /// It must speak for one of these.
        let names: [String]
        /// When it must be valid.
        let time: WallTime
    }

    /// Builds a chain and judges it.
    func judge(_ question: Question) throws(CryptographyError) -> ChainVerdict {
        let leaf = try Certificate(pem: question.leafPEM)
        let helpers = try CertificateList(pem: question.helpersPEM)
        guard let context = unsafe X509_STORE_CTX_new() else {
            throw CryptographyError.openSSL(.failed, "X509_STORE_CTX_new")
        }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, handle, leaf.handle, helpers.handle) == 1,
            unsafe TrustStore.apply(question, to: context)
        else { throw CryptographyError.openSSL(.failed, "X509_STORE_CTX_init") }
        let isGood = unsafe X509_verify_cert(context) == 1
        // A refusal leaves its reason in the thread's queue.
        ERR_clear_error()
        guard isGood else { return TrustStore.refusal(unsafe X509_STORE_CTX_get_error(context)) }
        var end: Int64 = 0
        guard unsafe shim_chain_end(context, &end) == 1 else {
            throw CryptographyError.openSSL(.invalidCertificate, "a time that is not a time")
        }
        return .good(until: WallTime(seconds: end))
    }

    private static func apply(_ question: Question, to context: OpaquePointer) -> Bool {
        guard unsafe X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER) == 1,
            let rules = unsafe X509_STORE_CTX_get0_param(context)
        else { return false }
        unsafe X509_VERIFY_PARAM_set_time(rules, Int(question.time.seconds))
        // 80 bits: no signature over SHA-1 inside the chain, no key below 1024 bits; roots are exempt.
        unsafe X509_VERIFY_PARAM_set_auth_level(rules, 1)
        let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
        unsafe X509_VERIFY_PARAM_set_hostflags(rules, UInt32(flags))
        for name in question.names {
            guard unsafe X509_VERIFY_PARAM_add1_host(rules, name, name.utf8.count) == 1 else { return false }
        }
        return true
    }

    private static func refusal(_ code: Int32) -> ChainVerdict {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH: .wrongName
        default: .untrusted(unsafe X509_verify_cert_error_string(Int(code)).map { unsafe String(cString: $0) } ?? "")
        }
    }
}
