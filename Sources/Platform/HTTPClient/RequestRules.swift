import HTTPCore
import Primitives

/// What a request must look like before it may go out.
enum RequestRules {
    /// The first rule that a request breaks, or `nil`.
    ///
    /// The rules keep what is put together from data from becoming another request: no control characters, no user in the URL,
    /// no clear text to another machine, and no address that is special (`SpecialAddress`).
    static func complaint(
        about request: OutboundRequest,
        _ clearText: ClientConfiguration.ClearText = .thisMachine
    ) -> String? {
        guard !request.method.isEmpty, request.method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            return "method"
        }
        guard let url = HTTPURL(request.url) else { return "url" }
        guard url.isSecure || url.host.isLoopback || clearText == .anyMachine else {
            return "clear text to another machine"
        }
        // Whoever names the address, an operator, a message or an answer: what clouds serve there is not ours to send to.
        guard url.host.special == nil || url.host.isLoopback else { return "a special-purpose address" }
        for (name, value) in request.fields {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }) else {
                return "field name"
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return "value of \(name)" }
        }
        return nil
    }

    /// The lines for the library: a trailing semicolon stands for an empty value, an empty value for no line at all.
    static func fieldLines(of request: OutboundRequest) -> [String] {
        var lines: [String] = []
        lines.reserveCapacity(request.fields.count + ownLines.count)
        for (name, value) in request.fields { lines.append(line(name, value)) }
        for (name, line) in ownLines
        where !request.fields.contains(where: { $0.0.utf8Span.span.isEqualIgnoringCase(to: name) }) {
            lines.append(line)
        }
        return lines
    }

    /// What the library would add by itself, and the line that keeps it from that.
    private static let ownLines: [(name: StaticString, line: String)] = [
        ("expect", "Expect:"), ("content-type", "Content-Type:"), ("accept", "Accept:"),
    ]

    /// One allocation, where a text with the parts in it would grow.
    private static func line(_ name: String, _ value: String) -> String {
        var line = name
        line.reserveCapacity(name.utf8.count + 2 + value.utf8.count)
        line += value.isEmpty ? ";" : ": "
        line += value
        return line
    }
}
