import HTTPCore
import Testing

@Suite("A request")
struct RequestTests {
    private func make(_ target: String = "/", _ fields: [(String, String)] = []) throws -> HTTPRequest {
        let named = try fields.map { (name: try #require(HTTPFieldName($0.0)), value: $0.1) }
        return try #require(HTTPRequest(.get, target, fields: named))
    }

    @Test func `path and query are split at the first question mark`() throws {
        let request = try make("/button?a=1?b")
        #expect(request.path == "/button")
        #expect(request.query == "a=1?b")
        #expect(request.pathIs("/button"))
        #expect(!request.pathIs("/button?"))
    }

    @Test func `an absent query and an empty one are told apart`() throws {
        #expect(try make("/a").query == nil)
        #expect(try make("/a?").query == "")
        #expect(try make("/a").head.queryRange.isEmpty)
    }

    @Test func `percent-encoding in the path is left alone`() throws {
        let request = try make("/%62utton")
        #expect(request.path == "/%62utton")
        #expect(!request.pathIs("/button"))
    }

    @Test(arguments: [
        "", "button", "*", "http://a/", "/a b", "/a#b", "/ä", "/a\u{7F}", "/a\"", "/a?<", "/a|b", "/a\\b",
    ])
    func `a target that is not in origin-form is refused`(target: String) {
        #expect(HTTPRequest(.get, target) == nil)
    }

    @Test func `the bar stays as it is in a query`() throws {
        #expect(try make("/a?token=Atza|x").query == "token=Atza|x")
    }

    @Test func `fields are found whatever the case of their names`() throws {
        let request = try make("/", [("HOST", "a"), ("X-Own", "1"), ("x-oWN", "2"), ("Accept", "*/*")])
        #expect(request.first(.host) == "a")
        #expect(request.values(try #require(HTTPFieldName("x-own"))) == ["1", "2"])
        #expect(request.count(.accept) == 1)
        #expect(request.first(.cookie) == nil)
        #expect(request.fieldCount == 4)
    }

    @Test func `blanks around a value are no part of it`() throws {
        #expect(try make("/", [("Accept", " \t a b\t")]).first(.accept) == "a b")
    }

    @Test(arguments: ["a\r\nb", "a\u{0}", "\n", "a\u{1B}", "a\u{7F}"])
    func `a value with a control character is refused`(value: String) {
        #expect(HTTPRequest(.get, "/", fields: [(.accept, value)]) == nil)
    }

    @Test func `fieldIs wants one field and the same bytes`() throws {
        #expect(try make("/", [("Sec-Fetch-Mode", "navigate")]).fieldIs(.secFetchMode, "navigate"))
        #expect(try !make("/", [("Sec-Fetch-Mode", "Navigate")]).fieldIs(.secFetchMode, "navigate"))
        #expect(
            try !make("/", [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Mode", "navigate")])
                .fieldIs(.secFetchMode, "navigate")
        )
        #expect(try !make("/").fieldIs(.secFetchMode, ""))
    }

    @Test(arguments: [
        ("prefetch", true), ("prefetch;prerender", true), ("prerender , PREFETCH", true), ("prefetcher", false),
        ("", false), (",;", false),
    ])
    func `fieldLists finds a whole word`(value: String, isThere: Bool) throws {
        #expect(try make("/", [("Sec-Purpose", value)]).fieldLists(.secPurpose, "prefetch") == isThere)
    }

    @Test func `the host is compared without regard to case and only when it is alone`() throws {
        #expect(try make("/", [("Host", "LocalHost:8443")]).hostIs(Array("localhost:8443".utf8)))
        #expect(try !make("/", [("Host", "localhost")]).hostIs(Array("localhost:8443".utf8)))
        #expect(try !make("/", [("Host", "a"), ("Host", "a")]).hostIs(Array("a".utf8)))
        #expect(try !make("/").hostIs([]))
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", true), ("Application/X-WWW-Form-Urlencoded ; charset=UTF-8", true),
        ("text/plain", false), ("application/x-www-form-urlencodedx", false), ("", false),
    ])
    func `a form is known by its type`(type: String, isForm: Bool) throws {
        let request = try make("/", [("Content-Type", type)])
        request.body = Array("a=1".utf8)
        #expect(request.contentTypeIs(.form) == isForm)
        if isForm {
            #expect(try request.formParameters().value("a") == "1")
        } else {
            #expect(throws: HTTPParameterError.notAForm) { try request.formParameters() }
        }
    }

    @Test func `reset leaves nothing of the request but its peer`() throws {
        let request = try make("/a?b", [("Host", "a")])
        request.head.method = .post
        request.body = [1]
        request.isSecure = true
        request.peer = PeerAddress(ipv4: 0x7F00_0001)
        request.reset()
        #expect(request.method == .get)
        #expect(request.path.isEmpty)
        #expect(request.query == nil)
        #expect(request.host == nil)
        #expect(request.body.isEmpty)
        #expect(request.isSecure)
        #expect(request.peer == PeerAddress(ipv4: 0x7F00_0001))
    }

    @Test func `the request id has sixteen digits`() throws {
        let request = try make()
        request.serialNumber = 0x00AB_0000_0000_0001
        #expect(request.requestID == "00ab000000000001")
    }
}

@Suite("Names and statuses")
struct NameTests {
    @Test func `known names keep their spelling on the wire and are lower case inside`() {
        #expect(HTTPFieldName("eTAG") == .entityTag)
        #expect(HTTPFieldName.entityTag.text == "etag")
        #expect(HTTPFieldName.entityTag.spelling == "ETag")
        #expect(HTTPFieldName("X-Something")?.text == "x-something")
    }

    @Test func `every known name is recognised in any case`() throws {
        let names = [
            "accept", "CACHE-CONTROL", "te", "DNT", "sec-fetch-site", "Sec-Fetch-Mode", "sec-ch-ua", "eTag", "x-moz",
            "content-security-policy-report-only", "Content-Length", "content-encoding", "Webview-Session-ID",
        ]
        for name in names {
            let known = try #require(HTTPFieldName(name))
            let shouted = try #require(HTTPFieldName(name.uppercased()))
            let longer = try #require(HTTPFieldName(name + "x"))
            let request = try #require(HTTPRequest(.get, "/", fields: [(known, "v")]))
            #expect(request.first(shouted) == "v")
            #expect(request.first(longer) == nil)
            #expect(known.text == name.lowercased())
            #expect(known.spelling != known.text)
        }
    }

    @Test(arguments: [
        HTTPFieldName.accept, .acceptEncoding, .acceptLanguage, .allow, .authorization, .cacheControl, .connection,
        .contentDisposition, .contentEncoding, .contentLength, .contentSecurityPolicy, .contentSecurityPolicyReportOnly,
        .contentType, .cookie, .crossOriginOpenerPolicy, .crossOriginResourcePolicy, .date, .entityTag, .expect,
        .forwarded, .host, .ifModifiedSince, .ifNoneMatch, .lastModified, .location, .origin, .permissionsPolicy,
        .purpose, .referer, .referrerPolicy, .reportTo, .reportingEndpoints, .retryAfter, .secFetchDestination,
        .secFetchMode, .secFetchSite, .secFetchUser, .secPurpose, .setCookie, .strictTransportSecurity,
        .transferEncoding, .upgrade, .userAgent, .vary, .xContentTypeOptions, .webviewSessionID, .xForwardedFor,
        .xForwardedHost,
        .xForwardedProto, .xFrameOptions, .xMoz, .xPurpose, .xRequestID, .xRequestedWith, .xRobotsTag,
    ])
    func `a constant is the name it spells`(name: HTTPFieldName) {
        #expect(HTTPFieldName(name.spelling) == name)
        #expect(HTTPFieldName(name.text)?.spelling == name.spelling)
    }

    @Test(arguments: ["", "a b", "a:", "ä", "a\r", "(a)", "a/b", "\"a\"", "@"])
    func `what is no token is no name`(text: String) {
        #expect(HTTPFieldName(text) == nil)
    }

    @Test func `methods are case-sensitive`() {
        #expect(HTTPMethod("POST".utf8Span.span) == .post)
        #expect(HTTPMethod("post".utf8Span.span) == .other)
        #expect(HTTPMethod("BREW".utf8Span.span) == .other)
        for method in [HTTPMethod.get, .head, .post, .put, .patch, .delete, .options] {
            #expect(HTTPMethod(String(describing: method.text).utf8Span.span) == method)
        }
    }

    @Test func `statuses have lines and reasons`() {
        var line: [UInt8] = []
        HTTPStatus.misdirected.appendLine(to: &line)
        #expect(String(decoding: line, as: UTF8.self) == "HTTP/1.1 421 Misdirected Request\r\n")
        #expect(HTTPStatus(299)?.reason == "Status")
        #expect(HTTPStatus(99) == nil)
        #expect(HTTPStatus(600) == nil)
        #expect(HTTPStatus(404) == .notFound)
        #expect("\(HTTPStatus.ok)" == "200 OK")
    }
}
