import HTTPCore
import IntegrationKit
import SallyportApp
import StrictJSON
import Testing

/// Nobody tells the broker anything here: it asks by itself, at growing pauses, and comes to an end.
@Suite struct `The questions about an object` {
    private var options: ShopOptions {
        var options = ShopOptions()
        options.roundPause = .milliseconds(2)
        return options
    }

    private func asked(_ shop: Shop, _ operation: String) async throws -> Int {
        try await shop.control.calls(operation).count
    }

    private static let hour = Duration.seconds(3_600)
    private static let day = Duration.seconds(86_400)

    @Test func `that is held for thirty days are two, and those about its permission three at most`() async throws {
        try await withShop(options) { shop in
            let paid = try await shop.paid()
            let travel = TimeTravel(shop)
            let (charges, permissions) = (
                try await asked(shop, "GetCharge"), try await asked(shop, "GetChargePermission")
            )
            try await travel.advance(by: Self.day, step: Self.hour)
            #expect(try await asked(shop, "GetCharge") == charges)
            try await travel.advance(by: Self.day * 30, step: Self.hour * 6)
            #expect(try await asked(shop, "GetCharge") == charges + 2)
            #expect(try shop.ledger(paid.charge) == "Canceled")
            #expect(try await asked(shop, "GetChargePermission") == permissions + 1)
            try await travel.advance(by: Self.day * 150, step: Self.day)
            try await travel.advance(by: Self.day * 220, step: Self.day)
            #expect(try await asked(shop, "GetCharge") == charges + 2)
            let all = try await asked(shop, "GetChargePermission")
            #expect(all <= permissions + 3)
            try await travel.advance(by: Self.day * 365, step: Self.day * 15)
            #expect(try await asked(shop, "GetCharge") == charges + 2)
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
            let metrics = try await ClientLoop.send(OutboundRequest(method: "GET", url: shop.admin + "/metrics"))
            let text = String(decoding: metrics.body, as: UTF8.self)
            #expect(text.contains("sallyport_polls_total{object=\"charge\",outcome=\"ended\"} 1"))
            try await travel.passWithoutProvider(Self.day * 365, step: Self.day * 15)
            #expect(try await asked(shop, "GetCharge") - before == all)
        }
    }

    @Test func `that the provider does not know are one`() async throws {
        try await withShop(options) { shop in
            _ = try await shop.paid()
            try await shop.control.reset()
            try shop.rows("UPDATE payment_poll SET next_at = now()")
            try await shop.wait(for: "the end") { try shop.rows("SELECT 1 FROM payment_poll").isEmpty }
            #expect(try await asked(shop, "GetCharge") == 1)
            #expect(try await asked(shop, "GetChargePermission") == 1)
            try await TimeTravel(shop).advance(by: Self.day * 400, step: Self.day * 20)
            #expect(try await asked(shop, "GetCharge") == 1)
            #expect(try await asked(shop, "GetChargePermission") == 1)
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
