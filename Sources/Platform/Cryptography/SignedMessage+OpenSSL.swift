import COpenSSL
package import Primitives

extension SignedMessage {
    /// Signs a content that stays apart: SHA-256, RSASSA-PKCS1-v1_5, with the time of signing among what is signed.
    ///
    /// Equal input gives equal bytes. Takes about 0.5 ms with 2048 bits: on a worker, not on a loop.
    ///
    /// - Parameters:
    ///   - intermediates: Certificates to put inside beside the signer's own.
    ///   - time: Of signing, to the second.
    /// - Returns: The message in DER.
    /// - Throws: `invalidKey` where the key is not the certificate's; `failed` where OpenSSL refuses.
    package static func sign(
        _ content: [UInt8],
        as certificate: X509Certificate,
        with key: RSAPrivateKey,
        intermediates: [X509Certificate],
        at time: WallTime
    ) throws(CryptographyError) -> [UInt8] {
        let message = try Message.empty()
        for intermediate in intermediates {
            let intermediate = try Certificate.reading(der: intermediate.der)
            guard unsafe CMS_add1_cert(message.handle, intermediate.handle) == 1 else {
                throw CryptographyError.openSSL(.failed, "CMS_add1_cert")
            }
        }
        let leaf = try Certificate.reading(der: certificate.der)
        try key.withKey { (key) throws(CryptographyError) in try message.add(leaf, key, at: time) }
        let memory = try Memory.holding(content)
        guard unsafe CMS_final(message.handle, memory.handle, nil, Message.flags) == 1 else {
            throw CryptographyError.openSSL(.failed, "CMS_final")
        }
        return try message.der()
    }

    /// Whether OpenSSL finds a signature good: that of the content, with a chain from the signer to a root at a time.
    ///
    /// - Parameters:
    ///   - bytes: The message, in DER or BER.
    ///   - roots: Believed; the machine's own are not.
    /// - Returns: `nil` where it is good, otherwise OpenSSL's words for operators.
    package static func refusal(
        of bytes: [UInt8],
        over content: [UInt8],
        roots: [X509Certificate],
        at time: WallTime
    ) -> String? {
        do throws(CryptographyError) {
            let message = try Message(reading: bytes)
            let store = try TrustStore.make(anchors: roots, at: time)
            let memory = try Memory.holding(content)
            let flags = UInt32(CMS_BINARY)
            if unsafe CMS_verify(message.handle, nil, store.handle, memory.handle, nil, flags) == 1 { return nil }
            throw CryptographyError.openSSL(.notAuthentic, "CMS_verify")
        } catch {
            return error.detail
        }
    }
}

/// A message as OpenSSL keeps it, freed at its end.
@safe private struct Message: ~Copyable {
    let handle: OpaquePointer

    /// No content inside, and bytes as they are: as text, every line feed would be signed as two characters.
    static let flags = UInt32(CMS_DETACHED | CMS_BINARY)

    private init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    static func empty() throws(CryptographyError) -> Message {
        guard let handle = unsafe CMS_sign(nil, nil, nil, nil, flags | UInt32(CMS_PARTIAL)) else {
            throw CryptographyError.openSSL(.failed, "CMS_sign")
        }
        return unsafe Message(owning: handle)
    }

    init(reading bytes: [UInt8]) throws(CryptographyError) {
        let memory = try Memory.holding(bytes)
        guard let handle = unsafe d2i_CMS_bio(memory.handle, nil) else {
            throw CryptographyError.openSSL(.notAuthentic, "no signed message")
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe CMS_ContentInfo_free(handle)
    }

    /// Adds the signer with its certificate and the time.
    func add(
        _ certificate: borrowing Certificate,
        _ key: borrowing Key,
        at time: WallTime
    ) throws(CryptographyError) {
        let options = UInt32(CMS_NOSMIMECAP)
        guard
            let signer = unsafe CMS_add1_signer(handle, certificate.handle, key.handle, EVP_sha256(), options)
        else { throw CryptographyError.openSSL(.invalidKey, "the key does not belong to the certificate") }
        // UTCTime up to 2049, GeneralizedTime after it.
        guard let value = unsafe ASN1_TIME_set(nil, Int(time.seconds)) else {
            throw CryptographyError.openSSL(.failed, "ASN1_TIME_set")
        }
        defer { unsafe ASN1_TIME_free(value) }
        let kind = unsafe ASN1_STRING_type(value)
        guard unsafe CMS_signed_add1_attr_by_NID(signer, NID_pkcs9_signingTime, kind, value, -1) == 1 else {
            throw CryptographyError.openSSL(.failed, "CMS_signed_add1_attr_by_NID")
        }
    }

    func der() throws(CryptographyError) -> [UInt8] {
        let memory = try Memory()
        guard unsafe i2d_CMS_bio(memory.handle, handle) == 1 else {
            throw CryptographyError.openSSL(.failed, "i2d_CMS_bio")
        }
        return memory.bytes
    }
}
