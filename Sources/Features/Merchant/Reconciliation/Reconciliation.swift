import AmazonPay
import Checkout
import MerchantOrders
import Operations
import Primitives

/// Compares orders with what the provider says of them, and changes nothing but what a reading may change.
///
/// Newest first, several at a time where the caller runs them so. Nothing is paid, captured or refunded by it, whatever it
/// finds.
package final class Reconciliation {
    /// What a report says of one object.
    struct Line: Sendable {
        let webviewSession: UUIDBytes
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
        /// It has no outcome, and a person has to look, whatever the provider says.
        case unsettled(UnsettledCase)

        /// Whether somebody has to look.
        var isOpen: Bool {
            switch self {
            case .different, .unread, .unsettled: true
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
    private let isOwn: (UUIDBytes) async throws(StoreError) -> Bool
    private let pool: WorkerPool?
    private let pause: () async -> Void

    private static let page = 100
    /// How often an object is looked at that keeps changing meanwhile.
    private static let looks = 3
    /// How often a question is put that has no turn.
    private static let turns = 5

    /// A comparison.
    ///
    /// - Parameters:
    ///   - repairs: Whether the ledger takes in what differs.
    ///   - isOwn: Whether an order is of the provider's account; others are passed over.
    ///   - pool: Compares orders side by side; one after the other without it.
    ///   - pause: Before a question is put again that had no turn.
    init(
        _ orders: any OrderStore,
        provider: any ProviderReader,
        repairs: Bool,
        isOwn: @escaping (UUIDBytes) async throws(StoreError) -> Bool = { _ in true },
        pool: WorkerPool? = nil,
        pause: @escaping () async -> Void = {}
    ) {
        self.isOwn = isOwn
        self.orders = orders
        self.provider = provider
        self.repairs = repairs
        self.pool = pool
        self.pause = pause
    }

    /// Compares the orders of a time, and older ones that are named.
    ///
    /// - Parameters:
    ///   - since: Orders that were made from then on.
    ///   - until: Orders that were made before.
    ///   - older: Orders that were made before `since`, newest first.
    ///   - start: What an earlier run came to, which this one goes on with.
    ///   - goesOn: Called after each order with the result so far; false ends it there.
    /// - Throws: What the store says.
    func run(
        since: WallTime,
        until: WallTime,
        older: [UUIDBytes] = [],
        from start: Summary = Summary(),
        _ tell: (Line) -> Void,
        goesOn: (Summary) async throws(StoreError) -> Bool = { _ in true }
    ) async throws(StoreError) -> Summary {
        var summary = start
        let first = UUIDBytes(firstAt: since)
        var query = OrderQuery(
            after: OrderCursor(after: start.reached ?? UUIDBytes(firstAt: until)),
            limit: Reconciliation.page
        )
        // A run that is gone on with may have come to the older ones before.
        var hasMore = start.reached.map { $0.high >= first.high } ?? true
        while hasMore {
            let page = try await orders.page(query)
            let webviewSessions = page.orders.map(\.webviewSession).filter { $0.high >= first.high }
            guard try await compare(webviewSessions, &summary, tell, goesOn) else { return summary }
            hasMore = webviewSessions.count == page.orders.count && page.next != nil
            if let next = page.next { query.cursor = next }
        }
        let rest = older.filter { webviewSession in start.reached.map { webviewSession < $0 } ?? true }
        guard try await compare(rest, &summary, tell, goesOn) else { return summary }
        summary.isWhole = true
        return summary
    }

    /// What comparing one order came to.
    private struct Comparison {
        var lines: [Line] = []
        var compared = 0
    }

    private final class Comparisons {
        var results: [Int: Result<Comparison, StoreError>] = [:]
        var begun = 0
    }

    /// Compares some orders; the results are reported and noted in their sequence, whichever comes first.
    ///
    /// - Returns: False where the caller ended it; what had begun by then is compared again by the next run.
    private func compare(
        _ webviewSessions: [UUIDBytes],
        _ summary: inout Summary,
        _ tell: (Line) -> Void,
        _ goesOn: (Summary) async throws(StoreError) -> Bool
    ) async throws(StoreError) -> Bool {
        let comparisons = Comparisons()
        do throws(StoreError) {
            for index in webviewSessions.indices {
                let comparison = try await result(index, of: webviewSessions, comparisons).get()
                comparison.lines.forEach(tell)
                summary.open += comparison.lines.count { $0.finding.isOpen }
                summary.compared += comparison.compared
                summary.orders += 1
                summary.reached = webviewSessions[index]
                guard try await goesOn(summary) else {
                    await pool?.finish()
                    return false
                }
            }
        } catch {
            await pool?.finish()
            throw error
        }
        return true
    }

    /// What one of some orders came to; those behind it are begun as far as there is room.
    private func result(
        _ index: Int,
        of webviewSessions: [UUIDBytes],
        _ comparisons: Comparisons
    ) async -> Result<Comparison, StoreError> {
        guard let pool else { return await result(webviewSessions[index]) }
        while comparisons.begun < min(index + pool.width, webviewSessions.count) {
            let next = comparisons.begun
            comparisons.begun += 1
            pool.start { comparisons.results[next] = await self.result(webviewSessions[next]) }
        }
        while true {
            if let result = comparisons.results.removeValue(forKey: index) { return result }
            await pool.wait { comparisons.results[index] != nil }
        }
    }

    private func result(_ webviewSession: UUIDBytes) async -> Result<Comparison, StoreError> {
        do throws(StoreError) {
            return .success(try await comparison(webviewSession))
        } catch {
            return .failure(error)
        }
    }

    private func comparison(_ webviewSession: UUIDBytes) async throws(StoreError) -> Comparison {
        var comparison = Comparison()
        guard try await isOwn(webviewSession), let order = try await orders.read(webviewSession) else {
            return comparison
        }
        let objects = try await orders.objects(of: webviewSession)
        for object in objects {
            comparison.compared += 1
            guard let finding = try await finding(object) else { continue }
            comparison.lines.append(
                Line(webviewSession: webviewSession, kind: object.row.kind, id: object.id, finding: finding)
            )
        }
        guard let checkoutSession = order.checkoutSession, !Reconciliation.isSettled(objects) else { return comparison }
        comparison.compared += 1
        if let finding = try await finding(checkoutSession, of: webviewSession) {
            comparison.lines.append(
                Line(webviewSession: webviewSession, kind: .session, id: checkoutSession, finding: finding)
            )
        }
        return comparison
    }

    private func finding(_ object: LedgerObject) async throws(StoreError) -> Finding? {
        var object = object
        var looks = Reconciliation.looks
        while true {
            looks -= 1
            let seen: ObservedObject?
            do throws(AmazonPayError) {
                seen = try await answer { () async throws(AmazonPayError) in
                    try await provider.object(object.row.kind, object.id)
                }
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

    /// The provider's answer to a question; one that had no turn says nothing of the object, and is put again.
    private func answer<Answer>(
        _ question: () async throws(AmazonPayError) -> Answer
    ) async throws(AmazonPayError) -> Answer {
        for _ in 1..<Reconciliation.turns {
            do throws(AmazonPayError) {
                return try await question()
            } catch {
                guard error.isHeldBack else { throw error }
                await pause()
            }
        }
        return try await question()
    }

    private func told(
        _ difference: LedgerDifference,
        _ seen: ObservedObject?,
        of object: LedgerObject
    ) async throws(StoreError) -> Finding {
        if seen != nil, object.row.hasOpenOperation { return .underWay }
        guard repairs, let seen else { return difference.isProgress ? .behind(difference) : .different(difference) }
        _ = try await orders.observe(seen)
        let now = try await orders.object(seen.id)
        return now.flatMap { LedgerDifference($0, seen: seen) } == nil ? .repaired(difference) : .different(difference)
    }

    /// An order that was not paid, as far as we know: the provider may know better, or somebody may be about to write it down.
    private func finding(_ checkoutSession: String, of webviewSession: UUIDBytes) async throws(StoreError) -> Finding? {
        do throws(AmazonPayError) {
            let mayHoldMoney = try await answer { () async throws(AmazonPayError) in
                try await provider.mayHoldMoney(checkoutSession)
            }
            guard mayHoldMoney else { return nil }
        } catch {
            return error.isAboutNothing ? nil : .unread(error.description)
        }
        // From here on nobody else completes it, so what is written now is what became of it.
        guard let order = try await orders.read(webviewSession) else { return nil }
        let objects = try await orders.objects(of: webviewSession)
        if order.state.isPaid || Reconciliation.isSettled(objects) { return nil }
        return order.state == .paying ? .underWay : .different(LedgerDifference(unpaid: order.state))
    }

    private static func isSettled(_ objects: [LedgerObject]) -> Bool {
        objects.contains { $0.row.kind == .permission }
    }
}
