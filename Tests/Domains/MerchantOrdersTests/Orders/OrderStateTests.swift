import Commerce
import MerchantOrders
import Testing

@Suite("The state of an order")
struct OrderStateTests {
    private static func charge(
        _ state: ObjectState,
        captured: Int64 = 0,
        refunded: Int64 = 0,
        _ reason: String? = nil
    ) throws -> SettledCharge {
        var row = LedgerRow(.charge, state, try #require(Money(units: 10_000, .jpy)))
        row.capturedUnits = captured
        row.refundedUnits = refunded
        return SettledCharge(row, reason: reason)
    }

    @Test(
        arguments: [
            (.authorizationInitiated, .paymentPending), (.authorized, .paid), (.captureInitiated, .paid),
            (.declined, .declined), (.canceled, .canceled), (ObjectState(rawValue: "Surprise"), nil),
        ] as [(ObjectState, OrderState?)]
    )
    func `follows its only charge`(charge: ObjectState, state: OrderState?) throws {
        #expect(OrderState.settled(permission: .chargeable, charges: [try Self.charge(charge)]) == state)
    }

    @Test(
        arguments: [
            (10_000, 0, .captured), (10_000, 1, .partRefunded), (10_000, 9_999, .partRefunded),
            (10_000, 10_000, .refunded), (10_000, 11_500, .refunded), (4_000, 0, .captured), (4_000, 4_000, .refunded),
        ] as [(Int64, Int64, OrderState)]
    )
    func `follows the sums once money was taken`(captured: Int64, refunded: Int64, state: OrderState) throws {
        let charge = try Self.charge(.captured, captured: captured, refunded: refunded)
        for permission in [ObjectState.chargeable, .nonChargeable, .closed] {
            #expect(OrderState.settled(permission: permission, charges: [charge]) == state)
        }
    }

    @Test func `takes all charges of a permission together`() throws {
        let captured = try Self.charge(.captured, captured: 6_000)
        let refunded = try Self.charge(.captured, captured: 4_000, refunded: 4_000)
        let declined = try Self.charge(.declined)
        let authorized = try Self.charge(.authorized)
        let pending = try Self.charge(.authorizationInitiated)
        let expired = try Self.charge(.canceled, SettledCharge.expiredUnused)
        let cases: [([SettledCharge], OrderState?)] = [
            ([captured, refunded], .partRefunded), ([captured, declined], .captured),
            ([refunded, declined], .refunded),
            ([declined, authorized], .paid), ([authorized, declined], .paid), ([pending, declined], .paymentPending),
            ([declined, expired], .expired), ([expired, declined], .declined), ([], nil),
        ]
        for (charges, state) in cases {
            #expect(OrderState.settled(permission: .chargeable, charges: charges) == state)
        }
    }

    @Test func `is closed where a permission ends before money was taken`() throws {
        let cancelled = try Self.charge(.canceled, "ChargePermissionCanceled")
        #expect(OrderState.settled(permission: .closed, charges: [cancelled]) == .closed)
        #expect(OrderState.settled(permission: .closed, charges: []) == .closed)
        // The charge says so before the permission is read again.
        #expect(OrderState.settled(permission: .chargeable, charges: [cancelled]) == .canceled)
    }
}
