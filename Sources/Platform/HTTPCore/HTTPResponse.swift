/// The content of a response.
///
/// An array is shared when it is copied, so a body that many responses have is simply the same array.
package enum HTTPBody: Sendable, Hashable {
    /// No content; a length of zero where the status allows content.
    case empty
    /// The given bytes.
    case bytes([UInt8])

    /// How many bytes there are.
    package var count: Int {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        }
    }
}

/// One response.
///
/// Content-Length, Date and Connection are written by the server; a handler's own are dropped.
package struct HTTPResponse: Sendable {
    /// The status.
    package var status: HTTPStatus
    /// The fields this response has in common with others; they go out first.
    package var block: FieldBlock
    /// The fields of this response alone.
    package var fields: [HTTPField]
    /// The content.
    ///
    /// With a status that allows none it is not sent; in answer to HEAD only its length is.
    package var body: HTTPBody

    /// The given response.
    package init(
        _ status: HTTPStatus,
        block: FieldBlock = .empty,
        fields: [HTTPField] = [],
        body: HTTPBody = .empty
    ) {
        self.status = status
        self.block = block
        self.fields = fields
        self.body = body
    }

    /// Adds a field whose value is written in the source.
    ///
    /// - Parameters:
    ///   - constant: Printable ASCII.
    package mutating func add(_ name: HTTPFieldName, constant: StaticString) {
        add(HTTPField(name, constant: constant))
    }

    /// Adds a field whose value is computed.
    ///
    /// - Parameters:
    ///   - value: Checked as for a field.
    /// - Returns: False, and nothing is added, where the value could not be sent.
    package mutating func add(_ name: HTTPFieldName, _ value: String) -> Bool {
        guard let field = HTTPField(name, value) else { return false }
        add(field)
        return true
    }

    /// Adds a field.
    ///
    /// - Parameter field: Goes out behind those that were added before.
    package mutating func add(_ field: HTTPField) {
        // Most responses have two to four; the first growth makes room for all of them.
        if fields.isEmpty { fields.reserveCapacity(4) }
        fields.append(field)
    }

    /// Sets a cookie.
    package mutating func set(_ cookie: SetCookie) {
        add(cookie.field)
    }

    /// Appends status line, fields and Content-Length as HTTP/1.1, without Date, Connection and the empty line.
    ///
    /// - Parameter output: Grows by the lines, each with its line end.
    package func appendHead(to output: inout [UInt8]) {
        status.appendLine(to: &output)
        output.append(contentsOf: block.lines)
        for field in fields where !field.name.belongsToServer { field.appendLine(to: &output) }
        guard status.allowsContent else { return }
        output.append(text: "Content-Length: ")
        HTTPResponse.appendDigits(body.count, to: &output)
        output.append(text: "\r\n")
    }

    /// From the highest digit down: turning the digits round in place would copy the output.
    private static func appendDigits(_ count: Int, to output: inout [UInt8]) {
        var unit = 1
        while count / unit >= 10 { unit *= 10 }
        while unit > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: count / unit % 10))
            unit /= 10
        }
    }
}
