import MerchantOrders
import Persistence
import Postgres
import Primitives
import Testing

@Suite("The age of a claim")
struct ClaimAgeTests {
    @Test func `counts from the last try, so a repeat of it pays nothing again`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            let request = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            let first = try await rig.begin(request)
            #expect(try await rig.orders.settle(first, as: .released))
            try rig.passTime(hours: 71)
            let second = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            let paying = try await rig.begin(second)
            try rig.passTime(hours: 2)
            let keys = PostgresKeyStore(client: rig.client)
            #expect(try await keys.prune() == 0)
            let refund = rig.refund("S01-1-R1", .refundInitiated, 5_000)
            #expect(try await rig.orders.settle(paying, as: .pending(refund, stored(201, "paid"))))
            try rig.passTime(hours: 71)
            #expect(try await keys.prune() == 0)
            let third = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            #expect(try await rig.orders.begin(third) == .replayed(stored(201, "paid")))
            try rig.passTime(hours: 2)
            #expect(try await keys.prune() == 1)
        }
    }

    @Test func `counts from the answer where the request is carried out by other statements`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            let claim = try #require(rig.request(.refund(yen(1)), on: "", of: crossing, mark: "k").claim)
            let keys = PostgresKeyStore(client: rig.client)
            #expect(try await keys.take(claim, flow: nil) == nil)
            try await keys.release(claim)
            try rig.passTime(hours: 71)
            #expect(try await keys.take(claim, flow: nil) == nil)
            try rig.passTime(hours: 2)
            #expect(try await keys.prune() == 0)
            try await keys.answer(claim, stored(200, "done"))
            try rig.passTime(hours: 71)
            #expect(try await keys.prune() == 0)
            #expect(try await keys.state(of: claim) == .answered(stored(200, "done"), flow: nil))
        }
    }

    @Test func `does not count while a person has to look at its operation`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            let request = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            let lost = try await rig.begin(request)
            try rig.passTime(hours: 49)
            try rig.sql("UPDATE payment_operation SET lease_until = statement_timestamp(), recoveries = 200")
            guard case .givenUp = try await rig.orders.takeOver(lost.id, freshAttempt: crossing.flow) else {
                throw Surprise("not given up")
            }
            try rig.passTime(hours: 40)
            let keys = PostgresKeyStore(client: rig.client)
            #expect(try await keys.prune() == 0)
            let taken = try #require(
                try await rig.orders.reopen(lost.id, freshAttempt: request.attempt, lease: .seconds(60))
            )
            let refund = rig.refund("S01-1-R1", .refunded, 5_000)
            #expect(try await rig.orders.settle(taken, as: .done(refund, stored(201, "paid"))))
            #expect(try await keys.prune() == 0)
            let again = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            #expect(try await rig.orders.begin(again) == .replayed(stored(201, "paid")))
        }
    }

    @Test func `does not matter where the claim is gone: the end of the operation brings it back`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            func request(_ print: UInt8 = 1) -> OperationRequest {
                rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k", print: print)
            }
            let operation = try await rig.begin(request())
            try rig.sql("DELETE FROM api_idempotency")
            // Nobody begins another meanwhile.
            #expect(try await rig.orders.begin(request()) == .inProgress)
            let refund = rig.refund("S01-1-R1", .refunded, 5_000)
            #expect(try await rig.orders.settle(operation, as: .done(refund, stored(201, "paid"))))
            #expect(try await rig.orders.begin(request()) == .replayed(stored(201, "paid")))
            #expect(try await rig.orders.begin(request(2)) == .keyReused)

            // One that began before operations knew their request.
            let old = try await rig.begin(rig.request(.refund(yen(1)), on: "S01-1-C1", of: crossing, mark: "old"))
            try rig.sql("UPDATE payment_operation SET fingerprint = NULL; DELETE FROM api_idempotency")
            let second = rig.refund("S01-1-R2", .refunded, 1)
            #expect(try await rig.orders.settle(old, as: .done(second, stored(201, "paid"))))
            let repeated = rig.request(.refund(yen(1)), on: "S01-1-C1", of: crossing, mark: "old")
            #expect(try await rig.orders.begin(repeated) == .keyReused)
        }
    }
}

extension Rig {
    /// A paid order whose charge is captured.
    fileprivate func taken(_ permission: String) async throws -> Crossing {
        let crossing = try await paid(permission)
        let charge = charge(permission + "-C1", .captured, at: 10, captured: 27_996)
        #expect(try await orders.observe(charge) == .changed(flow: crossing.flow))
        return crossing
    }

    /// Has every claim, and every operation that is under way, as if it had been made earlier.
    fileprivate func passTime(hours: Int) throws {
        try sql(
            "UPDATE api_idempotency SET created_at = created_at - interval '\(hours) hours',"
                + " lease_until = lease_until - interval '\(hours) hours'"
        )
    }
}
