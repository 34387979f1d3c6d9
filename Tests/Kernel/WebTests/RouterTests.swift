import HTTPCore
import HTTPServer
import Primitives
import Testing

@testable import Web

/// A feature with a route of each kind.
private final class Books {
    var answers = 0
    let limit = AddressRateLimit(perMinute: 2)

    static let routes = RouteGroup<Books>(
        on: .web,
        .json,
        [
            Route(.get, "/books", "all", .fixed { _ in FixedAnswer(Array("all".utf8), block: .empty) }),
            Route(.get, "/books/new", "the newest", .now { _, _ in say("newest") }),
            Route(
                .get,
                "/books/{book}",
                "one",
                patience: .seconds(7),
                .later(admit: nil) { _, request in say(request.capture(0)) }
            ),
            Route(
                .post,
                "/books/{book}",
                "write",
                bodyLimit: 512,
                .now { _, request in say("wrote " + request.capture(0)) }
            ),
            Route(
                .delete,
                "/books/{book}/pages/{page}",
                "tear out",
                .now { _, request in say(request.capture(1) + " of " + request.capture(0) + request.capture(2)) }
            ),
            Route(.get, "/refused", "refuses", .now { _, _ throws(Failure) in throw Failure(.gone) }),
            Route(.get, "/counted", "twice a minute", .later(admit: nil) { _, _ in say("counted") })
                .guarded { part, request throws(Failure) in
                    try part.limit.take(request.peer.keys, at: MonotonicTime(nanoseconds: 0))
                },
        ]
    )

    static let api = RouteGroup<Books>(
        on: .web,
        .empty,
        prefix: "/v1/",
        bodyLimit: 2_048,
        head: .likeGet,
        [
            Route(.get, "/v1/books", "all", .later(admit: nil) { part, _ in say("\(part.answers)") }),
            Route(
                .post,
                "/v1/books",
                "add",
                .later(admit: { part, _ in part.answers > 0 ? shed : nil }) { _, _ in say("added") }
            ),
        ]
    )
}

private let shed = StaticResponse(HTTPResponse(.serviceUnavailable))

private func say(_ text: String) -> HTTPResponse { HTTPResponse(.ok, body: .bytes(Array(text.utf8))) }

extension FormatName {
    fileprivate static let empty = FormatName("empty")
}

extension FailureCode {
    fileprivate static let gone = FailureCode("gone", .gone, "It is gone.")
}

/// Says the code in the content, or nothing at all.
private final class Format: FailureFormat {
    private let isEmpty: Bool

    init(isEmpty: Bool) { self.isEmpty = isEmpty }

    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(failure.code.status, body: .bytes(isEmpty ? [] : Array(failure.code.name.utf8)))
    }

    func response(toContentRefusedWith status: HTTPStatus, limit: Int?, _ request: HTTPRequest) -> HTTPResponse? {
        isEmpty ? HTTPResponse(status, body: .bytes(Array("limit \(limit ?? 0)".utf8))) : nil
    }
}

private func site(_ name: SiteName, host: String?, gate: ((HTTPRequest) -> HTTPResponse?)? = nil) -> Site {
    Site(
        name,
        host: host.map { Array($0.utf8) },
        fallback: .json,
        formats: [.json: Format(isEmpty: false), .empty: Format(isEmpty: true)],
        headFields: .empty,
        gate: gate
    )
}

private func request(_ method: HTTPMethod, _ path: String, host: String = "shop.example") throws -> HTTPRequest {
    try #require(HTTPRequest(method, path, fields: [(.host, host)]))
}

@Suite struct `A router` {
    private let books = Books()
    private let router: Router

