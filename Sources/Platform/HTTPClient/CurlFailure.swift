import CCurl
import HTTPCore

extension CurlTransfer {
    /// Whether any byte of the request went out.
    var hasSent: Bool { handle.number(CURLINFO_REQUEST_SIZE) > 0 }

    /// The failure behind a result of the library.
    ///
    /// - Parameter result: Not `CURLE_OK`.
    /// - Returns: `connectFailed` exactly when nothing of the request went out.
    func failure(_ result: CURLcode) -> HTTPExchangeError {
        if let refusal { return refusal }
        let detail = text(of: result)
        guard hasSent else {
            let isLeftOut = hasLeftOutAddress && result == CURLE_COULDNT_CONNECT
            return HTTPExchangeError(.connectFailed, detail: isLeftOut ? "the name leads to a refused address" : detail)
        }
        switch result {
        case CURLE_OPERATION_TIMEDOUT:
            return HTTPExchangeError(.timedOut, detail: detail)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2:
            return HTTPExchangeError(.protocolViolation, detail: detail)
        default:
            return HTTPExchangeError(.connectionLost, detail: detail)
        }
    }
}
