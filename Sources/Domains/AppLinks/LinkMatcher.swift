/// Decides whether an address would open the app, by the same rules as the phones.
///
/// For checks at start: the link that is sent out must open the app, the pages of the shop must not.
package struct LinkMatcher: Sendable {
    /// Which part of the document a phone reads.
    package enum Form: Sendable, CaseIterable {
        /// `paths`: iOS 9 to 12.
        case old
        /// `components`: iOS 13 and later.
        case new
    }

    private let rules: LinkRules

    /// A matcher.
    package init(_ rules: LinkRules) {
        self.rules = rules
    }

    /// Whether an address on the link host opens the app.
    ///
    /// - Parameters:
    ///   - url: Absolute, or a path with a query; scheme and host are not looked at.
    ///   - form: Which part of the document is read.
    /// - Returns: What the first rule that matches says; false without one.
    package func opens(_ url: String, _ form: Form) -> Bool {
        let parts = LinkMatcher.parts(url)
        switch form {
        case .old: return opensByPath(parts.path)
        case .new: return opensByComponent(parts)
        }
    }

    /// What keeps an address in the browser that has the path of a rule: each value that the rule wants otherwise.
    ///
    /// - Parameter url: As for ``opens(_:_:)``.
    /// - Returns: Empty where no rule that opens the app has this path.
    package func unmet(_ url: String) -> [LinkRules.QueryItem] {
        let parts = LinkMatcher.parts(url)
        let rule = rules.components.first { !$0.isExcluded && LinkPattern($0.path, $0.options).matches(parts.path) }
        guard let rule else { return [] }
        return rule.query.filter { !LinkMatcher.holds($0, in: parts.query, rule.options) }
    }

    private func opensByPath(_ path: String) -> Bool {
        for pattern in rules.paths {
            let isExcluded = pattern.hasPrefix(LinkMatcher.exclusion)
            let glob = isExcluded ? String(pattern.dropFirst(LinkMatcher.exclusion.count)) : pattern
            if LinkMatcher.matches(path, glob) { return !isExcluded }
        }
        return false
    }

    private func opensByComponent(_ parts: Parts) -> Bool {
        for rule in rules.components {
            func matches(_ text: String, _ pattern: String?) -> Bool {
                pattern.map { LinkPattern($0, rule.options).matches(text) } ?? true
            }
            let isMatch =
                matches(parts.path, rule.path) && matches(parts.queryText, rule.queryText)
                && matches(parts.fragment, rule.fragment)
                && rule.query.allSatisfy { LinkMatcher.holds($0, in: parts.query, rule.options) }
            if isMatch { return !rule.isExcluded }
        }
        return false
    }

    private static let exclusion = "NOT "

    /// Every item of the name has to match; a missing one counts as empty.
    private static func holds(
        _ item: LinkRules.QueryItem,
        in query: [(String, String)],
        _ options: LinkPattern.Options
    ) -> Bool {
        let values = query.filter { $0.0 == item.name }.map(\.1)
        let pattern = LinkPattern(item.pattern, options)
        return (values.isEmpty ? [""] : values).allSatisfy { pattern.matches($0) }
    }

    /// An address taken apart; what is missing is empty.
    private struct Parts {
        let path: String
        let query: [(String, String)]
        let queryText: String
        let fragment: String
    }

    private static func parts(_ url: String) -> Parts {
        let address = url.prefix { $0 != "#" }
        let target = address.firstRange(of: "://").map { address[$0.upperBound...].drop { $0 != "/" } } ?? address
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let items = halves.count > 1 ? halves[1].split(separator: "&") : []
        let query = items.map { item -> (String, String) in
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
        }
        return Parts(
            path: String(halves.first ?? ""),
            query: query,
            queryText: halves.count > 1 ? String(halves[1]) : "",
            fragment: String(url[address.endIndex...].dropFirst())
        )
    }

    /// Whether a text matches a pattern of the old form as a whole.
    static func matches(_ text: String, _ pattern: String) -> Bool { LinkPattern(pattern).matches(text) }
}
