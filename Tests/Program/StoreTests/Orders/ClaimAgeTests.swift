import Merchant
import MerchantOrders
import Postgres
import Primitives
import ServiceAPI
import Testing

@Suite("The age of a claim")
struct ClaimAgeTests {
    private let retention = Duration.seconds(400 * 86_400)

    @Test func `counts from the last try, so a repeat of it pays nothing again`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            let request = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            let first = try await rig.begin(request)
            #expect(try await rig.orders.settle(first, as: .released))
            try rig.passTime(days: 390)
            let second = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            let paying = try await rig.begin(second)
            try rig.passTime(days: 50)
            let keys = PostgresKeyStore(client: rig.client)
            #expect(try await keys.prune(keep: retention) == 0)
            let refund = rig.refund("S01-1-R1", .refundInitiated, 5_000)
            #expect(try await rig.orders.settle(paying, as: .pending(refund, stored(201, "paid"))))
            try rig.passTime(days: 399)
            #expect(try await keys.prune(keep: retention) == 0)
            let third = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            #expect(try await rig.orders.begin(third) == .replayed(stored(201, "paid")))
            try rig.passTime(days: 40)
            #expect(try await keys.prune(keep: retention) == 1)
        }
    }

    @Test func `counts from the answer where the request is carried out by other statements`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            let claim = try #require(rig.request(.refund(yen(1)), on: "", of: crossing, mark: "k").claim)
            let keys = PostgresKeyStore(client: rig.client)
            guard case .taken(let first) = try await keys.take(claim, webviewSession: nil) else {
                throw Surprise("not taken")
            }
            try await keys.release(claim, until: first)
            try rig.passTime(days: 390)
            guard case .taken = try await keys.take(claim, webviewSession: nil) else { throw Surprise("not taken") }
            try rig.passTime(days: 50)
            #expect(try await keys.prune(keep: retention) == 0)
            // The time that has passed has moved the claim's as well.
            let moved = try rig.admin.rows(
                "SELECT (extract(epoch FROM lease_until) * 1000000)::bigint::text FROM api_idempotency"
            )
            let until = WallTime(microseconds: try #require(moved.first?[0].flatMap { Int64($0) }))
            try await keys.answer(claim, until: until, stored(200, "done"))
            try rig.passTime(days: 399)
            #expect(try await keys.prune(keep: retention) == 0)
            #expect(try await keys.state(of: claim) == .answered(stored(200, "done"), webviewSession: nil))
        }
    }

    @Test func `does not count while a person has to look at its operation`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            let request = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k")
            let lost = try await rig.begin(request)
            try rig.sql("UPDATE payment_operation SET lease_until = statement_timestamp(), recoveries = 200")
            guard
                case .taken(let last) = try await rig.orders.takeOver(
                    lost.id,
                    by: .recovery,
                    freshAttempt: crossing.webviewSession
                )
            else {
                throw Surprise("not taken a last time")
            }
            #expect(try await rig.orders.settle(last, as: .stuck("time")))
            try rig.passTime(days: 450)
            let keys = PostgresKeyStore(client: rig.client)
            #expect(try await keys.prune(keep: retention) == 0)
            #expect(try await rig.orders.begin(request) == .stuck(lost.id))
            let other = rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k", print: 2)
            #expect(try await rig.orders.begin(other) == .keyReused)
            let taken = try #require(
                try await rig.orders.reopen(lost.id, freshAttempt: request.attempt, lease: .seconds(60))
            )
            let refund = rig.refund("S01-1-R1", .refunded, 5_000)
            #expect(try await rig.orders.settle(taken, as: .done(refund, stored(201, "paid"))))
            #expect(try await keys.prune(keep: retention) == 0)
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
            #expect(try await rig.orders.begin(request()).holder?.id == operation.id)
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

@Suite("The claim of a payment")
struct PaymentClaimTests {
    private let elsewhere = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002)

    @Test func `is met by a repeat under another key of the account`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            func request(_ key: UUIDBytes = Rig.merchant, print: UInt8 = 1) -> OperationRequest {
                rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k", print: print, key: key)
            }
            let operation = try await rig.begin(request())
            #expect(try await rig.orders.begin(request(elsewhere)) == .inProgress)
            try await rig.orders.expireLease(operation)
            #expect(try await rig.orders.begin(request(elsewhere)) == .left(operation.id))
            #expect(try await rig.orders.begin(request(elsewhere, print: 2)) == .keyReused)
            let refund = rig.refund("S01-1-R1", .refunded, 5_000)
            #expect(try await rig.orders.settle(operation, as: .done(refund, stored(201, "paid"))))
            #expect(try await rig.orders.begin(request(elsewhere)) == .replayed(stored(201, "paid")))
            let asked = try rig.admin.rows("SELECT asked_by FROM payment_operation")
            #expect(asked == [[Rig.merchant.description]])
        }
    }

    @Test func `goes where the provider has had the key with other octets`() async throws {
        try await withRig { rig in
            let crossing = try await rig.taken("S01-1")
            func request(print: UInt8) -> OperationRequest {
                rig.request(.refund(yen(5_000)), on: "S01-1-C1", of: crossing, mark: "k", print: print)
            }
            let others = try await rig.begin(request(print: 2))
            #expect(try await rig.orders.settle(others, as: .reused))
            #expect(try await !rig.orders.settle(others, as: .reused), "it has ended")
            let left = try rig.admin.rows(
                """
                SELECT (SELECT count(*) FROM payment_operation_open), (SELECT sum(reserved) FROM payment_object),
                    (SELECT state || ' ' || reason FROM payment_operation)
                """
            )
            #expect(left == [["0", "0", "refused DuplicateIdempotencyKey"]])
            _ = try await rig.begin(request(print: 1))
        }
    }
}

extension Rig {
    /// A paid order whose charge is captured.
    fileprivate func taken(_ permission: String) async throws -> Crossing {
        let crossing = try await paid(permission)
        let charge = charge(permission + "-C1", .captured, at: 10, captured: 27_996)
        #expect(try await orders.observe(charge) == .changed(webviewSession: crossing.webviewSession))
        return crossing
    }

    /// Has every claim, and every operation that is under way, as if it had been made earlier.
    fileprivate func passTime(days: Int) throws {
        try sql(
            "UPDATE api_idempotency SET created_at = created_at - interval '\(days) days',"
                + " lease_until = lease_until - interval '\(days) days'"
        )
    }
}
