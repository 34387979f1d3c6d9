import Checkout
import Commerce
import Merchant
import MerchantOrders
import Postgres
import Primitives
import ServerCore
import SessionBroker
import Testing

@Suite("The order of a webview session")
struct OrderRowTests {
    @Test func `is born when the buyer agrees, with sums, lines and its name`() async throws {
        try await withRig { rig in
            let crossing = try await rig.reviewed()
            #expect(try await rig.orders.read(crossing.webviewSession) == nil)
            try await rig.place(crossing)
            let order = try #require(try await rig.orders.read(crossing.webviewSession))
            #expect(order.state == .inReview)
            #expect(order.reference == OrderNumber(crossing.webviewSession).description)
            #expect(order.client == "iosApp")
            #expect(order.checkoutSession == Rig.orderReference)
            #expect(order.sums.subtotal == yen(27_456) && order.postageRate == 10)
            // Of 27,996 yen, the postage included, rounded down once.
            #expect(order.sums.tax == yen(2_545))
            let taxes = String(decoding: order.taxes ?? [], as: UTF8.self).filter { $0 != " " }
            let amount = #"{"amount":"2545","currencyCode":"JPY"}"#
            #expect(
                taxes == #"[{"rate":10,"taxable":{"amount":"27996","currencyCode":"JPY"},"amount":\#(amount)}]"#,
                "\(taxes)"
            )
            #expect(order.sums.postage == yen(540))
            #expect(order.sums.total == yen(27_996))
            #expect(order.sums.captured == yen(0))
            let lines = String(decoding: order.lines, as: UTF8.self).filter { $0 != " " }
            let line = #""unitPrice":{"amount":"9878","currencyCode":"JPY"},"quantity":1,"taxRate":10"#
            #expect(lines.contains(line), "\(lines)")
            #expect(try rig.events(crossing).isEmpty)
        }
    }

    @Test func `is made under the account of the process that the buyer's agreement reaches`() async throws {
        try await withRig { rig in
            let crossing = try await rig.reviewed()
            let tab = try #require(crossing.tab)
            let ticket = try crossing.returnTicket(rig)
            let broker = try rig.otherProcess(Rig.account)
            #expect(try await word(broker.place(tab, ticket: ticket, total: nil, by: rig.caller())) == "placed")
            #expect(try await rig.store.newestAccount() == Rig.account)
        }
    }

    @Test func `tells what the webview session tells until it is paid or over`() async throws {
        try await withRig { rig in
            let expected: [(WebviewSessionState, OrderState)] = [
                (.issued, .created), (.opened, .atProvider), (.reviewed, .inReview), (.placed, .inReview),
                (.purchasing, .paying), (.revoked, .canceled), (.canceled, .canceled), (.expired, .expired),
                (.authorized, .paid),
            ]
            let crossing = try await rig.placed()
            for (webviewSession, order) in expected {
                try rig.sql("UPDATE webview_session SET state = '\(webviewSession.rawValue)'")
                #expect(try await rig.orders.read(crossing.webviewSession)?.state == order, "\(webviewSession)")
            }
            try rig.sql("UPDATE webview_session SET state = 'placed', idle_until = statement_timestamp()")
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .expired)
            try rig.sql("UPDATE merchant_order SET state = 'captured'")
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .captured)
        }
    }

    @Test func `outlives its webview session`() async throws {
        try await withRig { rig in
            let crossing = try await rig.authorized()
            try rig.sql("DELETE FROM webview_session")
            let order = try #require(try await rig.orders.read(crossing.webviewSession))
            #expect(order.state == .paid)
            #expect(order.times.expires == nil)
        }
    }

    @Test func `is paid with its ledger and both events when the purchase settles`() async throws {
        try await withRig { rig in
            let crossing = try await rig.authorized()
            let order = try #require(try await rig.orders.read(crossing.webviewSession))
            #expect(order.state == .paid)
            #expect(order.permission == "S03-1")
            #expect(order.charges.map(\.id) == ["S03-1-C1"])
            #expect(order.charges[0].row == LedgerRow(.charge, .authorized, yen(27_996)))
            #expect(order.charges[0].parent == "S03-1")
            let permission = try #require(try await rig.orders.object("S03-1"))
            #expect(permission.row == LedgerRow(.permission, .chargeable, yen(27_996)))
            #expect(try rig.events(crossing) == ["1 session.paid paid", "2 charge.authorized paid"])
        }
    }

    @Test func `waits for the word about a charge that is being captured`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            let end = Authorization(
                answer: Rig.answer,
                chargePermission: "S03-1",
                charge: "S03-1-C1",
                isCapturing: true
            )
            #expect(try await rig.broker.settle(attempt, as: .authorized(end), by: rig.caller()))
            #expect(try await rig.orders.object("S03-1-C1")?.row.state == .captureInitiated)
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .paid)
            #expect(try rig.events(crossing) == ["1 session.paid paid"])
        }
    }

    @Test func `is pending once while the bank decides, and comes back from it`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            for _ in 0..<2 { try await rig.store.notePending(attempt) }
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .paymentPending)
            #expect(try rig.events(crossing) == ["1 session.payment_pending payment_pending"])
            #expect(try await rig.broker.release(attempt, by: rig.caller()))
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .inReview)
            // Whoever lost the webview session has nothing to say about it.
            try await rig.store.notePending(attempt)
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .inReview)

            let (other, second) = try await rig.purchasing()
            try await rig.store.notePending(second)
            try await rig.settle(second)
            #expect(try rig.events(other).suffix(2) == ["2 session.paid paid", "3 charge.authorized paid"])
        }
    }

    @Test func `is told about once, however its webview session ends`() async throws {
        try await withRig { rig in
            let declined = try await rig.webviewSession(in: .declined)
            #expect(try rig.events(declined) == ["1 session.declined declined"])
            #expect(try await rig.orders.read(declined.webviewSession)?.state == .declined)

            let refused = try await rig.placed()
            #expect(
                try await rig.store.decline(
                    refused.webviewSession,
                    orderReference: Rig.orderReference,
                    reason: "Declined",
                    by: rig.caller()
                )
            )
            #expect(try rig.events(refused) == ["1 session.declined declined"])

            let cancelled = try await rig.placed()
            let tab = try #require(cancelled.tab)
            _ = try await rig.broker.cancel(tab, ticket: cancelled.returnTicket(rig), by: rig.caller())
            _ = try await rig.broker.cancel(tab, ticket: cancelled.returnTicket(rig), by: rig.caller())
            #expect(try rig.events(cancelled) == ["1 session.canceled canceled"])

            let revoked = try await rig.placed()
            #expect(try await rig.store.revoke(revoked.webviewSession, by: rig.caller()))
            #expect(try rig.events(revoked) == ["1 session.canceled canceled"])
        }
    }

    @Test func `comes back from a refusal when the buyer agrees again`() async throws {
        try await withRig { rig in
            let crossing = try await rig.webviewSession(in: .declined)
            try await rig.review(crossing, Rig.otherReference)
            #expect(try await rig.orders.read(crossing.webviewSession)?.state == .inReview)
            try await rig.place(crossing)
            let order = try #require(try await rig.orders.read(crossing.webviewSession))
            #expect(order.state == .inReview)
            #expect(order.checkoutSession == Rig.otherReference)
            guard
                case .begin(let attempt) = try await rig.broker.purchase(
                    crossing.purchase(rig, reference: Rig.otherReference),
                    by: rig.caller()
                )
            else { throw Surprise("not begun") }
            try await rig.settle(attempt)
            #expect(
                try rig.events(crossing) == [
                    "1 session.declined declined", "2 session.paid paid", "3 charge.authorized paid",
                ]
            )
        }
    }

    @Test func `ends with the sweep, also where a statement without orders ended the webview session`() async throws {
        try await withRig { rig in
            let overdue = try await rig.placed()
            let orphaned = try await rig.placed()
            let paid = try await rig.authorized()
            let never = try await rig.issued()
            let crossings = [overdue, orphaned, paid, never]
            try rig.sql(
                "UPDATE webview_session SET state = 'revoked' WHERE webview_session_id = '\(orphaned.webviewSession)'"
            )
            for crossing in crossings { try rig.age(crossing, seconds: 7_200) }
            let moved = try rig.moveOrders(crossings, hours: 3)
            let sweeper = Sweeper(store: rig.store)
            #expect(try await sweeper.run(request: "1").expired == 2)
            #expect(try rig.events(moved[0]) == ["1 session.expired expired"])
            #expect(try rig.events(moved[1]) == ["1 session.canceled canceled"])
            #expect(try rig.events(moved[2]).count == 2)
            #expect(try rig.events(moved[3]).isEmpty)
            #expect(try await Sweeper(store: rig.store).run(request: "2").expired == 0)
            #expect(try rig.admin.rows("SELECT count(*) FROM event")[0][0] == "4")
        }
    }

    @Test func `is listed from new to old, page by page, by name and by state`() async throws {
        try await withRig { rig in
            var webviewSessions: [WebviewSessionID] = []
            for number in 0..<5 { webviewSessions.append(try await rig.paid("S01-\(number)").webviewSession) }
            webviewSessions.append(try await rig.placed().webviewSession)
            webviewSessions.reverse()
            var query = OrderQuery(limit: 4)
            let first = try await rig.orders.page(query)
            #expect(first.orders.map(\.webviewSession) == Array(webviewSessions[..<4]))
            #expect(first.orders[1].charges.map(\.id) == ["S01-4-C1"])
            query.cursor = first.next
            let second = try await rig.orders.page(query)
            #expect(second.orders.map(\.webviewSession) == Array(webviewSessions[4...]))
            #expect(second.next == nil)
            query = OrderQuery(limit: 100)
            query.states = [.inReview]
            #expect(try await rig.orders.page(query).orders.map(\.webviewSession) == [webviewSessions[0]])
            query.states = [.paid, .captured]
            query.reference = OrderNumber(webviewSessions[3]).description
            #expect(try await rig.orders.page(query).orders.map(\.webviewSession) == [webviewSessions[3]])
            query = OrderQuery(limit: 100)
            let changed = try #require(try await rig.orders.read(webviewSessions[2])?.times.updated)
            try rig.sql("UPDATE merchant_order SET updated_at = updated_at - interval '1 day'")
            query.updatedAfter = changed + .seconds(-3_600)
            #expect(try await rig.orders.page(query).orders == [])
            try rig.sql(
                "UPDATE merchant_order SET updated_at = now() WHERE webview_session_id = '\(webviewSessions[2])'"
            )
            #expect(try await rig.orders.page(query).orders.map(\.webviewSession) == [webviewSessions[2]])
        }
    }

    @Test func `is looked for by state among a bounded number, and the list goes on from there`() async throws {
        try await withRig { rig in
            let oldest = try await rig.paid("S01-1").webviewSession
            let many = PostgresOrderStore.lookedThrough
            _ = try rig.admin.rows(
                """
                INSERT INTO merchant_order (
                    webview_session_id, created_at, updated_at, subtotal, tax, state, client, currency, reference, account, environment,
                    lines)
                SELECT (substr(o.webview_session_id::text, 1, 24) || to_hex(281474976710655 - n))::uuid,
                    o.created_at, o.updated_at, 1, 0, 'closed', o.client, 'JPY', o.reference, 'a', 'sandbox', '[]'
                FROM merchant_order AS o, generate_series(1, $1) AS n WHERE o.webview_session_id = $2
                """,
                ["\(many + 5)", oldest.description]
            )
            var query = OrderQuery(limit: 10)
            query.states = [.paid]
            let reference = try #require(try await rig.orders.read(oldest)?.reference)
            for name in [nil, reference] {
                query.cursor = nil
                query.reference = name
                let first = try await rig.orders.page(query)
                #expect(first.orders.isEmpty)
                #expect(first.next != nil)
                query.cursor = first.next
                let second = try await rig.orders.page(query)
                #expect(second.orders.map(\.webviewSession) == [oldest])
                #expect(second.next == nil)
            }
        }
    }

    @Test func `lets the service role neither change events nor delete orders`() async throws {
        try await withRig { rig in
            _ = try await rig.paid("S01-1")
            let forbidden = [
                "UPDATE event SET type = 'session.paid'", "DELETE FROM event",
                "DELETE FROM merchant_order",
                "DELETE FROM payment_operation", "TRUNCATE payment_object", "DROP TABLE merchant_order",
                "SELECT partition_make('event', '2020-01-01Z', '2020-02-01Z')",
            ]
            for (number, sql) in forbidden.enumerated() {
                let error = await #expect(throws: PostgresError.self, "\(sql)") {
                    _ = try await rig.client.write(Statement(name: "forbidden_\(number)", sql: sql))
                }
                #expect(error?.sqlState == "42501", "\(sql)")
            }
        }
    }

    @Test func `is dropped with its month, and its ledger after it`() async throws {
        try await withRig { rig in
            let kept = try await rig.paid("S01-1")
            let old = try await rig.paid("S01-2")
            let june = "timestamptz '2020-06-10Z'"
            for table in ["merchant_order", "event", "payment_operation"] {
                try rig.sql("SELECT partition_make('\(table)', '2020-06-01Z', '2020-07-01Z')")
            }
            for table in ["merchant_order", "payment_object"] {
                try rig.sql(
                    "UPDATE \(table) SET webview_session_id = id_floor(\(june)) WHERE webview_session_id = '\(old.webviewSession)'"
                )
            }
            #expect(try await rig.dropOrders() == Dropped(count: 3))
            #expect(try await rig.pruneLedger() == 2)
            #expect(try await rig.orders.object("S01-2") == nil)
            #expect(try await rig.orders.object("S01-1") != nil)
            #expect(try await rig.orders.read(kept.webviewSession) != nil)
        }
    }
}
