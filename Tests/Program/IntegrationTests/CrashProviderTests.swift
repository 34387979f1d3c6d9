import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

@Suite("Faults of the provider at the completion", .tags(.database, .slow))
struct CrashProviderTests {
    @Test(
        arguments: [
            ["resetAfter": true], ["resetBefore": true], ["status": 500], ["status": 502],
            ["status": 429, "reasonCode": "TooManyRequests"], ["truncateBody": true], ["htmlBody": true],
            ["htmlBody": true, "status": 504], ["badJson": true], ["wrongContentType": true],
        ] as [JSONValue]
    )
    func `a fault delays a purchase and never doubles it`(action: JSONValue) async throws {
        try await withProcessShop { shop in
            let servers = [try await shop.startServer()]
            let crossings = try await shop.place(4, on: servers)
            // One call, two, every try of one purchase, and more than all of those.
            for (crossing, count) in zip(crossings, [1, 2, 3, 5]) {
                try await shop.control.fault("CompleteCheckoutSession", count: count, action)
                let answer = try await shop.purchaseUntilDone(crossing, on: servers[0])
                let again = try await shop.client.purchase(crossing, servers[0].url)
                #expect(again.body == answer.body)
                // A fault may be left over where the session itself told that it was completed.
                try await shop.control.clearFaults()
            }
            let calls = try await shop.expectPaidOnce(crossings)
            for crossing in crossings {
                let keys = Set((calls[crossing.session] ?? []).filter { (200...299).contains($0.status) }.map(\.key))
                #expect(keys.count == 1, "only one key was ever agreed to")
            }
        }
    }

    @Test(arguments: ["delayMs", "processingMs"])
    func `a completion that outlasts the server's patience charges once`(waiting: String) async throws {
        try await withProcessShop { shop in
            // Ten seconds less are left for the provider.
            shop.settings["SALLYPORT_SESSION_LEASE"] = "31s"
            let server = try await shop.startServer()
            let crossings = try await shop.place(1, on: [server])
            let action: JSONValue = .object([JSONMember(waiting, 60_000), JSONMember("ifAbandoned", "atOnce")])
            try await shop.control.fault("CompleteCheckoutSession", action)
            let first = try await shop.client.purchase(crossings[0], server.url)
            #expect(isInProgress(first))
            let answer = try await shop.purchaseUntilDone(crossings[0], on: server)
            #expect(answer.status == 200)
            try await shop.expectPaidOnce(crossings)
        }
    }
}
