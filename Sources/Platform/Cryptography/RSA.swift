import COpenSSL
package import Primitives

/// An RSA private key of 2048 bits or more.
///
/// Signing takes about 0.2 ms for 2048 bits: not on a loop, but on a worker. The key may be used from any thread; two
/// signatures at once with one key follow each other.
package final class RSAPrivateKey: Sendable {
    let key: Lock<Key>

    /// Reads a key.
    ///
    /// - Parameter pem: PKCS#8 (`BEGIN PRIVATE KEY`) or PKCS#1 (`BEGIN RSA PRIVATE KEY`), without a passphrase.
    /// - Throws: `invalidKey` for anything else, another kind of key, or fewer than 2048 bits.
    package convenience init(pem: Secret<[UInt8]>) throws(CryptographyError) {
        try self.init(owning: Key(privatePEM: pem.reveal()))
    }

    /// Takes over a key.
    init(owning key: consuming sending Key) throws(CryptographyError) {
        try key.demandRSA()
        self.key = Lock(key)
    }

    /// Calls with the key while nothing else uses it.
    func withKey(_ body: (borrowing Key) throws(CryptographyError) -> Void) throws(CryptographyError) {
        try key.withLock { (key) throws(CryptographyError) in try body(key) }
    }

    /// The key as PKCS#8 in PEM, for a library that reads it itself.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package func pem() throws(CryptographyError) -> Secret<[UInt8]> {
        try key.withLock { (key) throws(CryptographyError) in Secret(try key.privatePEM()) }
    }

    /// Signs a message by RSASSA-PSS with SHA-256 and MGF1 with SHA-256, RFC 8017 section 8.1.
    ///
    /// The salt is random: two signatures of one message differ.
    ///
    /// - Parameters:
    ///   - message: Any number of bytes.
    ///   - saltLength: In bytes, 0 or more.
    /// - Returns: As many bytes as the modulus has.
    /// - Throws: `failed` where OpenSSL refuses, for example for a salt that does not fit.
    package func signPSS(_ message: [UInt8], saltLength: Int32) throws(CryptographyError) -> [UInt8] {
        try key.withLock { (key) throws(CryptographyError) in
            try Signature.make(.sign, .pss(saltLength: saltLength), with: key).sign(message)
        }
    }

    /// Signs a message by RSASSA-PKCS1-v1_5, RFC 8017 section 8.2.
    ///
    /// Two signatures of one message are equal.
    ///
    /// - Parameters:
    ///   - message: Any number of bytes.
    /// - Returns: As many bytes as the modulus has.
    /// - Throws: `failed` where OpenSSL refuses.
    package func signPKCS1(_ message: [UInt8], digest: DigestAlgorithm) throws(CryptographyError) -> [UInt8] {
        try key.withLock { (key) throws(CryptographyError) in
            try Signature.make(.sign, .pkcs1(digest), with: key).sign(message)
        }
    }

    /// The public half.
    ///
    /// - Returns: A key that verifies what this one signs.
    /// - Throws: `failed` where OpenSSL refuses.
    package func publicKey() throws(CryptographyError) -> RSAPublicKey {
        let pem = try key.withLock { (key) throws(CryptographyError) in try key.publicPEM() }
        return try RSAPublicKey(pem: pem)
    }
}

