import Foundation
import IntegrationKit
import SallyportClient
import StrictJSON
import TestKit
import Testing

/// An app with tickets, a shop and the App Store, over sockets.
@Suite("Purchases of an app") struct PurchasesTests {
    @Test func `are handed in, granted and finished, and a refund is seen in the balance`() async throws {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            let bought = try await app.buy()
            try await app.device.learnVerificationID()
            let grant = try #require(await app.purchases.handIn(bought).grant)
            #expect(grant.units == 10 && grant.balance == 10 && !grant.isRepeat && grant.environment == "Sandbox")
            #expect(grant.transactionID == bought.id && grant.productID == RunningAppStore.ticket)
            #expect(try await tickets.store.isFinished(bought.id))
            #expect(try await app.purchases.balance().spendable == 10)

            try await tickets.store.notify(tickets.shop)
            try await tickets.store.control("POST", "purchases/\(bought.id)/refund")
            let patience = Patience()
            while patience.isLeft, try tickets.shop.value("SELECT units FROM app_store_ledger") != "0" {}
            #expect(try await app.purchases.balance().units == 0)
            // StoreKit delivers the transaction once more then, with what became of it.
            await app.purchases.start()
            let outcomes = await app.purchases.outcomes()
            try await app.device.deliver(bought.id)
            #expect(await outcomes.first { _ in true }?.code == "purchase_revoked")
            await app.purchases.stop()
        }
    }

    /// The ticket that was paid and lost: the app dies before its server knows.
    @Test func `that the app dies with before it hands them in are granted at its next start`() async throws {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            let bought = try await app.buy()
            let again = try app.restarted()
            await again.purchases.start()
            #expect(try await again.purchases.balance().units == 10)
            #expect(try await tickets.store.isFinished(bought.id))
            await again.purchases.stop()
        }
    }

    @Test func `that the app dies with before it finishes them are granted once, and finished at its next start`()
        async throws
    {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            let bought = try await app.buy()
            app.device.die()
            #expect(await app.purchases.handIn(bought).grant?.isRepeat == false)
            #expect(try await !tickets.store.isFinished(bought.id))
            let again = try app.restarted()
            #expect(await again.purchases.handInUnfinished().map { $0.grant?.isRepeat } == [true])
            #expect(try await again.purchases.balance().units == 10)
            #expect(try await tickets.store.isFinished(bought.id))
        }
    }

    @Test func `whose answer is lost, or that never arrive, are kept and handed in again`() async throws {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            let (first, second) = (try await app.buy(), try await app.buy())
            await app.transport.cut(true)
            #expect(await !app.purchases.handIn(first).isFinal)
            await app.transport.cut(false)
            await app.transport.loseAnswers(1)
            #expect(await !app.purchases.handIn(second).isFinal)
            for one in [first, second] { #expect(try await !tickets.store.isFinished(one.id)) }
            #expect(
                await app.purchases.handInUnfinished().compactMap(\.grant).map(\.isRepeat).sorted(by: { !$0 && $1 })
                    == [false, true]
            )
            #expect(try await app.purchases.balance().units == 20)
            for one in [first, second] { #expect(try await tickets.store.isFinished(one.id)) }
        }
    }

    @Test func `that somebody has to agree to are granted when StoreKit delivers them`() async throws {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            await app.purchases.start()
            let outcomes = await app.purchases.outcomes()
            let asked = try await app.buy(RunningAppStore.ticket, [JSONMember("askToBuy", true)])
            #expect(await app.purchases.handInUnfinished().isEmpty)
            try await tickets.store.control("POST", "purchases/\(asked.id)/approve")
            try await app.device.deliver(asked.id)
            #expect(await outcomes.first { _ in true }?.grant?.units == 10)
            #expect(try await tickets.store.isFinished(asked.id))
            await app.purchases.stop()
        }
    }

    @Test func `are granted once where two devices of a customer hand them in`() async throws {
        try await withTicketShop { tickets in
            let phone = try await tickets.app()
            let pad = try phone.restarted()
            let bought = try await phone.buy()
            async let one = phone.purchases.handInUnfinished()
            async let other = pad.purchases.handInUnfinished()
            let grants = await (one + other).compactMap(\.grant)
            #expect(grants.count { !$0.isRepeat } == 1)
            #expect(try await pad.purchases.balance().units == 10)
            #expect(try await tickets.store.isFinished(bought.id))
        }
    }

    @Test func `of another account are refused and finished, and the app is told`() async throws {
        try await withTicketShop { tickets in
            let (owner, other) = (try await tickets.app(), try await tickets.app())
            let bought = try await owner.buy()
            #expect(await owner.purchases.handIn(bought).grant != nil)
            let again = try await owner.buy()
            let outcome = await other.purchases.handIn(again)
            #expect(outcome.isFinal && outcome.code == "purchase_of_other_account")
            #expect(try await tickets.store.isFinished(again.id))
            #expect(try await other.purchases.balance().units == 0)
        }
    }

    @Test func `of a product that the shop does not know yet are kept`() async throws {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            let bought = try await app.buy("consumable.new")
            let outcome = await app.purchases.handIn(bought)
            #expect(!outcome.isFinal && outcome.code == "product_unknown")
            #expect(try await !tickets.store.isFinished(bought.id))
        }
    }

    @Test func `are sent once, however many ask for it at once`() async throws {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            let bought = try await app.buy()
            let grants = await withTaskGroup(of: PurchaseOutcome.self) { group in
                for _ in 0..<8 { group.addTask { await app.purchases.handIn(bought) } }
                return await group.reduce(into: []) { $0.append($1.grant) }
            }
            #expect(grants.count == 8 && Set(grants).count == 1)
            _ = await app.purchases.handIn(bought)
            #expect(await app.transport.sent.filter { $0 == "POST /app/v1/app-store/transactions" }.count == 1)
        }
    }

    @Test func `are spent once for each purpose, whatever answers are lost and whenever the app dies`() async throws {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            _ = await app.purchases.handIn(try await app.buy())
            await app.transport.loseAnswers(1)
            // The pause between two tries ends the try here, as the end of the app does.
            await #expect(throws: CancellationError.self) { try await app.purchases.spend(3, for: "show-1") }
            let again = try app.restarted()
            await #expect(throws: AccountError.self) { try await again.purchases.spend(4, for: "show-1") }
            #expect(try await again.purchases.spend(3, for: "show-1").spendable == 7)
            #expect(try await again.purchases.spend(3, for: "show-1").spendable == 4)
            let refused = await #expect(throws: AccountError.self) { try await again.purchases.spend(5, for: "show-2") }
            #expect(refused?.code == "units_too_few" && refused?.isFinal == true)
            #expect(try await again.purchases.spend(4, for: "show-2").spendable == 0)
        }
    }

    @Test func `name the account by one token, and list what does not run out`() async throws {
        try await withTicketShop { tickets in
            let app = try await tickets.app()
            #expect(try await app.purchases.appAccountToken() == app.restarted().purchases.appAccountToken())
            try await app.purchases.setConsent(true)
            let bought = try await app.buy("premium", [JSONMember("type", "Non-Consumable")])
            #expect(await app.purchases.handIn(bought).grant?.units == 0)
            let entitlements = try await app.purchases.entitlements()
            #expect(entitlements.map(\.productId) == ["premium"] && entitlements.first?.ownership == "PURCHASED")
        }
    }
}
