import MerchantAPI
import Testing

@Suite("The path of a route")
struct RoutePatternTests {
    private let pattern: RoutePattern = "/v1/sessions/{id}/cancel"

    @Test func `names its places in order`() {
        #expect(pattern.parameters == ["id"])
        #expect(("/v1/a/{one}/b/{two}" as RoutePattern).parameters == ["one", "two"])
        #expect(("/v1/sessions" as RoutePattern).parameters.isEmpty)
    }

    @Test func `takes ids as they stand`() {
        #expect(pattern.match("/v1/sessions/S01-1234567-1234567-C012345/cancel") == ["S01-1234567-1234567-C012345"])
        #expect(pattern.match("/v1/sessions/\(String(repeating: "a", count: 128))/cancel")?.count == 1)
        #expect(("/v1/sessions" as RoutePattern).match("/v1/sessions") == [])
    }

    @Test(
        arguments: [
            "/v1/sessions//cancel", "/v1/sessions/a/cancel/", "/v1/sessions/a", "/v1/sessions/a/b/cancel",
            "/v1/sessions/a%2Fb/cancel", "/v1/sessions/a b/cancel", "/v1/Sessions/a/cancel", "/v1/sessions/é/cancel",
            "v1/sessions/a/cancel", "", "/", "/v1/sessions/\(String(repeating: "a", count: 129))/cancel",
        ]
    )
    func `is no other path`(_ path: String) {
        #expect(pattern.match(path) == nil)
    }
}