    init() throws {
        var routes = try Routes([site(.web, host: "shop.example"), site(.link, host: "links.example")])
        try routes.mount(Books.routes, on: books)
        try routes.mount(Books.api, on: books)
        router = Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected)))
    }

    /// Status and content.
    private func ask(_ request: HTTPRequest) async throws -> String {
        let response: HTTPResponse
        switch router.handle(request) {
        case .now(let now): response = now
        case .precomposed(let ready): response = ready.response
        case .later(let wait): response = try await wait()
        }
        guard case .bytes(let body) = response.body else { return "\(response.status.code)" }
        return "\(response.status.code) \(String(decoding: body, as: UTF8.self))"
    }

    @Test(arguments: [
        (HTTPMethod.get, "/books", "200 all"), (.get, "/books?page=2", "200 all"), (.head, "/books", "200 all"),
        (.get, "/books/new", "200 newest"), (.get, "/books/7", "200 7"),
        (.post, "/books/a.b_c~d-E9", "200 wrote a.b_c~d-E9"), (.delete, "/books/7/pages/12", "200 12 of 7"),
        (.get, "/refused", "410 gone"),
        (.get, "/v1/books", "200 0"), (.head, "/v1/books", "200 0"), (.post, "/v1/books", "200 added"),
    ])
    func `answers with the route of path and method`(method: HTTPMethod, path: String, answer: String) async throws {
        #expect(try await ask(request(method, path)) == answer)
    }

    @Test(arguments: [
        "/", "/book", "/books/", "//books", "/Books", "/books/7/", "/books//pages/1", "/books/7/pages",
        "/books/7/pages/1/2", "/books/%37", "/books/a+b", "/v2/books", "/v1",
        "/books/" + String(repeating: "a", count: 129),
    ])
    func `knows no other form of a path`(path: String) async throws {
        #expect(try await ask(request(.get, path)) == "404 not_found")
    }

    @Test func `refuses an unknown path below a prefix in the group's format`() async throws {
        #expect(try await ask(request(.get, "/v1/other")) == "404 ")
        #expect(try await ask(request(.get, "/v1/")) == "404 ")
    }

    @Test(arguments: [
        (HTTPMethod.post, "/books", "GET, HEAD"), (.put, "/books/7", "GET, HEAD, POST"),
        (.get, "/books/7/pages/1", "DELETE"), (.other, "/books/new", "GET, HEAD"),
    ])
    func `names the methods of a path that has others`(method: HTTPMethod, path: String, allow: String) throws {
        guard case .now(let response) = router.handle(try request(method, path)) else {
            Issue.record("not answered at once")
            return
        }
        #expect(response.status == .methodNotAllowed)
        #expect(response.fields.first { $0.name == .allow }?.value == allow)
    }

    @Test func `lets a HEAD have no effect and look nothing up`() async throws {
        #expect(try await ask(request(.head, "/books/7")) == "200")
    }

    @Test func `refuses other hosts, and keeps the routes of one from the other`() async throws {
        #expect(try await ask(request(.get, "/books", host: "other.example")) == "421")
        #expect(try await ask(request(.get, "/books", host: "links.example")) == "404 not_found")
        #expect(try await ask(request(.get, "/books", host: "SHOP.example")) == "200 all")
    }

    @Test func `sheds before a task begins`() async throws {
        books.answers = 1
        guard case .precomposed(let refusal) = router.handle(try request(.post, "/v1/books")) else {
            Issue.record("a task began")
            return
        }
        #expect(refusal.response.status == .serviceUnavailable)
    }

    @Test func `asks the guard of a row before a task begins, and refuses in the format of the route`() async throws {
        for _ in 0..<2 { #expect(try await ask(request(.get, "/counted")) == "200 counted") }
        guard case .now(let refusal) = router.handle(try request(.get, "/counted")),
            case .bytes(let body) = refusal.body
        else {
            Issue.record("a task began")
            return
        }
        #expect(refusal.status == .tooManyRequests && String(decoding: body, as: UTF8.self) == "rate_limited")
    }

    @Test func `has the limit of the row, then of the group, then none`() throws {
        #expect(router.bodyLimit(for: try request(.post, "/books/7")) == 512)
        #expect(router.bodyLimit(for: try request(.post, "/v1/books")) == 2_048)
        #expect(router.bodyLimit(for: try request(.post, "/v1/unknown")) == 2_048)
        #expect(router.bodyLimit(for: try request(.post, "/books")) == nil)
        #expect(router.bodyLimit(for: try request(.post, "/v1/books", host: "other.example")) == nil)
    }

    @Test func `refuses content in the format of the route`() throws {
        let refusal = router.refusal(of: try request(.post, "/v1/books"), with: .payloadTooLarge)
        guard case .bytes(let body)? = refusal?.body else {
            Issue.record("nothing is said")
            return
        }
        #expect(String(decoding: body, as: UTF8.self) == "limit 2048")
        #expect(router.refusal(of: try request(.post, "/books/7"), with: .payloadTooLarge) == nil)
    }

    @Test func `knows how long a handler may take, and answers in its place in the format of the route`() throws {
        let hurried = try request(.get, "/books/7")
        #expect(router.name(of: hurried) == "", "not looked for yet")
        _ = router.handle(hurried)
        #expect(router.patience(for: hurried) == .seconds(7))
        #expect(router.name(of: hurried) == "GET /books/{book}")
        let other = try request(.get, "/v1/books")
        _ = router.handle(other)
        #expect(router.patience(for: other) == nil)
        #expect(router.lateAnswer(to: other)?.status == .serviceUnavailable)
        let unknown = try request(.get, "/nowhere")
        _ = router.handle(unknown)
        #expect(router.lateAnswer(to: unknown) == nil)
    }

    @Test func `looks a request up once, and anew when it is used again`() async throws {
        let asked = try request(.get, "/books/7")
        _ = router.bodyLimit(for: asked)
        #expect(asked.match.row != .unsearched)
        #expect(try await ask(asked) == "200 7")
        // As a connection reads the next request.
        var head = asked.takeHead()
        head.reset()
        let (target, name, host) = ("/books", "host", "shop.example")
        let isFilled =
            head.appendTarget(target.utf8Span.span)
            && head.appendField(name: name.utf8Span.span, value: host.utf8Span.span)
        #expect(isFilled)
        asked.giveHead(head)
        #expect(asked.match.row == .unsearched)
        #expect(asked.capture(0).isEmpty)
        #expect(try await ask(asked) == "200 all")
    }

    @Test func `is kept shut by its gate before the route is looked for`() throws {
        var routes = try Routes([site(.admin, host: nil) { _ in HTTPResponse(.unauthorized) }])
        try routes.mount(Books.routes, on: books)
        let router = Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected)))
        guard case .now(let response) = router.handle(try request(.get, "/books")) else {
            Issue.record("the gate is open")
            return
        }
        #expect(response.status == .unauthorized)
    }
}

