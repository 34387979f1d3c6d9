import HTTPCore
import IntegrationKit
import Program
import StrictJSON
import Testing

/// Nobody tells the broker anything here: it asks by itself, at growing pauses, and comes to an end.
@Suite struct `The questions about an object` {
    private var options: ShopOptions {
        var options = ShopOptions()
        options.jobPause = .milliseconds(2)
        return options
    }

    private var merchant: ShopOptions {
        var options = options
        options.settings["merchant.api"] = "true"
        return options
    }

    private func metric(_ shop: Shop, _ name: String) async throws -> Int? {
        let answer = try await ClientLoop.shared.send(OutboundRequest(method: "GET", url: shop.admin + "/metrics"))
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.utf8.count + 1)) }
    }

    private func asked(_ shop: Shop, _ operation: String) async throws -> Int {
        try await shop.control.calls(operation).count
    }

    private static let hour = Duration.seconds(3_600)
    private static let day = Duration.seconds(86_400)

    @Test func `that is held for thirty days are five, and those about its permission three at most`() async throws {
        try await withShop(options) { shop in
            let paid = try await shop.paid()
            let travel = TimeTravel(shop)
            let (charges, permissions) = (
                try await asked(shop, "GetCharge"), try await asked(shop, "GetChargePermission")
            )
            try await travel.advance(by: Self.hour * 23, step: Self.hour)
            #expect(try await asked(shop, "GetCharge") == charges)
            try await travel.advance(by: Self.day * 4 + Self.hour, step: Self.hour * 6)
            #expect(try shop.rows("SELECT 1 FROM event WHERE type = 'charge.expiring'").isEmpty)
            try await travel.advance(by: Self.day * 26, step: Self.hour * 6)
            #expect(try await asked(shop, "GetCharge") == charges + 5)
            #expect(try shop.value("SELECT count(*) FROM event WHERE type = 'charge.expiring'") == "2")
            #expect(try shop.ledger(paid.charge) == "Canceled")
            #expect(try await asked(shop, "GetChargePermission") == permissions + 1)
            try await travel.advance(by: Self.day * 150, step: Self.day)
            try await travel.advance(by: Self.day * 220, step: Self.day)
            #expect(try await asked(shop, "GetCharge") == charges + 5)
            let all = try await asked(shop, "GetChargePermission")
            #expect(all <= permissions + 3)
            try await travel.advance(by: Self.day * 365, step: Self.day * 15)
            #expect(try await asked(shop, "GetCharge") == charges + 5)
            #expect(try await asked(shop, "GetChargePermission") == all)
            #expect(try shop.rows("SELECT 1 FROM payment_poll").isEmpty)
        }
    }

    @Test func `whose capture never ends are at most sixty, and a person is called`() async throws {
        try await withShop(options) { shop in
            let paid = try await shop.paid()
            try await shop.control.force("charges/" + paid.charge, "CaptureInitiated")
            try shop.rows("UPDATE payment_poll SET next_at = now() WHERE object_id = $1", [paid.charge])
            try await shop.wait(for: "the capture under way") { try shop.ledger(paid.charge) == "CaptureInitiated" }
            let before = try await asked(shop, "GetCharge")
            let travel = TimeTravel(shop)
            try await travel.passWithoutProvider(Self.day, step: Self.hour / 4)
            let first = try await asked(shop, "GetCharge") - before
            #expect((24...28).contains(first), "\(first)")
            try await travel.passWithoutProvider(Self.day * 29, step: Self.hour * 12)
            let all = try await asked(shop, "GetCharge") - before
            #expect((35...60).contains(all), "\(all)")
            #expect(try shop.rows("SELECT 1 FROM payment_poll WHERE object_id = $1", [paid.charge]).isEmpty)
            #expect(try await metric(shop, "sallyport_polls_total{object=\"charge\",outcome=\"ended\"}") == 1)
            try await travel.passWithoutProvider(Self.day * 365, step: Self.day * 15)
            #expect(try await asked(shop, "GetCharge") - before == all)
        }
    }

    @Test func `that is given back are one where it takes its time, and the state follows`() async throws {
        try await withShop(merchant) { shop in
            let till = try await Till.open(shop)
            try await till.captureAll()
            let answer = try await till.refund(10_000, mark: "one")
            let id = try #require(answer.json["id"]?.text)
            #expect(try shop.ledger(id) == "RefundInitiated")
            let travel = TimeTravel(shop)
            try await travel.advance(by: Self.hour, step: .seconds(30))
            #expect(try shop.ledger(id) == "Refunded")
            #expect(try await asked(shop, "GetRefund") == 1)
            #expect(try till.events.last == "refund.refunded")
            try await travel.advance(by: Self.day * 365, step: Self.day * 15)
            #expect(try await asked(shop, "GetRefund") == 1)
        }
    }

    @Test func `that is given back and refused in the end return their part to the order`() async throws {
        try await withShop(merchant) { shop in
            try await shop.control.post("options", ["refundDelay": "P500D"])
            let till = try await Till.open(shop)
            try await till.captureAll()
            let answer = try await till.refund(10_000, mark: "one")
            let id = try #require(answer.json["id"]?.text)
            #expect(try till.state == "part_refunded")
            try await shop.control.force("refunds/" + id, "Declined", "AmazonRejected")
            try await TimeTravel(shop).advance(by: Self.hour, step: .seconds(30))
            #expect(try shop.ledger(id) == "Declined")
            #expect(try till.state == "captured")
            #expect(try till.events.last == "refund.declined")
        }
    }

    @Test func `that is given back for ever are at most ninety, and a person is called`() async throws {
        try await withShop(merchant) { shop in
            try await shop.control.post("options", ["refundDelay": "P2000D"])
            let till = try await Till.open(shop)
            try await till.captureAll()
            #expect(try await till.refund(10_000, mark: "one").status == 201)
            let travel = TimeTravel(shop)
            try await travel.advance(by: Self.day, step: Self.hour / 4)
            let first = try await asked(shop, "GetRefund")
            #expect((24...28).contains(first), "\(first)")
            try await travel.advance(by: Self.day * 180, step: Self.hour * 6)
            let all = try await asked(shop, "GetRefund")
            #expect((45...90).contains(all), "\(all)")
            #expect(try await metric(shop, "sallyport_polls_total{object=\"refund\",outcome=\"ended\"}") == 1)
            try await travel.advance(by: Self.day * 365, step: Self.day * 15)
            #expect(try await asked(shop, "GetRefund") == all)
        }
    }

    @Test func `that the ledger cannot take in hold up no others, and come later and later`() async throws {
        try await withShop(options) { shop in
            let (bad, good) = (try await shop.paid(), try await shop.paid())
            try shop.refuse(updatesOf: "payment_object", where: "NEW.object_id = '\(bad.charge)'")
            for charge in [bad.charge, good.charge] {
                try await shop.control.force("charges/" + charge, "Canceled", "ExpiredUnused")
            }
            // Both in one batch, and the bad one first.
            try shop.rows(
                """
                UPDATE payment_poll SET next_at = now() - CASE object_id WHEN $1 THEN interval '2 h' ELSE interval '1 h' END
                WHERE kind = 'charge'
                """,
                [bad.charge]
            )
            try await shop.wait(for: "the other one") { try shop.ledger(good.charge) == "Canceled" }
            let poll =
                "SELECT failures FROM payment_poll WHERE object_id = $1 AND lease_until IS NULL AND next_at > now()"
            try await shop.wait(for: "a pause") { try shop.value(poll, [bad.charge]) == "1" }
            try shop.rows("DROP TRIGGER refuse ON payment_object")
            try shop.rows("UPDATE payment_poll SET next_at = now()")
            try await shop.wait(for: "the bad one") { try shop.ledger(bad.charge) == "Canceled" }
        }
    }

    @Test func `that the provider does not know are two, an hour apart`() async throws {
        try await withShop(options) { shop in
            _ = try await shop.paid()
            try await shop.control.reset()
            try shop.rows("UPDATE payment_poll SET next_at = now()")
            let denied = "SELECT count(*) FROM payment_poll WHERE missing_since IS NOT NULL AND lease_until IS NULL"
            try await shop.wait(for: "both to be denied") { try shop.value(denied) == "2" }
            #expect(try await asked(shop, "GetCharge") == 1)
            try shop.rows("UPDATE payment_poll SET next_at = now(), missing_since = missing_since - interval '1 hour'")
            try await shop.wait(for: "the end") { try shop.rows("SELECT 1 FROM payment_poll").isEmpty }
            #expect(try await asked(shop, "GetCharge") == 2)
            #expect(try await asked(shop, "GetChargePermission") == 2)
            try await TimeTravel(shop).advance(by: Self.day * 400, step: Self.day * 20)
            #expect(try await asked(shop, "GetCharge") == 2)
            #expect(try await asked(shop, "GetChargePermission") == 2)
        }
    }

    @Test func `that nobody answers come later and later, and end`() async throws {
        try await withShop(options) { shop in
            let paid = try await shop.paid()
            let before = try await asked(shop, "GetCharge")
            try await shop.control.fault("GetCharge", count: 10_000, ["status": 403])
            try shop.rows("UPDATE payment_poll SET next_at = now() WHERE object_id = $1", [paid.charge])
            let travel = TimeTravel(shop)
            try await travel.passWithoutProvider(Self.hour, step: .seconds(15))
            let first = try await asked(shop, "GetCharge") - before
            #expect((6...8).contains(first), "\(first)")
            try await travel.passWithoutProvider(Self.day * 40, step: Self.hour * 6)
            let all = try await asked(shop, "GetCharge") - before
            #expect(all <= 50, "\(all)")
            #expect(try shop.rows("SELECT 1 FROM payment_poll WHERE object_id = $1", [paid.charge]).isEmpty)
            try await travel.passWithoutProvider(Self.day * 365, step: Self.day * 15)
            #expect(try await asked(shop, "GetCharge") - before == all)
        }
    }
}
