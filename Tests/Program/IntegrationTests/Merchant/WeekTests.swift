import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// A week of a shop with everything that happens in one: orders that are shipped, in parts and in two parcels, refunded, cancelled,
/// declined and forgotten, a bank that takes a day, people who capture and refund in the provider's console, answers and messages
/// that are lost, and a merchant's server that is down for two days.
@Suite("A week of a shop", .tags(.database, .slow))
struct WeekTests {
    @Test func `ends each night with ledger, provider, events and webhooks that agree to the yen`() async throws {
        var options = ShopOptions.merchants([
            "merchant.secret_file": try HookedShop.secretPath(), "webhooks.allow_loopback": "true",
        ])
        options.takesNotifications = true
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            let receiver = try await WebhookReceiver.start()
            defer { receiver.stop() }
            _ = try await shop.add(receiver)
            let week = Week(shop, try await shop.merchant(allScopes + ",events:read"), receiver)
            // The bank speaks in the night.
            try await shop.control.post("options", ["bankDelay": "PT20H"])
            for day in 0..<7 { try await week.live(day) }
            #expect(week.orders.count == Week.count)
            try await week.endOfMonth()
        }
    }
}

/// What becomes of an order.
private enum Story: CaseIterable {
    case shipped, shippedInPart, shippedInTwo
    /// Captured, and refunded in three parts to 115 per cent.
    case goodwill
    case pointsAndWrapping
    case cancelledBefore, cancelledAfter
    /// Between purchase and capture.
    case soldOut
    case declined, declinedThenPaid
    /// The buyer agrees and is not seen again.
    case abandoned
    /// By people in the provider's console, whose messages are lost.
    case capturedInConsole, refundedInConsole
    case chargeback
    /// The bank takes a day.
    case bankAgrees, bankRefuses
    /// Nobody ever captures it.
    case forgotten
}

/// What a merchant keeps of an order.
private final class WeekOrder {
    let story: Story
    let day: Int
    let reference: String
    let total: Int
    var session = ""
    var charge = ""
    /// What was moved, as the merchant knows it.
    var captured = 0
    var refunded = 0

    init(_ number: Int, _ day: Int) {
        self.day = day
        story = Story.allCases[number % Story.allCases.count]
        reference = "W-\(number)"
        // No order costs what another one does.
        total = 3_180 + number
    }
}

/// The shop, its merchant and its operator, day by day.
private final class Week {
    static let count = 60
    private static let hour = Duration.seconds(3_600)
    /// Three of four orders come in the first three days, so that what a day begins the week ends.
    private static let perDay = 17

    private(set) var orders: [WeekOrder] = []
    private let shop: Shop
    private let merchant: MerchantClient
    private let receiver: WebhookReceiver
    private let travel: TimeTravel
    private let list: EventReader

    init(_ shop: Shop, _ merchant: MerchantClient, _ receiver: WebhookReceiver) {
        self.shop = shop
        self.merchant = merchant
        self.receiver = receiver
        travel = TimeTravel(shop)
        list = EventReader { try await merchant.get($0).page.response }
    }

    // MARK: A day

    func live(_ day: Int) async throws {
        // On the third and fourth day the merchant's server is down; on the third a part of the provider's answers is lost, too.
        receiver.behave(.status((2...3).contains(day) ? 503 : 200))
        if day == 2 {
            for operation in ["CompleteCheckoutSession", "CaptureCharge", "CreateRefund"] {
                let chance = (permille: 250, seed: operation)
                try await shop.control.fault(operation, count: 1_000, chance: chance, ["resetAfter": true])
            }
        }
        for order in orders where order.day == day - 1 { try await ship(order) }
        for number in orders.count..<min(Self.count, orders.count + Self.perDay) {
            let order = WeekOrder(number, day)
            orders.append(order)
            try await sell(order)
        }
        try await shop.control.clearFaults()
        // What is under way comes to its end.
        try await travel.advance(by: Self.hour * 2, step: .seconds(900))
        try await close(day)
        try await travel.advance(by: Self.hour * 22, step: Self.hour * 6)
    }

