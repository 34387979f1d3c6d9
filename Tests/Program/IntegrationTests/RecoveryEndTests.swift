import EventIO
import HTTPCore
import IntegrationKit
import Postgres
import PostgresTestKit
import Primitives
import Program
import StrictJSON
import Testing

/// A purchase whose outcome stays unknown is asked about again, less and less often, and not for ever.
@Suite struct `The recovery of a purchase` {
    private var options: ShopOptions {
        var options = ShopOptions()
        options.jobPause = .milliseconds(2)
        return options
    }

    /// A buyer whose purchase has an outcome that nobody knows.
    private func stranded(_ shop: Shop) async throws -> (Shopper, ReturnFields) {
        let shopper = try await shop.shopper()
        let link = try await shopper.toReturn()
        try await strand(shop, shopper, link)
        return (shopper, link)
    }

    /// Buyers whose purchases nobody knows the outcome of; the provider tells it from now on.
    private func stranded(_ shop: Shop, _ count: Int) async throws -> [Shopper] {
        var waiting: [(Shopper, ReturnFields)] = []
        for _ in 0..<count {
            let shopper = try await shop.shopper()
            waiting.append((shopper, try await shopper.toReturn()))
        }
        for (shopper, link) in waiting { try await strand(shop, shopper, link) }
        // Nobody is looked at before the test says so, and what was begun has ended.
        try shop.rows("UPDATE webview_session_purchase SET next_at = now() + interval '1 h'")
        for _ in 0..<2 { await shop.broker.nextJobRuns() }
        try await shop.control.clearFaults()
        return waiting.map(\.0)
    }

    private func strand(_ shop: Shop, _ shopper: Shopper, _ link: ReturnFields) async throws {
        try await shop.control.fault("CompleteCheckoutSession", count: 100, ["status": 500])
        try await shop.control.fault("GetCheckoutSession", count: 10_000, ["status": 403])
        let answer = try await shopper.purchase(link)
        #expect(answer.status == 409, "\(answer.text)")
        #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
    }

    private func questions(_ shop: Shop) async throws -> Int {
        try await shop.control.calls("GetCheckoutSession").count + shop.control.calls("CompleteCheckoutSession").count
    }

    @Test func `asks at growing pauses for two days, then never again`() async throws {
        try await withShop(options) { shop in
            let (shopper, _) = try await stranded(shop)
            let before = try await questions(shop)
            let travel = TimeTravel(shop)
            try await travel.advance(by: .seconds(3_600), step: .seconds(30))
            let first = try await questions(shop) - before
            #expect((6...7).contains(first), "\(first)")
            try await travel.advance(by: .seconds(50 * 3_600), step: .seconds(900))
            let all = try await questions(shop) - before
            #expect((45...60).contains(all), "\(all)")
            #expect(try shop.trail(of: shopper.webviewSession).last == "give_up stuck")
            for _ in 0..<13 { try await travel.advance(by: .seconds(30 * 86_400)) }
            #expect(try await questions(shop) - before == all)
            #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
        }
    }

