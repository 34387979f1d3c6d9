import Commerce
import MerchantOrders
import Primitives
import Testing

@Suite("A difference between ledger and provider")
struct LedgerDifferenceTests {
    private func yen(_ units: Int64) throws -> Money { try #require(Money(units: units, .jpy)) }

    private func ours(
        _ kind: ObjectKind,
        _ state: ObjectState,
        captured: Int64 = 0,
        refunded: Int64 = 0
    ) throws
        -> LedgerObject
    {
        var row = LedgerRow(kind, state, try yen(1_000))
        row.capturedUnits = captured
        row.refundedUnits = refunded
        let time = WallTime(seconds: 0)
        return LedgerObject(
            "S01-0000000-0000001-C000001",
            of: UUIDBytes(high: 1, low: 1),
            row,
            created: time,
            updated: time
        )
    }

    private func theirs(
        _ kind: ObjectKind,
        _ state: ObjectState,
        captured: Int64? = nil,
        refunded: Int64? = nil
    ) throws
        -> ObservedObject
    {
        var object = ObservedObject(kind, "S01-0000000-0000001-C000001", ObservedVersion(state))
        object.amount = try yen(1_000)
        object.captured = try captured.map(yen)
        object.refunded = try refunded.map(yen)
        return object
    }

    @Test func `is none where both say the same`() throws {
        let held = try ours(.charge, .authorized)
        #expect(LedgerDifference(held, seen: try theirs(.charge, .authorized)) == nil)
        #expect(LedgerDifference(held, seen: try theirs(.charge, .authorized, captured: 0, refunded: 0)) == nil)
        let taken = try ours(.charge, .captured, captured: 900, refunded: 100)
        #expect(LedgerDifference(taken, seen: try theirs(.charge, .captured, captured: 900, refunded: 100)) == nil)
        #expect(LedgerDifference(try ours(.refund, .refunded), seen: try theirs(.refund, .refunded)) == nil)
        #expect(LedgerDifference(try ours(.permission, .chargeable), seen: try theirs(.permission, .chargeable)) == nil)
        #expect(
            LedgerDifference(try ours(.permission, .chargeable), seen: try theirs(.permission, .nonChargeable)) == nil
        )
    }

    static let steps: [(kind: ObjectKind, ours: ObjectState, theirs: ObjectState, isProgress: Bool)] = [
        (.permission, .chargeable, .closed, true), (.permission, .closed, .chargeable, false),
        (.charge, .authorizationInitiated, .authorized, true), (.charge, .authorizationInitiated, .declined, true),
        (.charge, .authorizationInitiated, .captured, false), (.charge, .captureInitiated, .captured, true),
        (.charge, .captureInitiated, .authorized, false), (.charge, .authorized, .captured, false),
        (.charge, .captured, .canceled, false), (.refund, .refundInitiated, .refunded, true),
        (.refund, .refundInitiated, .declined, true), (.refund, .refunded, .declined, false),
    ]

    @Test(arguments: steps)
    func `is progress where the provider goes on by itself, and only there`(
        step: (kind: ObjectKind, ours: ObjectState, theirs: ObjectState, isProgress: Bool)
    ) throws {
        let held = try ours(step.kind, step.ours)
        let difference = try #require(LedgerDifference(held, seen: try theirs(step.kind, step.theirs)))
        #expect(difference.isProgress == step.isProgress)
        #expect(try !#require(LedgerDifference(held, seen: nil)).isProgress)
        #expect(!LedgerDifference(unpaid: .expired).isProgress)
    }

    @Test func `is no progress where more was given back, or another sum`() throws {
        let taking = try ours(.charge, .captureInitiated)
        let given = try theirs(.charge, .captured, captured: 900, refunded: 100)
        #expect(try !#require(LedgerDifference(taking, seen: given)).isProgress)
        var refund = try theirs(.refund, .refunded)
        refund.amount = try yen(999)
        #expect(try !#require(LedgerDifference(try ours(.refund, .refundInitiated), seen: refund)).isProgress)
    }

    @Test func `is one in the state, in what was taken, in what was given back, and in being there at all`() throws {
        let taken = try ours(.charge, .captured, captured: 900)
        let state = try #require(LedgerDifference(taken, seen: try theirs(.charge, .authorized)))
        #expect(state.ours.text == "Captured 900 0")
        #expect(state.theirs?.text == "Authorized 0 0")
        #expect(LedgerDifference(taken, seen: try theirs(.charge, .captured, captured: 800)) != nil)
        #expect(LedgerDifference(taken, seen: try theirs(.charge, .captured, captured: 900, refunded: 5)) != nil)
        #expect(try #require(LedgerDifference(taken, seen: nil)).theirs == nil)
        #expect(LedgerDifference(try ours(.refund, .refunded), seen: try theirs(.refund, .declined)) != nil)
        #expect(LedgerDifference(try ours(.permission, .chargeable), seen: try theirs(.permission, .closed)) != nil)
    }

    @Test func `takes a capture under way for nothing taken`() throws {
        let pending = try ours(.charge, .captureInitiated)
        #expect(LedgerDifference(pending, seen: try theirs(.charge, .captureInitiated, captured: 1_000)) == nil)
    }
}
