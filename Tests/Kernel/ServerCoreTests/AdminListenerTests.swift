import HTTPCore
import TestKit
import Testing

@testable import ServerCore

@Suite("The administration listener as browsers reach it")
struct AdminListenerTests {
    private let proxied = AdminListener(origin: WebOrigin("https://console.example"), isLocal: true)
    private let local = AdminListener(origin: nil, isLocal: true)
    private let open = AdminListener(origin: nil, isLocal: false)

    private func request(_ host: String, path: String = "/console") throws -> HTTPRequest {
        try #require(HTTPRequest(.get, path, fields: [(name: .host, value: host)]))
    }

    @Test("A request belongs to the origin that is set, or to this machine under the name and port that it came by")
    func origin() throws {
        #expect(proxied.ownOrigin(of: try request("console.example")) == "https://console.example")
        #expect(proxied.ownOrigin(of: try request("evil.example")) == nil)
        #expect(proxied.ownOrigin(of: try request("localhost:8444")) == nil)
        #expect(local.ownOrigin(of: try request("localhost:9000")) == "http://localhost:9000")
        #expect(open.ownOrigin(of: try request("localhost:9000")) == nil)
        let nameless = try #require(HTTPRequest(.get, "/console", fields: []))
        #expect(proxied.ownOrigin(of: nameless) == nil)
        #expect(local.ownOrigin(of: nameless) == nil)
    }

    @Test("A key crosses no network in clear behind TLS and on this machine alone")
    func safety() {
        let cases: [(AdminListener, Bool, Bool)] = [
            (proxied, true, true), (local, true, false), (open, false, false),
            (AdminListener(origin: WebOrigin("https://console.example"), isLocal: false), true, true),
            (AdminListener(origin: WebOrigin("http://console.example"), isLocal: true), false, false),
            (AdminListener(origin: WebOrigin("http://localhost:8444"), isLocal: false), true, false),
        ]
        for (listener, isSafe, isSecure) in cases {
            #expect(listener.isSafe == isSafe)
            #expect(listener.isSecure == isSecure)
        }
    }

    @Test("Paths with a sign-in of their own are compared as they stand")
    func signInPaths() throws {
        let paths = SignInPaths(["/console", "/console/", "/static/"])
        for path in ["/console", "/console/", "/console/board", "/static/css/a.css"] {
            #expect(paths.contain(try request("h", path: path)), "\(path)")
        }
        for path in ["/", "/metrics", "/consolex", "//console/", "/%63onsole/x", "/CONSOLE/x", "/static"] {
            #expect(!paths.contain(try request("h", path: path)), "\(path)")
        }
    }
}