    // MARK: Selling

    private func order(_ order: WeekOrder) -> JSONValue {
        var members = [
            JSONMember("reference", .string(order.reference)),
            JSONMember("postage", ["amount": MerchantClient.yen(order.total - 2_640)]),
        ]
        if order.story == .pointsAndWrapping {
            members[1] = JSONMember("postage", ["amount": MerchantClient.yen(order.total - 2_640 + 700)])
            members.append(
                JSONMember(
                    "adjustments",
                    [
                        ["name": "ポイント", "amount": MerchantClient.yen(-1_000)],
                        ["name": "ギフト包装", "amount": MerchantClient.yen(300)],
                    ]
                )
            )
        }
        return MerchantClient.order(members)
    }

    private func sell(_ order: WeekOrder) async throws {
        switch order.story {
        case .bankAgrees, .bankRefuses: return try await sellPending(order)
        case .cancelledBefore:
            let session = try await merchant.open(self.order(order))
            order.session = session.id
            #expect(try await send("/v1/sessions/\(session.id)/cancel", [:], "cancel-\(order.reference)").status == 200)
        case .cancelledAfter:
            let (session, _) = try await agree(order)
            #expect(try await send("/v1/sessions/\(session.id)/cancel", [:], "cancel-\(order.reference)").status == 200)
        case .abandoned: _ = try await agree(order)
        case .declined, .declinedThenPaid:
            let session = try await merchant.open(self.order(order))
            order.session = session.id
            var tab = shop.tab()
            tab.buyer.card = "card-3434"
            #expect(try await tab.cross(session.url).error == "payment_declined")
            if order.story == .declinedThenPaid { try await pay(order) }
        default: try await pay(order)
        }
    }

    private func pay(_ order: WeekOrder) async throws {
        let (session, back) = try await agree(order)
        let reply = try await complete(session, back)
        #expect(reply.status == 200, "\(order.reference): \(reply.text)")
        order.charge = try #require(reply["charges"]?.elements.first?["id"]?.text)
    }

