import Cryptography
import EventIO
import HTTPCore
import Notifications
import Primitives
import TestKit
import Testing

@Suite("A certificate of the notification service")
struct CertificateCacheTests {
    private let clock = NotificationVectors.clock
    private let day = Duration.seconds(86_400)

    @Test func `is fetched once a day`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            for seconds in [0, 1, 86_399] { #expect(await bench.refusal(at: clock + .seconds(seconds)) == nil) }
            #expect(bench.server.requests.count == 1)
            #expect(await bench.refusal(at: clock + day) == nil)
            #expect(bench.server.requests.count == 2)
        }
    }

    @Test func `is fetched once for all of its spellings`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            let spellings = [
                NotificationVectors.url, NotificationVectors.url.replacing("sns.ap", with: "SNS.AP"),
                NotificationVectors.url.replacing(".com/", with: ".com:443/"),
            ]
            for url in spellings { #expect(await bench.refusal(url) == nil) }
            #expect(bench.server.requests.map(\.url) == [NotificationVectors.url])
        }
    }

    @Test func `is not used beyond its own end`() async throws {
        try await withLoop { reactor in
            // Its last hour: a day later it must not count any more.
            let bench = try CertificateBench(on: reactor, serving: "sns-leaf-expired.pem")
            let end = WallTime(seconds: 1_769_904_000)
            #expect(await bench.refusal(at: end + .seconds(-3600)) == nil)
            #expect(await bench.refusal(at: end + .seconds(-1)) == nil)
            #expect(bench.server.requests.count == 1)
            #expect(await bench.refusal(at: end) == "certificate")
            #expect(bench.server.requests.count == 2)
        }
    }

    @Test(arguments: ["sns-leaf-expired.pem", "sns-leaf-wrong-name.pem", "sns-leaf-unrelated-root.pem", "README.md"])
    func `that is not to be believed is left alone for a minute, and told to the operator`(file: String) async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor, serving: file)
            for seconds in [0, 30, 59] { #expect(await bench.refusal(at: clock + .seconds(seconds)) == "certificate") }
            #expect(bench.server.requests.count == 1)
            #expect(bench.log.lines(with: "notification.no_certificate").count == 1)
            bench.server.files[NotificationVectors.url] = try NotificationVectors.pem("sns-leaf.pem")
            #expect(await bench.refusal(at: clock + .seconds(60)) == nil)
            #expect(bench.server.requests.count == 2)
        }
    }

    @Test func `with too much behind it is not believed`() async throws {
        try await withLoop { reactor in
            var limits = CertificateCache.Limits()
            limits.byteCount = try NotificationVectors.pem("sns-leaf.pem").count
            let bench = try CertificateBench(on: reactor, limits: limits)
            #expect(await bench.refusal() == nil)
            limits.byteCount -= 1
            let narrow = try CertificateBench(on: reactor, limits: limits)
            #expect(await narrow.refusal() == "certificate")
        }
    }

    @Test func `that cannot be had is asked for again after a minute`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            bench.server.failure = { $0 == 1 ? HTTPExchangeError(.timedOut) : nil }
            for seconds in [0, 59] {
                #expect(await bench.refusal(at: clock + .seconds(seconds)) == "certificate_unavailable")
            }
            #expect(bench.server.requests.count == 1)
            #expect(await bench.refusal(at: clock + .seconds(60)) == nil)
        }
    }

    @Test func `is kept as long as ever while the calendar clock is set`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            #expect(await bench.refusal() == nil)
            // A week back and a day forward, in the same minute: what is kept stays.
            for days: Int64 in [-7, 1, 0] {
                #expect(await bench.refusal(at: clock + .seconds(days * 86_400), after: 60) == nil)
            }
            #expect(bench.server.requests.count == 1)
            #expect(await bench.refusal(at: clock + .seconds(-7 * 86_400), after: 86_400) == nil)
            #expect(bench.server.requests.count == 2, "a clock that was set back keeps nothing for longer")
        }
    }

    @Test func `that cannot be had is asked for again after a minute, whatever the calendar clock says`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            bench.server.failure = { $0 == 1 ? HTTPExchangeError(.timedOut) : nil }
            #expect(await bench.refusal() == "certificate_unavailable")
            #expect(await bench.refusal(at: clock + .seconds(3_600), after: 59) == "certificate_unavailable")
            #expect(await bench.refusal(at: clock + .seconds(-3_600), after: 60) == nil)
            #expect(bench.server.requests.count == 2)
        }
    }

    @Test func `that is not there can be had later`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            let address = CertificateBench.address(1)
            #expect(await bench.refusal(address) == "certificate_unavailable")
            bench.server.files[address] = try NotificationVectors.pem("sns-leaf.pem")
            #expect(await bench.refusal(address, at: clock + .seconds(60)) == nil)
        }
    }

    @Test func `may name the host it comes from, and no other`() async throws {
        try await withLoop { reactor in
            let names = [CertificateName.host("sns.us-east-1.amazonaws.com")]
            let authority = try DevelopmentAuthority.make(
                name: "Regional",
                permitting: names,
                now: clock,
                random: SeededRandom(seed: 1)
            )
            let leaf = try authority.issue(for: names, key: .rsa2048, now: clock, random: SeededRandom(seed: 2))
            let server = CertificateServer()
            let cache = CertificateCache(
                exchange: server,
                chain: try CertificateChain(anchorsPEM: authority.certificatePEM),
                clock: Ticks(),
                startTask: { reactor.startTask($0) }
            )
            for (region, isGood) in [("us-east-1", true), ("us-east-2", false)] {
                let text = "https://sns.\(region).amazonaws.com/x.pem"
                server.files[text] = leaf.certificatePEM
                let url = try #require(CertificateURLRule().certificateURL(text))
                let key = try? await cache.key(for: url, at: clock)
                #expect((key != nil) == isGood)
            }
        }
    }

    // MARK: Room

    @Test func `stays while strangers name others`() async throws {
        try await withLoop { reactor in
            var limits = CertificateCache.Limits()
            limits.entries = 4
            let bench = try CertificateBench(on: reactor, limits: limits)
            #expect(await bench.refusal() == nil)
            for number in 0..<20 {
                #expect(await bench.refusal(CertificateBench.address(number)) == "certificate_unavailable")
            }
            #expect(bench.server.requests.count == 21)
            #expect(await bench.refusal() == nil)
            #expect(bench.server.requests.count == 21)
        }
    }

    @Test func `gives way to newer ones when there is no other room`() async throws {
        try await withLoop { reactor in
            var limits = CertificateCache.Limits()
            limits.entries = 2
            let bench = try CertificateBench(on: reactor, limits: limits)
            let leaf = try NotificationVectors.pem("sns-leaf.pem")
            for number in 0..<3 { bench.server.files[CertificateBench.address(number)] = leaf }
            for number in [0, 1, 2, 1, 2] { #expect(await bench.refusal(CertificateBench.address(number)) == nil) }
            #expect(bench.server.requests.count == 3)
            // Nothing but keys: what brought none is not remembered in their place.
            #expect(await bench.refusal(CertificateBench.address(9)) == "certificate_unavailable")
            for number in [1, 2] { #expect(await bench.refusal(CertificateBench.address(number)) == nil) }
            #expect(bench.server.requests.count == 4)
            #expect(await bench.refusal(CertificateBench.address(0)) == nil)
            #expect(bench.server.requests.count == 5)
        }
    }
}

@Suite("Certificates that are asked for at once")
struct CertificateFlightTests {
    /// What became of those who asked.
    private final class Outcomes {
        var words: [String] = []
    }

    private func ask(
        _ bench: CertificateBench,
        _ url: String,
        _ reactor: Reactor,
        _ outcomes: Outcomes
    ) -> Task<Void, Never> {
        reactor.startTask { outcomes.words.append(await bench.refusal(url) ?? "key") }
    }

    @Test func `are fetched once`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            bench.server.isHeld = true
            let outcomes = Outcomes()
            let tasks = (0..<10).map { _ in ask(bench, NotificationVectors.url, reactor, outcomes) }
            for _ in 0..<5 { await reactor.nextTurn() }
            #expect(bench.server.requests.count == 1)
            #expect(outcomes.words.isEmpty)
            bench.server.release()
            for task in tasks { await task.value }
            #expect(outcomes.words == [String](repeating: "key", count: 10))
            #expect(bench.server.requests.count == 1)
        }
    }

    @Test func `are fetched for whoever may have one fetched, and used for everybody`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            let url = try #require(CertificateURLRule().certificateURL(NotificationVectors.url))
            let now = NotificationVectors.clock
            await #expect(throws: NotificationRefusal.certificateUnavailable) {
                try await bench.cache.key(for: url, at: now) { false }
            }
            #expect(bench.server.requests.isEmpty)
            _ = try await bench.cache.key(for: url, at: now)
            _ = try await bench.cache.key(for: url, at: now) { false }
            #expect(bench.server.requests.count == 1)
        }
    }

    @Test func `are refused beyond four, and nobody waits for that`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            bench.server.isHeld = true
            let outcomes = Outcomes()
            var tasks = (0..<4).map { ask(bench, CertificateBench.address($0), reactor, outcomes) }
            for _ in 0..<5 { await reactor.nextTurn() }
            #expect(await bench.refusal() == "certificate_unavailable")
            #expect(bench.server.requests.count == 4)
            tasks.append(ask(bench, CertificateBench.address(0), reactor, outcomes))
            bench.server.release()
            for task in tasks { await task.value }
            #expect(outcomes.words.count == 5)
            #expect(bench.server.requests.count == 4)
            #expect(await bench.refusal() == nil)
        }
    }

    @Test func `are had by each of two hundred, whenever the fetch ends`() async throws {
        try await withLoop { reactor in
            for pause in 0..<12 {
                let bench = try CertificateBench(on: reactor)
                bench.server.isHeld = true
                let outcomes = Outcomes()
                for number in 0..<200 {
                    // With a capture list a task begins apart from its starter, and each of its steps is a job of the loop.
                    reactor.startTask { [bench, outcomes] in
                        for _ in 0..<number % 4 { await Task.yield() }
                        outcomes.words.append(await bench.refusal() ?? "key")
                    }
                }
                reactor.startTask { [bench] in
                    for _ in 0..<pause { await Task.yield() }
                    bench.server.release()
                }
                let patience = Patience(.seconds(30))
                while outcomes.words.count < 200, patience.isLeft { await reactor.nextTurn() }
                try #require(outcomes.words.count == 200, "where the fetch ends after \(pause) jobs")
                #expect(outcomes.words.allSatisfy { $0 == "key" })
                #expect(bench.server.requests.count == 1)
            }
        }
    }

    @Test func `are fetched although whoever asked first goes away`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            bench.server.isHeld = true
            let outcomes = Outcomes()
            let tasks = (0..<3).map { _ in ask(bench, NotificationVectors.url, reactor, outcomes) }
            for _ in 0..<5 { await reactor.nextTurn() }
            tasks[0].cancel()
            bench.server.release()
            for task in tasks { await task.value }
            #expect(outcomes.words == ["key", "key", "key"])
            #expect(bench.server.requests.count == 1)
            #expect(bench.server.cancelledCount == 0)
        }
    }
}
