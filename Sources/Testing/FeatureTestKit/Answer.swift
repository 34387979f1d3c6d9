package import HTTPCore

/// The answer to a request as a test looks at it.
package struct Answer {
    /// For example 303.
    package let status: Int
    /// All fields in the order in which they go out.
    package let fields: [(name: String, value: String)]
    /// The content as text.
    package let body: String

    init(_ response: HTTPResponse) {
        status = response.status.code
        fields = (response.block.fields + response.fields).map { ($0.name.text, $0.value) }
        if case .bytes(let bytes) = response.body { body = String(decoding: bytes, as: UTF8.self) } else { body = "" }
    }

    /// The value of the first field of a name; `nil` where there is none.
    package subscript(name: HTTPFieldName) -> String? { all(name).first }

    /// The values of all fields of a name.
    package func all(_ name: HTTPFieldName) -> [String] { fields.filter { $0.name == name.text }.map(\.value) }

    /// What is set in the jar under a name, with its attributes; `nil` where the answer does not set it.
    package func cookie(_ name: String) -> String? {
        all(.setCookie).first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The code of a refusal, in JSON or on a page; `nil` for another answer.
    package var failure: String? { text(between: "\"error\":\"", "\"") ?? text(between: "data-error=\"", "\"") }

    /// The headline of a page; `nil` for another answer.
    package var headline: String? { text(between: "<h1", "</h1>")?.split(separator: ">").last.map(String.init) }

    /// Whether the jar forgets what it has under a name.
    package func clears(_ name: String) -> Bool {
        cookie(name).map { $0.hasPrefix(";") && $0.hasSuffix("Max-Age=0") } ?? false
    }

    /// What stands between two texts for the first time.
    package func text(between start: String, _ end: String) -> String? {
        let parts = body.split(separator: start, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return parts[1].split(separator: end, maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
    }
}
