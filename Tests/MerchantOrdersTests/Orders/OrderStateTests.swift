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
            (.created, [.atProvider, .cancelled, .expired]),
            (.atProvider, [.inReview, .declined, .cancelled, .expired]),
            (.inReview, [.atProvider, .paying, .declined, .cancelled, .expired]),
            (.paying, [.inReview, .paid, .paymentPending, .captured, .declined, .cancelled, .expired]),
            (.paymentPending, [.paid, .captured, .declined, .cancelled, .expired, .closed]),
            (.paid, [.paymentPending, .captured, .declined, .cancelled, .expired, .closed]),
            (.declined, [.paid, .paymentPending, .captured, .closed]),
            (.cancelled, [.paid, .paymentPending, .captured, .closed]),
            (.expired, [.paid, .paymentPending, .captured, .closed]),
            (.captured, [.partRefunded, .refunded]), (.partRefunded, [.captured, .refunded]),
            (.refunded, [.captured, .partRefunded]), (.closed, []),
        ] as [(OrderState, Set<OrderState>)]
    )
    func `is followed by these and no others`(state: OrderState, next: Set<OrderState>) {
        #expect(Set(OrderState.allCases.filter(state.canBecome)) == next)
        #expect(!state.canBecome(state))
    }

    @Test func `before the payment never skips the payment`() {
        for state in [OrderState.created, .atProvider, .inReview] {
            #expect(!OrderState.allCases.contains { $0.isPaid && state.canBecome($0) })
            #expect(state.isCancellable)
            #expect(state.canBecome(.cancelled))
        }
    }

    @Test func `cannot be called off once paying has begun`() {
        let open = OrderState.allCases.filter(\.isCancellable)
        #expect(open == [.created, .atProvider, .inReview])
        #expect(!open.contains { $0.isPaid })
    }

    @Test func `loses money that was taken only to a refund`() {
        for state in [OrderState.captured, .partRefunded, .refunded] {
            #expect(!OrderState.allCases.contains { state.canBecome($0) && !$0.isPaid })
        }
    }

    @Test(
        arguments: [
            (.authorizationInitiated, .paymentPending), (.authorized, .paid), (.captureInitiated, .paid),
            (.declined, .declined), (.canceled, .cancelled), (ObjectState(rawValue: "Surprise"), nil),
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
        #expect(OrderState.settled(permission: .chargeable, charges: [cancelled]) == .cancelled)
    }
}
