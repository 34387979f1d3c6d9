import Checkout
import Commerce
import EventIO
import Merchant
import MerchantOrders
import Postgres
import Primitives
import SessionBroker
import Testing

@Suite("The ledger of an order")
struct LedgerTests {
    @Test func `takes a capture from its beginning to the event`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let request = rig.request(.capture(yen(20_000)), on: "S01-1-C1", of: crossing, mark: "m")
            let operation = try await rig.begin(request)
            #expect(operation.key == request.key)
            #expect(!operation.isRecovery)
            #expect(try await rig.orders.object("S01-1-C1")?.row.hasOpenOperation == true)
            let charge = rig.charge("S01-1-C1", .captured, captured: 20_000)
            #expect(try await rig.orders.settle(operation, as: .done(charge, stored(200, "done"))))
            let order = try #require(try await rig.orders.read(crossing.webviewSession))
            #expect(order.state == .captured)
            #expect(order.sums.captured == yen(20_000))
            #expect(order.charges[0].row.capturedUnits == 20_000)
            #expect(!order.charges[0].row.hasOpenOperation)
            #expect(
                try rig.events(crossing) == [
                    "1 session.paid paid", "2 charge.authorized paid", "3 charge.captured captured",
                ]
            )
            // The end is fenced: whoever comes late changes nothing.
            #expect(try await !rig.orders.settle(operation, as: .done(charge, stored(200, "late"))))
            #expect(try await rig.orders.begin(request) == .replayed(stored(200, "done")))
            #expect(try rig.events(crossing).count == 3)
        }
    }

    @Test func `begins one of 32 operations at once on one charge, and one for 32 requests that are one`() async throws
    {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let outcomes = try await rig.together(32) { rig in
                try await rig.orders.begin(rig.request(.capture(yen(27_996)), on: "S01-1-C1", of: crossing))
            }
            #expect(outcomes.filter(\.isBegun).count == 1)
            #expect(outcomes.filter { $0.holder?.kind == "capture" && $0.holder?.isStuck == false }.count == 31)

            let other = try await rig.paid("S01-2")
            let twins = try await rig.together(32) { rig in
                try await rig.orders.begin(rig.request(.capture(yen(27_996)), on: "S01-2-C1", of: other, mark: "twin"))
            }
            #expect(twins.filter(\.isBegun).count == 1)
            #expect(twins.filter { $0 == .inProgress }.count == 31)
            #expect(try rig.admin.rows("SELECT count(*) FROM payment_operation")[0][0] == "2")
        }
    }

    @Test func `does not begin what the rules forbid, and keeps no claim of it`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            func outcome(_ intent: OperationIntent, on target: String) async throws -> OperationOutcome {
                try await rig.orders.begin(rig.request(intent, on: target, of: crossing, mark: "same"))
            }
            let charge = "S01-1-C1"
            #expect(
                try await outcome(.capture(yen(27_997)), on: charge)
                    == .refused(.exceeds(limit: yen(27_996)), .authorized)
            )
            #expect(try await outcome(.capture(yen(0)), on: charge) == .refused(.nothing, .authorized))
            let cents = try #require(Money(units: 100, .usd))
            #expect(try await outcome(.capture(cents), on: charge) == .refused(.otherCurrency, .authorized))
            #expect(try await outcome(.refund(yen(1)), on: charge) == .refused(.wrongState, .authorized))
            #expect(
                try await outcome(.createCharge(yen(1)), on: "S01-1") == .refused(.exceeds(limit: yen(0)), .chargeable)
            )
            let close = OperationIntent.closePermission(cancelsPending: false)
            #expect(try await outcome(close, on: "S01-1") == .refused(.openCharges, .chargeable))
            #expect(try await outcome(close, on: "S01-9") == .unknown)
            #expect(try rig.admin.rows("SELECT count(*) FROM api_idempotency")[0][0] == "0")
            let strange = Crossing(
                webviewSession: rig.request(.cancelCharge, on: "", of: crossing).id,
                ticket: crossing.ticket,
                client: .iosApp
            )
            #expect(try await rig.orders.begin(rig.request(.cancelCharge, on: charge, of: strange)) == .unknown)
        }
    }

    @Test func `tells one request from another under the same mark`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let other = try await rig.paid("S01-2")
            _ = try await rig.begin(rig.request(.capture(yen(1)), on: "S01-1-C1", of: crossing, mark: "m"))
            #expect(
                try await rig.orders.begin(
                    rig.request(.capture(yen(1)), on: "S01-2-C1", of: other, mark: "m", print: 2)
                )
                    == .keyReused
            )
            #expect(
                try await rig.orders.begin(rig.request(.capture(yen(1)), on: "S01-1-C1", of: crossing, mark: "m"))
                    == .inProgress
            )
        }
    }

    @Test func `frees everything when nothing was sent, and keeps the answer of a refusal`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let released = try await rig.begin(rig.request(.capture(yen(1)), on: "S01-1-C1", of: crossing, mark: "m"))
            #expect(try await rig.orders.settle(released, as: .released))
            let again = rig.request(.capture(yen(1)), on: "S01-1-C1", of: crossing, mark: "m")
            let refused = try await rig.begin(again)
            #expect(try await rig.orders.settle(refused, as: .refused("HardDeclined", nil, stored(422, "no"))))
            #expect(try await rig.orders.begin(again) == .replayed(stored(422, "no")))
            #expect(try await rig.orders.object("S01-1-C1")?.row.state == .authorized)
            #expect(try rig.events(crossing).count == 2)
            _ = try await rig.begin(rig.request(.capture(yen(1)), on: "S01-1-C1", of: crossing, mark: "n"))
        }
    }

    @Test func `holds refunds to what was captured and a little more, those under way counted`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            func refund(_ amount: Int64) async throws -> OperationOutcome {
                try await rig.orders.begin(rig.request(.refund(yen(amount)), on: "S01-1-C1", of: crossing))
            }
            // 15 % of 27,996 is 4,199.
            #expect(try await refund(32_196) == .refused(.exceeds(limit: yen(32_195)), .captured))
            let first = try await rig.begin(rig.request(.refund(yen(10_000)), on: "S01-1-C1", of: crossing))
            #expect(try await rig.orders.object("S01-1-C1")?.row.reservedUnits == 10_000)
            let pending = rig.refund("S01-1-R1", .refundInitiated, 10_000, at: 20)
            #expect(try await rig.orders.settle(first, as: .pending(pending, stored(201, ""))))
            let charge = try #require(try await rig.orders.object("S01-1-C1"))
            #expect((charge.row.refundedUnits, charge.row.reservedUnits) == (10_000, 0))
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .partRefunded)
            #expect(try await refund(22_196) == .refused(.exceeds(limit: yen(22_195)), .captured))
            // The bank refuses: its part is given back.
            let declined = rig.refund("S01-1-R1", .declined, 10_000, at: 30)
            #expect(try await rig.orders.observe(declined) == .changed(webviewSession: crossing.webviewSession))
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .captured)
            #expect(try await refund(32_196) == .refused(.exceeds(limit: yen(32_195)), .captured))
            #expect(
                try rig.events(crossing).suffix(2) == ["4 refund.created part_refunded", "5 refund.declined captured"]
            )
        }
    }

    @Test func `takes over what was left, with the same octets and key, and gives up in the end`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let request = rig.request(.capture(yen(27_996)), on: "S01-1-C1", of: crossing, mark: "m")
            let lost = try await rig.begin(request)
            #expect(try await rig.orders.claimLeft(limit: 10).isEmpty)
            #expect(
                try await rig.orders.takeOver(lost.id, by: .request, freshAttempt: crossing.webviewSession) == .none
            )
            try rig.sql("UPDATE payment_operation SET lease_until = statement_timestamp()")
            #expect(try await rig.orders.claimLeft(limit: 10) == [lost.id])
            #expect(try await rig.orders.begin(request) == .inProgress)
            try rig.sql("UPDATE api_idempotency SET lease_until = statement_timestamp()")
            #expect(try await rig.orders.begin(request) == .left(lost.id))
            guard
                case .taken(let taken) = try await rig.orders.takeOver(
                    lost.id,
                    by: .recovery,
                    freshAttempt: crossing.webviewSession
                )
            else {
                throw Surprise("not taken")
            }
            #expect((taken.body, taken.key, taken.amount) == (lost.body, lost.key, yen(27_996)))
            #expect(taken.isRecovery)
            #expect(try await rig.orders.claimLeft(limit: 10).isEmpty)
            // Who held it before is fenced out.
            #expect(try await !rig.orders.settle(lost, as: .released))
            try rig.sql("UPDATE payment_operation SET lease_until = statement_timestamp(), recoveries = 200")
            guard case .taken(let last) = try await rig.orders.takeOver(lost.id, by: .recovery, freshAttempt: lost.id)
            else {
                throw Surprise("not taken a last time")
            }
            #expect(last.target == "S01-1-C1")
            #expect(last.isLast && !taken.isLast)
            #expect(try await rig.orders.settle(last, as: .stuck("time")))
            #expect(try await rig.orders.claimLeft(limit: 10).isEmpty)
            #expect(try await rig.orders.begin(request) == .stuck(lost.id))
        }
    }

    @Test func `holds an operation for a minute, however often it was taken over, and pauses longer each time`()
        async throws
    {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let request = rig.request(.capture(yen(27_996)), on: "S01-1-C1", of: crossing, mark: "m")
            let lost = try await rig.begin(request)
            // To ten seconds: the test takes its time too.
            let times = ["p.lease_until", "q.next_at"].map { "round(extract(epoch FROM \($0) - now()) / 10) * 10" }
                .joined(separator: ", ")
            var seen: [[String?]] = []
            for _ in 0..<8 {
                try rig.sql(
                    "UPDATE payment_operation SET lease_until = now(); UPDATE payment_operation_open SET next_at = now()"
                )
                #expect(try await rig.orders.claimLeft(limit: 10) == [lost.id])
                guard case .taken = try await rig.orders.takeOver(lost.id, by: .recovery, freshAttempt: lost.id) else {
                    throw Surprise("not taken")
                }
                seen += try rig.admin.rows("SELECT \(times) FROM payment_operation AS p, payment_operation_open AS q")
            }
            #expect(seen.map { $0[0] } == Array(repeating: "60", count: 8))
            #expect(seen.map { $0[1] } == ["60", "120", "240", "480", "960", "1920", "3600", "3600"])
        }
    }

    @Test func `is as it was before a recovery that had no turn, and due again in a moment`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let lost = try await rig.begin(rig.request(.capture(yen(27_996)), on: "S01-1-C1", of: crossing, mark: "m"))
            try rig.sql("UPDATE payment_operation SET recoveries = 200")
            for _ in 0..<3 {
                try rig.sql(
                    "UPDATE payment_operation SET lease_until = now(); UPDATE payment_operation_open SET next_at = now()"
                )
                #expect(try await rig.orders.claimLeft(limit: 10) == [lost.id])
                let taken = try await rig.orders.takeOver(lost.id, by: .recovery, freshAttempt: lost.id)
                guard case .taken(let operation) = taken else { throw Surprise("\(taken)") }
                #expect(operation.isLast && operation.isCounted)
                try await rig.orders.putBack(operation)
                let row = """
                    SELECT p.recoveries, p.lease_until <= now(), q.next_at BETWEEN now() AND now() + interval '5 s'
                    FROM payment_operation AS p, payment_operation_open AS q
                    """
                #expect(try rig.admin.rows(row) == [["200", "t", "t"]])
                // Who has lost it puts nothing back.
                try rig.sql("UPDATE payment_operation SET attempt_id = '\(crossing.webviewSession)'")
                try await rig.orders.putBack(operation)
                #expect(try rig.admin.rows("SELECT recoveries FROM payment_operation") == [["200"]])
            }
        }
    }

    @Test func `is the repeat's at once when nobody knows the outcome, and recovery's after its pause`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let request = rig.request(.capture(yen(27_996)), on: "S01-1-C1", of: crossing, mark: "m")
            let first = try await rig.begin(request)
            #expect(try await rig.orders.begin(request) == .inProgress)
            try await rig.orders.expireLease(first)
            #expect(try await rig.orders.claimLeft(limit: 10).isEmpty)
            for _ in 0..<3 {
                #expect(try await rig.orders.begin(request) == .left(first.id))
                let attempt = rig.request(.cancelCharge, on: "", of: crossing).attempt
                let taken = try await rig.orders.takeOver(first.id, by: .request, freshAttempt: attempt)
                guard case .taken(let operation) = taken else { throw Surprise("\(taken)") }
                #expect(operation.isRecovery)
                try await rig.orders.expireLease(operation)
            }
            #expect(
                try rig.admin.rows("SELECT recoveries FROM payment_operation") == [["0"]],
                "the merchant's are not counted"
            )
            try rig.sql("UPDATE payment_operation_open SET next_at = next_at - interval '61 s'")
            #expect(try await rig.orders.claimLeft(limit: 10) == [first.id])
            // Who has lost it gives nothing back.
            _ = try await rig.orders.takeOver(first.id, by: .recovery, freshAttempt: first.id)
            try await rig.orders.expireLease(first)
            #expect(try rig.admin.rows("SELECT lease_until > now() FROM payment_operation") == [["t"]])
        }
    }

    @Test func `lets recovery pass over operations that are locked, claimed, refused or of a later version`()
        async throws
    {
        try await withRig { rig in
            var operations: [UUIDBytes] = []
            for number in 1...5 {
                let crossing = try await rig.paid("S01-\(number)")
                let request = rig.request(.capture(yen(27_996)), on: "S01-\(number)-C1", of: crossing)
                operations.append(try await rig.begin(request).id)
            }
            try rig.sql(
                "UPDATE payment_operation SET lease_until = now(); UPDATE payment_operation_open SET next_at = now()"
            )
            try rig.sql("UPDATE payment_operation SET kind = 'later' WHERE operation_id = '\(operations[0])'")
            try rig.sql("UPDATE payment_operation SET currency = 'AUD' WHERE operation_id = '\(operations[1])'")
            try await rig.orders.postpone(operations[2])
            try rig.sql(
                """
                BEGIN; SELECT FROM payment_operation_open WHERE operation_id = '\(operations[3])' FOR UPDATE;
                SELECT FROM payment_operation WHERE operation_id = '\(operations[3])' FOR UPDATE
                """
            )
            #expect(try await rig.orders.claimLeft(limit: 10) == [operations[4]])
            #expect(try await rig.orders.claimLeft(limit: 10).isEmpty)
            #expect(try await rig.orders.takeOver(operations[3], by: .recovery, freshAttempt: operations[3]) == .none)
            try rig.sql("ROLLBACK")
            #expect(try await rig.orders.claimLeft(limit: 10) == [operations[3]])
            guard case .taken = try await rig.orders.takeOver(operations[3], by: .recovery, freshAttempt: operations[3])
            else {
                throw Surprise("not taken")
            }
        }
    }

    @Test func `believes what is newer, and nothing comes back from its end`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let id = "S01-1-C1"
            #expect(
                try await rig.orders.observe(rig.charge(id, .authorized, at: 10))
                    == .same(webviewSession: crossing.webviewSession)
            )
            #expect(
                try await rig.orders.observe(rig.charge(id, .canceled, at: 5))
                    == .older(webviewSession: crossing.webviewSession)
            )
            let untimed = ObservedObject(.charge, id, ObservedVersion(.canceled))
            #expect(try await rig.orders.observe(untimed) == .older(webviewSession: crossing.webviewSession))
            let captured = rig.charge(id, .captured, at: 20, captured: 27_996)
            #expect(try await rig.orders.observe(captured) == .changed(webviewSession: crossing.webviewSession))
            #expect(try await rig.orders.observe(captured) == .same(webviewSession: crossing.webviewSession))
            #expect(
                try await rig.orders.observe(rig.charge(id, .authorized, at: 30))
                    == .older(webviewSession: crossing.webviewSession)
            )
            #expect(
                try rig.events(crossing) == [
                    "1 session.paid paid", "2 charge.authorized paid", "3 charge.captured captured",
                ]
            )
            #expect(try await rig.orders.observe(rig.charge("S09-9-C1", .captured)) == .unknown)
        }
    }

    @Test func `finds the order of a charge that was made elsewhere by its permission`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let made = rig.charge("S01-1-C2", .authorizationInitiated, amount: 500)
            #expect(try await rig.orders.observe(made) == .changed(webviewSession: crossing.webviewSession))
            #expect(try await rig.orders.read(crossing.webviewSession)?.charges.map(\.id) == ["S01-1-C1", "S01-1-C2"])
            let refund = rig.refund("S01-1-R1", .refunded, 100)
            #expect(try await rig.orders.observe(refund) == .changed(webviewSession: crossing.webviewSession))
        }
    }

    @Test func `counts a refund once, whether the charge or the refund tells of it first`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            var charge = rig.charge("S01-1-C1", .captured, at: 40, captured: 27_996)
            charge.refunded = yen(700)
            #expect(try await rig.orders.observe(charge) == .changed(webviewSession: crossing.webviewSession))
            #expect(
                try await rig.orders.observe(rig.refund("S01-1-R1", .refunded, 700))
                    == .changed(webviewSession: crossing.webviewSession)
            )
            #expect(try await rig.orders.read(crossing.webviewSession)?.sums.refunded == yen(700))
            #expect(
                try await rig.orders.observe(rig.refund("S01-1-R2", .refunded, 300))
                    == .changed(webviewSession: crossing.webviewSession)
            )
            #expect(try await rig.orders.observe(charge) == .same(webviewSession: crossing.webviewSession))
            #expect(try await rig.orders.read(crossing.webviewSession)?.sums.refunded == yen(1_000))
        }
    }

    @Test func `keeps the sums of an order whatever is seen at once`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            _ = try await rig.together(24) { rig in
                let number = rig.nextTurn()
                return try await rig.orders.observe(rig.refund("S01-1-R\(number)", .refundInitiated, 100))
            }
            let order = try #require(try await rig.orders.read(crossing.webviewSession))
            #expect(order.sums.refunded == yen(2_400))
            let numbers = try rig.admin.rows("SELECT sequence FROM event ORDER BY 1").compactMap { $0[0] }
            #expect(numbers == (1...27).map { "\($0)" })
        }
    }
}

extension OperationOutcome {
    fileprivate var isBegun: Bool {
        if case .begun = self { true } else { false }
    }
}

extension Rig {
    /// A paid order whose charge is captured.
    func captured(_ permission: String) async throws -> Crossing {
        let crossing = try await paid(permission)
        let charge = charge(permission + "-C1", .captured, at: 10, captured: 27_996)
        #expect(try await orders.observe(charge) == .changed(webviewSession: crossing.webviewSession))
        return crossing
    }

    /// Runs a body several times at once on this loop.
    func together<Value: Sendable>(
        _ count: Int,
        _ body: @escaping (Rig) async throws -> Value
    ) async throws -> [Value] {
        var results: [Result<Value, any Error>] = []
        let tasks = (0..<count).map { _ in
            reactor.startTask {
                do {
                    results.append(.success(try await body(self)))
                } catch {
                    results.append(.failure(error))
                }
            }
        }
        for task in tasks { await task.value }
        return try results.map { try $0.get() }
    }
}
