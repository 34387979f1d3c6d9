import COpenSSL

/// OpenSSL's queue of errors, one per thread.
///
/// What one session leaves in it would be read as a failure of the next one on the same loop, so the queue is cleared
/// before each call whose result is judged by it, and emptied into the thrown error after each failure.
enum ErrorQueue {
    /// Forgets what is in the queue.
    static func clear() {
        ERR_clear_error()
    }

    /// Takes everything out of the queue.
    ///
    /// - Returns: The reasons, oldest first.
    static func drain() -> [Entry] {
        var entries: [Entry] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { return entries }
            entries.append(Entry(code: code))
        }
    }

    /// Empties the queue into an error.
    ///
    /// - Returns: The error with the library's texts as its detail.
    static func error(_ code: TLSError.Code) -> TLSError {
        TLSError(code, detail: drain().map(\.text).joined(separator: "; "))
    }

    /// One report of the library.
    struct Entry {
        /// The packed code.
        let code: UInt

        /// Whether the report says that a peer sent a plain HTTP request.
        var saysPlainHTTP: Bool {
            ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST
        }

        /// The library's own words, ASCII.
        var text: String {
            var buffer = [UInt8](repeating: 0, count: 256)
            unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe ERR_error_string_n(code, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
            }
            return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
