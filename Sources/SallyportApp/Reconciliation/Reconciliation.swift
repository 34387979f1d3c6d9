import AmazonPay
import MerchantOrders
import Primitives

/// Compares orders with what the provider says of them, and changes nothing but what a reading may change.
///
/// Newest first. Nothing is paid, captured or refunded by it, whatever it finds.
final class Reconciliation {
    /// What a report says of one object.
    struct Line: Sendable {
        let flow: UUIDBytes
        let kind: ObjectKind
        let id: String
        let finding: Finding
    }

    /// What was found of one object.
    enum Finding: Sendable {
        /// The two sides differ.
        case different(LedgerDifference)
        /// They did, and the ledger has taken the provider's word.
        case repaired(LedgerDifference)
        /// The provider has gone on by itself, and we have not looked since: no difference to act on.
        case behind(LedgerDifference)
        /// The provider was asked and gave no usable answer.
        case unread(String)
        /// They differ because a purchase or an operation has not got to its end: no difference, and nothing to make up for.
        case underWay

        /// Whether somebody has to look.
        var isOpen: Bool {
            switch self {
            case .different, .unread: true
            case .repaired, .behind, .underWay: false
            }
        }
    }

    /// What a report came to, or has come to so far.
    struct Summary: Sendable, Equatable {
        var orders = 0
        var compared = 0
        /// Differences that are left, and objects that could not be read.
        var open = 0
        /// The order that was compared last; `nil` before the first.
        var reached: UUIDBytes?
        /// Whether all orders were compared.
        var isWhole = false
    }

    private let orders: any OrderStore
    private let provider: any ProviderReader
    private let repairs: Bool

    private static let page = 100
    /// How often an object is looked at that keeps changing meanwhile.
    private static let looks = 3

    /// A comparison.
    ///
    /// - Parameters:
    ///   - orders: The ledger.
    ///   - provider: What is compared with.
    ///   - repairs: Whether the ledger takes in what differs.
    init(_ orders: any OrderStore, provider: any ProviderReader, repairs: Bool) {
        self.orders = orders
        self.provider = provider
        self.repairs = repairs
    }

    /// Compares the orders of a time.
    ///
    /// - Parameters:
    ///   - since: Orders that were made from then on.
    ///   - until: Orders that were made before.
    ///   - start: What an earlier run came to, which this one goes on with.
    ///   - tell: Told each finding.
    ///   - goesOn: Told after each order what it came to so far; false ends it there.
    /// - Returns: What it came to.
    /// - Throws: What the store says.
    func run(
        since: WallTime,
        until: WallTime,
        from start: Summary = Summary(),
        _ tell: (Line) -> Void,
        goesOn: (Summary) async throws(MerchantStoreError) -> Bool = { _ in true }
    ) async throws(MerchantStoreError) -> Summary {
        var summary = start
        let first = UUIDBytes.first(at: since)
        let newest = start.reached ?? UUIDBytes.first(at: until)
        var query = OrderQuery(after: OrderCursor(after: newest), limit: Reconciliation.page)
        while true {
            let page = try await orders.page(query)
            for order in page.orders {
                guard order.flow.high >= first.high else { return summary.asWhole }
                try await compare(order, &summary, tell)
                summary.orders += 1
                summary.reached = order.flow
                guard try await goesOn(summary) else { return summary }
            }
            guard let next = page.next else { return summary.asWhole }
            query.cursor = next
        }
    }

    private func compare(
        _ order: MerchantOrder,
        _ summary: inout Summary,
        _ tell: (Line) -> Void
    ) async throws(MerchantStoreError) {
        let objects = try await orders.objects(of: order.flow)
        for object in objects {
            summary.compared += 1
            guard let finding = try await finding(object) else { continue }
            if finding.isOpen { summary.open += 1 }
            tell(Line(flow: order.flow, kind: object.row.kind, id: object.id, finding: finding))
        }
        guard let session = order.checkoutSession, !Reconciliation.isSettled(objects) else { return }
        summary.compared += 1
        guard let finding = try await finding(session, of: order.flow) else { return }
        if finding.isOpen { summary.open += 1 }
        tell(Line(flow: order.flow, kind: .session, id: session, finding: finding))
    }

    private func finding(_ object: LedgerObject) async throws(MerchantStoreError) -> Finding? {
        var object = object
        var looks = Reconciliation.looks
        while true {
            looks -= 1
            let seen: ObservedObject?
            do throws(AmazonPayError) {
                seen = try await provider.object(object.row.kind, object.id)
            } catch {
                guard error.isAboutNothing else { return .unread(error.description) }
                seen = nil
            }
            guard let difference = LedgerDifference(object, seen: seen) else { return nil }
            // What the ledger has learned while the provider was asked is no difference: then both are asked again.
            let now = try await orders.object(object.id)
            guard let now, now != object, looks > 0 else { return try await told(difference, seen, of: now ?? object) }
            object = now
        }
    }

    private func told(
        _ difference: LedgerDifference,
        _ seen: ObservedObject?,
        of object: LedgerObject
    ) async throws(MerchantStoreError) -> Finding {
        if seen != nil, object.row.hasOpenOperation { return .underWay }
        guard repairs, let seen else { return difference.isProgress ? .behind(difference) : .different(difference) }
        _ = try await orders.observe(seen)
        let now = try await orders.object(seen.id)
        return now.flatMap { LedgerDifference($0, seen: seen) } == nil ? .repaired(difference) : .different(difference)
    }

    /// An order that was not paid, as far as we know: the provider may know better, or somebody may be about to write it down.
    private func finding(_ session: String, of flow: UUIDBytes) async throws(MerchantStoreError) -> Finding? {
        do throws(AmazonPayError) {
            guard try await provider.isCompleted(session) else { return nil }
        } catch {
            return error.isAboutNothing ? nil : .unread(error.description)
        }
        // From here on nobody else completes it, so what is written now is what became of it.
        guard let order = try await orders.read(flow) else { return nil }
        let objects = try await orders.objects(of: flow)
        if order.state.isPaid || Reconciliation.isSettled(objects) { return nil }
        return order.state == .paying ? .underWay : .different(LedgerDifference(unpaid: order.state))
    }

    private static func isSettled(_ objects: [LedgerObject]) -> Bool {
        objects.contains { $0.row.kind == .permission }
    }
}

extension Reconciliation.Summary {
    fileprivate var asWhole: Self {
        var whole = self
        whole.isWhole = true
        return whole
    }
}

extension UUIDBytes {
    /// The least id that can have been made at a time.
    fileprivate static func first(at time: WallTime) -> UUIDBytes {
        UUIDBytes(high: UInt64(max(0, time.microseconds / 1_000)) << 16, low: 0)
    }
}
