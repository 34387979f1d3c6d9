import Commerce
import Cryptography
import EventIO
import MerchantOrders
import Postgres
import PostgresTestKit
import Primitives
import ServiceAPI
import SessionBroker
import StrictJSON
import Testing
import Webhooks

@testable import Checkout
@testable import Merchant

/// What somebody who tried an early program finds again after an upgrade (docs/operations.md, "From an early database").
@Suite("A database of 10,000 orders at migration 0017", .serialized)
struct EarlyDatabaseTests {
    private static let account = OrderAccount(merchantID: "A1SALLYPORTDEMO", environment: "sandbox")
    /// The merchant's key, as the program of then printed it.
    private static let key = "swk_XVlQ8rAERBK29pswY0wUexofrLdrnAtjQwTXgQOm6D0A8oJvruu7Z_qMEFphufpx"

    private let shop: EarlyShop

    init() throws {
        shop = try EarlyShop.shared.get()
    }

    @Test func `is the same behind today's migrations, row for row and yen for yen`() throws {
        #expect(shop.applied.first == "0018_partitions_apart.sql")
        let series = try EarlySeries.names(through: EarlySeries.last).dropFirst(17)
        #expect(shop.applied.prefix(12) == series)
        let files = shop.applied.dropFirst(12).filter { !$0.contains("/functions/") }
        let names = ["service/0002", "checkout/0003", "webhooks/0002", "merchant/0002"].map { "\($0)_names.sql" }
        // What came behind the names is in the order of the folders too.
        let named = files.filter { $0.hasSuffix("_names.sql") || $0 == "core/0002_functions.sql" }
        #expect(named == ["core/0002_functions.sql", "core/0003_names.sql"] + names)
        #expect(shop.before.count > 18)
        #expect(shop.before["merchant_order"]?.hasPrefix("10010 ") == true)
        for (name, counted) in shop.before.sorted(by: { $0.key < $1.key }) {
            #expect(shop.after[name] == counted, "\(name)")
        }
    }

