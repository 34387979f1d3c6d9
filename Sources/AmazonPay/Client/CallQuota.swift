import Primitives

/// Who waits for a call.
package enum Priority: Sendable, Hashable {
    /// Somebody looks at a page, or a merchant's server waits.
    case buyer
    /// Nobody: may take only what leaves a quarter of the account's burst to those who wait, and never stands before them.
    case background
}

/// Keeps the calls of a process a little under the account's limits; shared by all loops.
///
/// The limits are per account and operation. Several processes of one account share them without knowing of each other:
/// the service's own refusal (429) is then what remains, and is retried.
package final class CallQuota: Sendable {
    /// Which of the vendor's tables holds.
    package enum Limits: Sendable {
        /// Real accounts.
        case live
        /// Test accounts, far narrower.
        case sandbox
        /// No limit: for a simulator that has none.
        case unlimited
    }

    /// What comes of asking for a call.
    enum Reservation: Equatable {
        /// The call may go out after this time; its place is kept.
        case taken(after: Duration)
        /// Nothing is kept; ask again after this time.
        case later(Duration)
        /// Not before the patience is over; nothing is kept.
        case never
    }

    private let buckets: Lock<[AmazonPayOperation: TokenBucket]>

    /// Full buckets.
    ///
    /// - Parameter limits: Which table holds.
    package init(_ limits: Limits) {
        var buckets: [AmazonPayOperation: TokenBucket] = [:]
        for operation in AmazonPayOperation.allCases { buckets[operation] = CallQuota.bucket(operation, limits) }
        self.buckets = Lock(buckets)
    }

    /// When a call may go out.
    func reserve(
        _ operation: AmazonPayOperation,
        at now: Duration,
        patience: Duration,
        priority: Priority = .buyer
    ) -> Reservation {
        buckets.withLock { buckets in
            guard var bucket = buckets[operation] else { return .taken(after: .zero) }
            if priority == .background {
                let wait = bucket.waitForSpare(at: now)
                guard wait <= .zero else { return wait <= patience ? .later(wait) : .never }
            }
            guard let wait = bucket.take(at: now, patience: patience) else { return .never }
            buckets[operation] = bucket
            return .taken(after: wait)
        }
    }

    /// The vendor's table, burst and rate per second, less a tenth.
    private static func bucket(_ operation: AmazonPayOperation, _ limits: Limits) -> TokenBucket? {
        let row: (burst: Int, rate: Double)
        switch limits {
        case .live: row = live(operation)
        case .sandbox: row = sandbox(operation)
        case .unlimited: return nil
        }
        return TokenBucket(burst: row.burst * 9 / 10, perSecond: row.rate * 0.9)
    }

    /// As the vendor has it; finalize and the buyer, which are in no table, go by complete and the session.
    private static func live(_ operation: AmazonPayOperation) -> (burst: Int, rate: Double) {
        switch operation {
        case .createSession: (40, 16)
        case .get, .getBuyer: (40, 8)
        case .update: (20, 8)
        case .complete, .finalize, .capture, .getCharge, .getRefund, .getPermission: (20, 4)
        case .createCharge, .createRefund: (10, 4)
        case .cancelCharge, .updatePermission, .closePermission: (10, 2)
        }
    }

    private static func sandbox(_ operation: AmazonPayOperation) -> (burst: Int, rate: Double) {
        switch operation {
        case .get, .getBuyer, .getPermission: (10, 1)
        case .createSession, .update, .getCharge, .getRefund, .updatePermission: (5, 1)
        case .complete, .finalize, .createCharge, .capture, .cancelCharge, .createRefund, .closePermission: (2, 1)
        }
    }
}
