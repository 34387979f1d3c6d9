import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

/// Sums of money, in yen.
struct CrowdSums: Equatable {
    var authorized = 0
    var captured = 0
    /// As the charge tells.
    var refunded = 0
    /// As the refunds tell.
    var returned = 0
    var declined = 0

    static func + (one: CrowdSums, other: CrowdSums) -> CrowdSums {
        CrowdSums(
            authorized: one.authorized + other.authorized,
            captured: one.captured + other.captured,
            refunded: one.refunded + other.refunded,
            returned: one.returned + other.returned,
            declined: one.declined + other.declined
        )
    }
}

/// What somebody believes of all charges and refunds, by the provider's id, and of all sessions that were declined.
struct CrowdBook {
    struct Entry: Equatable {
        let session: String
        let sums: CrowdSums
    }

    var entries: [String: Entry] = [:]

    var sessions: [String: CrowdSums] {
        Dictionary(entries.values.map { ($0.session, $0.sums) }, uniquingKeysWith: +)
    }

    mutating func note(_ id: String, _ session: String, _ sums: CrowdSums) {
        entries[id] = Entry(session: session, sums: sums)
    }

    /// Learns what an event tells.
    ///
    /// - Parameter event: As the list of events and the webhooks have it.
    mutating func take(_ event: JSONValue) throws {
        let data = try #require(event["data"])
        let session = try #require(data["id"]?.text)
        for charge in data["charges"]?.elements ?? [] {
            var sums = CrowdSums()
            (sums.authorized, sums.captured) = (charge["amount"].yen, charge["captured"].yen)
            sums.refunded = charge["refunded"].yen
            note(charge["id"]?.text ?? "", session, sums)
        }
        let type = event["type"]?.text ?? ""
        if type == "session.declined" {
            note(session, session, CrowdSums(declined: data["amounts"]?["total"].yen ?? 0))
        }
        if type.hasPrefix("refund."), let refund = data["about"] {
            note(refund["id"]?.text ?? "", session, CrowdSums(returned: refund["amount"].yen))
        }
    }

    /// The ledger of a shop.
    static func ledger<Place>(of shop: TestShop<Place>) throws -> CrowdBook {
        var book = CrowdBook()
        for row in try shop.rows(
            """
            SELECT p.object_id, p.webview_session_id, p.kind::text, p.amount, p.captured, p.refunded FROM payment_object AS p
            WHERE p.kind IN ('charge', 'refund')
            UNION ALL SELECT o.webview_session_id::text, o.webview_session_id, 'order', o.total, 0, 0 FROM merchant_order AS o WHERE o.state = 'declined'
            """
        ) {
            let cells = row.map { $0 ?? "" }
            let sums = cells[3...].map { Int($0) ?? 0 }
            switch cells[2] {
            case "charge":
                book.note(cells[0], cells[1], CrowdSums(authorized: sums[0], captured: sums[1], refunded: sums[2]))
            case "refund": book.note(cells[0], cells[1], CrowdSums(returned: sums[0]))
            default: book.note(cells[0], cells[1], CrowdSums(declined: sums[0]))
            }
        }
        return book
    }

    /// Where two of them differ.
    func differences(_ other: CrowdBook) -> [String] {
        Set(entries.keys).union(other.entries.keys).filter { entries[$0] != other.entries[$0] }.sorted().map {
            "\($0): \(entries[$0].map { "\($0)" } ?? "none"), \(other.entries[$0].map { "\($0)" } ?? "none")"
        }
    }
}

/// What a merchant learns who looks at nothing but the list of events.
final class EventReader {
    /// Each event that was ever listed, by its id.
    private(set) var all: [String: String] = [:]
    /// The ids of those that are listed, in their order.
    private(set) var listed: [String] = []
    private(set) var book = CrowdBook()
    /// How often the event behind which to go on had gone with the commits that were lost.
    private(set) var restarts = 0
    private var cursor: String?
    private let ask: (String) async throws -> InboundResponse

    init(_ ask: @escaping (String) async throws -> InboundResponse) {
        self.ask = ask
    }

    /// Begins anew: what was learned is learned again.
    func beginAnew() {
        (cursor, listed, book) = (nil, [], CrowdBook())
    }

