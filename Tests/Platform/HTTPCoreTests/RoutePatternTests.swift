import HTTPCore
import Testing

@Suite("The path of a route")
struct RoutePatternTests {
    private let pattern: RoutePattern = "/v1/sessions/{id}/cancel"

    private func ids(_ pattern: RoutePattern, _ path: String) -> [String]? {
        var match = RouteMatch()
        guard pattern.matches(path.utf8Span.span, &match), let request = HTTPRequest(.get, path) else { return nil }
        request.note(match)
        return (0..<match.captureCount).map { request.capture($0) }
    }

    @Test func `names its places in order`() {
        #expect(pattern.places == ["id"])
        #expect(("/v1/a/{one}/b/{two}" as RoutePattern).places == ["one", "two"])
        #expect(("/v1/sessions" as RoutePattern).places.isEmpty)
    }

    @Test func `takes ids as they stand`() {
        #expect(ids(pattern, "/v1/sessions/S01-1234567-1234567-C012345/cancel") == ["S01-1234567-1234567-C012345"])
        #expect(ids(pattern, "/v1/sessions/\(String(repeating: "a", count: 128))/cancel")?.count == 1)
        #expect(ids("/v1/sessions", "/v1/sessions") == [])
    }

    @Test(
        arguments: [
            "/v1/sessions//cancel", "/v1/sessions/a/cancel/", "/v1/sessions/a", "/v1/sessions/a/b/cancel",
            "/v1/sessions/a%2Fb/cancel", "/v1/sessions/a b/cancel", "/v1/Sessions/a/cancel", "/v1/sessions/é/cancel",
            "v1/sessions/a/cancel", "", "/", "/v1/sessions/\(String(repeating: "a", count: 129))/cancel",
        ]
    )
    func `is no other path`(_ path: String) {
        #expect(ids(pattern, path) == nil)
    }

    @Test(arguments: [
        ("/passes/a%2Fb/x!y", ["a%2Fb", "x!y"]), ("/passes/%C3%A9/1", ["%C3%A9", "1"]),
        ("/passes/\(String(repeating: "a", count: 300))/1", [String(repeating: "a", count: 300), "1"]),
    ])
    func `has places for any text`(path: String, texts: [String]) {
        #expect(ids("/passes/{type:any}/{serial:any}", path) == texts)
        #expect(("/passes/{type:any}/{serial:any}" as RoutePattern).places == ["type", "serial"])
    }

    @Test(arguments: ["/passes//1", "/passes/a/", "/passes/a", "/passes/a/1/", "//passes/a/1"])
    func `has no place for no text`(path: String) {
        #expect(ids("/passes/{type:any}/{serial:any}", path) == nil)
    }

    @Test func `passes slashes over where it is lenient`() {
        let lenient = ("/log/{id}" as RoutePattern).withLenientSlashes
        for path in ["/log/a", "//log/a", "///log/a/", "/log/a/"] { #expect(ids(lenient, path) == ["a"], "\(path)") }
        for path in ["/log//a", "/log/a//", "log/a", "//", "/"] { #expect(ids(lenient, path) == nil, "\(path)") }
        let exact: RoutePattern = "/log"
        #expect(exact.isExact)
        #expect(!exact.withLenientSlashes.isExact)
        #expect(ids(exact.withLenientSlashes, "//log/") == [])
    }

    @Test func `meets another one where a text may be either's`() {
        let any: RoutePattern = "/a/{x:any}"
        #expect(any.overlaps("/a/{y}"))
        #expect(any.overlaps("/a/b c"))
        #expect(!any.overlaps("/b/{y}"))
        #expect(!any.matchesSame(as: "/a/{y}"))
        #expect(any.matchesSame(as: "/a/{y:any}"))
    }

    @Test(arguments: [
        ("/a/plain", "plain"), ("/a/caf%C3%A9", "café"), ("/a/a%2Fb", "a/b"), ("/a/a+b", "a+b"), ("/a/%41%7a", "Az"),
        ("/a/%2541", "%41"),
    ])
    func `gives a text decoded once`(path: String, text: String) throws {
        #expect(try decoded(path) == text)
    }

    @Test(arguments: ["/a/%", "/a/%4", "/a/%zz", "/a/a%00", "/a/%0A", "/a/%7F", "/a/%FF", "/a/%C3", "/a/%-1"])
    func `gives no text where it is malformed`(path: String) throws {
        #expect(try decoded(path) == nil)
    }

    private func decoded(_ path: String) throws -> String? {
        var match = RouteMatch()
        let request = try #require(HTTPRequest(.get, path))
        #expect(("/a/{text:any}" as RoutePattern).matches(path.utf8Span.span, &match))
        request.note(match)
        return request.decodedCapture(0)
    }
}
