package import HTTPCore

/// A site as it stands on one loop: which host it is, what keeps requests out, how it refuses.
package struct Site {
    /// Which site.
    package let name: SiteName
    /// As it stands in a Host field, lower case; `nil` takes every host of the listener.
    package let host: [UInt8]?
    /// The origin that is configured, where browsers are sent that ask under a name that is another site to them.
    package let origin: String?
    /// The format of refusals where no route is known.
    package let fallback: FormatName
    /// Every format that its routes use.
    package let formats: [FormatName: any FailureFormat]
    /// The fields of a bare answer to HEAD.
    package let headFields: FieldBlock
    /// Refuses requests before their route is looked for; `nil` lets everybody in.
    package let gate: ((HTTPRequest) -> HTTPResponse?)?

    /// A site.
    package init(
        _ name: SiteName,
        host: [UInt8]?,
        origin: String? = nil,
        fallback: FormatName,
        formats: [FormatName: any FailureFormat],
        headFields: FieldBlock,
        gate: ((HTTPRequest) -> HTTPResponse?)? = nil
    ) {
        self.name = name
        self.host = host
        self.origin = origin
        self.fallback = fallback
        self.formats = formats
        self.headFields = headFields
        self.gate = gate
    }
}

/// Two rows that cannot both be served, or one that its site cannot serve; found at the start, never per request.
package struct RouteError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, with site, method and pattern.
    package let description: String

    /// An error.
    package init(description: String) { self.description = description }
}

