import AmazonPay
import EventIO
import Primitives
import SessionBroker
import Telemetry

/// Bounds how often one session may have the provider asked, and one address with all of its sessions; shared by all loops.
///
/// The provider's limits are those of the whole account: without this one tab could use them up, or one client, who gets as
/// many sessions as it wants. An address and its network have a share that holds while calls are scarce: then less than half
/// is left of what may go out at once. A limiter counts in bounded memory, and an id that is not to be asked about again is
/// remembered for a minute or two.
package final class SessionCalls: Sendable {
    /// What a call is for; each is counted for itself.
    package enum Purpose: Int, Sendable, CaseIterable {
        /// What the buyer has chosen.
        case review
        /// Whether the provider has given the checkout up.
        case result
        /// The amount is sent to the provider.
        case update
        /// Complete or finalize, but for a recovery.
        case purchase
        /// A merchant's server wants the buyer's address.
        case buyer
        /// A merchant's server wants to know how a charge is now.
        case refresh

        /// Its label in metrics.
        package var label: String {
            switch self {
            case .review: "review"
            case .result: "result"
            case .update: "update"
            case .purchase: "purchase"
            case .buyer: "buyer"
            case .refresh: "refresh"
            }
        }

        /// Calls at once, and the time for one to come back.
        ///
        /// A buyer needs one or two of each. An app repeats a purchase every two seconds while it is not ready.
        var limit: (burst: Int, interval: Duration) {
            switch self {
            case .review, .result, .update, .buyer, .refresh: (5, .seconds(5))
            case .purchase: (10, .seconds(2))
            }
        }

        /// The operation whose limit clients without a key share; a merchant's key has a rate of its own.
        var operation: AmazonPayOperation? {
            switch self {
            case .review, .result: .get
            case .update: .update
            case .purchase: .complete
            case .buyer, .refresh: nil
            }
        }
    }

    /// An id that a webview session is not to ask about again.
    private struct Mismatch: Hashable {
        let checkoutSession: CheckoutSessionID
        let webviewSession: WebviewSessionID
    }

    /// An id that the account did not have when an address asked.
    private struct Miss: Hashable {
        let checkoutSession: CheckoutSessionID
        let address: UInt64
    }

    private struct State: Sendable {
        // No dictionaries, which allocate whenever a value is changed in its place.

        /// By raw value of the purpose.
        var limiters: [RateLimiter]
        /// By raw value of the operation; `nil` for one without shares.
        var shares: [AddressLimiter?]
        var mismatches = GenerationCache<Mismatch, Bool>(capacity: 2_048, life: 60_000_000)
        var misses = GenerationCache<Miss, Int>(capacity: 2_048, life: 60_000_000)
    }

    private let state: Lock<State>
    private let refusals: [Purpose: Counter]
    private let uptime: @Sendable () -> Int64

    private static let capacity = 8_192
    /// How often an address may ask about an id that the account does not have, whatever its webview sessions: a new session
    /// may not be known everywhere in its first moment.
    private static let tries = 2

    /// Full buckets.
    ///
    /// - Parameters:
    ///   - limits: Of the process; operations without one have no shares.
    ///   - uptime: Microseconds since some fixed point, never going back.
    init(
        _ metrics: MetricsRegistry,
        limits: CallQuota.Limits,
        uptime: @escaping @Sendable () -> Int64 = { Int64(SystemClock().monotonicNow().nanoseconds / 1000) }
    ) {
        let limiters = Purpose.allCases.map { purpose in
            let (burst, interval) = purpose.limit
            return RateLimiter(burst: burst, every: interval, capacity: SessionCalls.capacity)
        }
        let shares = AmazonPayOperation.allCases.map { limits.rate(of: $0).map(SessionCalls.shares) }
        state = Lock(State(limiters: limiters, shares: shares))
        self.uptime = uptime
        refusals = Dictionary(
            uniqueKeysWithValues: Purpose.allCases.map { purpose in
                let help = "Calls to Amazon Pay that were not made because one session or address had asked too often."
                let labels = [("purpose", purpose.label)]
                return (purpose, metrics.counter("sallyport_session_calls_refused_total", help: help, labels: labels))
            }
        )
    }

    /// A network gets half of the rate, an address half of that; at once as much of what purchases leave of the burst.
    private static func shares(of rate: CallRate) -> AddressLimiter {
        func share(_ part: Int) -> RateLimiter.Rate {
            RateLimiter.Rate(perMinute: Int(rate.perSecond * 60) / part, burst: rate.burst * 2 / 3 / part)
        }
        return AddressLimiter(address: share(4), network: share(2), capacity: capacity)
    }

    /// Counts a call.
    ///
    /// - Parameters:
    ///   - isScarce: Whether shares hold now.
    /// - Returns: Seconds to wait first, and then nothing is counted; `nil` where the call may be made.
    func count(_ purpose: Purpose, of webviewSession: WebviewSessionID, by caller: Caller, isScarce: Bool) -> Int? {
        let now = uptime()
        let wait = state.withLock { state -> Int? in
            // Half of an id is drawn by chance.
            if let wait = state.limiters[purpose.rawValue].wait(webviewSession.low, at: now) { return wait }
            if let operation = purpose.operation?.rawValue, !caller.showsKey {
                if isScarce, let wait = state.shares[operation]?.wait(caller.keys, at: now) { return wait }
                state.shares[operation]?.count(caller.keys, at: now)
            }
            state.limiters[purpose.rawValue].count(webviewSession.low, at: now)
            return nil
        }
        if wait != nil { refusals[purpose]?.increment() }
        return wait
    }

    /// Whether the provider is not to be asked about an id: it was no use to this webview session a moment ago, or the account
    /// did not have it when this address asked, twice.
    func isRefused(
        _ checkoutSession: CheckoutSessionID,
        to webviewSession: WebviewSessionID,
        _ caller: Caller
    ) -> Bool {
        let now = uptime()
        return state.withLock { state in
            let mismatch = Mismatch(checkoutSession: checkoutSession, webviewSession: webviewSession)
            if state.mismatches.value(for: mismatch, at: now) == true { return true }
            guard !caller.showsKey else { return false }
            let miss = Miss(checkoutSession: checkoutSession, address: caller.keys.address)
            return state.misses.value(for: miss, at: now) ?? 0 >= SessionCalls.tries
        }
    }

    /// Remembers that the account does not have a session.
    func remember(
        unknown checkoutSession: CheckoutSessionID,
        to webviewSession: WebviewSessionID,
        _ caller: Caller
    ) {
        remember(foreign: checkoutSession, to: webviewSession)
        guard !caller.showsKey else { return }
        let now = uptime()
        let miss = Miss(checkoutSession: checkoutSession, address: caller.keys.address)
        state.withLock { state in
            let count = state.misses.value(for: miss, at: now) ?? 0
            state.misses.set(count + 1, for: miss, at: now)
        }
    }

    /// Remembers that a session is not the webview session's: whose it is does not change.
    ///
    /// By webview session alone: whoever knows another buyer's id must not be able to have it refused to its owner.
    func remember(foreign checkoutSession: CheckoutSessionID, to webviewSession: WebviewSessionID) {
        let now = uptime()
        let mismatch = Mismatch(checkoutSession: checkoutSession, webviewSession: webviewSession)
        state.withLock { $0.mismatches.set(true, for: mismatch, at: now) }
    }
}

extension Caller {
    /// For whom a call is made, where others wait too.
    func asker(of webviewSession: WebviewSessionID) -> CallAsker {
        guard !showsKey else { return .merchant(session: webviewSession.low) }
        return .client(address: keys.address, network: keys.network)
    }
}
