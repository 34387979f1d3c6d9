package import AmazonPay

/// A request as somebody wrote it down: the octets of HTTP/1.1, with either line end.
package struct RecordedRequest: Sendable {
    /// The request.
    package let request: SignedRequest
    /// What was done to read it.
    package let notes: [SignatureHint]

    /// The text is no request; says why.
    package struct Problem: Error, Sendable, Equatable {
        /// One line for people.
        package let text: String
    }

    /// Takes a request apart that another reader has read.
    ///
    /// - Parameters:
    ///   - target: A path with a query, or a whole URL.
    ///   - body: Empty for none.
    package init(method: String, target: String, fields: [(String, String)], body: [UInt8]) {
        let (path, query) = RecordedRequest.split(target)
        request = SignedRequest(method: method.uppercased(), path: path, query: query, fields: fields, body: body)
        notes = []
    }

    /// Reads a request.
    ///
    /// - Parameter http: Request line, headers, an empty line, the body. Line ends may be line feeds alone.
    /// - Throws: What cannot be read.
    package init(http: [UInt8]) throws(Problem) {
        var reader = LineReader(http)
        let words = (reader.line() ?? "").split(separator: " ").map(String.init)
        guard (2...3).contains(words.count), words.count == 2 || words[2].hasPrefix("HTTP/") else {
            throw Problem(text: "the first line is not METHOD TARGET HTTP/1.1")
        }
        var fields: [(String, String)] = []
        while let line = reader.line(), !line.isEmpty {
            if let first = line.first, first == " " || first == "\t", let last = fields.popLast() {
                fields.append((last.0, last.1 + line))
            } else {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(" ") else {
                    throw Problem(text: "not a header line: \(line.prefix(60))")
                }
                fields.append((String(parts[0]), String(parts[1].drop { $0 == " " || $0 == "\t" })))
            }
        }
        let (body, notes) = RecordedRequest.body(reader.rest, fields)
        let (path, query) = RecordedRequest.split(words[1])
        request = SignedRequest(method: words[0].uppercased(), path: path, query: query, fields: fields, body: body)
        self.notes = notes
    }

    /// The body, without the line end that an editor put behind it.
    private static func body(_ rest: [UInt8], _ fields: [(String, String)]) -> ([UInt8], [SignatureHint]) {
        let length = fields.first { $0.0.lowercased() == "content-length" }.flatMap { Int($0.1) } ?? rest.count
        guard length >= 0, length < rest.count, rest.count - length <= 2,
            rest[length...].allSatisfy({ $0 == 0x0A || $0 == 0x0D })
        else {
            return (rest, [])
        }
        let note = SignatureHint(
            "editor",
            "the line end behind the body is not counted by content-length and was left out"
        )
        return (Array(rest[..<length]), [note])
    }

    /// Path and query of a target, or of a whole URL.
    private static func split(_ target: String) -> (path: String, query: String) {
        var rest = Substring(target)
        if let scheme = rest.firstRange(of: "://") {
            let authority = rest[scheme.upperBound...]
            rest = authority[(authority.firstIndex { $0 == "/" || $0 == "?" } ?? authority.endIndex)...]
        }
        rest = rest.prefix { $0 != "#" }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? ""
        return (path.isEmpty ? "/" : path, parts.count > 1 ? String(parts[1]) : "")
    }
}

/// Takes lines off the front of octets.
private struct LineReader {
    private(set) var rest: [UInt8]

    init(_ octets: [UInt8]) {
        rest = octets
    }

    /// The next line without its end; `nil` at the end.
    mutating func line() -> String? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        var line = rest[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        rest = Array(rest[min(end + 1, rest.endIndex)...])
        return text
    }
}
