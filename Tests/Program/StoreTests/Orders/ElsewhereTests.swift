import Merchant
import MerchantOrders
import Postgres
import Primitives
import Testing

@Suite("What was seen of money that moved elsewhere")
struct ElsewhereTests {
    @Test func `stays counted when a refund of ours is seen, until the charge itself says more`() async throws {
        try await withRig { rig in
            let crossing = try await rig.told("S01-1", refunded: 20_000)
            #expect(try await rig.orders.read(crossing.webviewSession)?.sums.refunded == yen(20_000))
            let ours = rig.refund("S01-1-R1", .refundInitiated, 5_000)
            #expect(try await rig.orders.observe(ours) == .changed(webviewSession: crossing.webviewSession))
            // Whether the 20,000 hold it is not known: the charge is asked.
            #expect(try await rig.orders.read(crossing.webviewSession)?.sums.refunded == yen(20_000))
            #expect(try rig.isDue("S01-1-C1"))
            let request = rig.request(.refund(yen(20_000)), on: "S01-1-C1", of: crossing)
            #expect(try await rig.orders.begin(request) == .refused(.exceeds(limit: yen(12_195)), .captured))
            var charge = rig.charge("S01-1-C1", .captured, at: 10, captured: 27_996)
            charge.refunded = yen(25_000)
            #expect(try await rig.orders.observe(charge) == .changed(webviewSession: crossing.webviewSession))
            #expect(try await rig.orders.read(crossing.webviewSession)?.sums.refunded == yen(25_000))
            // A reading without the sum takes nothing back.
            charge.refunded = nil
            #expect(try await rig.orders.observe(charge) == .same(webviewSession: crossing.webviewSession))
            #expect(try await rig.orders.read(crossing.webviewSession)?.sums.refunded == yen(25_000))
        }
    }

    @Test func `is asked for again when a refund comes to nothing`() async throws {
        try await withRig { rig in
            let crossing = try await rig.told("S01-1", refunded: 0)
            _ = try await rig.orders.observe(rig.refund("S01-1-R1", .refundInitiated, 700))
            #expect(try !rig.isDue("S01-1-C1"))
            var charge = rig.charge("S01-1-C1", .captured, at: 10, captured: 27_996)
            charge.refunded = yen(700)
            _ = try await rig.orders.observe(charge)
            _ = try await rig.orders.observe(rig.refund("S01-1-R1", .declined, 700, at: 5))
            #expect(try rig.isDue("S01-1-C1"))
            charge.refunded = yen(0)
            #expect(try await rig.orders.observe(charge) == .changed(webviewSession: crossing.webviewSession))
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .captured)
        }
    }

    @Test func `is read again where two states have one time, but for beginnings and ends`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let id = "S01-1-C1"
            #expect(
                try await rig.orders.observe(rig.charge(id, .authorized, at: 5))
                    == .same(webviewSession: crossing.webviewSession)
            )
            let taking = rig.charge(id, .captureInitiated, at: 5)
            #expect(try await rig.orders.observe(taking) == .changed(webviewSession: crossing.webviewSession))
            #expect(try rig.isDue(id))
            try rig.sql("UPDATE payment_poll SET next_at = now() + interval '1 hour', notified = false")
            // The same again says nothing new.
            #expect(try await rig.orders.observe(taking) == .same(webviewSession: crossing.webviewSession))
            #expect(try !rig.isDue(id))
            let taken = rig.charge(id, .captured, at: 5, captured: 27_996)
            #expect(try await rig.orders.observe(taken) == .changed(webviewSession: crossing.webviewSession))
            #expect(try !rig.isDue(id))
            let begun = rig.charge("S01-1-C2", .authorizationInitiated, at: 5, amount: 500)
            #expect(try await rig.orders.observe(begun) == .changed(webviewSession: crossing.webviewSession))
            let held = rig.charge("S01-1-C2", .authorized, at: 5, amount: 500)
            #expect(try await rig.orders.observe(held) == .changed(webviewSession: crossing.webviewSession))
            #expect(try !rig.isDue("S01-1-C2"))
        }
    }
}

extension Rig {
    /// A paid order whose charge is captured and says what was given back of it.
    fileprivate func told(_ permission: String, refunded: Int64) async throws -> Crossing {
        let crossing = try await paid(permission)
        var charge = charge(permission + "-C1", .captured, at: 10, captured: 27_996)
        charge.refunded = yen(refunded)
        #expect(try await orders.observe(charge) == .changed(webviewSession: crossing.webviewSession))
        return crossing
    }

    /// Whether an object is to be read now.
    fileprivate func isDue(_ id: String) throws -> Bool {
        try admin.rows("SELECT 1 FROM payment_poll WHERE object_id = $1 AND next_at <= statement_timestamp()", [id])
            .count == 1
    }
}
