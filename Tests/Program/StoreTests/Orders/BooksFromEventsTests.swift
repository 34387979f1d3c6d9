import Checkout
import Foundation
import Merchant
import MerchantOrders
import Postgres
import Primitives
import StrictJSON
import TestKit
import Testing

/// Random histories of paid orders, on the functions of the database; each is the same whenever it runs.
///
/// `SALLYPORT_HISTORIES` says how many; ten thousand take minutes.
@Suite("Books that are kept from events alone")
struct BooksFromEventsTests {
    private static let count = Int(ProcessInfo.processInfo.environment["SALLYPORT_HISTORIES"] ?? "") ?? 150
    private static let atOnce = 3

    @Test func `hold what the ledger holds after each step, whoever noticed, and in the end what the provider holds`()
        async throws
    {
        try await withRig { rig in
            var next = 0
            let parts = try await rig.together(Self.atOnce) { rig in
                var events: [String: Int] = [:]
                while next < Self.count {
                    next += 1
                    let history = try await History(rig, number: next)
                    guard try await history.run() else { break }
                    events.merge(history.books.types) { $0 + $1 }
                }
                return events
            }
            let events = parts.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
            // What changes sums or states was among them.
            let types = [
                "charge.authorized", "charge.captured", "charge.declined", "charge.canceled", "charge.updated",
                "refund.created", "refund.refunded", "refund.declined", "payment.stuck", "chargeback.received",
            ]
            for type in types { #expect(events[type, default: 0] > 0, "\(type) of \(events)") }
        }
    }
}

/// What a merchant knows who reads events and nothing else.
struct EventBooks {
    private(set) var sums: [String: Sums] = [:]
    private(set) var sequence = 0
    private(set) var types: [String: Int] = [:]
    /// The session as the newest event has it.
    private(set) var session: JSONValue = .null

    /// Takes the next event in; false where one is missing before it.
    mutating func take(_ event: JSONValue) -> Bool {
        sequence += 1
        guard event["sequence"]?.integer == sequence, let data = event["data"] else { return false }
        types[event["type"]?.text ?? "", default: 0] += 1
        session = data
        if let object = data["about"], let charge = object["chargeId"]?.text {
            sums[charge] = Sums(captured: object.units("captured"), refunded: object.units("refunded"))
        }
        return true
    }

    /// All charges together.
    var total: Sums {
        sums.values.reduce(into: Sums()) { total, sums in
            total.captured += sums.captured
            total.refunded += sums.refunded
        }
    }
}

extension JSONValue {
    /// The sum of yen in a member; an impossible one where there is none.
    fileprivate func units(_ name: String) -> Int64 {
        self[name]?["amount"]?.text.flatMap { Int64($0) } ?? -1
    }
}

/// One order, from its payment to its end.
private final class History {
    private(set) var books = EventBooks()
    private let rig: Rig
    private let number: Int
    private let random: SeededRandom
    private let crossing: Crossing
    private let permission: String
    private let provider: PretendProvider
    /// Readings and messages that are under way.
    private var late: [ObservedObject] = []
    private var messages: [PostgresNotificationStore.Message] = []
    /// Operations that were given up, with what came of them at the provider.
    private var stuck: [(id: UUIDBytes, target: String, seen: ObservedObject?)] = []
    private var step = "payment"

    init(_ rig: Rig, number: Int) async throws {
        self.rig = rig
        self.number = number
        random = SeededRandom(seed: UInt64(number))
        permission = "S01-\(number)"
        provider = PretendProvider(rig, permission: permission, countsInitiated: random.below(2) == 0)
        crossing = try await rig.paid(permission)
    }