@Suite struct `Mounting` {
    private func mount(_ patterns: RoutePattern...) throws {
        var routes = try Routes([site(.web, host: nil)])
        for pattern in patterns {
            let group = RouteGroup<Books>(on: .web, .json, [Route(.get, pattern, "", .now { _, _ in say("") })])
            try routes.mount(group, on: Books())
        }
    }

    @Test(arguments: [
        ["/a", "/a"], ["/a/{x}", "/a/{y}"], ["/{x}/b", "/a/{y}"], ["/{x}/{y}", "/a/{y}"],
        ["/{a}/{b}/{c}/{d}/{e}/{f}/{g}"],
    ])
    func `refuses rows of which one would never be found`(patterns: [String]) throws {
        var routes = try Routes([site(.web, host: nil)])
        #expect(throws: RouteError.self) {
            for pattern in patterns {
                let row = Route<Books>(.get, RoutePattern(pattern), "", .now { _, _ in say("") })
                try routes.mount(RouteGroup(on: .web, .json, [row]), on: Books())
            }
        }
    }

    @Test func `takes a whole path beside a place, and patterns that no path is in both of`() throws {
        try mount("/a/{x}", "/a/b", "/a/{x}/c", "/a/{x}/d", "/b/{x}")
    }

    @Test func `refuses two hosts of one name, one host of two names, and a format twice`() throws {
        let both = [[site(.web, host: "a"), site(.web, host: "b")], [site(.web, host: "a"), site(.link, host: "a")]]
        for sites in both { #expect(throws: RouteError.self) { _ = try Routes(sites) } }
        var routes = try Routes([site(.web, host: nil)])
        try routes.use(Format(isEmpty: true), as: FormatName("bare"), on: .web)
        try routes.use(Format(isEmpty: true), as: FormatName("bare"), on: .link)
        #expect(throws: RouteError.self) { try routes.use(Format(isEmpty: true), as: FormatName("bare"), on: .web) }
        #expect(throws: RouteError.self) { try routes.use(Format(isEmpty: true), as: .json, on: .web) }
    }

    @Test func `lets a feature bring a format, and pass slashes over`() async throws {
        var routes = try Routes([site(.web, host: nil)])
        try routes.use(Format(isEmpty: true), as: FormatName("bare"), on: .web)
        try routes.mount(
            RouteGroup<Books>(
                on: .web,
                FormatName("bare"),
                slashes: .lenient,
                [
                    Route(.get, "/v1/log", "", .now { _, _ in say("log") }),
                    Route(.get, "/v1/passes/{serial:any}", "", .now { _, request in say(request.capture(0)) }),
                    Route(.get, "/v1/refused", "", .now { _, _ throws(Failure) in throw Failure(.gone) }),
                ]
            ),
            on: Books()
        )
        let row = Route<Books>(.get, "/v1/exact", "", .now { _, _ in say("exact") })
        try routes.mount(RouteGroup(on: .web, .json, [row]), on: Books())
        let router = Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected)))
        func ask(_ path: String) throws -> String {
            switch router.handle(try request(.get, path)) {
            case .now(let response):
                guard case .bytes(let body) = response.body else { return "\(response.status.code)" }
                return "\(response.status.code) \(String(decoding: body, as: UTF8.self))"
            case .precomposed, .later: return "another answer"
            }
        }
        for path in ["/v1/log", "/v1/log/", "//v1/log"] { #expect(try ask(path) == "200 log", "\(path)") }
        #expect(try ask("//v1/passes/a%20b/") == "200 a%20b")
        #expect(try ask("/v1/refused/") == "410 ")
        #expect(try ask("/v1/exact") == "200 exact")
        for path in ["/v1/exact/", "//v1/exact", "/v1/log//"] { #expect(try ask(path) == "404 not_found", "\(path)") }
    }

    @Test func `refuses a format that the site lacks`() throws {
        var routes = try Routes([site(.web, host: nil)])
        let row = Route<Books>(.get, "/a", "", format: FormatName("page"), .now { _, _ in say("") })
        #expect(throws: RouteError.self) { try routes.mount(RouteGroup(on: .web, .json, [row]), on: Books()) }
    }
}
