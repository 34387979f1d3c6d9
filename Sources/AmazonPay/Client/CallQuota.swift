import Primitives

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

    private let buckets: Lock<[CheckoutOperation: TokenBucket]>

    /// Full buckets.
    ///
    /// - Parameter limits: Which table holds.
    package init(_ limits: Limits) {
        var buckets: [CheckoutOperation: TokenBucket] = [:]
        for operation in CheckoutOperation.allCases { buckets[operation] = CallQuota.bucket(operation, limits) }
        self.buckets = Lock(buckets)
    }

    /// How long to wait before a call; `nil` when that is longer than the patience, and nothing is taken.
    func reserve(_ operation: CheckoutOperation, at now: Duration, patience: Duration) -> Duration? {
        buckets.withLock { buckets in
            guard var bucket = buckets[operation] else { return .zero }
            let wait = bucket.take(at: now, patience: patience)
            buckets[operation] = bucket
            return wait
        }
    }

    /// The vendor's table, burst and rate per second, less a tenth.
    private static func bucket(_ operation: CheckoutOperation, _ limits: Limits) -> TokenBucket? {
        switch (limits, operation) {
        case (.unlimited, _): nil
        case (.live, .get): TokenBucket(burst: 36, perSecond: 7.2)
        case (.live, .update): TokenBucket(burst: 18, perSecond: 7.2)
        case (.live, .complete): TokenBucket(burst: 18, perSecond: 3.6)
        case (.sandbox, .get): TokenBucket(burst: 9, perSecond: 0.9)
        case (.sandbox, .update): TokenBucket(burst: 4, perSecond: 0.9)
        case (.sandbox, .complete): TokenBucket(burst: 1, perSecond: 0.9)
        }
    }
}
