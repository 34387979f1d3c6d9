package import Primitives
import Synchronization

/// The limits of a process, shared by its loops.
///
/// They count in memory, split into parts with a lock each, so that loops hardly meet. Several processes count apart: behind
/// a balancer the limits hold per process.
package final class WebviewSessionLimits: Sendable {
    private struct Counters: Sendable {
        var issues: AddressLimiter?
        /// Unknown tokens and wrong proofs.
        var misses: AddressLimiter?
        /// The same of sessions, where a merchant's key shows them.
        var sessionMisses: RateLimiter?
        /// Look-ups for addresses at the limit of their misses.
        var lookUps: AddressLimiter
        /// The same of sessions.
        var sessionLookUps: RateLimiter
        /// Notes in the trail about requests that were refused before anything was looked up.
        var notes: AddressLimiter
        var installs: InstallLedger?
        var tokens: LiveTokenCache

        init(_ policy: BrokerPolicy) {
            let limits = policy.limits
            let capacity = WebviewSessionLimits.addressesPerPart
            let few = RateLimiter.Rate(
                perMinute: WebviewSessionLimits.lookUpsPerSecond * 60,
                burst: WebviewSessionLimits.lookUpsPerSecond
            )
            lookUps = AddressLimiter(few, capacity: capacity)
            notes = lookUps
            sessionLookUps = RateLimiter(few, capacity: capacity)
            issues = limits.issueRates(within: policy.times.absolute).map {
                AddressLimiter(address: $0.address, network: $0.network, capacity: capacity)
            }
            misses = limits.unknownPerMinute.map {
                AddressLimiter(RateLimiter.Rate(perMinute: $0), capacity: capacity)
            }
            sessionMisses = limits.unknownPerMinute.map { RateLimiter(perMinute: $0 / 2, capacity: capacity) }
            installs = limits.sessionsPerInstall.map {
                let life = policy.times.absolute.microseconds
                return InstallLedger(limit: $0, capacity: WebviewSessionLimits.installsPerPart, life: life)
            }
            tokens = LiveTokenCache(capacity: WebviewSessionLimits.tokensPerPart)
        }
    }

    private let parts: LockedParts<Counters>
    private let sessionsTotal: Int?
    /// Webview sessions that were let in since the start.
    private let issued = Atomic<Int>(0)
    /// Live webview sessions as they were counted, less those let in by then; so far below zero until then that nobody is
    /// refused.
    private let counted = Atomic<Int>(WebviewSessionLimits.unknown)

    private static let unknown = Int.min / 2

    private static let addressesPerPart = 8_192
    private static let installsPerPart = 2_048
    private static let tokensPerPart = 8_192
    /// For an address or a session at its limit; a valid token that this process does not know yet has to find room here.
    private static let lookUpsPerSecond = 5

    /// Limits by a policy, with nothing counted yet.
    ///
    /// - Parameter policy: Its limits, and its times for the life of a webview session.
    package init(policy: BrokerPolicy) {
        parts = LockedParts(Counters(policy))
        sessionsTotal = policy.limits.sessionsTotal
    }

    /// Whether there may be so many live webview sessions that it matters how many exactly.
    package var isNearTotal: Bool {
        guard let most = sessionsTotal else { return false }
        return live >= most / 10 * 8
    }

    /// How many webview sessions were let in since the start.
    package var issuedCount: Int { issued.load(ordering: .relaxed) }

    /// How many webview sessions are live, by the last count and what was let in since; `nil` before there is one.
    package var liveWebviewSessions: Int? { live < 0 ? nil : live }

    private var live: Int { counted.load(ordering: .relaxed) + issued.load(ordering: .relaxed) }

    /// Takes note of how many live webview sessions there are.
    ///
    /// - Parameter total: What is let in later is added until the next one; `nil` where their number is unknown: then it limits
    ///   nobody.
    package func setLiveWebviewSessions(_ total: LiveSessionCount.Total?) {
        counted.store(total.map { $0.live - $0.issued } ?? WebviewSessionLimits.unknown, ordering: .relaxed)
    }

    /// Counts an issue of an address; the seconds to wait, or `nil` when it may go on.
    package func countIssue(_ client: ClientKeys, at now: MonotonicTime) -> Int? {
        parts[client.network].value.withLock { $0.issues?.take(client, at: now.microseconds) }
    }

    // MARK: Tokens

    /// The seconds to wait before tokens may be looked up, or `nil`.
    ///
    /// Below the limit all may be. Beyond it those may that this process knows, and a few others a second: what a guesser does
    /// costs neither many look-ups, nor those who show what is valid.
    package func lookUpWait(_ shown: ShownTokens, by caller: Caller, at now: MonotonicTime) -> Int? {
        guard missWait(shown.webviewSession, caller, at: now) != nil else { return nil }
        let now = now.microseconds
        guard !(parts[shown.webviewSession.low].value.withLock { $0.tokens.contains(shown) }) else { return nil }
        guard caller.showsKey else {
            return parts[caller.keys.network].value.withLock { $0.lookUps.take(caller.keys, at: now) }
        }
        return parts[shown.webviewSession.low].value.withLock {
            $0.sessionLookUps.take(shown.webviewSession.low, at: now)
        }
    }

    /// Counts what was looked up in vain; the seconds to wait where that was too much before.
    package func countMiss(_ shown: ShownTokens, by caller: Caller, at now: MonotonicTime) -> Int? {
        let wait = missWait(shown.webviewSession, caller, at: now)
        parts[shown.webviewSession.low].value.withLock { counters in
            counters.tokens.remove(shown)
            if caller.showsKey { counters.sessionMisses?.count(shown.webviewSession.low, at: now.microseconds) }
        }
        guard !caller.showsKey else { return wait }
        parts[caller.keys.network].value.withLock { $0.misses?.count(caller.keys, at: now.microseconds) }
        return wait
    }

    /// Counts a text that can be no token; the seconds to wait after too many.
    package func countMalformed(_ client: ClientKeys, at now: MonotonicTime) -> Int? {
        parts[client.network].value.withLock { $0.misses?.take(client, at: now.microseconds) }
    }

    /// Takes note of tokens that were issued or found.
    package func remember(_ shown: ShownTokens) {
        parts[shown.webviewSession.low].value.withLock { $0.tokens.insert(shown) }
    }

    /// The seconds to wait before something may be noted about a token of a refused request, or `nil`.
    package func noteWait(_ shown: ShownTokens, by caller: Caller, at now: MonotonicTime) -> Int? {
        guard !(parts[shown.webviewSession.low].value.withLock { $0.tokens.contains(shown) }) else { return nil }
        return parts[caller.keys.network].value.withLock { $0.notes.take(caller.keys, at: now.microseconds) }
    }

    /// The seconds to wait after too much was shown in vain, or `nil`: by the address, or for the session where a key shows it.
    package func missWait(_ webviewSession: WebviewSessionID, _ caller: Caller, at now: MonotonicTime) -> Int? {
        guard caller.showsKey else {
            return parts[caller.keys.network].value.withLock { $0.misses?.wait(caller.keys, at: now.microseconds) }
        }
        return parts[webviewSession.low].value.withLock {
            $0.sessionMisses?.wait(webviewSession.low, at: now.microseconds)
        }
    }

    // MARK: Webview sessions

    /// The webview sessions to ask the store about before `admit`.
    package func suspects(of install: Digest32, at now: MonotonicTime) -> [WebviewSessionID] {
        parts[UInt64(install.fingerprint)].value.withLock {
            $0.installs?.suspects(of: install, at: now.microseconds) ?? []
        }
    }

    /// Forgets the webview sessions of an install that are over.
    package func keep(_ live: [WebviewSessionID], of install: Digest32, at now: MonotonicTime) {
        parts[UInt64(install.fingerprint)].value.withLock { $0.installs?.keep(live, of: install, at: now.microseconds) }
    }

    /// Whether an install, and all together, may have one more webview session; if so it is counted.
    ///
    /// The last tenth of all is kept for what a merchant's key opens: issues of the pages, which anybody may ask for, do not
    /// use it up.
    package func admit(
        _ webviewSession: WebviewSessionID,
        of install: Digest32?,
        forKey: Bool = false,
        at now: MonotonicTime
    ) -> Bool {
        if let most = sessionsTotal, live >= (forKey ? most : most - most / 10) { return false }
        if let install {
            let isAdmitted = parts[UInt64(install.fingerprint)].value.withLock { counters in
                counters.installs?.admit(webviewSession, of: install, at: now.microseconds) ?? true
            }
            guard isAdmitted else { return false }
        }
        issued.wrappingAdd(1, ordering: .relaxed)
        return true
    }
}

extension BrokerPolicy.Limits {
    /// How many issues an address and a network may have.
    ///
    /// A network gets ten times as many as an address, but in the longest life of a webview session no more than half of all
    /// live webview sessions, and never less than one address.
    func issueRates(within life: Duration) -> (address: RateLimiter.Rate, network: RateLimiter.Rate)? {
        guard let issues = issuesPerMinute else { return nil }
        var network = min(issues, RateLimiter.Rate.greatest) * AddressLimiter.networkFactor
        if let most = sessionsTotal { network = min(network, most / 2 / max(1, Int(life.components.seconds / 60))) }
        return (RateLimiter.Rate(perMinute: issues), RateLimiter.Rate(perMinute: max(issues, network)))
    }
}