    /// Reads on to the end.
    func read() async throws {
        while true {
            let answer = try await ask("/v1/events?limit=100" + (cursor.map { "&after=" + $0 } ?? ""))
            let page = try JSONParser.parse(answer.body)
            if cursor != nil, page["code"]?.text == "invalid_cursor" {
                restarts += 1
                beginAnew()
                continue
            }
            guard answer.status == 200 else { throw UnexpectedAnswer("events", answer) }
            for event in page["data"]?.elements ?? [] { try take(event) }
            cursor = page["nextCursor"]?.text
            guard page["hasMore"]?.flag == true else { return }
        }
    }

    private func take(_ event: JSONValue) throws {
        let id = try #require(event["id"]?.text)
        #expect(all[id] == nil || all[id] == event.description, "two events have one id")
        all[id] = event.description
        listed.append(id)
        try book.take(event)
    }
}

/// The books of the shop, of the provider and of the merchant, once everything is over.
struct CrowdBooks {
    let shop: ProcessShop
    let merchant: CrowdMerchant
    let orders: [CrowdOrder]

    init(_ shop: ProcessShop, _ merchant: CrowdMerchant, _ orders: [CrowdOrder]) {
        self.shop = shop
        self.merchant = merchant
        self.orders = orders
    }

    // MARK: Behind the loss

    /// What docs/backup-and-failover.md tells to do behind a loss.
    func recover(width: Int) async throws {
        try await shop.control.clearFaults()
        let doubtful = orders.filter(\.isDoubtful)
        try await settle(doubtful, width)
        let lost = doubtful.filter { $0.end == .lost }
        #expect(!lost.isEmpty, "the loss was about something")
        // Where the buyer's last steps were lost no repeat ends the session, and until it has ended nothing is adopted for it.
        for order in lost { try await merchant.cancel(order) }
        let missing = try await unknownPayments()
        #expect(!missing.isEmpty)
        let references = Dictionary(orders.map { ($0.crossing?.webviewSession ?? "", $0.reference) }) { one, _ in one }
        _ = try await inParallel(shop.reactor, missing, atMost: 4) { (charge, session) in
            let permission = charge.prefix { $0 != "C" }.dropLast()
            let reference = try #require(references[session])
            let words = ["adopt", String(permission), "--charges", charge, "--reference", reference, "--fix"]
            let adopted = try await shop.runCommand(words)
            #expect(adopted.exit == .code(0), "\(reference): \(adopted.output)")
        }
        #expect(try await unknownPayments().isEmpty)
        // A session that is lost and was not paid is opened once more.
        for isLast in [false, true] {
            try await settle(lost.filter { $0.end == .lost }, width)
            if !isLast { for order in lost where order.end == .lost { order.crossing = nil } }
        }
        let report = try await shop.runCommand(["reconcile", "--rate", "1000", "--fix"])
        #expect(report.exit == .code(0), "\(report.output)")
        for table in ["webview_session_purchase", "payment_operation_open"] {
            try await poll(shop.reactor, "the end of all that is under way: \(table)") {
                try shop.rows("SELECT 1 FROM \(table)").isEmpty ? () : nil
            }
        }
    }

    private func settle(_ orders: [CrowdOrder], _ width: Int) async throws {
        _ = try await inParallel(shop.reactor, orders, atMost: width) { try await merchant.settle($0) }
    }

    /// The charges of the provider that the ledger does not know, as the report of transactions tells them, with their
    /// sessions.
    private func unknownPayments() async throws -> [(charge: String, session: String)] {
        let known = Set(try shop.rows("SELECT object_id FROM payment_object WHERE kind = 'charge'").map { $0[0] })
        var unknown: [(charge: String, session: String)] = []
        for payment in try await shop.completions() where payment.isEffective {
            guard let charge = payment.charge, !known.contains(charge) else { continue }
            unknown.append((charge, try await session(payment.session)))
        }
        return unknown
    }

    private func object(_ id: String) async throws -> JSONValue {
        try await shop.control.object(id)
    }

    /// The session that a checkout session belongs to.
    private func session(_ checkout: String) async throws -> String {
        CrowdBooks.session(try await object(checkout))
    }

    /// The session that the mark of an object names; empty where it has none.
    private static func session(_ object: JSONValue) -> String {
        String((object["merchantMetadata"]?["customInformation"]?.text ?? "").prefix(36))
    }

    // MARK: Comparing

