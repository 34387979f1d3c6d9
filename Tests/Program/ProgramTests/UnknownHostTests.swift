import EventIO
import HTTPCore
import HTTPServer
import Primitives
import ServerCore
import TestKit
import Testing
import Web

@testable import Program

@Suite struct `Requests for another host` {
    private func request(_ host: String) throws -> HTTPRequest {
        try #require(HTTPRequest(.get, "/", fields: [(.host, host)]))
    }

    @Test func `leave one line a minute, with how many there were`() async throws {
        let (log, clock) = (CapturedLog(), ManualClock())
        try await withLoop(clock: clock) { reactor in
            let web = try #require(WebOrigin("https://shop.example"))
            let link = try #require(WebOrigin("https://links.example"))
            let unknown = UnknownHosts(web, link, log.logger(), on: reactor)
            let site = Site(
                .web,
                host: Array("shop.example".utf8),
                fallback: .page,
                formats: [.page: Silent()],
                headFields: HeaderPolicy(includesSubdomains: false).redirect
            )
            let misdirected = StaticResponse(HTTPResponse(.misdirected))
            let router = PublicRouter(try Routes([site]), misdirected: misdirected, noting: unknown)
            func ask(_ host: String) throws -> Int {
                switch router.handle(try request(host)) {
                case .now(let answer): return answer.status.code
                case .precomposed(let answer): return answer.response.status.code
                case .later: return 0
                }
            }
            #expect(try ask("shop.example") == 404 && log.lines.isEmpty)
            for _ in 0..<3 { #expect(try ask("other.example") == 421) }
            #expect(log.lines.count == 1)
            let line = try #require(log.lines.first)
            #expect(line.contains("server.unknown_host") && line.contains(#""host":"other.example""#))
            #expect(line.contains(#""served":"shop.example, links.example""#) && !line.contains("unwritten"))
            clock.advance(by: .seconds(60), waking: reactor.executor)
            await reactor.nextTurn()
            #expect(try ask(String(repeating: "x", count: 300)) == 421)
            #expect(log.lines.count == 2 && log.lines[1].contains(#""unwritten":2"#))
            #expect(!log.lines[1].contains(String(repeating: "x", count: 254)))
        }
    }
}

/// Answers with the status alone.
private final class Silent: FailureFormat {
    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse { HTTPResponse(failure.code.status) }
}
