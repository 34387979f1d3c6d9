/// A media type, RFC 9110 section 8.3.1, as this program sends or expects it.
package struct MediaType: Sendable, Hashable {
    /// The value of a Content-Type field, parameters included.
    package let text: String
    /// Type and subtype alone, lower case.
    package let essence: String

    private init(_ essence: String, parameters: String = "") {
        self.essence = essence
        text = essence + parameters
    }

    /// HTML in UTF-8.
    package static let html = MediaType("text/html", parameters: "; charset=utf-8")
    /// Text in UTF-8.
    package static let plainText = MediaType("text/plain", parameters: "; charset=utf-8")
    /// JSON in UTF-8.
    package static let json = MediaType("application/json", parameters: "; charset=utf-8")
    /// JSON without a charset parameter, as the association files want it.
    package static let bareJSON = MediaType("application/json")
    /// A form.
    package static let form = MediaType("application/x-www-form-urlencoded")
    /// Reports of a browser, Reporting API.
    package static let reports = MediaType("application/reports+json")
    /// A report of a browser that does not know the Reporting API.
    package static let policyReport = MediaType("application/csp-report")
    /// A style sheet.
    package static let css = MediaType("text/css", parameters: "; charset=utf-8")
    /// A script.
    package static let javaScript = MediaType("text/javascript", parameters: "; charset=utf-8")
    /// A PNG image.
    package static let png = MediaType("image/png")
    /// An SVG image.
    package static let svg = MediaType("image/svg+xml")
    /// An icon.
    package static let icon = MediaType("image/x-icon")
    /// A certificate of a development authority.
    package static let certificate = MediaType("application/x-x509-ca-cert")
    /// Bytes of no particular kind.
    package static let octets = MediaType("application/octet-stream")

    /// The Content-Type field.
    package var field: HTTPField {
        HTTPField(checked: .contentType, text)
    }

    /// Whether the value of a Content-Type field names this type, parameters aside.
    ///
    /// - Returns: True where type and subtype agree.
    package func matches(_ value: Span<UInt8>) -> Bool {
        var end = 0
        while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
        let name = value.extracting(0..<end)
        return name.extracting(name.trimmedRange()).isEqualIgnoringCase(to: essence.utf8Span.span)
    }
}