    /// The buyer agrees on the pages.
    private func agree(_ order: WeekOrder) async throws -> (OpenSession, back: String) {
        let session = try await merchant.open(self.order(order))
        order.session = session.id
        let page = try await shop.tab().cross(session.url)
        return (session, try #require(page.link("purchase_link"), "\(order.reference): \(page.text)"))
    }

    private func complete(_ session: OpenSession, _ back: String) async throws -> MerchantReply {
        let body: JSONValue = [
            "returnTicket": .string(MerchantClient.parameter("secureWebviewSessionId", of: back)),
            "orderReferenceId": .string(MerchantClient.parameter("orderReferenceId", of: back)),
            "appProof": .string(session.proof),
        ]
        return try await send("/v1/sessions/\(session.id)/complete", body, "complete-\(session.id)")
    }

    /// In an app, with the provider's library.
    private func sellPending(_ order: WeekOrder) async throws {
        let pending = JSONMember("canHandlePendingAuthorization", .bool(true))
        let mobile = JSONMember("mobile", .object(MerchantClient.appLinks + [pending]))
        let reference = JSONMember("reference", .string(order.reference))
        let postage = JSONMember("postage", ["amount": MerchantClient.yen(order.total - 2_640)])
        let session = try await merchant.openApp(MerchantClient.appOrder(nil, [mobile, reference, postage]))
        order.session = session.id
        var app = MobileApp(shop)
        app.buyer.card = order.story == .bankAgrees ? "card-0701" : "card-4354"
        let early = try await merchant.finalize(session, try await app.checkOut(session.launch))
        #expect(early.status == 202 && early["state"]?.text == "payment_pending", "\(early.text)")
    }

    // MARK: Shipping

    private func ship(_ order: WeekOrder) async throws {
        switch order.story {
        case .cancelledBefore, .cancelledAfter, .declined, .abandoned, .forgotten: break
        case .shipped, .declinedThenPaid, .pointsAndWrapping: try await capture(order, order.total)
        case .shippedInPart: try await capture(order, 2_000)
        case .shippedInTwo:
            try await capture(order, 1_500)
            let rest: JSONValue = ["amount": MerchantClient.yen(order.total - 1_500), "captureNow": true]
            let second = try await send("/v1/sessions/\(order.session)/charges", rest, "rest-\(order.reference)")
            #expect(second.status == 201 && second["state"]?.text == "captured", "\(order.reference): \(second.text)")
            order.captured = order.total
        case .goodwill:
            try await capture(order, order.total)
            let most = order.total * 115 / 100
            try await refund(order, order.total / 3, "1")
            try await refund(order, order.total / 3, "2")
            try await refund(order, most - 2 * (order.total / 3), "3")
            let path = "/v1/charges/\(order.charge)/refunds"
            let more = try await send(path, ["amount": MerchantClient.yen(1)], "refund-\(order.reference)-4")
            #expect((more.status, more.code) == (422, "amount_exceeds"), "\(more.text)")
        case .soldOut:
            let path = "/v1/charges/\(order.charge)/cancel"
            let reply = try await send(path, ["reason": "sold out"], "release-\(order.reference)")
            #expect(reply.status == 200, "\(reply.text)")
        case .capturedInConsole:
            try await console("/v2/charges/\(order.charge)/capture", ["captureAmount": MerchantClient.yen(order.total)])
            order.captured = order.total
        case .refundedInConsole:
            try await capture(order, order.total)
            let body: JSONValue = ["chargeId": .string(order.charge), "refundAmount": MerchantClient.yen(500)]
            try await console("/v2/refunds", body)
            order.refunded = 500
        case .chargeback:
            try await capture(order, order.total)
            let id = String(order.charge.prefix(19)) + "-B123456"
            try await shop.control.post("ipn", ["objectId": .string(id), "objectType": "CHARGEBACK"])
        case .bankAgrees:
            let session = try await merchant.get("/v1/sessions/" + order.session)
            order.charge = try #require(session["charges"]?.elements.first?["id"]?.text, "\(session.text)")
            try await capture(order, order.total)
        case .bankRefuses:
            let session = try await merchant.get("/v1/sessions/" + order.session)
            #expect(session["state"]?.text == "declined", "\(session.text)")
        }
    }

    private func capture(_ order: WeekOrder, _ amount: Int) async throws {
        let body: JSONValue = ["amount": MerchantClient.yen(amount)]
        let reply = try await send("/v1/charges/\(order.charge)/capture", body, "capture-\(order.reference)")
        #expect(reply.status == 200, "\(order.reference): \(reply.text)")
        order.captured = amount
    }

    private func refund(_ order: WeekOrder, _ amount: Int, _ part: String) async throws {
        let body: JSONValue = ["amount": MerchantClient.yen(amount)]
        let reply = try await send("/v1/charges/\(order.charge)/refunds", body, "refund-\(order.reference)-\(part)")
        #expect(reply.status == 201, "\(order.reference): \(reply.text)")
        order.refunded += amount
    }

    /// Repeats a request until it is decided, as docs/merchant-guide.md tells.
    private func send(_ path: String, _ body: JSONValue, _ word: String) async throws -> MerchantReply {
        let undecided = ["request_in_progress", "purchase_in_progress", "outcome_unknown", "provider_failed"]
        var reply = try await merchant.post(path, body, word: word)
        for _ in 0..<20 where reply.status == 503 || undecided.contains(reply.code) {
            try await travel.passWithoutProvider(.seconds(60), step: .seconds(60))
            reply = try await merchant.post(path, body, word: word)
        }
        return reply
    }

    /// A person in the provider's console, of whom no message tells.
    private func console(_ path: String, _ body: JSONValue) async throws {
        try await shop.control.notify("", topic: ShopOptions.topic)
        try await shop.control.post("options", ["signature": "off"])
        let reply = try await shop.browser().request(
            "POST",
            shop.simulator.url + path,
            fields: [("content-type", "application/json")],
            body: body.bytes
        )
        #expect([200, 201].contains(reply.status), "\(reply.text)")
        try await shop.control.post("options", ["signature": "strict"])
        try await shop.control.notify(shop.web + "/ipn/amazon-pay", topic: ShopOptions.topic)
    }

    // MARK: The night

    /// What an operator's timer runs, and what the books say behind it.
    private func close(_ day: Int) async throws {
        _ = try await shop.runCommand(["reconcile", "--rate", "1000", "--fix"])
        let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
        #expect(report.exit == .code(0) && report.output.contains(" 0 differences left"), "\(day): \(report.output)")
        let ledger = try await compare("night \(day)")
        try await shop.wait(for: "each event in the list") {
            try await self.list.read()
            return try "\(self.list.listed.count)" == self.shop.value("SELECT count(*) FROM event")
        }
        #expect(ledger.differences(list.book) == [], "night \(day): ledger and events")
        if !(2...3).contains(day) { try await compareWebhooks(ledger, "night \(day)") }
    }

    /// The ledger, against the provider object by object, and against what the merchant was answered.
    private func compare(_ night: String) async throws -> CrowdBook {
        let ledger = try CrowdBook.ledger(of: shop)
        var provider = CrowdBook()
        for (id, entry) in ledger.entries {
            guard entry.sums.declined == 0 else {
                provider.note(id, entry.session, entry.sums)
                continue
            }
            let object = try await shop.control.object(id)
            var sums = CrowdSums()
            if entry.sums.returned > 0 {
                sums.returned = object["refundAmount"].yen
            } else {
                (sums.authorized, sums.captured) = (object["chargeAmount"].yen, object["captureAmount"].yen)
                sums.refunded = object["refundedAmount"].yen
            }
            provider.note(id, entry.session, sums)
        }
        #expect(ledger.differences(provider) == [], "\(night): ledger and provider")
        // A charge of which nobody knows here holds nothing.
        for charge in Set(try await shop.control.calls().compactMap(\.charge)) where ledger.entries[charge] == nil {
            let object = try await shop.control.object(charge)
            #expect(
                object["captureAmount"].yen == 0,
                "\(night): \(charge) was captured, and the ledger has not heard of it"
            )
            let state = object["statusDetails"]?["state"]?.text ?? ""
            #expect(
                ["Declined", "Canceled", "AuthorizationInitiated"].contains(state),
                "\(night): \(charge) is \(state)"
            )
        }
        for order in orders {
            let sums = ledger.sessions[order.session] ?? CrowdSums()
            let told = (order.captured, order.refunded)
            #expect((sums.captured, sums.refunded) == told, "\(night): \(order.reference), \(order.story)")
        }
        return ledger
    }

    /// What a merchant's server learns that keeps its books by webhooks alone, each of them once whatever comes twice.
    private func compareWebhooks(_ ledger: CrowdBook, _ night: String) async throws {
        try await shop.wait(for: "each event at the merchant's server") {
            try self.shop.rows("SELECT 1 FROM event_queue WHERE dead_at IS NULL").isEmpty
        }
        var book = CrowdBook()
        var seen: Set<String> = []
        for webhook in receiver.accepted where seen.insert(webhook.id).inserted {
            #expect(webhook.isGenuine)
            try book.take(try JSONParser.parse(webhook.body))
        }
        #expect(ledger.differences(book) == [], "\(night): ledger and webhooks")
    }

    /// After thirty days the provider lets go of what nobody has captured.
    func endOfMonth() async throws {
        try await travel.advance(by: Self.hour * 24 * 31, step: Self.hour * 24)
        let report = try await shop.runCommand(["reconcile", "--rate", "1000", "--fix"])
        #expect(report.exit == .code(0), "\(report.output)")
        let forgotten = orders.filter { $0.story == .forgotten }
        #expect(!forgotten.isEmpty)
        for order in forgotten { #expect(try shop.ledger(order.charge) == "Canceled") }
        try await compareWebhooks(try await compare("the end of the month"), "the end of the month")
    }
}
