import Primitives
package import StrictJSON

/// What arrives at a simulator, as a value.
package struct SimulatorRequest: Sendable {
    /// Upper case.
    package let method: String
    /// As received, percent-encoding not undone.
    package let path: String
    /// As received, without the question mark; empty where there is none.
    package let query: String
    /// Names in lower case, values as received.
    package let fields: [(name: String, value: String)]
    /// The content.
    package let body: [UInt8]
    /// Whether the other end may use the control interface: it is on this machine, or where an operator lets testers be.
    package let mayControl: Bool
    /// Whether it came over TLS.
    package let isSecure: Bool

    /// The given request.
    ///
    /// - Parameters:
    ///   - method: Upper case.
    ///   - target: Path and query as received.
    ///   - mayControl: Whether the other end may use the control interface.
    ///   - isSecure: Whether it came over TLS.
    package init(
        _ method: String,
        _ target: String,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        mayControl: Bool = true,
        isSecure: Bool = false
    ) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        query = parts.count > 1 ? String(parts[1]) : ""
        self.fields = fields.map { ($0.name.lowercased(), $0.value) }
        self.body = body
        self.mayControl = mayControl
        self.isSecure = isSecure
    }

    /// The value of the first field of a name, or `nil` where there is none.
    ///
    /// - Parameter name: In lower case.
    package func first(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The value of a cookie, or `nil` where there is none or two.
    package func cookie(_ name: String) -> String? {
        let pairs = fields.filter { $0.name == "cookie" }.flatMap { $0.value.split(separator: ";") }
        let found = pairs.compactMap { pair -> String? in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
        return found.count == 1 ? found[0] : nil
    }
}

extension SimulatorRequest {
    /// Whether the body is that of a form; `curl -d` says so of JSON, too.
    package var isForm: Bool {
        let type = first("content-type")?.lowercased() ?? ""
        return type.octets.starts(with: "application/x-www-form-urlencoded") && body.first != UInt8(ascii: "{")
    }

    /// Whether a person asks, with a browser.
    package var isOfBrowser: Bool {
        (first("accept") ?? "").octets.parts(between: UInt8(ascii: ",")).contains {
            $0.octets.starts(with: "text/html")
        }
    }
}

/// What a simulator answers, as a value.
package struct SimulatorAnswer: Sendable, Equatable, Codable {
    /// One field of an answer.
    package struct Field: Sendable, Equatable, Codable {
        /// In lower case.
        package let name: String
        /// Printable ASCII.
        package let value: String

        /// A field of its two parts.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The HTTP status.
    package var status: Int
    /// Framing fields are not among them.
    package var fields: [Field]
    /// The content.
    package var body: [UInt8]

    /// An answer; names of fields are in lower case.
    package init(_ status: Int, _ fields: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
        self.body = body
    }

    /// The value of the first field of a name, or `nil` where there is none.
    ///
    /// - Parameter name: In lower case.
    package func first(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// An answer in JSON that no cache may store.
    package static func json(_ status: Int, _ value: JSONValue, _ fields: [(String, String)] = []) -> SimulatorAnswer {
        SimulatorAnswer(
            status,
            [("content-type", "application/json"), ("cache-control", "no-store"), ("x-robots-tag", "noindex")] + fields,
            body: value.bytes
        )
    }
}
