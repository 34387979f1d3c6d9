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
        /// The provider was asked and gave no usable answer.
        case unread(String)
    }

    /// What a report came to.
    struct Summary: Sendable {
        var orders = 0
        var compared = 0
        /// Differences that are left, and objects that could not be read.
        var open = 0
    }

    private let orders: any OrderStore
    private let checkout: CheckoutService
    private let repairs: Bool

    private static let page = 100

    /// A comparison.
    ///
    /// - Parameters:
    ///   - orders: The ledger.
    ///   - checkout: The provider.
    ///   - repairs: Whether the ledger takes in what differs.
    init(_ orders: any OrderStore, checkout: CheckoutService, repairs: Bool) {
        self.orders = orders
        self.checkout = checkout
        self.repairs = repairs
    }

    /// Compares the orders of a time.
    ///
    /// - Parameters:
    ///   - since: Orders that were made from then on.
    ///   - until: Orders that were made before.
    ///   - tell: Told each finding.
    /// - Returns: What it came to.
    /// - Throws: What the store says.
    func run(
        since: WallTime,
        until: WallTime,
        _ tell: (Line) -> Void
    ) async throws(MerchantStoreError) -> Summary {
        var summary = Summary()
        let first = UUIDBytes.first(at: since)
        var query = OrderQuery(after: OrderCursor(after: UUIDBytes.first(at: until)), limit: Reconciliation.page)
        while true {
            let page = try await orders.page(query)
            for order in page.orders {
                guard order.flow.high >= first.high else { return summary }
                summary.orders += 1
                try await compare(order, &summary, tell)
            }
            guard let next = page.next else { return summary }
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
            if case .repaired = finding {} else { summary.open += 1 }
            tell(Line(flow: order.flow, kind: object.row.kind, id: object.id, finding: finding))
        }
        guard let session = order.checkoutSession, !objects.contains(where: { $0.row.kind == .permission }) else {
            return
        }
        summary.compared += 1
        guard let finding = await finding(session, of: order) else { return }
        summary.open += 1
        tell(Line(flow: order.flow, kind: .session, id: session, finding: finding))
    }

    private func finding(_ object: LedgerObject) async throws(MerchantStoreError) -> Finding? {
        let seen: ObservedObject?
        do throws(AmazonPayError) {
            seen = try await checkout.object(object.row.kind, object.id)
        } catch {
            guard error.isAboutNothing else { return .unread(error.description) }
            seen = nil
        }
        guard let difference = LedgerDifference(object, seen: seen) else { return nil }
        guard repairs, let seen else { return .different(difference) }
        _ = try await orders.observe(seen)
        let now = try await orders.object(object.id)
        return now.flatMap { LedgerDifference($0, seen: seen) } == nil ? .repaired(difference) : .different(difference)
    }

    /// An order that was not paid, as far as we know: the provider may know better.
    private func finding(_ session: String, of order: MerchantOrder) async -> Finding? {
        do throws(AmazonPayError) {
            return try await checkout.isCompleted(session) ? .different(LedgerDifference(unpaid: order.state)) : nil
        } catch {
            return error.isAboutNothing ? nil : .unread(error.description)
        }
    }
}

extension UUIDBytes {
    /// The least id that can have been made at a time.
    fileprivate static func first(at time: WallTime) -> UUIDBytes {
        UUIDBytes(high: UInt64(max(0, time.microseconds / 1_000)) << 16, low: 0)
    }
}
