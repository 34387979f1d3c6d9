import HTTPCore

/// Compares the fields of an answer with those that the program sends.
enum FieldComparison {
    /// What was taken away or changed on the way, one sentence each.
    static func complaints(_ answer: InboundResponse, expected: [(String, String)]) -> [String] {
        var complaints = expected.compactMap { name, wanted -> String? in
            let values = answer.fields.filter { $0.0.lowercased() == name.lowercased() }.map(\.1)
            guard let first = values.first else { return "\(name) is missing." }
            return holds(name, wanted, values) ? nil : "\(name) is \(worst(wanted, values) ?? first), not \(wanted)."
        }
        if let server = answer.first("Server") { complaints.append("The field Server of the answer is \(server).") }
        return complaints
    }

    /// Whether browsers go by the value that was sent.
    private static func holds(_ name: String, _ wanted: String, _ values: [String]) -> Bool {
        switch name.lowercased() {
        // Only the first one counts (RFC 6797, 8.1), and more of it does no harm.
        case "strict-transport-security": values.first.map { isAsLong($0, as: wanted) } ?? false
        // Each further policy forbids more.
        case "content-security-policy": values.contains { plain($0) == plain(wanted) }
        default: worst(wanted, values) == nil
        }
    }

    /// The first value that is another one.
    private static func worst(_ wanted: String, _ values: [String]) -> String? {
        values.first { plain($0) != plain(wanted) }
    }

    private static func isAsLong(_ value: String, as wanted: String) -> Bool {
        let (own, others) = (directives(value), directives(wanted))
        return age(own) >= age(others) && (own.contains("includesubdomains") || !others.contains("includesubdomains"))
    }

    private static func directives(_ value: String) -> [String] {
        plain(value).split(separator: ";").map(String.init)
    }

    private static func age(_ directives: [String]) -> Int {
        let name = "max-age="
        let text = directives.first { $0.hasPrefix(name) }?.dropFirst(name.count).filter { $0 != "\"" }
        return text.flatMap { Int($0) } ?? 0
    }

    /// A value without what may differ: capitals, blanks, and the nonce, which is another one each time.
    private static func plain(_ value: String) -> String {
        let parts = value.lowercased().filter { $0 != " " && $0 != "\t" }.split(
            separator: "'nonce-",
            omittingEmptySubsequences: false
        )
        let rest = parts.dropFirst().map { part in part.drop { $0 != "'" } }
        return ([parts[0]] + rest).joined(separator: "'nonce-")
    }
}
