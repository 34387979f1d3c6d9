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
}
