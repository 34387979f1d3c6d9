import COpenSSL

/// Protocol names with an address, for the library's callback.
final class ProtocolNamesBox: Sendable {
    private let names: ProtocolNames

    init(_ names: [String]) throws(TLSError) {
        guard let names = ProtocolNames(names) else {
            throw TLSError(.settingRefused, detail: "a protocol name is empty or too long")
        }
        self.names = names
    }

    /// Makes a context choose by these names.
    ///
    /// - Parameter context: Must not outlive `self`: it gets a pointer that keeps nothing alive.
    func install(in context: OpaquePointer) {
        unsafe SSL_CTX_set_alpn_select_cb(
            context,
            { _, output, outputLength, offered, offeredLength, argument in
                guard let argument = unsafe argument, let offered = unsafe offered else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                let box = unsafe Unmanaged<ProtocolNamesBox>.fromOpaque(argument).takeUnretainedValue()
                let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredLength))
                guard let found = unsafe box.names.firstCommon(in: list.span) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                // The answer points into the client's own list, which is what the library asks for.
                unsafe output?.pointee = offered + found.lowerBound
                unsafe outputLength?.pointee = UInt8(found.count)
                return SSL_TLSEXT_ERR_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
