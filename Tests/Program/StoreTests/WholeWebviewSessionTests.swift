import Checkout
import Commerce
import Primitives
import SessionBroker
import Testing

@Suite("A whole webview session")
struct WholeWebviewSessionTests {
    @Test(arguments: ClientKind.allCases)
    func `goes from the issue to the receipt`(client: ClientKind) async throws {
        try await withRig { rig in
            let crossing = try await rig.opened(client)
            let tab = try #require(crossing.tab)
            guard case .live(let first) = try await rig.broker.view(tab, by: rig.caller()) else {
                throw Surprise("no page")
            }
            #expect(first.state == .opened)
            #expect(first.total == nil)
            try await rig.review(crossing)
            guard case .live(let page) = try await rig.broker.view(tab, withDetails: true, by: rig.caller()) else {
                throw Surprise("no page")
            }
            #expect(page.state == .reviewed)
            #expect(page.postage == Yen(540))
            #expect(page.total == Yen(27_996))
            #expect(page.details == Rig.details)
            #expect(page.order == (try rig.order()))
            let placement = try await rig.place(crossing)
            #expect(placement.total == Yen(27_996))
            #expect(placement.orderReference == Rig.orderReference)
            guard
                case .begin(let attempt) = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            else { throw Surprise("no attempt") }
            #expect(attempt.number == 1)
            #expect(attempt.total == Yen(27_996))
            try await rig.settle(attempt)
            guard
                case .receipt(let receipt) = try await rig.broker.receipt(
                    crossing.returnTicket(rig),
                    proof: crossing.proof,
                    tab: crossing.tab,
                    by: rig.caller()
                )
            else { throw Surprise("no receipt") }
            #expect(receipt.details == Rig.details)
            #expect(receipt.state == .authorized)
        }
    }
}
