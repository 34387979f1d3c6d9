import COpenSSL

/// An OpenSSL memory buffer, the form in which its readers and writers of PEM take and give bytes.
@safe struct Memory: ~Copyable {
    let handle: OpaquePointer

    /// An empty buffer to write to.
    init() throws(CryptographyError) {
        guard let handle = unsafe BIO_new(BIO_s_mem()) else {
            throw CryptographyError.openSSL(.failed, "BIO_new")
        }
        unsafe self.handle = handle
    }

    /// A buffer that holds bytes.
    static func holding(_ bytes: [UInt8]) throws(CryptographyError) -> Memory {
        let memory = try Memory()
        guard let count = Int32(exactly: bytes.count),
            unsafe bytes.isEmpty || BIO_write(memory.handle, bytes, count) == count
        else {
            throw CryptographyError.openSSL(.failed, "BIO_write")
        }
        return memory
    }

    deinit {
        unsafe BIO_free_all(handle)
    }

    /// What was written and not yet read.
    var bytes: [UInt8] {
        var start: UnsafePointer<UInt8>?
        let count = unsafe shim_memory_bytes(handle, &start)
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }
}