/// What the parts of the features mount their routes on; one per loop.
///
/// Tables and rows are classes: a request counts one reference to each, not one for every field.
package struct Routes: ~Copyable {
    private(set) var tables: [SiteTable] = []
    private(set) var paths: [Path] = []

    /// A site with its rows.
    final class SiteTable {
        let site: Site
        let fallback: any FailureFormat
        fileprivate var formats: [FormatName: any FailureFormat]
        /// Indices of paths without places, by their length.
        fileprivate(set) var exact: [[Int]] = []
        /// Indices of paths with places.
        fileprivate(set) var patterns: [Int] = []
        /// What is said about unknown paths, by what they begin with.
        fileprivate(set) var prefixes: [(text: [UInt8], format: any FailureFormat, bodyLimit: Int?)] = []

        fileprivate init(_ site: Site, fallback: any FailureFormat) {
            self.site = site
            self.fallback = fallback
            formats = site.formats
        }
    }

    /// All rows of one pattern.
    struct Path {
        let pattern: RoutePattern
        let table: Int
        fileprivate(set) var rows: [Row] = []
    }

    /// A row, bound to the part that answers it.
    final class Row {
        let method: HTTPMethod
        let format: any FailureFormat
        let bodyLimit: Int?
        let patience: Duration?
        let isHeadLikeGet: Bool
        let check: ((HTTPRequest) throws(Failure) -> Void)?
        let action: Action

        fileprivate init(
            _ method: HTTPMethod,
            format: any FailureFormat,
            bodyLimit: Int?,
            patience: Duration?,
            isHeadLikeGet: Bool,
            check: ((HTTPRequest) throws(Failure) -> Void)?,
            action: Action
        ) {
            self.method = method
            self.format = format
            self.bodyLimit = bodyLimit
            self.patience = patience
            self.isHeadLikeGet = isHeadLikeGet
            self.check = check
            self.action = action
        }
    }

    enum Action {
        case fixed(FixedAnswer)
        case now((HTTPRequest) throws(Failure) -> HTTPResponse)
        case later(
            admit: ((HTTPRequest) -> StaticResponse?)?,
            (HTTPRequest) async throws(Failure) -> HTTPResponse
        )
    }

    /// Nothing mounted yet.
    ///
    /// - Throws: Where a site has no format of its fallback's name.
    package init(_ sites: [Site]) throws(RouteError) {
        for site in sites {
            let rival = tables.first { $0.site.name == site.name || $0.site.host == site.host }
            if let rival {
                throw RouteError(
                    description: "site \(site.name.text): name or host is \(rival.site.name.text)'s already"
                )
            }
            guard let fallback = site.formats[site.fallback] else {
                throw RouteError(description: "site \(site.name.text) has no format \(site.fallback.text)")
            }
            tables.append(SiteTable(site, fallback: fallback))
        }
    }

    /// Gives a site a format that only the rows of one feature use; mount them behind it.
    ///
    /// - Throws: Where the site has one of this name.
    package mutating func use(
        _ format: any FailureFormat,
        as name: FormatName,
        on site: SiteName
    ) throws(RouteError) {
        guard let table = tables.firstIndex(where: { $0.site.name == site }) else { return }
        guard tables[table].formats.updateValue(format, forKey: name) == nil else {
            throw RouteError(description: "site \(site.text): two formats are called \(name.text)")
        }
    }

    /// Mounts the rows of a part; a group on a site that this listener does not serve is left out.
    ///
    /// - Throws: For two rows that match one path and method, and for a format that the site lacks.
    package mutating func mount<Part: AnyObject>(_ group: RouteGroup<Part>, on part: Part) throws(RouteError) {
        guard let table = tables.firstIndex(where: { $0.site.name == group.site }) else { return }
        if let prefix = group.prefix {
            let format = try format(group.format, table, prefix)
            guard !tables[table].prefixes.contains(where: { $0.text == Array(prefix.utf8) }) else {
                throw RouteError(description: "\(group.site.text): two groups answer for \(prefix)")
            }
            tables[table].prefixes.append((Array(prefix.utf8), format, group.bodyLimit))
        }
        for route in group.routes {
            let row = Row(
                route.method,
                format: try format(route.format ?? group.format, table, route.pattern.text),
                bodyLimit: route.bodyLimit ?? group.bodyLimit,
                patience: route.patience,
                isHeadLikeGet: group.head == .likeGet,
                check: route.check.map { Routes.bind($0, part) },
                action: Routes.bind(route.action, part)
            )
            try add(row, group.slashes == .lenient ? route.pattern.withLenientSlashes : route.pattern, table)
        }
    }

    private func format(_ name: FormatName, _ table: Int, _ place: String) throws(RouteError) -> any FailureFormat {
        if let format = tables[table].formats[name] { return format }
        throw RouteError(description: "\(tables[table].site.name.text) \(place): there is no format \(name.text)")
    }

    private static func bind<Part: AnyObject>(_ action: Route<Part>.Action, _ part: Part) -> Action {
        switch action {
        case .fixed(let answer): return .fixed(answer(part))
        case .now(let handler):
            return .now { (request) throws(Failure) in try handler(part, request) }
        case .later(let admit, let handler):
            return .later(admit: admit.map { admit in { admit(part, $0) } }) { (request) async throws(Failure) in
                try await handler(part, request)
            }
        }
    }

    private static func bind<Part: AnyObject>(
        _ check: @escaping Route<Part>.Check,
        _ part: Part
    ) -> (HTTPRequest) throws(Failure) -> Void {
        { (request) throws(Failure) in try check(part, request) }
    }

    private mutating func add(_ row: Row, _ pattern: RoutePattern, _ table: Int) throws(RouteError) {
        let same = paths.indices.first { paths[$0].table == table && paths[$0].pattern.matchesSame(as: pattern) }
        if let same, paths[same].rows.contains(where: { $0.method == row.method }) {
            throw conflict(row, pattern, paths[same].pattern, table)
        }
        // A literal goes before a place only as a whole path; two patterns with places must not compete.
        let rival = paths.first {
            $0.table == table && !pattern.isExact && !$0.pattern.isExact && $0.pattern.overlaps(pattern)
                && !$0.pattern.matchesSame(as: pattern)
        }
        if let rival { throw conflict(row, pattern, rival.pattern, table) }
        if let same { return paths[same].rows.append(row) }
        guard pattern.places.count <= RouteMatch.maximumCaptures else {
            throw RouteError(description: "\(pattern.text): more than \(RouteMatch.maximumCaptures) places")
        }
        paths.append(Path(pattern: pattern, table: table, rows: [row]))
        tables[table].note(paths.count - 1, pattern)
    }

    private func conflict(_ row: Row, _ pattern: RoutePattern, _ other: RoutePattern, _ table: Int) -> RouteError {
        let site = tables[table].site.name.text
        return RouteError(description: "\(site) \(row.method.text) \(pattern.text): mounted already as \(other.text)")
    }
}

extension Routes.SiteTable {
    fileprivate func note(_ index: Int, _ pattern: RoutePattern) {
        guard pattern.isExact else { return patterns.append(index) }
        let length = pattern.text.utf8.count
        while exact.count <= length { exact.append([]) }
        exact[length].append(index)
    }
}
