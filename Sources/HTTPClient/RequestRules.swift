import HTTPCore

/// What a request must look like before it may go out.
enum RequestRules {
    /// The first rule that a request breaks, or `nil`.
    ///
    /// The rules keep what is put together from data from becoming another request: no control characters, no user in the URL, and
    /// no clear text to another machine.
    static func complaint(about request: OutboundRequest) -> String? {
        guard !request.method.isEmpty, request.method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            return "method"
        }
        guard request.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let host = host(of: request.url) else {
            return "url"
        }
        if request.url.hasPrefix("http:"), !isLoopback(host) { return "clear text to another machine" }
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
        var lines = request.fields.map { name, value in value.isEmpty ? "\(name);" : "\(name): \(value)" }
        // The library would add these by itself.
        for name in ["Expect", "Content-Type", "Accept"]
        where !request.fields.contains(where: { $0.0.lowercased() == name.lowercased() }) {
            lines.append("\(name):")
        }
        return lines
    }

    /// The host of an absolute URL without user and port, or `nil` where it is no such URL.
    static func host(of url: String) -> String? {
        let rest: Substring
        if url.hasPrefix("https://") {
            rest = url.dropFirst(8)
        } else if url.hasPrefix("http://") {
            rest = url.dropFirst(7)
        } else {
            return nil
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, !authority.contains("@"), !authority.contains("\\") else { return nil }
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        let host = authority.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
