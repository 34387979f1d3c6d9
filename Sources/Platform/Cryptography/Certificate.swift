import COpenSSL
import Primitives

/// An OpenSSL certificate, freed at its end.
@safe struct Certificate: ~Copyable {
    let handle: OpaquePointer

    /// An empty certificate to fill in.
    init() throws(CryptographyError) {
        guard let handle = unsafe X509_new() else { throw CryptographyError.openSSL(.failed, "X509_new") }
        unsafe self.handle = handle
    }

    /// Takes over a certificate.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// Reads the first certificate of a PEM text.
    init(pem: [UInt8]) throws(CryptographyError) {
        let memory = try Memory.holding(pem)
        guard let handle = unsafe PEM_read_bio_X509(memory.handle, nil, shim_no_passphrase, nil) else {
            throw CryptographyError.openSSL(.invalidCertificate, "not a certificate in PEM")
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe X509_free(handle)
    }

    /// The certificate in PEM.
    func pem() throws(CryptographyError) -> [UInt8] {
        let memory = try Memory()
        guard unsafe PEM_write_bio_X509(memory.handle, handle) == 1 else {
            throw CryptographyError.openSSL(.failed, "PEM_write_bio_X509")
        }
        return memory.bytes
    }

    /// The public key in PEM.
    func publicKeyPEM() throws(CryptographyError) -> [UInt8] {
        guard let handle = unsafe X509_get_pubkey(handle) else {
            throw CryptographyError.openSSL(.invalidCertificate, "X509_get_pubkey")
        }
        let key = unsafe Key(owning: handle)
        return try key.publicPEM()
    }

    /// Writes the parts that every certificate has.
    func describe(
        subject: String,
        serial: [UInt8],
        from start: WallTime,
        to end: WallTime,
        key: borrowing Key
    ) throws(CryptographyError) {
        let name = unsafe X509_get_subject_name(handle)
        let text = Array(subject.utf8)
        guard let count = Int32(exactly: text.count) else { throw CryptographyError(.failed, "a name too long") }
        let described =
            unsafe X509_set_version(handle, Int(X509_VERSION_3)) == 1
            && shim_set_serial(handle, serial, serial.count) == 1
            && shim_set_validity(handle, start.seconds, end.seconds) == 1
            && X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, text, count, -1, 0) == 1
            && X509_set_pubkey(handle, key.handle) == 1
        guard described else { throw CryptographyError.openSSL(.failed, "X509_set") }
    }

    /// Adds an extension in OpenSSL's textual form.
    func add(_ identifier: Int32, _ value: String, issuer: borrowing Certificate) throws(CryptographyError) {
        guard unsafe shim_add_extension(issuer.handle, handle, identifier, value) == 1 else {
            throw CryptographyError.openSSL(.failed, "X509V3_EXT_nconf_nid")
        }
    }

    /// Names the issuer and signs with its key: over SHA-384 with one on P-384, over SHA-256 with any other.
    func sign(as issuer: borrowing Certificate, with key: borrowing Key) throws(CryptographyError) {
        let signed =
            unsafe X509_set_issuer_name(handle, X509_get_subject_name(issuer.handle)) == 1
            && X509_sign(handle, key.handle, (key.curve?.digest ?? .sha256).method) > 0
        guard signed else { throw CryptographyError.openSSL(.failed, "X509_sign") }
    }
}