    /// Lives through it; false after the first step behind which the books are wrong.
    func run() async throws -> Bool {
        guard try await agrees() else { return false }
        for _ in 0..<(8 + random.below(16)) {
            provider.pass(seconds: random.below(3))
            try await live()
            guard try await agrees() else { return false }
        }
        provider.pass(seconds: 1)
        step = "the end"
        while !stuck.isEmpty { try await resolve() }
        // Charges first, as a report reads them: a refund of a charge that nobody has noticed is nobody's yet.
        for id in provider.charges.map(\.id) + provider.objects { try await observe(provider.reading(id)) }
        guard try await agrees() else { return false }
        let truth = provider.charges.map { ($0.id, provider.sums(of: $0)) }
        for (id, sums) in truth { #expect(books.sums[id, default: Sums()] == sums, "history \(number), \(id)") }
        return true
    }

    // MARK: What happens

    private func live() async throws {
        switch random.below(14) {
        case 0: try await capture()
        case 1, 2: try await refund()
        case 3: try await cancelOrCharge()
        case 4, 5: console()
        case 6: decide()
        case 7, 8: try await read()
        case 9: postpone()
        case 10: try await deliver()
        case 11: try await message()
        case 12: if !stuck.isEmpty { try await resolve() }
        default: try await readAll()
        }
    }

    private func part(of amount: Int64) -> Int64 {
        random.below(2) == 0 ? amount : 1 + Int64(random.below(Int(amount)))
    }

    private var anyCharge: PretendProvider.Charge? { provider.charges.randomElement(random) }

    private func capture() async throws {
        guard let charge = anyCharge else { return }
        let (amount, isPending) = (part(of: charge.amount), random.below(4) == 0)
        step = "capture \(amount) of \(charge.id)"
        try await carryOut(.capture(yen(amount)), on: charge.id) {
            provider.capture(charge.id, amount, isPending: isPending)
        }
    }

    private func refund() async throws {
        guard let charge = anyCharge, charge.captured > 0 else { return }
        let amount = 1 + Int64(random.below(Int(charge.captured / 2 + 1)))
        step = "refund \(amount) of \(charge.id)"
        try await carryOut(.refund(yen(amount)), on: charge.id) {
            provider.refund(charge.id, amount, random.below(4) == 0 ? .refunded : .refundInitiated)
        }
    }

    private func cancelOrCharge() async throws {
        guard random.below(2) == 0, let charge = anyCharge else {
            step = "another charge"
            let state: ObjectState = random.below(2) == 0 ? .authorized : .authorizationInitiated
            return try await carryOut(.createCharge(yen(500)), on: permission) { provider.charge(500, state) }
        }
        step = "cancel \(charge.id)"
        try await carryOut(.cancelCharge, on: charge.id) { provider.cancel(charge.id) }
    }

    /// A merchant's operation, whose answer may be lost.
    private func carryOut(_ intent: OperationIntent, on target: String, _ effect: () -> ObservedObject?) async throws {
        let outcome = try await rig.orders.begin(rig.request(intent, on: target, of: crossing))
        guard case .begun(let operation) = outcome else { return }
        let seen = effect()
        switch random.below(6) {
        case 0:
            step += ", given up"
            stuck.append((operation.id, target, seen))
            #expect(try await rig.orders.settle(operation, as: .stuck("time")))
        case 1:
            step += ", lost"
            #expect(try await rig.orders.settle(operation, as: .released))
        default:
            #expect(try await rig.orders.settle(operation, as: end(seen, target)))
        }
    }

    private func end(_ seen: ObservedObject?, _ target: String) -> OperationEnd {
        guard let seen else { return .refused("InvalidStatus", provider.reading(target), stored(422, "no")) }
        return .done(seen, stored(200, "done"))
    }

    /// An operator finds out what became of an operation.
    private func resolve() async throws {
        let found = stuck.removeFirst()
        step = "the operator's word on \(found.target)"
        let attempt = UUIDBytes(version7At: WallTime(seconds: 1_800_000_000), random: rig.random)
        let operation = try await rig.orders.reopen(found.id, freshAttempt: attempt, lease: .seconds(60))
        #expect(try await rig.orders.settle(try #require(operation), as: end(found.seen, found.target)))
    }

    /// Somebody does something at the provider, and nobody says so.
    private func console() {
        guard let charge = anyCharge else { return }
        step = "the console"
        switch random.below(5) {
        case 0: _ = provider.capture(charge.id, part(of: charge.amount), isPending: random.below(4) == 0)
        case 1: _ = provider.cancel(charge.id)
        case 2: _ = provider.charge(700, .authorized)
        default:
            guard charge.captured > 0 else { return }
            _ = provider.refund(charge.id, part(of: charge.captured / 4 + 1), .refundInitiated)
        }
    }

    private func decide() {
        step = "the bank's word"
        provider.decide(random)
    }

    // MARK: What is noticed

    private func observe(_ seen: ObservedObject?) async throws {
        guard let seen else { return }
        _ = try await rig.orders.observe(seen)
    }

    /// A poll, or a report that takes in what differs.
    private func read() async throws {
        guard let id = provider.objects.randomElement(random) else { return }
        step = "a reading of \(id)"
        try await observe(provider.reading(id))
    }

    private func readAll() async throws {
        step = "a report"
        for id in provider.objects {
            try await observe(provider.reading(id))
            guard try await agrees() else { return }
        }
    }

    /// A reading whose answer is slow: others overtake it.
    private func postpone() {
        step = "a slow reading"
        if let id = provider.objects.randomElement(random), let seen = provider.reading(id) { late.append(seen) }
    }

    private func deliver() async throws {
        guard !late.isEmpty else { return }
        let index = random.below(late.count)
        let seen = late[index]
        step = "a late reading of \(seen.id)"
        if random.below(2) == 0 { late.remove(at: index) }
        try await observe(seen)
    }

    /// A message, or one that came before; its object is read.
    private func message() async throws {
        guard let id = provider.objects.randomElement(random) else { return }
        if messages.isEmpty || random.below(2) == 0 {
            let kind = ["CHARGE", "REFUND", "CHARGEBACK"][random.below(3)]
            let object = kind == "CHARGEBACK" ? "\(permission)-B\(random.below(2))" : id
            messages.append(
                PostgresNotificationStore.Message(
                    id: "\(number)-\(messages.count)",
                    kind: kind,
                    object: object,
                    permission: permission
                )
            )
        }
        let message = messages[random.below(messages.count)]
        step = "a message about \(message.object)"
        _ = try await rig.notices.receive(message)
        try await observe(provider.reading(message.object))
    }

    // MARK: Books and ledger

    private static let statement = TypedStatement<Ledger, UUIDBytes, Int>(
        name: "books",
        sql: """
            SELECT o.state::text, o.captured, o.refunded, (
                SELECT coalesce(json_agg(json_build_object(
                    'id', c.object_id, 'captured', c.captured, 'refunded', c.refunded)), '[]')::text
                FROM payment_object AS c WHERE c.webview_session_id = $1 AND c.kind = 'charge'), (
                SELECT coalesce(json_agg(json_build_object(
                    'type', e.type, 'sequence', e.sequence, 'data', e.data) ORDER BY e.sequence), '[]')::text
                FROM event AS e WHERE e.subject_id = $1 AND e.sequence > $2)
            FROM merchant_order AS o WHERE o.webview_session_id = $1
            """
    ) { row in
        Ledger(
            state: try row.next(),
            sums: Sums(captured: try row.next(), refunded: try row.next()),
            charges: try row.next(),
            events: try row.next()
        )
    }

    private struct Ledger {
        let state: String
        let sums: Sums
        let charges: String
        let events: String
    }

    /// Whether the books hold what the ledger holds, and the newest event tells of the order as it is.
    private func agrees() async throws -> Bool {
        let ledger = try await rig.client.work(History.statement(crossing.webviewSession, books.sequence)).first()
        let place: Comment = "history \(number): \(step)"
        let events = try JSONParser.parse(Array(ledger.events.utf8)).elements
        for event in events {
            guard books.take(event) else {
                Issue.record(place)
                return false
            }
        }
        var isRight = books.total == ledger.sums
        for charge in try JSONParser.parse(Array(ledger.charges.utf8)).elements {
            let held = Sums(
                captured: Int64(charge["captured"]?.integer ?? -1),
                refunded: Int64(charge["refunded"]?.integer ?? -1)
            )
            isRight = isRight && books.sums[charge["id"]?.text ?? "", default: Sums()] == held
        }
        let amounts = books.session["amounts"] ?? .null
        let told = Sums(captured: amounts.units("captured"), refunded: amounts.units("refunded"))
        isRight = isRight && told == ledger.sums && books.session["state"]?.text == ledger.state
        // An operator may find that nothing has come of an operation, which is no event.
        let needsAttention = books.session["needsAttention"]?.flag ?? false
        isRight = isRight && (events.isEmpty || needsAttention == !stuck.isEmpty)
        #expect(isRight, place)
        return isRight
    }
}