    @Test func `without a turn at the provider counts as none, and comes again in a moment`() async throws {
        var options = ShopOptions(["provider.quota.complete": "1/0.001"])
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            // The only call there is room for gets no clear answer.
            try await shop.control.fault("CompleteCheckoutSession", count: 1, ["status": 500])
            #expect(try await shopper.purchase(link).status == 409)
            for times in 1...3 {
                try shop.endLease(of: shopper.webviewSession)
                try shop.rows("UPDATE webview_session_purchase SET next_at = now()")
                // At least: it comes again by itself where the test is slower than the pause.
                try await shop.wait(for: "a try") {
                    try shop.trail(of: shopper.webviewSession).count { $0 == "lapse lapsed" } >= times
                }
            }
            let soon = "next_at BETWEEN now() AND now() + interval '5 s'"
            try await shop.wait(for: "the pause behind a try that does not count") {
                try shop.value("SELECT recoveries = 0 AND \(soon) FROM webview_session_purchase") == "t"
            }
            #expect(try await shop.control.calls("CompleteCheckoutSession").count == 1)
            #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
        }
    }

    @Test func `of one that the database refuses holds up no others`() async throws {
        try await withShop(options) { shop in
            let (bad, good) = (try await shop.shopper(), try await shop.shopper())
            let links = (try await bad.toReturn(), try await good.toReturn())
            try await strand(shop, bad, links.0)
            try await strand(shop, good, links.1)
            try await shop.control.clearFaults()
            try shop.refuse(
                updatesOf: "webview_session",
                where: "OLD.webview_session_id = '\(bad.webviewSession)' AND NEW.outcome = 'recover'"
            )
            // Both in one batch, and the bad one first.
            for webviewSession in [bad.webviewSession, good.webviewSession] { try shop.endLease(of: webviewSession) }
            try shop.rows(
                """
                UPDATE webview_session_purchase SET next_at = now() - CASE webview_session_id WHEN $1 THEN interval '2 h' ELSE interval '1 h' END
                """,
                [bad.webviewSession]
            )
            try await shop.wait(for: "the other one") { try shop.state(of: good.webviewSession) == "authorized" }
            #expect(try shop.state(of: bad.webviewSession) == "purchasing")
            try shop.rows("DROP TRIGGER refuse ON webview_session")
            try shop.rows("UPDATE webview_session_purchase SET next_at = now()")
            try await shop.wait(for: "the bad one") { try shop.state(of: bad.webviewSession) == "authorized" }
        }
    }

    @Test func `of more than a batch that the database refuses holds up no others`() async throws {
        try await withShop(options) { shop in
            let all = try await stranded(shop, 18)
            let good = all[0]
            try shop.refuse(
                updatesOf: "webview_session",
                where: "OLD.webview_session_id <> '\(good.webviewSession)' AND NEW.outcome = 'recover'"
            )
            // All at once, and the good one last.
            try shop.database.admin().run(
                """
                UPDATE webview_session SET lease_until = now() - interval '1 s' WHERE state = 'purchasing';
                UPDATE webview_session_purchase SET
                    next_at = now() - CASE webview_session_id WHEN '\(good.webviewSession)' THEN interval '1 h' ELSE interval '2 h' END
                """
            )
            try await shop.wait(for: "the good one") { try shop.state(of: good.webviewSession) == "authorized" }
            try await shop.wait(for: "the others") {
                try shop.value("SELECT count(*) FROM webview_session_purchase WHERE failures = 1 AND next_at > now()")
                    == "17"
            }
        }
    }

    @Test func `of one that somebody has locked holds up no others`() async throws {
        try await withShop(options) { shop in
            let both = try await stranded(shop, 2)
            let (locked, good) = (both[0], both[1])
            // Both are overdue once the one is locked, and the locked one first.
            try shop.rows("UPDATE webview_session_purchase SET next_at = now() + interval '1 h'")
            for shopper in both { try shop.endLease(of: shopper.webviewSession) }
            let holder = try shop.database.admin()
            try holder.run(
                "BEGIN; SELECT FROM webview_session WHERE webview_session_id = '\(locked.webviewSession)' FOR UPDATE"
            )
            try shop.rows(
                """
                UPDATE webview_session_purchase SET next_at = now() - CASE webview_session_id WHEN $1 THEN interval '2 h' ELSE interval '1 h' END
                """,
                [locked.webviewSession]
            )
            try await shop.wait(for: "the other one") { try shop.state(of: good.webviewSession) == "authorized" }
            #expect(try shop.state(of: locked.webviewSession) == "purchasing")
            try holder.run("ROLLBACK")
            try shop.rows("UPDATE webview_session_purchase SET next_at = now()")
            try await shop.wait(for: "the locked one") { try shop.state(of: locked.webviewSession) == "authorized" }
        }
    }

    @Test func `stops once the provider has known nothing of the session for an hour`() async throws {
        try await withShop(options) { shop in
            let (shopper, _) = try await stranded(shop)
            // Forgets the session, the faults and the calls.
            try await shop.control.reset()
            let travel = TimeTravel(shop)
            try await travel.advance(by: .seconds(60))
            #expect(try await questions(shop) == 1)
            #expect(
                try shop.value("SELECT stuck_at IS NULL AND missing_since IS NOT NULL FROM webview_session_purchase")
                    == "t"
            )
            #expect(try shop.trail(of: shopper.webviewSession).last != "give_up stuck")
            let hourAgo = "missing_since = missing_since - interval '1 hour', since = since - interval '2 hours'"
            try shop.rows("UPDATE webview_session_purchase SET \(hourAgo)")
            try await travel.advance(by: .seconds(600), step: .seconds(100))
            #expect(try shop.trail(of: shopper.webviewSession).last == "give_up stuck")
            #expect(try shop.value("SELECT reason FROM webview_session_purchase") == "gone")
            let all = try await questions(shop)
            try await travel.advance(by: .seconds(400 * 86_400), step: .seconds(40 * 86_400))
            #expect(try await questions(shop) == all)
        }
    }

    @Test func `leaves the buyer the way to the end after it was given up`() async throws {
        try await withShop(options) { shop in
            let (shopper, link) = try await stranded(shop)
            try shop.rows("UPDATE webview_session_purchase SET stuck_at = now()")
            try await shop.control.clearFaults()
            try await TimeTravel(shop).advance(by: .seconds(60))
            #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
            let answer = try await shopper.purchase(link)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try shop.rows("SELECT 1 FROM webview_session_purchase").isEmpty)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `is listed, resumed and ended by an operator`() async throws {
        try await withShop { shop in
            let (shopper, _) = try await stranded(shop)
            let webviewSession = shopper.webviewSession
            #expect(try await shop.runCommand(["stuck", webviewSession, "--resume"]).exit == .code(1))
            try shop.rows("UPDATE webview_session_purchase SET stuck_at = now()")
            let listed = try await shop.runCommand(["stuck"])
            #expect(listed.exit == .code(0))
            let line = try JSONParser.parse(Array(listed.output.utf8))
            #expect(line["webview_session"]?.text == webviewSession)
            #expect((line["total"]?.integer ?? 0) > 0)
            #expect(try await shop.runCommand(["stuck", webviewSession]).exit == .code(2))
            let resumed = try await shop.runCommand(["stuck", webviewSession, "--resume"])
            let done = #"{"webview_session":"\#(webviewSession)","done":"--resume"}"#
            #expect(resumed.exit == .code(0) && resumed.output.contains(done), "\(resumed.output)")
            #expect(try await shop.runCommand(["stuck"]).output.isEmpty)
            #expect(try await shop.runCommand(["stuck", webviewSession, "--decline"]).exit == .code(1))
            try shop.rows("UPDATE webview_session_purchase SET stuck_at = now()")
            try shop.endLease(of: webviewSession)
            #expect(try await shop.runCommand(["stuck", webviewSession, "--decline"]).exit == .code(0))
            #expect(try shop.state(of: webviewSession) == "declined")
            #expect(try shop.rows("SELECT 1 FROM webview_session_purchase").isEmpty)
        }
    }
}