    func compare() async throws {
        let ours = try CrowdBook.ledger(of: shop)
        let theirs = try await provider(ours)
        #expect(ours.differences(theirs) == [], "ledger and provider")
        try await readEvents()
        #expect(ours.differences(merchant.events.book) == [], "ledger and events")
        let sessions = ours.sessions
        var wrong: [String] = []
        for order in orders {
            let sums = sessions[order.crossing?.webviewSession ?? ""]
            if sums != order.expected {
                wrong.append("\(order.reference): \(String(describing: sums)), \(order.expected)")
            }
        }
        #expect(wrong == [], "the ledger and what the merchant was told")
        #expect(sessions.count == orders.count)
        #expect(orders.contains { $0.end == .declined })
        // The sums of an order are those of its objects.
        let off = try shop.rows(
            """
            SELECT o.reference, o.captured, o.refunded, sum(p.captured), sum(p.refunded)
            FROM merchant_order AS o LEFT JOIN payment_object AS p ON p.webview_session_id = o.webview_session_id AND p.kind = 'charge'
            GROUP BY o.webview_session_id, o.created_at, o.reference, o.captured, o.refunded
            HAVING (o.captured, o.refunded) <> (coalesce(sum(p.captured), 0), coalesce(sum(p.refunded), 0))
            """
        )
        #expect(off == [])
    }

    /// The objects of the provider: charges and declines by its log of calls, which names no session where a fault came first;
    /// refunds by our ids and their number.
    private func provider(_ ours: CrowdBook) async throws -> CrowdBook {
        var book = CrowdBook()
        let known = Set(orders.compactMap { $0.crossing?.webviewSession })
        let calls = try await shop.completions()
        for checkout in Set(calls.map(\.session)) where !checkout.isEmpty {
            let object = try await object(checkout)
            let session = CrowdBooks.session(object)
            if let id = object["chargeId"]?.text {
                let charge = try await self.object(id)
                var sums = CrowdSums()
                (sums.authorized, sums.captured) = (charge["chargeAmount"].yen, charge["captureAmount"].yen)
                sums.refunded = charge["refundedAmount"].yen
                book.note(id, session, sums)
            } else if known.contains(session) {
                #expect(object["statusDetails"]?["state"]?.text == "Canceled")
                book.note(session, session, CrowdSums(declined: object["paymentDetails"]?["chargeAmount"].yen ?? 0))
            }
        }
        let charges = book.entries.values.filter { $0.sums.authorized > 0 }.count
        for (id, entry) in ours.entries where entry.sums.returned > 0 {
            let refund = try await object(id)
            let session = book.entries[refund["chargeId"]?.text ?? ""]?.session ?? ""
            book.note(id, session, CrowdSums(returned: refund["refundAmount"].yen))
        }
        let counts = try await shop.control.get("state")["counts"]
        #expect(counts?["charges"]?.integer == charges)
        #expect(counts?["refunds"]?.integer == ours.entries.values.filter { $0.sums.returned > 0 }.count)
        return book
    }

    /// Reads to the end, then everything once more, and finds each event that there is once.
    private func readEvents() async throws {
        let events = merchant.events
        // The list ends before the oldest transaction that runs, and goes on with what the program finds out by itself.
        let stored = try await poll(shop.reactor, "each event in the list") { () -> [[String]]? in
            try await events.read()
            let sql = "SELECT 'evt_' || event_id, subject_id, type FROM event"
            let stored = try shop.rows(sql).map { $0.map { $0 ?? "" } }
            return events.listed.count < stored.count ? nil : stored
        }
        let (first, ever) = (events.listed, events.all.count)
        #expect(Set(first).symmetricDifference(stored.map { $0[0] }) == [], "an event is missing, or is nobody's")
        #expect(first.count == stored.count, "an event came twice")
        #expect(Set(stored.map { $0[1...] }).count == stored.count, "an order was told the same twice")
        #expect(events.restarts == 1, "the reader had read on to what was lost")
        #expect(ever > first.count, "some of it had been listed")
        events.beginAnew()
        try await events.read()
        #expect(events.listed.starts(with: first), "the list has changed")
    }
}

extension CrowdOrder {
    /// The money that the order has moved, as its merchant was told.
    fileprivate var expected: CrowdSums {
        end == .paid
            ? CrowdSums(authorized: total, captured: capture, refunded: refund, returned: refund)
            : CrowdSums(declined: total)
    }
}

extension JSONValue? {
    /// The amount of a sum; nothing where there is none.
    var yen: Int { Int(self?["amount"]?.text ?? "") ?? 0 }
}
