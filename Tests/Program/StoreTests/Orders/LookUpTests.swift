import MerchantOrders
import Postgres
import Primitives
import SessionBroker
import Testing

@testable import Checkout
@testable import Merchant

@Suite("An order that is looked up")
struct LookUpTests {
    private static let permission = "S03-0000000-0000001"

    @Test func `is found by each of its ids, and under its own account alone`() async throws {
        try await withRig { rig in
            let session = try await rig.paid(Self.permission).webviewSession
            let other = try await rig.paid("S03-0000000-0000002").webviewSession
            try rig.sql("UPDATE merchant_order SET checkout_session = 'x' WHERE webview_session_id = '\(other)'")
            let lookUps: [OrderLookUp] = [
                .number(OrderNumber(session)), .checkoutSession(Rig.orderReference), .object(Self.permission),
                .object(Self.permission + "-C1"),
            ]
            for lookUp in lookUps { #expect(try await rig.orders.sessions(lookUp) == [session], "\(lookUp)") }
            #expect(try await rig.orders.sessions(.object("S03-0000000-0000003")) == [])
            for account in [
                OrderAccount(merchantID: "other", environment: ""), OrderAccount(merchantID: "", environment: "live"),
            ] {
                let orders = PostgresOrderStore(client: rig.client, account: account)
                for lookUp in lookUps { #expect(try await orders.sessions(lookUp) == [], "\(lookUp)") }
            }
        }
    }

    @Test func `is found by an operator by each of its ids, also long after the payment`() async throws {
        try await withRig { rig in
            let session = try await rig.paid(Self.permission).webviewSession
            let opened = try await rig.opened().webviewSession
            for name in ["\(OrderNumber(session))", Rig.orderReference, Self.permission, Self.permission + "-C1"] {
                #expect(try await rig.store.sessions(named: name) == [session], "\(name)")
            }
            // A session without an order has a number too.
            #expect(try await rig.store.sessions(named: "\(OrderNumber(opened))") == [opened])
        }
    }

    @Test func `is listed by the time of its making, to the second, and each in one range of several`() async throws {
        try await withRig { rig in
            var sessions: [WebviewSessionID] = []
            for number in 1...4 { sessions.append(try await rig.paid("S03-0000000-000000\(number)").webviewSession) }
            let base = WallTime(seconds: try #require(try await rig.orders.read(sessions[0])?.times.created.seconds))
            for (number, session) in sessions.enumerated() {
                try rig.sql(
                    """
                    UPDATE merchant_order SET created_at = to_timestamp(\(base.seconds + Int64(number)))
                    WHERE webview_session_id = '\(session)'
                    """
                )
            }
            func listed(
                _ after: Int64?,
                _ before: Int64?,
                _ reference: String? = nil
            ) async throws -> [WebviewSessionID] {
                var query = OrderQuery(limit: 100)
                query.createdAfter = after.map { base + .seconds($0) }
                query.createdBefore = before.map { base + .seconds($0) }
                query.reference = reference
                let page = try await rig.orders.page(query)
                #expect(page.next == nil)
                return page.orders.map(\.webviewSession).reversed()
            }
            #expect(try await listed(nil, 1) == [sessions[0]])
            #expect(try await listed(1, 3) == [sessions[1], sessions[2]])
            #expect(try await listed(3, nil) == [sessions[3]])
            #expect(try await listed(-200_000, 200_000) == sessions)
            #expect(try await listed(200_000, nil) == [])
            #expect(try await listed(nil, -200_000) == [])
            #expect(try await listed(1, nil, "\(OrderNumber(sessions[2]))") == [sessions[2]])
            #expect(try await listed(3, nil, "\(OrderNumber(sessions[2]))") == [])
            // The same rules hold for what was looked up.
            var query = OrderQuery(limit: 100)
            query.among = sessions
            query.createdAfter = base + .seconds(1)
            query.createdBefore = base + .seconds(3)
            let page = try await rig.orders.page(query)
            #expect(page.orders.map(\.webviewSession) == [sessions[2], sessions[1]] && page.next == nil)
            query.limit = 1
            query.cursor = try await rig.orders.page(query).next
            #expect(try await rig.orders.page(query).orders.map(\.webviewSession) == [sessions[1]])
        }
    }
}
