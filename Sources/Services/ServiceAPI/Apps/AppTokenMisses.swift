import Primitives
import Web

/// Tokens of apps that are shown in vain, by address; shared by the loops of a process.
///
/// Many phones share an address, and each of them shows a token that has just expired now and then. So at the limit of its
/// address a token is still looked up: at once if this process has found it lately, else five times a second for the address.
final class AppTokenMisses: Sendable {
    private static let lookUpsPerSecond = 5
    private static let knownTokens = 16_384
    /// Longer than a token lives by default; what is forgotten costs one of the look-ups.
    private static let knownFor = Duration.seconds(3_600)

    private let misses: AddressRateLimit
    private let lookUps: AddressRateLimit
    /// Whether a token was good when it was shown last, by the beginning of its hash.
    private let known: LockedParts<GenerationCache<UInt64, Bool>>

    /// Limits with nothing counted yet.
    init(perMinute: Int) {
        misses = AddressRateLimit(perMinute: perMinute)
        lookUps = AddressRateLimit(
            RateLimiter.Rate(
                perMinute: AppTokenMisses.lookUpsPerSecond * 60,
                burst: AppTokenMisses.lookUpsPerSecond
            )
        )
        known = LockedParts(
            GenerationCache(
                capacity: AppTokenMisses.knownTokens / 16,
                life: AppTokenMisses.knownFor.microseconds
            )
        )
    }

    /// Seconds that an address has to wait before a token of it is looked up; `nil` where that is worth while now.
    ///
    /// - Parameter hash: Of the token; `nil` for what is none, which is never looked up.
    func wait(_ client: ClientKeys, _ hash: Digest32?, at now: MonotonicTime) -> Int? {
        guard let wait = misses.wait(client, at: now) else { return nil }
        guard let mark = hash?.prefix else { return wait }
        if known[mark].value.withLock({ $0.value(for: mark, at: now.microseconds) }) == true { return nil }
        if let wait = lookUps.wait(client, at: now) { return wait }
        lookUps.count(client, at: now)
        return nil
    }

    /// Remembers a token that was found.
    func note(_ hash: Digest32, at now: MonotonicTime) {
        let mark = hash.prefix
        known[mark].value.withLock { $0.set(true, for: mark, at: now.microseconds) }
    }

    /// Counts what was shown in vain, and forgets a token that has ended: nobody shows it for free.
    func count(_ client: ClientKeys, _ hash: Digest32?, at now: MonotonicTime) {
        misses.count(client, at: now)
        guard let mark = hash?.prefix else { return }
        known[mark].value.withLock { known in
            if known.value(for: mark, at: now.microseconds) == true {
                known.set(false, for: mark, at: now.microseconds)
            }
        }
    }
}
