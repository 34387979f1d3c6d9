/// The status of a response, RFC 9110 section 15.
package struct HTTPStatus: Sendable, Hashable {
    /// 100 to 599.
    package let code: Int

    /// The status with the given code, or `nil` outside the range.
    ///
    /// - Parameter code: 100 to 599; a code without a registered name is welcome.
    package init?(_ code: Int) {
        guard (100...599).contains(code) else { return nil }
        self.code = code
    }

    private init(known code: Int) {
        self.code = code
    }

    /// 200 OK.
    package static let ok = HTTPStatus(known: 200)
    /// 201 Created.
    package static let created = HTTPStatus(known: 201)
    /// 202 Accepted: the work goes on.
    package static let accepted = HTTPStatus(known: 202)
    /// 204 No Content.
    package static let noContent = HTTPStatus(known: 204)
    /// 303 See Other, the only redirect in use: it never repeats a body.
    package static let seeOther = HTTPStatus(known: 303)
    /// 304 Not Modified.
    package static let notModified = HTTPStatus(known: 304)
    /// 400 Bad Request.
    package static let badRequest = HTTPStatus(known: 400)
    /// 401 Unauthorized: no credentials, or none that work.
    package static let unauthorized = HTTPStatus(known: 401)
    /// 402 Payment Required.
    package static let paymentRequired = HTTPStatus(known: 402)
    /// 403 Forbidden.
    package static let forbidden = HTTPStatus(known: 403)
    /// 404 Not Found.
    package static let notFound = HTTPStatus(known: 404)
    /// 405 Method Not Allowed.
    package static let methodNotAllowed = HTTPStatus(known: 405)
    /// 408 Request Timeout.
    package static let requestTimeout = HTTPStatus(known: 408)
    /// 409 Conflict.
    package static let conflict = HTTPStatus(known: 409)
    /// 410 Gone.
    package static let gone = HTTPStatus(known: 410)
    /// 413 Content Too Large.
    package static let payloadTooLarge = HTTPStatus(known: 413)
    /// 414 URI Too Long.
    package static let uriTooLong = HTTPStatus(known: 414)
    /// 415 Unsupported Media Type.
    package static let unsupportedMediaType = HTTPStatus(known: 415)
    /// 417 Expectation Failed.
    package static let expectationFailed = HTTPStatus(known: 417)
    /// 421 Misdirected Request: the host is not served here.
    package static let misdirected = HTTPStatus(known: 421)
    /// 422 Unprocessable Content.
    package static let unprocessable = HTTPStatus(known: 422)
    /// 429 Too Many Requests.
    package static let tooManyRequests = HTTPStatus(known: 429)
    /// 431 Request Header Fields Too Large.
    package static let headerTooLarge = HTTPStatus(known: 431)
    /// 500 Internal Server Error.
    package static let internalError = HTTPStatus(known: 500)
    /// 501 Not Implemented.
    package static let notImplemented = HTTPStatus(known: 501)
    /// 502 Bad Gateway: another server gave a bad answer.
    package static let badGateway = HTTPStatus(known: 502)
    /// 503 Service Unavailable.
    package static let serviceUnavailable = HTTPStatus(known: 503)
    /// 504 Gateway Timeout: another server gave no answer.
    package static let gatewayTimeout = HTTPStatus(known: 504)
    /// 505 HTTP Version Not Supported.
    package static let versionNotSupported = HTTPStatus(known: 505)

    /// Whether a response with this status carries content: not 1xx, 204 and 304.
    package var allowsContent: Bool {
        code >= 200 && code != 204 && code != 304
    }

    /// The registered reason phrase; `Status` for a code that has none here.
    package var reason: String {
        code < 400 ? reasonOfSuccess : reasonOfFailure
    }

    /// Appends the status line of HTTP/1.1 with its line end.
    package func appendLine(to output: inout [UInt8]) {
        output.append(text: "HTTP/1.1 ")
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: code / 100 % 10))
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: code / 10 % 10))
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: code % 10))
        output.append(UInt8(ascii: " "))
        output.append(reason.utf8Span.span)
        output.append(text: "\r\n")
    }

    private var reasonOfSuccess: String {
        switch code {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        default: "Status"
        }
    }

    private var reasonOfFailure: String {
        switch code {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

extension HTTPStatus: CustomStringConvertible {
    /// Code and reason.
    package var description: String { "\(code) \(reason)" }
}
