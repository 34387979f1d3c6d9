import HTTPCore
import Primitives

/// What a report is about: the first one of several.
package struct PolicyReport: Sendable, Equatable {
    /// For example `script-src-elem`; `other` for anything that cannot be a directive.
    let directive: String
    /// Scheme, host and port of what was kept out, or a word such as `inline`; `other` for anything else.
    let source: String

    /// Reads a report without parsing it: both words stand behind their names, in either of the two formats.
    init(_ body: [UInt8]) {
        let directive = PolicyReport.text(of: ["effectiveDirective", "effective-directive"], in: body.span)
        self.directive = directive.flatMap { PolicyReport.isDirective($0) ? $0 : nil } ?? "other"
        let source = PolicyReport.text(of: ["blockedURL", "blocked-uri"], in: body.span)
        self.source = source.flatMap(PolicyReport.origin) ?? "other"
    }

    private static let keywords: Set<OctetText> = [
        "inline", "eval", "wasm-eval", "data", "blob", "self", "trusted-types-policy", "trusted-types-sink",
    ]

    private static func isDirective(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (97...122).contains($0) }
    }

    private static func origin(_ text: String) -> String? {
        if keywords.contains(text.octets) { return text }
        guard let url = HTTPURL(text), url.isPlain, url.origin.utf8.count <= 120 else { return nil }
        return url.origin
    }

    /// The string behind a member's name, up to the first quote or escape.
    private static func text(of names: [StaticString], in body: Span<UInt8>) -> String? {
        for start in body.indices where body[start] == UInt8(ascii: "\"") {
            for name in names where body.extracting((start + 1)...).starts(with: name) {
                var from = start + 1 + name.utf8CodeUnitCount
                while from < body.count, "\": \t\r\n".utf8.contains(body[from]) { from += 1 }
                var end = from
                while end < body.count, end - from < 200, body[end] != UInt8(ascii: "\""),
                    body[end] != UInt8(ascii: "\\")
                {
                    end += 1
                }
                return body.extracting(from..<end).text
            }
        }
        return nil
    }
}
