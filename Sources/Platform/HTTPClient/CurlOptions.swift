import CCurl
import EventIO
import HTTPCore
import Primitives

extension ClientConfiguration {
    /// Sets every option of a fresh handle.
    ///
    /// - Returns: Whether the library has taken all of them.
    func apply(to handle: EasyHandle, _ request: OutboundRequest) -> Bool {
        applyTransport(to: handle) && applyTrust(to: handle) && applyRequest(to: handle, request)
    }

    private func applyTransport(to handle: EasyHandle) -> Bool {
        handle.set(CURLOPT_NOSIGNAL, 1)
            && handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
            && handle.set(CURLOPT_FOLLOWLOCATION, 0)
            // An empty proxy also switches off the ones of the environment.
            && handle.set(CURLOPT_PROXY, "")
            && applyVersion(to: handle)
            && handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(connectTimeout))
            && handle.set(CURLOPT_MAXAGE_CONN, milliseconds(idleLimit) / 1000)
            && handle.set(CURLOPT_MAXLIFETIME_CONN, milliseconds(lifeLimit) / 1000)
            && handle.set(CURLOPT_TCP_NODELAY, 1)
    }

    private func applyVersion(to handle: EasyHandle) -> Bool {
        switch version {
        case .http1: handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        case .http2:
            handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
                // Rather one more stream than one more connection.
                && handle.set(CURLOPT_PIPEWAIT, 1)
        }
    }

    private func applyTrust(to handle: EasyHandle) -> Bool {
        // Without a folder of authorities the library keeps the parsed file for the next connection.
        var isSet = handle.set(CURLOPT_CAPATH, nil)
        isSet = handle.set(CURLOPT_SSL_VERIFYPEER, 1) && isSet
        isSet = handle.set(CURLOPT_SSL_VERIFYHOST, 2) && isSet
        isSet = handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) && isSet
        if case .file(let path) = trust { isSet = handle.set(CURLOPT_CAINFO, path) && isSet }
        return isSet
    }

    private func applyRequest(to handle: EasyHandle, _ request: OutboundRequest) -> Bool {
        var isSet = handle.set(CURLOPT_URL, request.url) && handle.set(CURLOPT_PATH_AS_IS, 1)
        isSet = handle.set(CURLOPT_TIMEOUT_MS, max(1, milliseconds(request.timeout))) && isSet
        isSet = handle.setFieldLines(RequestRules.fieldLines(of: request)) && isSet
        switch request.method {
        case "GET" where request.body.isEmpty:
            return handle.set(CURLOPT_HTTPGET, 1) && isSet
        case "HEAD" where request.body.isEmpty:
            return handle.set(CURLOPT_NOBODY, 1) && isSet
        default:
            isSet = handle.set(CURLOPT_POST, 1) && isSet
            isSet = handle.setOffset(CURLOPT_POSTFIELDSIZE_LARGE, request.body.count) && isSet
            isSet = handle.set(CURLOPT_CUSTOMREQUEST, request.method) && isSet
            // Without content nothing keeps the library from sending it again on a second connection.
            if request.body.isEmpty { isSet = handle.set(CURLOPT_FRESH_CONNECT, 1) && isSet }
            return isSet
        }
    }

    private func milliseconds(_ duration: Duration) -> Int {
        Int(duration.wholeNanoseconds / 1_000_000)
    }
}