/// An RSA public key of 2048 bits or more.
///
/// Verifying takes about 15 µs for 2048 bits. The key may be used from any thread.
package final class RSAPublicKey: Sendable {
    let key: Lock<Key>

    /// Reads a key.
    ///
    /// - Parameter pem: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    /// - Throws: `invalidKey` for anything else, another kind of key, or fewer than 2048 bits.
    package convenience init(pem: [UInt8]) throws(CryptographyError) {
        try self.init(owning: Key(publicPEM: pem))
    }

    /// Takes over a key.
    init(owning key: consuming sending Key) throws(CryptographyError) {
        try key.demandRSA()
        self.key = Lock(key)
    }

    /// Takes the key of a certificate, whatever the certificate is worth: see `CertificateChain`.
    ///
    /// - Parameter certificatePEM: One or more certificates; what follows the first is not read.
    /// - Throws: `invalidCertificate` where it cannot be read; `invalidKey` for another kind of key or fewer than 2048 bits.
    package convenience init(certificatePEM: [UInt8]) throws(CryptographyError) {
        let certificate = try Certificate(pem: certificatePEM)
        try self.init(pem: certificate.publicKeyPEM())
    }

    /// Whether a signature by RSASSA-PSS with SHA-256 and MGF1 with SHA-256 is good.
    ///
    /// - Parameters:
    ///   - signature: Bytes from anywhere.
    ///   - saltLength: In bytes; a signature with a salt of another length is refused.
    package func verifyPSS(_ signature: [UInt8], of message: [UInt8], saltLength: Int32) -> Bool {
        // With a negative number OpenSSL would accept any length.
        saltLength >= 0 && verify(signature, of: message, .pss(saltLength: saltLength))
    }

    /// Whether a signature by RSASSA-PKCS1-v1_5 is good.
    ///
    /// - Parameters:
    ///   - signature: Bytes from anywhere.
    ///   - digest: What the message was reduced by; a signature over another digest is refused.
    package func verifyPKCS1(_ signature: [UInt8], of message: [UInt8], digest: DigestAlgorithm) -> Bool {
        verify(signature, of: message, .pkcs1(digest))
    }

    private func verify(_ signature: [UInt8], of message: [UInt8], _ padding: Signature.Padding) -> Bool {
        key.withLock { key in
            do throws(CryptographyError) {
                return try Signature.make(.verify, padding, with: key).verify(signature, of: message)
            } catch {
                // OpenSSL could not even begin: nothing was verified.
                return false
            }
        }
    }
}

/// One OpenSSL context for one signature.
@safe private struct Signature: ~Copyable {
    enum Padding {
        case pkcs1(DigestAlgorithm)
        case pss(saltLength: Int32)

        var digest: DigestAlgorithm {
            switch self {
            case .pkcs1(let digest): digest
            case .pss: .sha256
            }
        }
    }

    enum Purpose {
        case sign
        case verify
    }

    private let context: OpaquePointer

    private init() throws(CryptographyError) {
        guard let context = unsafe EVP_MD_CTX_new() else {
            throw CryptographyError.openSSL(.failed, "EVP_MD_CTX_new")
        }
        unsafe self.context = context
    }

    static func make(
        _ purpose: Purpose,
        _ padding: Padding,
        with key: borrowing Key
    ) throws(CryptographyError) -> Signature {
        let signature = try Signature()
        let method = unsafe padding.digest.method
        var parameters: OpaquePointer?
        let started =
            switch purpose {
            case .sign: unsafe EVP_DigestSignInit(signature.context, &parameters, method, nil, key.handle)
            case .verify: unsafe EVP_DigestVerifyInit(signature.context, &parameters, method, nil, key.handle)
            }
        guard started == 1, unsafe Signature.apply(padding, to: parameters) else {
            throw CryptographyError.openSSL(.failed, "EVP_DigestSignInit")
        }
        return signature
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var count = 0
        guard unsafe EVP_DigestSign(context, nil, &count, message, message.count) == 1 else {
            throw CryptographyError.openSSL(.failed, "EVP_DigestSign")
        }
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            throw CryptographyError.openSSL(.failed, "EVP_DigestSign")
        }
        signature.removeLast(signature.count - count)
        return signature
    }

    func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        let verdict = unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count)
        // A refusal leaves its reason in the thread's queue.
        ERR_clear_error()
        return verdict == 1
    }

    private static func apply(_ padding: Padding, to parameters: OpaquePointer?) -> Bool {
        switch padding {
        case .pkcs1:
            return unsafe EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PADDING) == 1
        case .pss(let saltLength):
            return unsafe EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(parameters, EVP_sha256()) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, saltLength) == 1
        }
    }
}
