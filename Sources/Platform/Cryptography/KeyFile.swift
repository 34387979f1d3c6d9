import COpenSSL
package import Primitives

/// A private key as it lies in a file, with the certificates that lie beside it.
package struct KeyFile: Sendable {
    /// The key.
    package let key: RSAPrivateKey
    /// The key's certificate; from PKCS#12 only.
    package let certificate: X509Certificate?
    /// Further certificates; from PKCS#12 only.
    package let others: [X509Certificate]

    /// Reads PKCS#8 or PKCS#1 in PEM, plain or encrypted, or PKCS#12, told apart by their content.
    ///
    /// PKCS#12 in the ciphers of old exports (RC2, triple DES) is read by OpenSSL's legacy provider, in a library context of its own.
    ///
    /// - Parameters:
    ///   - passphrase: `nil` for a file without one.
    /// - Throws: `invalidKey` for a wrong passphrase, anything else than such a file, another kind of key than RSA, or fewer than 2048
    ///   bits.
    package init(_ bytes: Secret<[UInt8]>, passphrase: Secret<String>?) throws(CryptographyError) {
        guard bytes.reveal().first == DERValue.Tag.sequence else {
            key = try RSAPrivateKey(pem: bytes, passphrase: passphrase)
            (certificate, others) = (nil, [])
            return
        }
        let contents = try PKCS12Contents.read(bytes, passphrase: passphrase)
        // Forms that were tried in vain leave their notes in the thread's queue.
        ERR_clear_error()
        key = try RSAPrivateKey(pem: contents.keyPEM)
        (certificate, others) = (contents.certificate, contents.others)
    }
}

extension RSAPrivateKey {
    /// Reads a key whose file has a passphrase.
    ///
    /// - Throws: `invalidKey` for a wrong passphrase, a missing one, or anything else than an RSA key of 2048 bits or more.
    package convenience init(pem: Secret<[UInt8]>, passphrase: Secret<String>?) throws(CryptographyError) {
        if let passphrase {
            try self.init(owning: Key(privatePEM: pem.reveal(), passphrase: passphrase.reveal()))
        } else {
            try self.init(pem: pem)
        }
    }
}

extension RSAPrivateKey {
    /// Whether the key is that of a certificate.
    package func belongs(to certificate: X509Certificate) -> Bool {
        guard let certificate = try? Certificate.reading(der: certificate.der) else { return false }
        var isOwn = false
        try? withKey { (key) throws(CryptographyError) in
            isOwn = unsafe X509_check_private_key(certificate.handle, key.handle) == 1
            ERR_clear_error()
        }
        return isOwn
    }
}

extension Key {
    /// Reads a private key that is encrypted.
    fileprivate init(privatePEM: [UInt8], passphrase: String) throws(CryptographyError) {
        let memory = try Memory.holding(privatePEM)
        var text = Array(passphrase.utf8CString)
        // Without a callback the library takes the last argument for the passphrase.
        let handle = unsafe text.withUnsafeMutableBytes {
            unsafe PEM_read_bio_PrivateKey(memory.handle, nil, nil, $0.baseAddress)
        }
        guard let handle = unsafe handle else {
            throw CryptographyError.openSSL(.invalidKey, "not a private key in PEM with this passphrase")
        }
        unsafe self.init(owning: handle)
    }
}

/// What PKCS#12 holds.
private struct PKCS12Contents {
    let keyPEM: Secret<[UInt8]>
    let certificate: X509Certificate?
    let others: [X509Certificate]

    static func read(
        _ bytes: Secret<[UInt8]>,
        passphrase: Secret<String>?
    ) throws(CryptographyError) -> PKCS12Contents {
        let passphrase = passphrase?.reveal() ?? ""
        if let contents = unsafe try? PKCS12Contents(bytes.reveal(), passphrase, nil) { return contents }
        let library = try LegacyLibrary()
        return unsafe try PKCS12Contents(bytes.reveal(), passphrase, library.handle)
    }

    private init(_ bytes: [UInt8], _ passphrase: String, _ library: OpaquePointer?) throws(CryptographyError) {
        let memory = try Memory.holding(bytes)
        var contents = unsafe shim_pkcs12()
        guard unsafe shim_read_pkcs12(library, memory.handle, passphrase, &contents) == 1 else {
            throw CryptographyError.openSSL(.invalidKey, "not PKCS#12 with this passphrase")
        }
        defer {
            unsafe X509_free(contents.certificate)
            unsafe shim_free_certificates(contents.others)
        }
        guard let handle = unsafe contents.key else { throw CryptographyError(.invalidKey, "PKCS#12 without a key") }
        // Through PEM: the key belongs to the library context, which ends here.
        keyPEM = Secret(unsafe try Key(owning: handle).privatePEM())
        certificate = unsafe try contents.certificate.map { (handle) throws(CryptographyError) in
            unsafe try PKCS12Contents.value(of: handle)
        }
        var others: [X509Certificate] = []
        if unsafe contents.others != nil {
            for index in 0..<(unsafe shim_certificate_count(contents.others)) {
                guard let other = unsafe shim_certificate(contents.others, index) else { continue }
                others.append(unsafe try PKCS12Contents.value(of: other))
            }
        }
        self.others = others
    }

    private static func value(of handle: OpaquePointer) throws(CryptographyError) -> X509Certificate {
        let memory = try Memory()
        guard unsafe i2d_X509_bio(memory.handle, handle) == 1 else {
            throw CryptographyError.openSSL(.failed, "i2d_X509_bio")
        }
        return try X509Certificate(memory.bytes)
    }
}

/// A library context with the ciphers of old files, freed at its end.
///
/// Apart from the program's own, whose connections never see them.
@safe private struct LegacyLibrary: ~Copyable {
    let handle: OpaquePointer
    private let base: OpaquePointer?
    private let legacy: OpaquePointer?

    init() throws(CryptographyError) {
        guard let handle = unsafe OSSL_LIB_CTX_new() else {
            throw CryptographyError.openSSL(.failed, "OSSL_LIB_CTX_new")
        }
        unsafe self.handle = handle
        unsafe base = OSSL_PROVIDER_load(handle, "default")
        unsafe legacy = OSSL_PROVIDER_load(handle, "legacy")
    }

    deinit {
        unsafe OSSL_PROVIDER_unload(legacy)
        unsafe OSSL_PROVIDER_unload(base)
        unsafe OSSL_LIB_CTX_free(handle)
    }
}
