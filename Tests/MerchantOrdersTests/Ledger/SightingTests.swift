import MerchantOrders
import Primitives
import Testing

@Suite("A sighting of an object")
struct SightingTests {
    private static func seen(_ state: ObjectState, _ seconds: Int64?) -> Sighting {
        Sighting(state, updated: seconds.map { WallTime(seconds: $0) })
    }

    @Test(
        arguments: [
            (nil, nil, true), (nil, 5, true), (5, nil, false), (5, 5, true), (5, 6, true), (5, 4, false),
        ] as [(Int64?, Int64?, Bool)]
    )
    func `takes the place of one that is not newer`(old: Int64?, new: Int64?, replaces: Bool) {
        let before = Self.seen(.authorizationInitiated, old)
        #expect(Self.seen(.authorized, new).replaces(before, of: .charge) == replaces)
    }

    @Test(
        arguments: [
            (.charge, .captured, .authorized), (.charge, .declined, .authorizationInitiated),
            (.refund, .refunded, .refundInitiated), (.permission, .closed, .chargeable),
            (.session, .completed, .open), (.charge, .captured, ObjectState(rawValue: "Surprise")),
        ] as [(ObjectKind, ObjectState, ObjectState)]
    )
    func `never brings an object back from its end`(kind: ObjectKind, end: ObjectState, state: ObjectState) {
        #expect(!Self.seen(state, 9).replaces(Self.seen(end, 5), of: kind))
        #expect(!Self.seen(state, nil).replaces(Self.seen(end, nil), of: kind))
        #expect(Self.seen(end, 9).replaces(Self.seen(state, 5), of: kind))
        #expect(Self.seen(end, 9).replaces(Self.seen(end, 5), of: kind))
    }
}
