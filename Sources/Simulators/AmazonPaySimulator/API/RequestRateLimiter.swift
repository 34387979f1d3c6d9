import Primitives

/// The token buckets of the service, one for each merchant, environment and operation.
struct RequestRateLimiter: Sendable {
    /// Whose calls are counted together.
    struct Account: Hashable {
        let merchantID: String
        let environment: ReleaseEnvironment
    }

    private struct Identity: Hashable {
        let account: Account
        let operation: APIOperation
    }

    private struct Bucket {
        /// Thousandths of a call.
        var level: Int64
        var filledAt: WallTime
    }

    private var buckets: [Identity: Bucket] = [:]

    /// Takes one call out of a bucket.
    ///
    /// - Returns: False where it is empty.
    mutating func admit(
        _ operation: APIOperation,
        _ rate: (burst: Int, perSecond: Int),
        _ account: Account,
        at now: WallTime
    ) -> Bool {
        let identity = Identity(account: account, operation: operation)
        let full = Int64(rate.burst) * 1000
        var bucket = buckets[identity] ?? Bucket(level: full, filledAt: now)
        let elapsed = min(max(0, now.microseconds - bucket.filledAt.microseconds), 3_600_000_000)
        bucket.level = min(full, bucket.level + elapsed * Int64(rate.perSecond) / 1000)
        bucket.filledAt = now
        let isAdmitted = bucket.level >= 1000
        if isAdmitted { bucket.level -= 1000 }
        buckets[identity] = bucket
        return isAdmitted
    }
}
