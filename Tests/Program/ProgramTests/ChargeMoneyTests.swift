import AmazonPay
import Testing

@testable import Checkout
@testable import Program

@Suite struct `The money of a charge` {
    private func charge(_ state: String, captured: String? = nil, refunded: String? = nil) throws -> Charge {
        func sum(_ amount: String?) -> String { amount.map { #"{"amount":"\#($0)","currencyCode":"JPY"}"# } ?? "null" }
        return try Charge(
            json: Array(
                #"""
                {"chargeId":"S03-1234567-7654321-C012345","chargePermissionId":"S03-1234567-7654321",
                "chargeAmount":{"amount":"3180","currencyCode":"JPY"},"captureAmount":\#(sum(captured)),
                "refundedAmount":\#(sum(refunded)),"statusDetails":{"state":"\#(state)"}}
                """#.utf8
            )
        )
    }

    @Test(arguments: [
        ("AuthorizationInitiated", false, true), ("Authorized", true, true), ("CaptureInitiated", true, true),
        ("Captured", true, true), ("Canceled", false, false), ("Declined", false, false), ("BrandNew", false, true),
    ])
    func `goes by its state`(state: String, isPaid: Bool, mayHold: Bool) throws {
        let charge = try charge(state, captured: state == "Captured" ? "3180" : nil)
        #expect(charge.isPaid == isPaid)
        #expect(charge.mayHoldMoney == mayHold)
    }

    @Test func `is nobody's once all of it was given back`() throws {
        #expect(try charge("Captured", captured: "3180", refunded: "3179").mayHoldMoney)
        let back = try charge("Captured", captured: "3180", refunded: "3180")
        #expect(!back.mayHoldMoney)
        #expect(back.isPaid, "it was taken")
        #expect(try charge("Captured").mayHoldMoney, "nobody knows")
    }
}
