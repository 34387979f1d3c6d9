import EventIO
import HTTPClient
import HTTPCore
import IntegrationKit
import StrictJSON
import TestKit
import Testing

@Suite("Races", .tags(.database, .slow), .serialized)
struct RaceTests {
    private static let webviewSessions = 300
    private static let opens = 16
    private static let purchases = 32

    @Test(arguments: [1, 2], HTTPVersion.allCases)
    func `of many creation of one ticket exactly one opens`(serverCount: Int, version: HTTPVersion) async throws {
        try await withProcessShop(over: version) { shop in
            let servers = try await shop.start(serverCount)
            let crossings = try await shop.issue(RaceTests.webviewSessions, on: servers)
            let cookies = try await inParallel(shop.reactor, crossings, atMost: 8) { crossing in
                let answers = try await inParallel(shop.reactor, Array(0..<RaceTests.opens)) { index in
                    try await shop.client.tryOpen(crossing, servers[index % servers.count].url)
                }
                #expect(answers.allSatisfy { [303, 409, 410].contains($0.status) })
                return answers.compactMap { $0.status == 303 ? $0.cookie(CookieName.tab) : nil }
            }
            let outcomes = try shop.rows(
                """
                SELECT webview_session_id, count(*) FILTER (WHERE outcome = 'opened'), count(*) FILTER (WHERE outcome = 'reopened')
                FROM webview_session_event WHERE op = 'open' GROUP BY webview_session_id
                """
            )
            let byWebviewSession = Dictionary(outcomes.map { ($0[0] ?? "", $0) }) { first, _ in first }
            for (crossing, tokens) in zip(crossings, cookies) {
                let row = try #require(byWebviewSession[crossing.webviewSession])
                let reopened = row[2].flatMap(Int.init) ?? -1
                #expect(row[1] == "1", "opened")
                #expect((0...1).contains(reopened), "reopened")
                #expect(tokens.count == 1 + reopened)
                #expect(Set(tokens).count == tokens.count, "each opening has a token of its own")
            }
        }
    }

    @Test(arguments: [1, 2], HTTPVersion.allCases)
    func `of many purchases of one webview session exactly one charges`(
        serverCount: Int,
        version: HTTPVersion
    ) async throws {
        try await withProcessShop(over: version) { shop in
            let servers = try await shop.start(serverCount)
            let crossings = try await shop.place(RaceTests.webviewSessions, on: servers)
            // Long enough for the others to arrive meanwhile.
            let count = RaceTests.webviewSessions
            try await shop.control.fault("CompleteCheckoutSession", count: count, ["processingMs": 40])
            let refusals = try await inParallel(shop.reactor, crossings, atMost: 8) { crossing in
                try await RaceTests.raceToPurchase(crossing, shop, servers)
            }
            #expect(refusals.reduce(0, +) > 0, "some have met a purchase under way")
            let calls = try await shop.expectPaidOnce(crossings)
            #expect(calls.values.allSatisfy { $0.count == 1 }, "nothing went wrong, so nothing was sent twice")
            #expect(calls.count == crossings.count)
        }
    }

    /// Sends many purchases at once and one afterwards.
    ///
    /// - Returns: How many were refused because another one was under way.
    private static func raceToPurchase(
        _ crossing: Crossing,
        _ shop: ProcessShop,
        _ servers: [ServerProcess]
    ) async throws -> Int {
        let answers = try await inParallel(shop.reactor, Array(0..<purchases)) { index in
            try await purchase(crossing, shop, servers[index % servers.count])
        }
        let paid = answers.filter { $0.status == 200 }
        let refused = answers.filter(isInProgress)
        #expect(!paid.isEmpty)
        #expect(paid.count + refused.count == purchases, "no third kind of answer")
        for server in servers {
            let again = try await shop.client.purchase(crossing, server.url)
            #expect(again.status == 200)
            #expect(paid.allSatisfy { $0.body == again.body })
        }
        return refused.count
    }

    /// Sends a purchase until there is an answer.
    private static func purchase(
        _ crossing: Crossing,
        _ shop: ProcessShop,
        _ server: ServerProcess
    ) async throws -> InboundResponse {
        let patience = Patience()
        var answer = try await shop.client.purchase(crossing, server.url)
        // Nothing was done: the other process has held the row for too long.
        while answer.status == 503, patience.isLeft { answer = try await shop.client.purchase(crossing, server.url) }
        return answer
    }
}

extension ProcessShop {
    /// Starts several servers on the one database.
    func start(_ count: Int) async throws -> [ServerProcess] {
        var servers: [ServerProcess] = []
        for _ in 0..<count { servers.append(try await startServer()) }
        return servers
    }
}
