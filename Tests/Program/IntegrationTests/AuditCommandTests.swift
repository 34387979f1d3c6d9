import EventIO
import Foundation
import IntegrationKit
import Testing

/// `sallyport audit`, run as an operator does, after an attack: T01 of docs/contract.md.
@Suite struct `The audit command` {
    /// One printed event.
    private struct Event: Decodable {
        let at: String
        let webviewSession: String
        let ordinal: Int
        let op: String
        let outcome: String
        let state: String
        let peer: String
        let request: String
    }

    /// A mailed ticket: the victim's tab goes all the way with it, and the victim's app hands the return in.
    private func fixate(_ shop: Shop) async throws -> (attacker: Shopper, secrets: [String]) {
        let attacker = try await shop.shopper()
        var victim = attacker
        victim.tab = shop.tab()
        let link = try await victim.toReturn()
        let app = try await CartPage.load("iosApp", in: shop.browser())
        let answer = try await app.purchase(link.ticket, link.accessToken, link.order)
        #expect(answer.error == "proof_mismatch")
        let jars = [attacker.app, app.browser, victim.tab.browser]
        let names = ["swv-app", "secureWebviewSessionId", "old_secureWebviewSessionId"]
        let cookies = jars.flatMap { jar in names.compactMap { jar.cookie($0) } }
        #expect(cookies.count == 4)
        return (attacker, cookies + [attacker.ticket, link.ticket])
    }

    private func events(_ output: String) throws -> [Event] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try output.split(separator: "\n").map { try decoder.decode(Event.self, from: Data($0.utf8)) }
    }

    @Test func `tells the story of a mailed ticket, in order and without a secret`() async throws {
        try await withShop { shop in
            let (attacker, secrets) = try await fixate(shop)
            let (status, output) = try await shop.runCommand(["audit", attacker.webviewSession])
            #expect(status == .code(0))
            let events = try events(output)
            #expect(
                events.map { "\($0.op) \($0.outcome) \($0.state)" } == [
                    "issue issued issued", "open opened opened", "review reviewed reviewed", "place placed placed",
                    "purchase proof_mismatch revoked",
                ]
            )
            #expect(events.map(\.ordinal) == Array(1...5))
            #expect(
                events.allSatisfy {
                    $0.webviewSession == attacker.webviewSession && !$0.peer.isEmpty && !$0.request.isEmpty
                }
            )
            #expect(events.map(\.at) == events.map(\.at).sorted())
            for secret in secrets { #expect(!output.contains(secret)) }
            for mark in ["swa_", "swb_", "swc_", "swp_", "@", "見本"] { #expect(!output.contains(mark), "\(mark)") }
        }
    }

    @Test func `finds the attack among the alerts, and nothing about anybody else`() async throws {
        try await withShop { shop in
            let (attacker, _) = try await fixate(shop)
            _ = try await shop.shopper().toConfirm()
            let (status, output) = try await shop.runCommand(["audit", "--alerts"])
            #expect(status == .code(0))
            let events = try events(output)
            #expect(
                events.map { "\($0.webviewSession) \($0.op) \($0.outcome)" } == [
                    "\(attacker.webviewSession) purchase proof_mismatch"
                ]
            )
        }
    }

    /// What people have of an order: its number, Amazon's ids; a merchant has its own reference.
    @Test func `tells it by whatever somebody has of the order`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            #expect(try await shopper.purchase(try await shopper.toReturn()).status == 200)
            _ = try await shop.shopper().toReturn()
            let whole = try await shop.runCommand(["audit", shopper.webviewSession]).output
            #expect(try events(whole).count > 4)
            let number = try shop.value(
                "SELECT reference FROM merchant_order WHERE webview_session_id = $1",
                [shopper.webviewSession]
            )
            let objects = try shop.rows(
                "SELECT object_id FROM payment_object WHERE webview_session_id = $1",
                [shopper.webviewSession]
            )
            #expect(objects.count == 2)
            for name in [number, number.lowercased().filter { $0 != "-" }] + objects.compactMap({ $0[0] }) {
                let (status, output) = try await shop.runCommand(["audit", name])
                #expect(status == .code(0) && output == whole, "\(name): \(output)")
            }
            try shop.rows("UPDATE merchant_order SET reference = 'A-1' WHERE true")
            let both = try await shop.runCommand(["audit", "A-1"]).output
            #expect(Set(try events(both).map(\.webviewSession)).count == 2)
            let (status, output) = try await shop.runCommand(["stuck", "A-1", "--resume"])
            #expect(status == .code(1) && output.contains("A-1 names 2 sessions: give the id of one, "), "\(output)")
            let unknown = try await shop.runCommand(["stuck", "00000-00000", "--decline"])
            #expect(unknown.output == "sallyport: no session is known by 00000-00000\n")
        }
    }

    /// An error page's number is made from the session's id and stands in no table; a merchant's order has its own reference.
    @Test func `tells it by the number on the buyer's page, however old it is`() async throws {
        try await withShop { shop in
            let buyer = try await shop.shopper()
            #expect(try await buyer.purchase(try await buyer.toReturn()).status == 200)
            try shop.rows("UPDATE merchant_order SET reference = 'A-1' WHERE true")
            let refused = try await shop.shopper()
            _ = try await refused.tab.open(refused.launchPath)
            let page = try await shop.tab().open(refused.launchPath)
            let number = try #require(page.text.firstMatch(of: #/id="reference">([^<]+)</#)?.1)
            // Whatever came later is gone along first, in pages.
            try shop.rows(
                """
                INSERT INTO merchant_order (webview_session_id, created_at, updated_at, subtotal, tax, state, client, currency, reference, account,
                    environment, lines)
                SELECT id_floor(now() + n * interval '1 millisecond'), now(), now(), 1, 0, 'created', 'browser', 'JPY', 'A-2', 'A1',
                    'sandbox', '[]'
                FROM generate_series(1, 60000) AS n
                """
            )
            let whole = try await shop.runCommand(["audit", refused.webviewSession]).output
            for name in [String(number), number.lowercased().filter { $0 != "-" }] {
                let (status, output) = try await shop.runCommand(["audit", name])
                #expect(status == .code(0) && output == whole && !output.isEmpty, "\(name): \(output)")
            }
        }
    }

    @Test func `is content with a time without alerts`() async throws {
        try await withShop { shop in
            for option in ["--alerts", "--operators"] {
                let (status, output) = try await shop.runCommand(["audit", option])
                #expect(status == .code(0) && output == "", "\(output)")
            }
        }
    }

    @Test func `says so when there is nothing on record`() async throws {
        try await withShop { shop in
            let (status, output) = try await shop.runCommand(["audit", "00000000-0000-4000-8000-000000000000"])
            #expect(status == .code(1))
            #expect(output == "sallyport: nothing on record under this id\n")
        }
    }
}