    @Test func `shows each order in the list, with its charges, and by its id, with its ledger and its trail`()
        async throws
    {
        let shop = shop
        try await withRig(on: shop.database) { rig in
            let orders = PostgresOrderStore(client: rig.client, account: Self.account)
            var listed: [MerchantOrder] = []
            var query = OrderQuery(limit: 100)
            repeat {
                let page = try await orders.page(query)
                listed += page.orders
                query.cursor = page.next
            } while query.cursor != nil
            let rows = try rig.admin.rows(
                """
                SELECT count(*), count(DISTINCT webview_session_id), sum(total), sum(captured), sum(refunded),
                    (SELECT count(*) FROM payment_object AS p WHERE p.kind = 'charge')
                FROM merchant_order
                """
            )
            func sum(_ value: (MerchantOrder) -> Money?) -> String {
                "\(listed.reduce(0) { $0 + (value($1)?.units ?? 0) })"
            }
            #expect(
                rows[0].compactMap { $0 } == [
                    "\(listed.count)", "\(Set(listed.map(\.webviewSession)).count)", sum(\.sums.total),
                    sum(\.sums.captured), sum(\.sums.refunded), "\(listed.reduce(0) { $0 + $1.charges.count })",
                ]
            )
            // Of each kind of order the first copy and the oldest, and every tenth between.
            for order in listed.enumerated().filter({ $0.offset % 10 == 0 }).map(\.element) + listed.suffix(26) {
                let id = order.webviewSession
                // Listed anew: the state of an order whose deadline has passed since is another one.
                var one = OrderQuery(limit: 1)
                one.among = [id]
                let now = try await orders.page(one).orders.first
                #expect(try await orders.read(id) == now && now?.webviewSession == id)
                #expect(try await orders.objects(of: id).filter { $0.row.kind == .charge } == order.charges)
                let trail = try await rig.store.audit(id)
                #expect(trail.first?.operation == "issue" && trail.map(\.ordinal) == Array(1...trail.count))
            }
        }
    }

    @Test func `says today's words in what it had stored, and numbers payments as the provider made them`() throws {
        let rows = try shop.database.admin().rows(
            """
            SELECT count(*) FILTER (WHERE e.type = 'session.canceled' AND e.data ->> 'state' = 'canceled') > 0,
                count(*) FILTER (WHERE e.type = 'charge.captured' AND e.data -> 'about' ->> 'kind' = 'charge') > 0,
                count(*) FILTER (WHERE e.data ->> 'object' IS DISTINCT FROM 'session'),
                count(*) FILTER (WHERE e.type || e.data::text LIKE '%cancelled%'),
                (SELECT count(*) FROM webview_session_event AS t WHERE t.outcome IN ('cancelled', 'flow_mismatch')),
                (SELECT count(*) FROM payment_object AS p JOIN payment_object AS q USING (webview_session_id)
                    WHERE p.created_at < q.created_at AND p.ordinal > q.ordinal)
            FROM merchant_event AS e
            """
        )
        #expect(rows == [["t", "t", "0", "0", "0", "0"]])
    }

    @Test func `finds an order by its number, its reference and its charge`() async throws {
        let shop = shop
        try await withRig(on: shop.database) { rig in
            for copy in [0, 1, 2, 769] {
                let (paid, captured) = (try shop.id(copy, of: .paid), try shop.id(copy, of: .captured))
                #expect(try await rig.store.sessions(named: "\(OrderNumber(paid))") == [paid])
                let reference = copy == 0 ? "M-LESS" : "M-LESS-\(copy)"
                #expect(try await rig.store.sessions(named: reference) == [captured])
                #expect(try await rig.orders.page(named(reference)).orders.map(\.webviewSession) == [captured])
                let order = try #require(try await rig.orders.read(captured))
                #expect(try await rig.store.sessions(named: try #require(order.charges.first?.id)) == [captured])
                // A session without an order has a number too.
                let opened = try shop.id(copy, of: .opened)
                #expect(try await rig.store.sessions(named: "\(OrderNumber(opened))") == [opened])
            }
        }
    }

    private func named(_ reference: String) -> OrderQuery {
        var query = OrderQuery(limit: 100)
        query.reference = reference
        return query
    }

    @Test func `knows its buyers again, by the tokens in their browsers`() async throws {
        let shop = shop
        try await withRig(on: shop.database) { rig in
            let ticket = try token(
                "swa_AaIS2mXNfI68NbpAZaEQZY0rDwoAedcwGncRPHjxjcWc2cQorsqWxGSh7f49rpGI",
                LaunchTicket.parse
            )
            guard let tab = try await rig.broker.open(ticket, tab: nil, proof: nil, by: rig.caller()).opened
            else {
                throw Surprise("not opened")
            }
            #expect(tab.token.webviewSession == (try shop.id(0, of: .merchantCreated)))

            let placed = try token(
                "swb_AaIS2g52erGxaYelDi9eTd2kxR9ilSYS18ARcv19M9z9irSw6fm5mk3FpQqepCAk",
                TabToken.parse
            )
            guard case .live(let page) = try await rig.broker.view(placed, withDetails: true, by: rig.caller()) else {
                throw Surprise("no page")
            }
            #expect(
                page.state == .placed && page.total == Yen(27_996) && page.details?.buyer.email == "tokyo@example.test"
            )
            var purchase = PurchaseRequest(
                ticket: rig.broker.returnTicket(of: placed),
                orderReference: "8a7f86a9-d2a8-4b8a-bebb-e9b4c6ee60c3"
            )
            purchase.proof = try token("swp_ZeW82Mdduq_BzZGGXUDp3112FjsUeITepH2q6CIS_y0", AppProof.parse)
            guard case .begin(let attempt) = try await rig.broker.purchase(purchase, by: rig.caller()) else {
                throw Surprise("no attempt")
            }
            #expect(attempt.total == Yen(27_996))
            try await rig.settle(attempt)

            // Bought before the upgrade: the receipt, and the same answer for whoever asks again.
            let back = try token(
                "swc_AaIS2hOlc46pTQ1vFvMydxzeJ_CEMhUuYPZVl3iW22-qHn_eaTeI5T0Nvisv-UKH",
                ReturnTicket.parse
            )
            let proof = try token("swp_MSnzFLFK5MJlF4o7MtNJSlUhUODkhzbzEzIKffLpis8", AppProof.parse)
            let shown = try await rig.broker.receipt(back, proof: proof, tab: nil, by: rig.caller())
            guard case .receipt(let receipt) = shown else { throw Surprise("no receipt") }
            #expect(receipt.details?.buyer.email == "tokyo@example.test")
            var again = PurchaseRequest(ticket: back, orderReference: "7d400cc4-18ff-4212-9abc-848c634287bd")
            again.proof = proof
            guard case .replayed(let answer) = try await rig.broker.purchase(again, by: rig.caller()) else {
                throw Surprise("not the same answer")
            }
            #expect(String(decoding: answer, as: UTF8.self).contains(#""orderId":"8DDWB-F6CKQ""#))
            // And nobody else.
            again.proof = rig.broker.mintProof()
            #expect(try await word(rig.broker.purchase(again, by: rig.caller())) == "refused proofMismatch")
        }
    }

    private func token<Token>(_ text: String, _ parse: (String) -> Token?) throws -> Token {
        try #require(parse(text))
    }

    @Test func `knows its merchants again, by their keys and the names of their requests`() async throws {
        let shop = shop
        try await withRig(on: shop.database) { rig in
            let keys = PostgresKeyStore(client: rig.client)
            let key = try #require(APIKey.parse(Self.key))
            let grant = try #require(try await keys.find(key.id, hash: key.hash))
            #expect(grant.name == "shop" && grant.scopes.count == 4)
            #expect(try await keys.list().filter { $0.revoked != nil }.map(\.grant.name) == ["old-till"])
            // A repeat of the request that opened a session: its answer holds tokens, so it was sealed.
            let body = """
                {"reference": "M-CREATED", "client": "site", "currency": "JPY", "returnUrl": "https://shop.example.com/paid", \
                "lines": [{"id": "tea", "name": "Sencha 100 g", "quantity": 2, "unitPrice": {"amount": "1200", "currencyCode": \
                "JPY"}}], "tax": {"amount": "240", "currencyCode": "JPY"}, "postage": {"amount": {"amount": "540", \
                "currencyCode": "JPY"}}}
                """
            let opening = try claim("open-M-CREATED", "/v1/sessions", body, key)
            guard case .answered(let sealed, let opened) = try await keys.state(of: opening) else {
                throw Surprise("no answer")
            }
            #expect(try sealed.status == 201 && opened == shop.id(0, of: .merchantCreated))
            let text = try #require(try AnswerSeal().open(sealed.body, for: opening, under: key))
            #expect(String(decoding: text, as: UTF8.self).contains("swp_kDrzxAFIIVi5x_Vc0tpCLtLjmwlkVayMvGd0oHSBuSs"))
            // One that took money: nothing is taken twice.
            let charge = "S03-0711525-4791994-C008086"
            let sum = #"{"amount":{"amount":"3000","currencyCode":"JPY"}}"#
            let now = SystemClock().now()
            var capture = OperationRequest(
                (UUIDBytes(version7At: now, random: rig.random), UUIDBytes(version7At: now, random: rig.random)),
                of: try shop.id(0, of: .captured),
                .capture(yen(3_000)),
                on: charge,
                call: (Array(sum.utf8), "another")
            )
            capture.claim = try claim("capture-M-LESS", "/v1/charges/\(charge)/capture", sum, key)
            guard case .replayed(let answer) = try await rig.orders.begin(capture) else {
                throw Surprise("taken twice")
            }
            #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self).contains(#""amount":"3000""#))
        }
    }

    private func claim(_ name: String, _ path: String, _ body: String, _ key: APIKey) throws -> IdempotencyClaim {
        let octets = Array(body.utf8)
        let value = try JSONParser.parse(octets)
        // Those of early programs were made of the octets, and are met by them.
        let print = try RequestFingerprint("POST", path, octets, using: SHA256()) { bytes in
            value.appendSorted(to: &bytes)
            return true
        }
        let word = try #require(IdempotencyWord(name))
        return IdempotencyClaim(scope: Self.account.claimScope, key: key.id, word: word, fingerprint: print)
    }

    @Test(arguments: [(0, "S03-0711525-4791994"), (1, "S03-0711526-4791994"), (768, "S03-0712293-4791994")])
    func `gives money of an order back`(copy: Int, permission: String) async throws {
        let shop = shop
        try await withRig(on: shop.database) { rig in
            let id = try shop.id(copy, of: .captured)
            let order = Crossing(
                webviewSession: id,
                ticket: LaunchTicket.mint(for: id, random: rig.random),
                client: .iosApp
            )
            let charge = permission + "-C008086"
            let many = rig.request(.refund(yen(3_451)), on: charge, of: order)
            #expect(try await rig.orders.begin(many) == .refused(.exceeds(limit: yen(3_450)), .captured))
            let operation = try await rig.begin(rig.request(.refund(yen(1_000)), on: charge, of: order))
            var refund = ObservedObject(
                .refund,
                permission + "-R1",
                ObservedVersion(.refundInitiated, updated: SystemClock().now())
            )
            refund.parent = charge
            refund.amount = yen(1_000)
            #expect(try await rig.orders.settle(operation, as: .pending(refund, stored(201, "done"))))
            let after = try #require(try await rig.orders.read(id))
            #expect(
                after.state == .partRefunded && after.sums.refunded == yen(1_000) && after.sums.captured == yen(3_000)
            )
            #expect(after.charges.first?.row.refundedUnits == 1_000)
            // Behind the two events of then, without a gap.
            let events = try rig.admin.rows(
                """
                SELECT v.sequence || ' ' || v.type || ' ' || coalesce(f.xact > 0, false) FROM merchant_event AS v
                LEFT JOIN merchant_event_feed AS f USING (webview_session_id, sequence) WHERE v.webview_session_id = $1 ORDER BY v.sequence
                """,
                ["\(id)"]
            )
            #expect(
                events.compactMap { $0[0] } == [
                    "1 session.paid false", "2 charge.captured false", "3 refund.created true",
                ]
            )
        }
    }

    @Test func `takes up what was under way`() async throws {
        let shop = shop
        try await withRig(on: shop.database) { rig in
            let fresh = UUIDBytes(version7At: SystemClock().now(), random: rig.random)
            // Every second copy is hours old, so its lease is over.
            let orders = PostgresOrderStore(client: rig.client, account: Self.account)
            let operations = try await orders.claimLeft(limit: 1_000)
            #expect(operations.count > 385)
            guard
                case .taken(let operation) = try await orders.takeOver(
                    try #require(operations.first),
                    by: .recovery,
                    freshAttempt: fresh
                )
            else { throw Surprise("not taken over") }
            #expect(operation.kind == .capture && operation.amount == yen(3_180) && operation.key.utf8.count == 32)
            #expect(operation.body == Array(#"{"captureAmount":{"amount":"3180","currencyCode":"JPY"}}"#.utf8))
            let charge = rig.charge(operation.target, .captured, captured: 3_180, amount: 3_180)
            #expect(try await orders.settle(operation, as: .done(charge, stored(200, "done"))))
            #expect(try await orders.read(operation.order)?.state == .captured)

            let store = try PostgresSessionStore(client: rig.client, policy: .unlimited(), account: Self.account)
            let purchases = try await store.claimOverdue(limit: 1_000)
            #expect(purchases.count > 385)
            let purchase = try #require(purchases.first?.webviewSession)
            let attempt = try #require(try await rig.broker.takeOver(purchase, by: rig.caller()))
            #expect(attempt.number == 1 && attempt.total == Yen(27_996))
        }
    }

    @Test func `is swept, polled and reconciled as any other`() async throws {
        let shop = shop
        try await withRig(on: shop.database) { rig in
            let overdue = """
                SELECT count(*) FROM webview_session WHERE is_waiting(state) AND least(idle_until, absolute_until) <= now()
                    AND webview_session_id < id_floor(now() - interval '2 hours 5 minutes')
                """
            #expect(try Int(rig.admin.rows(overdue)[0][0] ?? "").map { $0 > 1_000 } == true)
            _ = try await Sweeper(store: rig.store, batch: 1_000).run(request: "early")
            #expect(try rig.admin.rows(overdue)[0][0] == "0")

            let fresh = UUIDBytes(version7At: SystemClock().now(), random: rig.random)
            let polls = try await PostgresPollStore(client: rig.client, account: Self.account).claim(
                limit: 1_000,
                attempt: fresh
            )
            #expect(polls.count == 1_000)
            #expect(polls.contains { $0.kind == .charge } && polls.contains { $0.kind == .permission })

            // Somebody begins a capture of an order that is weeks old: tonight's report has it.
            let id = try shop.id(601, of: .paid)
            let charge = try #require(try await rig.orders.read(id)?.charges.first?.id)
            let order = Crossing(
                webviewSession: id,
                ticket: LaunchTicket.mint(for: id, random: rig.random),
                client: .iosApp
            )
            let now = SystemClock().now()
            _ = try await rig.begin(rig.request(.capture(yen(1)), on: charge, of: order))
            let terms = PostgresReconciliationStore.Terms(
                since: now + .seconds(-60),
                until: now + .seconds(3_600),
                repairs: false
            )
            #expect(try await PostgresReconciliationStore(client: rig.client).older(terms).contains(id))
        }
    }

    @Test func `delivers the events that waited`() async throws {
        let shop = shop
        try await withRig(on: shop.database) { rig in
            let store = PostgresWebhookStore(client: rig.client)
            #expect(try await store.endpoints().count == 2)
            let fresh = UUIDBytes(version7At: SystemClock().now(), random: rig.random)
            let demand = ClaimDemand(limit: 500, share: 500, lease: .seconds(30))
            let deliveries = try await store.claim(demand, attempt: fresh)
            #expect(deliveries.count == 500)
            #expect(Set(deliveries.map(\.event.type)) == ["session.paid", "session.declined"])
            #expect(Set(deliveries.map(\.url)) == ["http://127.0.0.1:28097/nobody"])
            for delivery in deliveries.prefix(20) { _ = try await store.delivered(delivery, lease: .seconds(30)) }
        }
    }
}
