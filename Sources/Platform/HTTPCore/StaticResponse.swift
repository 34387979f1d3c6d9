/// A response that is the same every time, with its HTTP/1.1 form made once; only Date and Connection vary.
///
/// Sending one copies bytes into the output and allocates nothing.
package final class StaticResponse: Sendable {
    /// The response, for protocols with another wire form.
    package let response: HTTPResponse
    /// Status line, fields and Content-Length as HTTP/1.1, without Date, Connection and the empty line.
    package let head: [UInt8]
    /// The content; empty where the status allows none.
    package let body: [UInt8]

    /// Makes the wire form of a response.
    package init(_ response: HTTPResponse) {
        self.response = response
        var head: [UInt8] = []
        response.appendHead(to: &head)
        self.head = head
        if response.status.allowsContent, case .bytes(let bytes) = response.body {
            body = bytes
        } else {
            body = []
        }
    }
}
