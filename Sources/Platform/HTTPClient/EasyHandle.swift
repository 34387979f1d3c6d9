import CCurl
import Primitives

/// One transfer handle of the library.
///
/// The only file that sets its options; each setter reports whether the library has taken the value.
@safe final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    /// Identifies the handle among those that exist.
    var id: UInt { unsafe UInt(bitPattern: raw) }
    private var fieldLines: UnsafeMutablePointer<curl_slist>?

    init?() {
        guard let raw = unsafe curl_easy_init() else { return nil }
        unsafe self.raw = raw
    }

    deinit {
        unsafe curl_easy_cleanup(raw)
        unsafe curl_slist_free_all(fieldLines)
    }

    /// Forgets every option; the handle can be used for another transfer.
    func reset() {
        unsafe curl_easy_reset(raw)
        unsafe curl_slist_free_all(fieldLines)
        unsafe fieldLines = nil
    }

    func set(_ option: CURLoption, _ value: Int) -> Bool {
        unsafe shim_easy_set_long(raw, option, value) == CURLE_OK
    }

    func setOffset(_ option: CURLoption, _ value: Int) -> Bool {
        unsafe shim_easy_set_offset(raw, option, curl_off_t(value)) == CURLE_OK
    }

    func set(_ option: CURLoption, _ value: String?) -> Bool {
        unsafe shim_easy_set_text(raw, option, value) == CURLE_OK
    }

    /// Sets the request's field lines, `Name: value`; the handle keeps them for as long as the library reads them.
    func setFieldLines(_ lines: [String]) -> Bool {
        for line in lines {
            guard let longer = unsafe curl_slist_append(fieldLines, line) else { return false }
            unsafe fieldLines = longer
        }
        return unsafe shim_easy_set_list(raw, CURLOPT_HTTPHEADER, fieldLines) == CURLE_OK
    }

    /// Makes the library call a transfer back.
    ///
    /// - Parameters:
    ///   - transfer: Not retained: it outlives the time between adding the handle to a multi handle and removing it.
    ///   - sendsBody: Whether the library asks it for the request's content.
    /// - Returns: Whether the library has taken all of it.
    func connect(to transfer: CurlTransfer, sendsBody: Bool) -> Bool {
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        var isSet = unsafe shim_easy_set_transfer(raw, CURLOPT_WRITEFUNCTION, receiveBody) == CURLE_OK
        isSet = unsafe shim_easy_set_pointer(raw, CURLOPT_WRITEDATA, context) == CURLE_OK && isSet
        isSet = unsafe shim_easy_set_transfer(raw, CURLOPT_HEADERFUNCTION, receiveLine) == CURLE_OK && isSet
        isSet = unsafe shim_easy_set_pointer(raw, CURLOPT_HEADERDATA, context) == CURLE_OK && isSet
        isSet = unsafe shim_easy_set_open_socket(raw, openSocket, context) == CURLE_OK && isSet
        guard sendsBody else { return isSet }
        isSet = unsafe shim_easy_set_transfer(raw, CURLOPT_READFUNCTION, sendBody) == CURLE_OK && isSet
        isSet = unsafe shim_easy_set_pointer(raw, CURLOPT_READDATA, context) == CURLE_OK && isSet
        return unsafe shim_easy_set_seek(raw, refuseToRewind) == CURLE_OK && isSet
    }

    /// A number the library knows about the transfer; zero when it does not.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        guard unsafe shim_easy_get_long(raw, info, &value) == CURLE_OK else { return 0 }
        return value
    }

    /// Makes the library keep the peer's certificate, which it sees only while a connection begins.
    func keepCertificate() -> Bool {
        set(CURLOPT_CERTINFO, 1) && set(CURLOPT_FRESH_CONNECT, 1) && set(CURLOPT_FORBID_REUSE, 1)
    }

    /// The peer's certificate in PEM; `nil` where it was not kept.
    var certificate: [UInt8]? {
        guard let text = unsafe shim_easy_peer_certificate(raw) else { return nil }
        return unsafe Array(String(cString: text).utf8)
    }
}

/// The versions of the library.
package enum CurlVersion {
    /// The one that is loaded, for example `7.88.1`.
    package static var running: String {
        guard let text = unsafe shim_version() else { return "" }
        return unsafe String(cString: text)
    }

    /// The one that the program was built for.
    package static let built = LIBCURL_VERSION
}

/// The library's text for a result.
func text(of result: CURLcode) -> String {
    guard let text = unsafe curl_easy_strerror(result) else { return "curl \(result.rawValue)" }
    return unsafe String(cString: text)
}

// MARK: What the library calls
//
// The context is the transfer that `connect(to:)` was given; the client holds it until the handle is removed.

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.receiveBody(buffer) ? buffer.count : 0
}

private func receiveLine(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.receiveLine(buffer) ? buffer.count : 0
}

private func openSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address = unsafe address, let context = unsafe context else { return shim_no_socket() }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    var octets = InlineArray<16, UInt8>(repeating: 0)
    var span = octets.mutableSpan
    let count = unsafe span.withUnsafeMutableBufferPointer { room in
        unsafe shim_address(address, room.baseAddress)
    }
    guard let number = IPNumber(octets.span.extracting(first: Int(count))), transfer.mayConnect(to: number) else {
        return shim_no_socket()
    }
    return unsafe shim_open_socket(address)
}

private func sendBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return unsafe transfer.sendBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

/// The library would send a request again when a used connection dies before the response; content that was sent once is
/// not given a second time, so that it can be reported as an unknown outcome instead.
private func refuseToRewind(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    CURL_SEEKFUNC_FAIL
}
