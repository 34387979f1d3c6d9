package import HTTPCore

/// Writes responses as HTTP/1.1, RFC 9112.
///
/// Content-Length is always written, and never chunks: all content is known. A status that allows no content and an
/// answer to HEAD end after the head. Nothing is allocated where the output has room.
package enum HTTP1Serializer {
    /// `100 Continue`: the client may send the content it has announced; no Date, not the final response.
    package static let continueResponse: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Appends a response.
    ///
    /// - Parameters:
    ///   - persistence: Whether another request may follow.
    package static func append(
        _ response: HTTPResponse,
        answering method: HTTPMethod,
        persistence: HTTP1Persistence,
        date: DateLine,
        to output: inout [UInt8]
    ) {
        response.appendHead(to: &output)
        endHead(persistence, date, &output)
        if case .head = method { return }
        guard response.status.allowsContent, case .bytes(let body) = response.body else { return }
        output.append(contentsOf: body)
    }

    /// Appends a response whose wire form is ready.
    ///
    /// - Parameters:
    ///   - persistence: Whether another request may follow.
    package static func append(
        _ response: StaticResponse,
        answering method: HTTPMethod,
        persistence: HTTP1Persistence,
        date: DateLine,
        to output: inout [UInt8]
    ) {
        // As spans: appending an array counts a reference to it.
        let (head, body) = (response.head, response.body)
        output.append(head.span)
        endHead(persistence, date, &output)
        if case .head = method { return }
        output.append(body.span)
    }

    private static func endHead(_ persistence: HTTP1Persistence, _ date: DateLine, _ output: inout [UInt8]) {
        output.append(date.bytes.span)
        switch persistence {
        case .usual: break
        case .keepAlive: output.append(text: "Connection: keep-alive\r\n")
        case .close: output.append(text: "Connection: close\r\n")
        }
        output.append(text: "\r\n")
    }
}
