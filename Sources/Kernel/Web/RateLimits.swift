package import Primitives

/// So many requests per minute and address, and ten times as many per network; shared by the loops of a process.
package final class AddressRateLimit: Sendable {
    private let parts: LockedParts<AddressLimiter>

    /// A limit with nothing counted yet.
    package convenience init(perMinute: Int) {
        self.init(RateLimiter.Rate(perMinute: perMinute))
    }

    /// The same with a burst of its own.
    package init(_ rate: RateLimiter.Rate) {
        parts = LockedParts(AddressLimiter(rate, capacity: 8_192))
    }

    /// Seconds that a client has to wait, or `nil` where it may go on; counts nothing.
    package func wait(_ client: ClientKeys, at now: MonotonicTime) -> Int? {
        parts[client.network].value.withLock { $0.wait(client, at: now.microseconds) }
    }

    /// Counts a request, whether or not there was room for it.
    package func count(_ client: ClientKeys, at now: MonotonicTime) {
        parts[client.network].value.withLock { $0.count(client, at: now.microseconds) }
    }

    /// Counts a request that has room.
    ///
    /// - Throws: `rate_limited`.
    package func take(_ client: ClientKeys, at now: MonotonicTime) throws(Failure) {
        let wait = parts[client.network].value.withLock { $0.take(client, at: now.microseconds) }
        if let wait { throw Failure(.rateLimited, retryAfter: wait) }
    }
}

/// So many requests per minute and key; shared by the loops of a process.
package final class KeyRateLimit: Sendable {
    private let parts: LockedParts<RateLimiter>

    /// A limit with nothing counted yet.
    package init(perMinute: Int) {
        parts = LockedParts(RateLimiter(perMinute: perMinute, capacity: 8_192))
    }

    /// Seconds that a key has to wait, or `nil` where it may go on; counts nothing.
    package func wait(_ key: UInt64, at now: MonotonicTime) -> Int? {
        parts[key].value.withLock { $0.wait(key, at: now.microseconds) }
    }

    /// Counts a request, whether or not there was room for it.
    package func count(_ key: UInt64, at now: MonotonicTime) {
        parts[key].value.withLock { $0.count(key, at: now.microseconds) }
    }

    /// Counts a request that has room.
    ///
    /// - Parameter key: Bits that no client chooses: of a random id, or of the hash of a token.
    /// - Throws: `rate_limited`.
    package func take(_ key: UInt64, at now: MonotonicTime) throws(Failure) {
        let wait = parts[key].value.withLock { $0.take(key, at: now.microseconds) }
        if let wait { throw Failure(.rateLimited, retryAfter: wait) }
    }
}
