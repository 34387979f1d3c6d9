/// Which addresses of the link host open the app.
package struct LinkRules: Sendable, Hashable {
    /// One rule of the new form, read by iOS 13 and later and by Android 15.
    package struct Component: Sendable, Hashable {
        /// A pattern for the whole path.
        package let path: String
        /// Patterns for items of the query by name, in the order of the document; items without one may be anything.
        package let query: [QueryItem]
        /// A pattern for the whole query as it is written; `nil` where it may be anything.
        package let queryText: String?
        /// A pattern for what stands behind `#`; `nil` where it may be anything.
        package let fragment: String?
        /// Whether a match keeps the address in the browser.
        package let isExcluded: Bool
        /// For readers of the document.
        package let comment: String
        /// How its patterns are compared.
        package let options: LinkPattern.Options

        /// A rule, as a document has it.
        ///
        /// - Parameters:
        ///   - path: A pattern for the whole path.
        ///   - fragment: A pattern for what stands behind `#`.
        ///   - isExcluded: Whether a match keeps the address in the browser.
        package init(
            path: String,
            query: [QueryItem],
            queryText: String? = nil,
            fragment: String? = nil,
            isExcluded: Bool,
            comment: String,
            options: LinkPattern.Options = LinkPattern.Options()
        ) {
            self.path = path
            self.query = query
            self.queryText = queryText
            self.fragment = fragment
            self.isExcluded = isExcluded
            self.comment = comment
            self.options = options
        }

        /// Whether every address matches.
        package var takesEverything: Bool {
            path == "*" && query.isEmpty && [queryText, fragment].allSatisfy { $0 == nil || $0 == "*" }
        }
    }

    /// A pattern for one item of the query.
    package struct QueryItem: Sendable, Hashable {
        /// Matched exactly.
        package let name: String
        /// `*` stands for any text, also of a missing item; `?` for one character, so `?*` demands one at least.
        package let pattern: String

        /// A pattern, as a document has it.
        ///
        /// - Parameters:
        ///   - pattern: With `*` and `?`.
        package init(name: String, pattern: String) {
            self.name = name
            self.pattern = pattern
        }
    }

    /// How narrow the rules are.
    package enum Scope: Sendable {
        /// The return link with each of its four values.
        case returnLink
        /// The path of the return link with any query, for old apps in profile compat.
        case returnPath
        /// Everything on the host, as the vendor's sample has it; only where somebody insists.
        case everything
    }

    /// Patterns of the old form, for the path alone; `NOT ` in front excludes, the first match decides.
    package let paths: [String]
    /// Rules of the new form; the first match decides.
    package let components: [Component]

    /// The rules of a scope.
    package init(_ scope: Scope) {
        switch scope {
        case .returnLink:
            paths = [ReturnLink.path]
            components = [LinkRules.returning(LinkRules.items), LinkRules.nothingElse]
        case .returnPath:
            paths = [ReturnLink.path]
            components = [LinkRules.returning([]), LinkRules.nothingElse]
        case .everything:
            paths = ["*"]
            components = [Component(path: "*", query: [], isExcluded: false, comment: "everything opens the app")]
        }
    }

    /// Rules of any kind, such as a document holds that somebody serves.
    package init(paths: [String], components: [Component]) {
        self.paths = paths
        self.components = components
    }

    /// Each value has to be there: a foreign link with an empty one would crash the vendor's Android sample.
    private static let items = [
        QueryItem(name: "secureWebviewSessionId", pattern: "swc_?*"),
        QueryItem(name: "old_secureWebviewSessionId", pattern: "swa_?*"),
        QueryItem(name: "accessToken", pattern: "?*"),
        QueryItem(name: "orderReferenceId", pattern: "?*"),
    ]

    private static let nothingElse = Component(
        path: "*",
        query: [],
        isExcluded: true,
        comment: "nothing else opens the app"
    )

    private static func returning(_ query: [QueryItem]) -> Component {
        Component(path: ReturnLink.path, query: query, isExcluded: false, comment: "return from the secure tab")
    }
}
