package import HTTPCore

/// A host on a listener, with rules of its own.
package struct SiteName: Sendable, Hashable {
    /// As `sallyport routes` prints it.
    package let text: String

    /// A site; declared once as a static member.
    package init(_ text: String) { self.text = text }

    /// The shop: pages, tickets, `/v1`.
    package static let web = SiteName("web")
    /// Universal links and association files.
    package static let link = SiteName("link")
    /// Health and figures.
    package static let admin = SiteName("admin")
}

/// What refusals look like, by name; each site says how it writes those that its routes use.
package struct FormatName: Sendable, Hashable {
    /// Names it in errors.
    package let text: String

    /// A format; declared once as a static member.
    package init(_ text: String) { self.text = text }

    /// `{"error","message"}`.
    package static let json = FormatName("json")
    /// An error page.
    package static let page = FormatName("page")
    /// A problem of RFC 9457, as every refusal below `/v1` is one; only where `/v1` is served.
    package static let problem = FormatName("problem")
}

/// One row of a feature's routes, known without settings; its handler is given the part of the feature that lives on the loop.
package struct Route<Part: AnyObject>: Sendable {
    /// How it is answered.
    package enum Action: Sendable {
        /// From memory, the same for everybody.
        case fixed(@Sendable (Part) -> FixedAnswer)
        /// In this turn.
        case now(@Sendable (Part, HTTPRequest) throws(Failure) -> HTTPResponse)
        /// After waiting, unless the first function refuses it in this turn.
        case later(
            admit: (@Sendable (Part, HTTPRequest) -> StaticResponse?)?,
            @Sendable (Part, HTTPRequest) async throws(Failure) -> HTTPResponse
        )
    }

    /// GET answers HEAD, too.
    package let method: HTTPMethod
    /// The path.
    package let pattern: RoutePattern
    /// One line for `sallyport routes`.
    package let summary: String
    /// What refusals look like; `nil` for the group's format.
    package let format: FormatName?
    /// Bytes that the content may have; `nil` for the group's limit.
    package let bodyLimit: Int?
    /// How long its handler may take; `nil` for the server's deadline.
    package let patience: Duration?
    /// How it is answered.
    package let action: Action
    private(set) var check: Check?

    /// Refuses a request in this turn, before its handler is asked.
    package typealias Check = @Sendable (Part, HTTPRequest) throws(Failure) -> Void

    /// A row.
    package init(
        _ method: HTTPMethod,
        _ pattern: RoutePattern,
        _ summary: String,
        format: FormatName? = nil,
        bodyLimit: Int? = nil,
        patience: Duration? = nil,
        _ action: Action
    ) {
        self.method = method
        self.pattern = pattern
        self.summary = summary
        self.format = format
        self.bodyLimit = bodyLimit
        self.patience = patience
        self.action = action
    }
}

extension Route {
    /// A row whose handler waits, and may throw whatever it meets.
    package init(
        _ method: HTTPMethod,
        _ pattern: RoutePattern,
        _ summary: String,
        format: FormatName? = nil,
        bodyLimit: Int? = nil,
        _ handler: @escaping @Sendable (Part) -> (HTTPRequest) async throws -> HTTPResponse
    ) {
        let action = Action.later(admit: nil) { part, request throws(Failure) in
            do {
                return try await handler(part)(request)
            } catch {
                throw Failure(error)
            }
        }
        self.init(method, pattern, summary, format: format, bodyLimit: bodyLimit, action)
    }
}

extension Route {
    /// The same row for the requests that the check lets pass, for example so many per minute of an address.
    package func guarded(by check: @escaping Check) -> Route {
        var route = self
        route.check = check
        return route
    }
}

/// What `sallyport routes` and tests know of a row.
package struct RouteCard: Sendable {
    /// Where it is served.
    package let site: SiteName
    /// GET answers HEAD, too.
    package let method: HTTPMethod
    /// The pattern as it is written.
    package let path: String
    /// One line for people.
    package let summary: String
}

extension RouteGroup {
    /// The rows as values without their handlers.
    package var cards: [RouteCard] {
        routes.map { RouteCard(site: site, method: $0.method, path: $0.pattern.text, summary: $0.summary) }
    }
}

/// Routes of one feature on one site that share their rules.
package struct RouteGroup<Part: AnyObject>: Sendable {
    /// What a HEAD gets where its GET waits for something.
    package enum Head: Sendable {
        /// A bare 200: nothing is looked up, and nothing has an effect.
        case bare
        /// What GET gets, without its content.
        case likeGet
    }

    /// What becomes of slashes too many.
    package enum Slashes: Sendable {
        /// Another path.
        case exact
        /// Those at the beginning and one at the end are passed over.
        case lenient
    }

    /// Where they are served.
    package let site: SiteName
    /// What refusals look like unless a row says otherwise.
    package let format: FormatName
    /// What every unknown path begins with that this group answers, for example `/v1/`; `nil` leaves them to the site.
    package let prefix: String?
    /// Bytes that a content may have; `nil` for the server's limit.
    package let bodyLimit: Int?
    /// What a HEAD gets.
    package let head: Head
    /// What becomes of slashes too many.
    package let slashes: Slashes
    /// The rows.
    package let routes: [Route<Part>]

    /// A group.
    package init(
        on site: SiteName,
        _ format: FormatName,
        prefix: String? = nil,
        bodyLimit: Int? = nil,
        head: Head = .bare,
        slashes: Slashes = .exact,
        _ routes: [Route<Part>]
    ) {
        self.site = site
        self.format = format
        self.prefix = prefix
        self.bodyLimit = bodyLimit
        self.head = head
        self.slashes = slashes
        self.routes = routes
    }
}
