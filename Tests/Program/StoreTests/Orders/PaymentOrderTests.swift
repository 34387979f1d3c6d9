import MerchantOrders
import Postgres
import Primitives
import StrictJSON
import Testing

@testable import Merchant

/// A reader who has come to a payment reads on behind it: what becomes known later must not stand before.
@Suite("The payments of an order")
struct PaymentOrderTests {
    @Test func `are listed as they became known, whenever the provider made them`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            _ = try await rig.orders.observe(rig.refund("S01-1-R5", .refunded, 500))
            // Made in the provider's console a year before, found now.
            var refund = rig.refund("S01-1-R2", .refunded, 200)
            refund.created = WallTime(seconds: 1_700_000_000)
            _ = try await rig.orders.observe(refund)
            var charge = rig.charge("S01-1-C0", .declined, amount: 1)
            charge.created = WallTime(seconds: 1_700_000_000)
            _ = try await rig.orders.observe(charge)
            // A change moves nothing.
            _ = try await rig.orders.observe(rig.refund("S01-1-R5", .declined, 500, at: 9))

            let order = try #require(try await rig.orders.read(crossing.webviewSession))
            #expect(order.charges.map(\.id) == ["S01-1-C1", "S01-1-C0"])
            #expect(order.refunds.map(\.id) == ["S01-1-R5", "S01-1-R2"])
            let first = try #require(order.charges.first)
            #expect(try await rig.orders.refunds(of: first).map(\.id) == ["S01-1-R5", "S01-1-R2"])
            #expect(try rig.listed(crossing) == ["S01-1-C1", "S01-1-R5", "S01-1-R2", "S01-1-C0"])
        }
    }
}

extension Rig {
    /// The charges of the newest event of an order, each with its refunds.
    fileprivate func listed(_ crossing: Crossing) throws -> [String] {
        let rows = try admin.rows(
            "SELECT data FROM event WHERE subject_id = $1 ORDER BY sequence DESC LIMIT 1",
            [crossing.webviewSession.description]
        )
        let data = try JSONParser.parse(Array((rows.first?[0] ?? "null").utf8))
        return (data["charges"]?.elements ?? []).flatMap { charge in
            ([charge] + (charge["refunds"]?.elements ?? [])).compactMap { $0["id"]?.text }
        }
    }
}
