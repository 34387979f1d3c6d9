import Commerce
import Cryptography
package import Primitives
package import SessionBroker
package import Telemetry

/// Carries one purchase from an app's web view into a secure tab and back, as the same person, once.
///
/// It makes and checks the four tokens, asks the store to decide, and hands its outcomes on to the handlers.
/// It never calls the provider, writes HTML, gives the store a time, or lets a token reach the store or a log.
///
/// The life of a webview session, by function: `issue`, `open`, `view`, `review`, `place` (or `unplace`, `decline`, `cancel`),
/// `purchase` (then `settle` or `release`), `receipt`. Start reading with `WebviewSessionState`; the table of states and
/// outcomes is in docs/schema.md.
///
/// One per loop, not `Sendable`. Every function throws `unavailable`, `outcomeUnknown` and `fault`; those that take a token
/// from an untrusted client throw `limited` after too many unknown ones.
package final class Broker {
    /// The rules.
    package let policy: BrokerPolicy
    /// Where webview sessions are kept.
    package let store: PostgresSessionStore
    let limits: WebviewSessionLimits
    let random: any RandomSource
    let clock: any WallClock & MonotonicClock
    /// The digest context of the loop.
    let hasher: SHA256
    let mac: HMACSHA256
    let seal: PrivateSeal
    let counters: OutcomeCounters
    /// Gets a line for each step that was taken.
    package let steps: StepLog
    var endedSessions: EndedSessionCache

    /// A broker.
    ///
    /// - Parameters:
    ///   - store: Of the same loop.
    ///   - limits: Shared by all brokers of the process.
    ///   - random: Supplies webview session ids, tokens and nonces.
    ///   - clock: The time for webview session ids, and the monotonic one for limits; deadlines are the
    ///     database's.
    ///   - metrics: Gets one counter per operation and outcome.
    ///   - steps: Gets a line for each step that was taken.
    /// - Throws: `fault` where OpenSSL does not offer SHA-256.
    package init(
        store: PostgresSessionStore,
        policy: BrokerPolicy,
        limits: WebviewSessionLimits,
        random: any RandomSource,
        clock: any WallClock & MonotonicClock,
        metrics: MetricsRegistry,
        steps: StepLog = .silent
    ) throws(StoreError) {
        self.store = store
        self.policy = policy
        self.limits = limits
        self.random = random
        self.clock = clock
        counters = OutcomeCounters(metrics)
        self.steps = steps
        endedSessions = EndedSessionCache(life: policy.times.endedCache)
        do {
            hasher = try SHA256()
            mac = try HMACSHA256()
            seal = try PrivateSeal(mac: mac)
        } catch {
            throw StoreError(.fault, "\(error)")
        }
    }

    /// The return ticket of a tab, for its link; the same at every call.
    package func returnTicket(of tab: TabToken) -> ReturnTicket {
        ReturnTicket.derive(from: tab, using: mac)
    }

    /// Counts a token whose form is wrong, as if it had been looked up in vain.
    ///
    /// - Throws: `limited` after too many.
    package func noteMalformedToken(by caller: Caller) throws(StoreError) {
        guard let wait = limits.countMalformed(caller.keys, at: clock.monotonicNow()) else { return }
        throw limited(wait, caller)
    }

    // MARK: Shared by the parts

    func hash<Role>(_ token: WebviewSessionToken<Role>) -> Digest32 {
        token.hash(using: hasher)
    }

    func hash(_ proof: AppProof) -> Digest32 {
        proof.hash(using: hasher)
    }

    /// Lets tokens be looked up; refuses them where their sender has shown too much in vain and they are not known here.
    func admit(_ shown: ShownTokens, by caller: Caller) throws(StoreError) {
        guard let wait = limits.lookUpWait(shown, by: caller, at: clock.monotonicNow()) else { return }
        throw limited(wait, caller)
    }

    /// Counts tokens that were looked up in vain; refuses them as such where it was too much before.
    func miss(_ shown: ShownTokens, by caller: Caller) throws(StoreError) {
        guard let wait = limits.countMiss(shown, by: caller, at: clock.monotonicNow()) else { return }
        throw limited(wait, caller)
    }

    /// Counts what a statement came to, and tokens that it did not find against their sender.
    func note<Outcome>(
        _ done: Transition<Outcome>,
        _ operation: OutcomeCounters.Operation,
        _ shown: ShownTokens,
        by caller: Caller
    ) throws(StoreError) {
        counters.count(operation, done.word)
        if !done.isFound { try miss(shown, by: caller) }
    }

    func limited(_ wait: Int, _ caller: Caller) -> StoreError {
        StoreError(.limited(retryAfter: wait), "unknown tokens from \(caller.peer)")
    }

    func isSame(_ left: ReturnTicket, _ right: ReturnTicket) -> Bool {
        hash(left) == hash(right)
    }

    func details(of record: WebviewSessionRecord, under ticket: ReturnTicket) throws(StoreError) -> PrivateDetails? {
        guard let sealed = record.sealed else { return nil }
        return try seal.open(sealed, under: ticket)
    }
}
