import AmazonPaySimulator
import Primitives
import StrictJSON
import Testing

@Suite("A simulator's second run")
struct MemoryTests {
    @Test func `knows the objects, the keys and the clock of the first`() throws {
        var first = Bench()
        let paid = first.paid()
        let pending = first.held()
        let refund = first.call(
            "POST",
            "/v2/refunds",
            ["chargeId": .string(paid.charge), "refundAmount": Bench.price(1)],
            key: "refund"
        )
        first.advance("PT1H")
        let answer = first.complete(pending, key: "complete")
        var second = Bench { $0.seed = [4, 5, 6] }
        second.now = first.now
        try second.model.recall(try first.model.remember())
        for id in [paid.session, paid.permission, paid.charge, pending] {
            #expect(second.object(id) == first.object(id))
        }
        #expect(second.control("GET", "clock").json == first.control("GET", "clock").json)
        // What was asked for under a key is answered as before, and nothing happens again.
        #expect(second.complete(pending, key: "complete").json == answer.json)
        #expect(second.ledger("CompleteCheckoutSession").count == 1)
        let again = second.call(
            "POST",
            "/v2/refunds",
            ["chargeId": .string(paid.charge), "refundAmount": Bench.price(1)],
            key: "refund"
        )
        #expect(again.json == refund.json)
        // Ids are new, and time goes on for what was under way.
        #expect(second.paid().session != paid.session)
        second.advance("P8D")
        #expect(second.object(pending)["statusDetails"]?["state"] != nil)
    }

    @Test(arguments: ["", "{}", "[]", #"{"engine":{}}"#])
    func `begins afresh with what it has not written itself`(text: String) {
        var bench = Bench()
        let paid = bench.paid()
        #expect(throws: (any Error).self) { try bench.model.recall(Array(text.utf8)) }
        #expect(bench.object(paid.charge)["chargeId"]?.text == paid.charge)
    }
}
