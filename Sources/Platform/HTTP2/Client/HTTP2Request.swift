/// A request that goes out over HTTP/2, always `https`.
package struct HTTP2Request: Sendable {
    /// One field of the head.
    package struct Field: Sendable {
        let name: String
        let value: String
        let isIndexed: Bool

        /// The given field; a name or value that cannot be sent is refused with the request.
        ///
        /// - Parameters:
        ///   - name: In lower case.
        ///   - isIndexed: Whether both sides keep it for the requests that follow: for values that come again.
        package init(_ name: String, _ value: String, isIndexed: Bool = false) {
            self.name = name
            self.value = value
            self.isIndexed = isIndexed
        }

        /// Whether the field can be sent: a name in lower case, and a value that cannot end it.
        var isSound: Bool {
            !name.isEmpty && name.utf8.allSatisfy(Field.isNameByte)
                && value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        }

        private static func isNameByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }

    /// For example `POST`.
    package var method: String
    /// Host, and port where it is not 443.
    package var authority: String
    /// Path and query, percent-encoded; in no table of either side.
    package var path: String
    /// In the order in which they go out.
    package var fields: [Field]
    /// The content; empty for none.
    package var body: [UInt8]

    /// The given request.
    ///
    /// - Parameter method: For example `POST`.
    package init(method: String, authority: String, path: String, fields: [Field] = [], body: [UInt8] = []) {
        self.method = method
        self.authority = authority
        self.path = path
        self.fields = fields
        self.body = body
    }

    /// Pseudo-fields first.
    var head: [Field] {
        [
            Field(":method", method, isIndexed: true), Field(":scheme", "https", isIndexed: true),
            Field(":authority", authority, isIndexed: true), Field(":path", path),
        ] + fields
    }

    /// Whether it can be sent.
    var isSound: Bool {
        path.utf8.first == UInt8(ascii: "/") && !method.isEmpty && head.prefix(4).allSatisfy(\.isSoundValue)
            && fields.allSatisfy(\.isSound)
    }
}

extension HTTP2Request.Field {
    /// As `isSound`, for pseudo-fields: no blank either.
    fileprivate var isSoundValue: Bool { value.utf8.allSatisfy { (0x21..<0x7F).contains($0) } }
}
