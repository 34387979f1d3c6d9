import COpenSSL
import Primitives

/// A certificate owned by this value.
@safe struct Certificate: ~Copyable {
    let handle: OpaquePointer

    deinit { unsafe X509_free(handle) }
}

/// A private key owned by this value.
@safe struct PrivateKey: ~Copyable {
    let handle: OpaquePointer

    deinit { unsafe EVP_PKEY_free(handle) }
}

/// Reads PEM blocks out of memory, one after the other.
@safe struct PEMReader: ~Copyable {
    /// A copy that outlives the memory BIO, which only borrows it.
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let source: OpaquePointer?

    init(_ pem: [UInt8]) {
        unsafe bytes = UnsafeMutableBufferPointer.allocate(capacity: pem.count)
        _ = unsafe bytes.initialize(from: pem)
        unsafe source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
    }

    deinit {
        unsafe BIO_free(source)
        // The bytes may be a key.
        unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        unsafe bytes.deallocate()
    }

    /// The next certificate, or `nil` after the last one and at the first block that is damaged.
    func nextCertificate() -> Certificate? {
        guard let handle = unsafe PEM_read_bio_X509(source, nil, nil, nil) else { return nil }
        return unsafe Certificate(handle: handle)
    }

    /// The next private key, or `nil` where there is none or where it asks for a passphrase.
    func nextPrivateKey() -> PrivateKey? {
        // Without a callback the library would ask for a passphrase on the terminal.
        guard let handle = unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil) else { return nil }
        return unsafe PrivateKey(handle: handle)
    }
}
