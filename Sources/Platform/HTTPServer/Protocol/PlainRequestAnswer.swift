import HTTPCore

/// The answer to a plain HTTP request on a port that speaks TLS.
enum PlainRequestAnswer {
    /// Appends the answer; the connection ends behind it.
    ///
    /// - Parameters:
    ///   - fields: Common fields of the server's own answers.
    static func append(fields: FieldBlock, to output: inout [UInt8]) {
        var response = HTTPResponse(.badRequest, block: fields, body: .bytes(Array("This port speaks HTTPS.\n".utf8)))
        response.add(.contentType, constant: "text/plain; charset=utf-8")
        response.appendHead(to: &output)
        output.append(contentsOf: "Connection: close\r\n\r\n".utf8)
        if case .bytes(let body) = response.body { output.append(contentsOf: body) }
    }
}
