import EventIO
import HTTPCore
import IntegrationKit
import Primitives
import Testing

/// Issues tickets and opens them, over and over, and remembers what was acknowledged.
final class OpeningLoad {
    private(set) var issued: [String] = []
    private(set) var opened: [Crossing] = []
    /// How many requests were answered with 503.
    private(set) var refusals = 0
    /// Whatever else came.
    private(set) var surprises: [String] = []
    /// The longest wait for an answer, of whatever kind.
    private(set) var longest = Duration.zero
    private let shop: ProcessShop
    /// Asked in turn: a ticket that one process issues is opened at the next.
    private let servers: [ServerProcess]
    private var turn = 0
    private var isStopped = false
    private var running = 0

    init(_ shop: ProcessShop, _ servers: [ServerProcess]) {
        self.shop = shop
        self.servers = servers
    }

    func start(tasks: Int) {
        running = tasks
        for _ in 0..<tasks {
            shop.reactor.startTask { [self] in
                while !isStopped { await work() }
                running -= 1
            }
        }
    }

    func wait(forOpens count: Int) async throws {
        try await poll(shop.reactor, "\(count) creation") { self.opened.count >= count ? () : nil }
    }

    func stop() async throws {
        isStopped = true
        try await poll(shop.reactor, "the end of the load") { self.running == 0 ? () : nil }
    }

    private func nextURL() -> String {
        turn = (turn + 1) % servers.count
        return servers[turn].url
    }

    private func work() async {
        var start = shop.reactor.now
        defer { longest = max(longest, shop.reactor.now - start) }
        do {
            var crossing = try await shop.client.issue(nextURL())
            issued.append(crossing.webviewSession)
            longest = max(longest, shop.reactor.now - start)
            start = shop.reactor.now
            try await shop.client.open(&crossing, nextURL())
            opened.append(crossing)
        } catch let error as UnexpectedAnswer where error.status == 503 {
            refusals += 1
            longest = max(longest, shop.reactor.now - start)
            await shop.reactor.sleep(for: .milliseconds(2))
            start = shop.reactor.now
        } catch {
            surprises.append("\(error)")
        }
    }

    /// What was acknowledged is stored, once, and row and trail of every webview session agree.
    func expectNothingLost() throws {
        let stored = try shop.rows(
            "SELECT webview_session_id, state, encode(tab_hash, 'hex'), events FROM webview_session"
        )
        let byWebviewSession = Dictionary(stored.map { ($0[0] ?? "", $0) }) { first, _ in first }
        #expect(issued.allSatisfy { byWebviewSession[$0] != nil }, "no acknowledged issue is lost")
        for crossing in opened {
            let digest = try shop.rows("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [crossing.tabToken])
            let row = try #require(byWebviewSession[crossing.webviewSession])
            #expect(row[1] == "opened")
            #expect(row[2] == digest[0][0], "the tab's token is the live one")
        }
        let doubled = """
            SELECT webview_session_id FROM webview_session_event GROUP BY webview_session_id
            HAVING count(*) FILTER (WHERE op = 'issue') <> 1 OR count(*) FILTER (WHERE outcome = 'opened') > 1
            """
        #expect(try shop.rows(doubled).isEmpty, "nothing was applied twice")
        let torn = """
            SELECT f.webview_session_id FROM webview_session AS f LEFT JOIN webview_session_event AS e ON e.webview_session_id = f.webview_session_id
            GROUP BY f.webview_session_id, f.events HAVING count(e.ordinal) <> f.events OR max(e.ordinal) <> f.events
            """
        #expect(try shop.rows(torn).isEmpty, "row and trail agree")
    }
}
