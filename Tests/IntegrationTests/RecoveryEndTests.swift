import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

/// A purchase whose outcome stays unknown is asked about again, less and less often, and not for ever.
@Suite struct `The recovery of a purchase` {
    private var options: ShopOptions {
        var options = ShopOptions()
        options.roundPause = .milliseconds(2)
        return options
    }

    /// A buyer whose purchase has an outcome that nobody knows.
    private func stranded(_ shop: Shop) async throws -> (Shopper, ReturnFields) {
        let shopper = try await shop.shopper()
        let link = try await shopper.toReturn()
        try await strand(shop, shopper, link)
        return (shopper, link)
    }

    private func strand(_ shop: Shop, _ shopper: Shopper, _ link: ReturnFields) async throws {
        try await shop.control.fault("CompleteCheckoutSession", count: 100, ["status": 500])
        try await shop.control.fault("GetCheckoutSession", count: 10_000, ["status": 403])
        let answer = try await shopper.purchase(link)
        #expect(answer.status == 409, "\(answer.text)")
        #expect(try shop.state(of: shopper.flow) == "purchasing")
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
            #expect(try shop.trail(of: shopper.flow).last == "give_up stuck")
            for _ in 0..<13 { try await travel.advance(by: .seconds(30 * 86_400)) }
            #expect(try await questions(shop) - before == all)
            #expect(try shop.state(of: shopper.flow) == "purchasing")
        }
    }

    @Test func `of one that the database refuses holds up no others`() async throws {
        try await withShop(options) { shop in
            let (bad, good) = (try await shop.shopper(), try await shop.shopper())
            let links = (try await bad.toReturn(), try await good.toReturn())
            try await strand(shop, bad, links.0)
            try await strand(shop, good, links.1)
            try await shop.control.clearFaults()
            try shop.refuse(updatesOf: "flow", where: "OLD.flow_id = '\(bad.flow)' AND NEW.verdict = 'recover'")
            // Both in one batch, and the bad one first.
            for flow in [bad.flow, good.flow] { try shop.endLease(of: flow) }
            try shop.rows(
                """
                UPDATE flow_purchasing SET next_at = now() - CASE flow_id WHEN $1 THEN interval '2 h' ELSE interval '1 h' END
                """,
                [bad.flow]
            )
            try await shop.wait(for: "the other one") { try shop.state(of: good.flow) == "authorized" }
            #expect(try shop.state(of: bad.flow) == "purchasing")
            try shop.rows("DROP TRIGGER refuse ON flow")
            try await shop.wait(for: "the bad one") { try shop.state(of: bad.flow) == "authorized" }
        }
    }

    @Test func `stops at once where the provider knows nothing of the session`() async throws {
        try await withShop(options) { shop in
            let (shopper, _) = try await stranded(shop)
            // Forgets the session, the faults and the calls.
            try await shop.control.reset()
            let travel = TimeTravel(shop)
            try await travel.advance(by: .seconds(60))
            #expect(try shop.trail(of: shopper.flow).last == "give_up stuck")
            #expect(try await questions(shop) == 1)
            try await travel.advance(by: .seconds(400 * 86_400), step: .seconds(40 * 86_400))
            #expect(try await questions(shop) == 1)
        }
    }

    @Test func `leaves the buyer the way to the end after it was given up`() async throws {
        try await withShop(options) { shop in
            let (shopper, link) = try await stranded(shop)
            try shop.rows("UPDATE flow_purchasing SET stuck_at = now()")
            try await shop.control.clearFaults()
            try await TimeTravel(shop).advance(by: .seconds(60))
            #expect(try shop.state(of: shopper.flow) == "purchasing")
            let answer = try await shopper.purchase(link)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try shop.rows("SELECT 1 FROM flow_purchasing").isEmpty)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `is listed, resumed and ended by an operator`() async throws {
        try await withShop { shop in
            let (shopper, _) = try await stranded(shop)
            let flow = shopper.flow
            #expect(try await shop.runCommand(["stuck", flow, "--resume"]).exit == .code(1))
            try shop.rows("UPDATE flow_purchasing SET stuck_at = now()")
            let listed = try await shop.runCommand(["stuck"])
            #expect(listed.exit == .code(0))
            let line = try JSONParser.parse(Array(listed.output.utf8))
            #expect(line["flow"]?.text == flow)
            #expect((line["total"]?.integer ?? 0) > 0)
            #expect(try await shop.runCommand(["stuck", flow]).exit == .code(2))
            #expect(try await shop.runCommand(["stuck", flow, "--resume"]).exit == .code(0))
            #expect(try await shop.runCommand(["stuck"]).output.isEmpty)
            #expect(try await shop.runCommand(["stuck", flow, "--decline"]).exit == .code(1))
            try shop.rows("UPDATE flow_purchasing SET stuck_at = now()")
            try shop.endLease(of: flow)
            #expect(try await shop.runCommand(["stuck", flow, "--decline"]).exit == .code(0))
            #expect(try shop.state(of: flow) == "declined")
            #expect(try shop.rows("SELECT 1 FROM flow_purchasing").isEmpty)
        }
    }
}
