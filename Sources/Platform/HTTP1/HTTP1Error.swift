package import HTTPCore

/// Why a request was refused; the connection ends after the answer, since nobody knows where the next request begins.
package enum HTTP1Error: Error, Sendable, Hashable, CaseIterable {
    /// More than one empty line before the request, or one that does not end in CR LF.
    case badEmptyLine
    /// The method is no token or has more than 16 characters.
    case badMethod
    /// The target is neither in origin-form nor in absolute-form, has a scheme that does not fit the connection, or a character
    /// that no target may have.
    case badTarget
    /// The target is longer than the limit.
    case targetTooLong
    /// What follows the target is no version and CR LF.
    case badVersion
    /// A major version other than 1.
    case unsupportedVersion
    /// The head, or what trails the content, is longer than the limit.
    case headTooLarge
    /// There are more fields than the limit.
    case tooManyFields
    /// A field name is no token, is empty, or has a blank before its colon.
    case badFieldName
    /// A field value has a control character other than the tab.
    case badFieldValue
    /// A field line begins with a blank: folded over two lines, or indented.
    case foldedLine
    /// A line ends in LF or CR alone.
    case badLineEnd
    /// Host is missing in any version but HTTP/1.0, empty, repeated, has a character that no host and port may have, or is not
    /// the target's.
    case badHost
    /// Content-Length is no number, or occurs twice.
    case badContentLength
    /// Transfer-Encoding is anything but one `chunked`, or comes with HTTP/1.0.
    case badTransferEncoding
    /// Content-Length and Transfer-Encoding together.
    case ambiguousLength
    /// Expect asks for something other than `100-continue`.
    case unsupportedExpectation
    /// The content is longer than the limit.
    case bodyTooLarge
    /// A chunk has no size, a size too great, no line end or too long an extension.
    case badChunk

    /// The status of the answer.
    package var status: HTTPStatus {
        switch self {
        case .targetTooLong: .uriTooLong
        case .unsupportedVersion: .versionNotSupported
        case .headTooLarge, .tooManyFields: .headerTooLarge
        case .unsupportedExpectation: .expectationFailed
        case .bodyTooLarge: .payloadTooLarge
        case .badEmptyLine, .badMethod, .badTarget, .badVersion, .badFieldName, .badFieldValue, .foldedLine,
            .badLineEnd, .badHost, .badContentLength, .badTransferEncoding, .ambiguousLength, .badChunk:
            .badRequest
        }
    }
}
