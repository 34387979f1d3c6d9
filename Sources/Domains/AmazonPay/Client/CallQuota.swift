import Primitives

/// Who waits for a call; each leaves a third of the account's burst to those above it.
package enum Priority: Int, Sendable, Hashable, CaseIterable {
    /// A purchase or another movement of money is under way, also one that is being recovered: may take everything.
    case purchase
    /// A buyer looks at a page, or a merchant's server waits.
    case buyer
    /// Nobody waits.
    case background

    /// Its label in metrics.
    var word: String {
        switch self {
        case .purchase: "purchase"
        case .buyer: "buyer"
        case .background: "background"
        }
    }
}

/// Keeps the calls of a process under its part of the account's limits; shared by all loops.
///
/// The limits are per account and operation. Processes of one account do not know of each other: their number is a setting of
/// each.
package final class CallQuota: Sendable {
    /// What the calls of a process are kept under.
    package struct Limits: Sendable, Hashable {
        /// Holds where no rate is set.
        package var table: QuotaTable
        /// Of the whole account, in place of the table's.
        package var rates: [AmazonPayOperation: CallRate] = [:]
        /// How many processes share the account, each with an equal part.
        package var processes = 1
        /// Of all operations together, and of this process alone; `nil` for none.
        package var pace: CallRate?

        /// The limits of a table.
        package init(_ table: QuotaTable) {
            self.table = table
        }

        /// The process's part; nine tenths of it where the table's rate holds.
        package func rate(of operation: AmazonPayOperation) -> CallRate? {
            (rates[operation] ?? table.rate(of: operation)?.withMargin)?.share(of: processes)
        }
    }

    /// What comes of asking for a call.
    enum Reservation: Equatable {
        /// The call may go out after this time; its place is kept.
        case taken(after: Duration)
        /// Ask again after this time with the ticket; to be given back with `leave` by whoever does not.
        case later(Duration, CallTicket)
        /// Ask again after this time: the pace of all operations together does not allow it.
        case paced(Duration)
        /// As many calls of this asker wait as may; nothing is kept.
        case crowded
        /// Not before the patience is over; nothing is kept.
        case never
    }

    private struct State: Sendable {
        // No dictionary, which allocates whenever a value is changed in its place.

        /// By raw value of the operation; `nil` for one without a limit.
        var buckets: [TokenBucket?]
        var pace: TokenBucket?
    }

    private let state: Lock<State>

    /// Full buckets, for one process with the limits of a table.
    package convenience init(_ table: QuotaTable) {
        self.init(Limits(table))
    }

    /// Full buckets.
    package init(_ limits: Limits) {
        let buckets = AmazonPayOperation.allCases.map { limits.rate(of: $0).map(TokenBucket.init) }
        state = Lock(State(buckets: buckets, pace: limits.pace.map(TokenBucket.init)))
    }

    /// When a call may go out.
    ///
    /// - Parameters:
    ///   - asker: Who is served in turn with others.
    ///   - ticket: What the caller got with `later`, having waited.
    func reserve(
        _ operation: AmazonPayOperation,
        at now: Duration,
        patience: Duration,
        priority: Priority,
        asker: CallAsker = .program,
        ticket: CallTicket? = nil
    ) -> Reservation {
        state.withLock { state in
            if let wait = state.pace?.wait(at: now), wait > .zero { return wait <= patience ? .paced(wait) : .never }
            let reservation =
                state.buckets[operation.rawValue]?
                .reserve(at: now, patience: patience, priority: priority, asker: asker, ticket: ticket)
                ?? .taken(after: .zero)
            if case .taken = reservation { _ = state.pace?.take(at: now, patience: .zero) }
            return reservation
        }
    }

    /// Gives up the place of a call that waits; nothing happens where it has gone out.
    func leave(_ operation: AmazonPayOperation, _ priority: Priority, _ ticket: CallTicket) {
        state.withLock { $0.buckets[operation.rawValue]?.leave(ticket, priority: priority) }
    }

    /// Whether less than half is left of what buyers' calls may take at once.
    func isScarce(_ operation: AmazonPayOperation, for priority: Priority, at now: Duration) -> Bool {
        state.withLock { $0.buckets[operation.rawValue]?.isScarce(for: priority, at: now) ?? false }
    }
}
