import Checkout
import MerchantOrders
import Primitives

/// A report that is written down order by order, so that the next one goes on where this one is cut off.
///
/// It compares the orders of a time, then, newest first, older ones to which something happened in that time, and a sample.
package struct ReportRun {
    /// What is asked for.
    struct Wish: Sendable {
        let since: WallTime
        /// `nil` for all orders there are.
        let until: WallTime?
        let repairs: Bool
        /// Whether a report that was cut off is to be left.
        let isAnew: Bool
        /// How many orders with captured money, of the 180 days before, are compared besides.
        var sample = 0
    }

    /// How it begins.
    enum Start: Equatable {
        /// As the first, or because no other goes on.
        case fresh
        /// From the beginning although a report was cut off; why, for the operator.
        case anew(String)
        /// Behind what was compared.
        case goingOn
    }

    /// How it ended.
    enum End: Sendable, Equatable {
        /// All orders were compared.
        case whole(Reconciliation.Summary)
        /// It was stopped.
        case stopped(Reconciliation.Summary)
        /// Somebody else goes on with it.
        case takenOver
    }

    /// The comparison.
    let reconciliation: Reconciliation
    /// Where it is written down.
    let reports: PostgresReconciliationStore
    /// What has no outcome, of whatever day.
    let unsettled: PostgresUnsettledStore
    /// Fences this run.
    let attempt: UUIDBytes
    /// The present.
    let now: WallTime

    /// After how many orders there is a line about the progress.
    static let ordersPerNote = 100
    /// After which a person is to look at what is under way: recovery asks at least once an hour.
    static let longestUnderWay = Duration.seconds(7_200)

    /// Compares what is asked for, or the rest of it.
    ///
    /// - Parameters:
    ///   - note: Called with lines about the progress, for the operator.
    /// - Throws: What the store says; the next run goes on with what was written down.
    func run(
        _ wish: Wish,
        tell: (Reconciliation.Line) -> Void,
        note: (String) -> Void,
        isStopped: () -> Bool
    ) async throws(StoreError) -> End {
        let day = String(CalendarDate(wish.since).extendedText.prefix(10))
        var terms = PostgresReconciliationStore.Terms(
            since: wish.since,
            until: wish.until ?? now + .seconds(60),
            repairs: wish.repairs,
            sample: wish.sample
        )
        var summary = Reconciliation.Summary()
        let unfinished = try await reports.unfinished(day)
        switch ReportRun.start(wish, unfinished) {
        case .goingOn:
            guard let unfinished, try await reports.resume(day, of: unfinished.attempt, as: attempt) else {
                return .takenOver
            }
            terms = unfinished.terms
            summary = Reconciliation.Summary(unfinished.progress)
            note(
                "continuing the report of \(CalendarDate(unfinished.started).extendedText) after \(summary.orders) orders; "
                    + "its differences so far were printed by the earlier run. --anew begins again"
            )
        case .anew(let why):
            note("beginning again: the interrupted report of \(day) \(why)")
            try await reports.begin(day, terms, attempt: attempt)
        case .fresh:
            try await reports.begin(day, terms, attempt: attempt)
        }
        return try await compare(day, terms, from: summary, tell: tell, note: note, isStopped: isStopped)
    }

    /// Decides how a report begins.
    ///
    /// - Parameters:
    ///   - unfinished: What was begun for the same day and has not come to its end.
    /// - Returns: `goingOn` only for the same orders, treated the same.
    static func start(_ wish: Wish, _ unfinished: PostgresReconciliationStore.Unfinished?) -> Start {
        guard let unfinished, unfinished.progress.reached != nil, !wish.isAnew else { return .fresh }
        guard unfinished.terms.since == wish.since else { return .anew("began with other orders (--since)") }
        guard wish.until == nil || unfinished.terms.until == wish.until else {
            return .anew("ended with other orders (--until)")
        }
        guard unfinished.terms.sample == wish.sample else { return .anew("drew other orders (--sample)") }
        guard unfinished.terms.repairs == wish.repairs else {
            return .anew(wish.repairs ? "changed nothing (--fix)" : "had the ledger changed (--fix)")
        }
        return .goingOn
    }

    private func compare(
        _ day: String,
        _ terms: PostgresReconciliationStore.Terms,
        from start: Reconciliation.Summary,
        tell: (Reconciliation.Line) -> Void,
        note: (String) -> Void,
        isStopped: () -> Bool
    ) async throws(StoreError) -> End {
        var isOurs = true
        let older = try await reports.older(terms)
        if !older.isEmpty {
            note(
                "\(older.count) older orders: those with later operations, messages or payments, and those of --sample"
            )
        }
        var told: Set<OctetText> = []
        func tellDifference(_ line: Reconciliation.Line) {
            if line.finding.isOpen { told.insert(line.id.octets) }
            tell(line)
        }
        var summary = try await reconciliation.run(
            since: terms.since,
            until: terms.until,
            older: older,
            from: start,
            tellDifference
        ) { (now: Reconciliation.Summary) async throws(StoreError) -> Bool in
            isOurs = try await reports.advance(day, attempt: attempt, to: now.progress)
            if now.orders % ReportRun.ordersPerNote == 0 { note("\(now.counts) so far") }
            return isOurs && !isStopped()
        }
        guard isOurs else { return .takenOver }
        guard summary.isWhole else { return .stopped(summary) }
        for found in try await unsettled.list(underWayFor: ReportRun.longestUnderWay) {
            // A purchase that was given up, and whose session cannot be read, is one difference.
            if !told.contains(found.object.octets) { summary.open += 1 }
            tell(Reconciliation.Line(found))
        }
        isOurs = try await reports.advance(day, attempt: attempt, to: summary.progress, isEnd: true)
        return isOurs ? .whole(summary) : .takenOver
    }
}

extension Reconciliation.Line {
    /// What has no outcome, as a line of a report.
    fileprivate init(_ found: UnsettledCase) {
        let kind: ObjectKind =
            switch found.kind {
            case .purchase: .session
            case .payment: found.object.utf8.count == 19 ? .permission : .charge
            case .charge: .permission
            }
        self.init(webviewSession: found.webviewSession, kind: kind, id: found.object, finding: .unsettled(found))
    }
}

extension Reconciliation.Summary {
    /// For people.
    var counts: String { "\(orders) orders, \(compared) objects, \(open) differences left" }

    fileprivate init(_ progress: PostgresReconciliationStore.Progress) {
        orders = progress.orders
        compared = progress.compared
        open = progress.differences
        reached = progress.reached
    }

    fileprivate var progress: PostgresReconciliationStore.Progress {
        PostgresReconciliationStore.Progress(
            reached: reached,
            orders: orders,
            compared: compared,
            differences: open
        )
    }
}
