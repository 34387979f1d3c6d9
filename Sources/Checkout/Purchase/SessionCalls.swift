import AmazonPay
import EventIO
import Primitives
import SessionBroker
import Telemetry

/// Bounds how often one session may have the provider asked; shared by all loops.
///
/// The provider's limits are those of the whole account: without this one tab could use them up. A limiter counts in bounded
/// memory, and an id that the account does not have is remembered for a minute or two, so that it is asked about once.
package final class SessionCalls: Sendable {
    /// What a call is for; each is counted for itself.
    package enum Purpose: String, Sendable, CaseIterable {
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

        /// Calls at once, and the time for one to come back.
        ///
        /// A buyer needs one or two of each. An app repeats a purchase every two seconds while it is not ready.
        var limit: (burst: Int, interval: Duration) {
            switch self {
            case .review, .result, .update, .buyer: (5, .seconds(5))
            case .purchase: (10, .seconds(2))
            }
        }
    }

    private struct Mismatch: Hashable {
        let checkoutSession: CheckoutSessionID
        let webviewSession: WebviewSessionID
    }

    private struct State: Sendable {
        var limiters: [Purpose: RateLimiter] = [:]
        var mismatches = GenerationCache<Mismatch, Bool>(capacity: 2_048, life: 60_000_000)
    }

    private let state: Lock<State>
    private let refusals: [Purpose: Counter]
    private let uptime: @Sendable () -> Int64

    private static let capacity = 8_192

    /// Full buckets.
    ///
    /// - Parameters:
    ///   - metrics: Counts refusals.
    ///   - uptime: Microseconds since some fixed point, never going back.
    init(
        _ metrics: MetricsRegistry,
        uptime: @escaping @Sendable () -> Int64 = { Int64(SystemClock().monotonicNow().nanoseconds / 1000) }
    ) {
        var state = State()
        for purpose in Purpose.allCases {
            let (burst, interval) = purpose.limit
            state.limiters[purpose] = RateLimiter(burst: burst, every: interval, capacity: SessionCalls.capacity)
        }
        self.state = Lock(state)
        self.uptime = uptime
        refusals = Dictionary(
            uniqueKeysWithValues: Purpose.allCases.map { purpose in
                let help = "Calls to Amazon Pay that were not made because one session had asked too often."
                let labels = [("purpose", purpose.rawValue)]
                return (purpose, metrics.counter("sallyport_session_calls_refused_total", help: help, labels: labels))
            }
        )
    }

    /// Counts a call.
    ///
    /// - Returns: Seconds to wait first, and then nothing is counted; `nil` where the call may be made.
    func count(_ purpose: Purpose, of webviewSession: WebviewSessionID) -> Int? {
        let now = uptime()
        let wait = state.withLock { state -> Int? in
            // Half of an id is drawn by chance.
            if let wait = state.limiters[purpose]?.wait(webviewSession.low, at: now) { return wait }
            state.limiters[purpose]?.count(webviewSession.low, at: now)
            return nil
        }
        if wait != nil { refusals[purpose]?.increment() }
        return wait
    }

    /// Whether the account did not have a session a moment ago.
    func isUnknown(_ checkoutSession: CheckoutSessionID, to webviewSession: WebviewSessionID) -> Bool {
        let now = uptime()
        return state.withLock {
            $0.mismatches.value(
                for: Mismatch(checkoutSession: checkoutSession, webviewSession: webviewSession),
                at: now
            ) ?? false
        }
    }

    /// Remembers that the account does not have a session.
    func remember(unknown checkoutSession: CheckoutSessionID, to webviewSession: WebviewSessionID) {
        let now = uptime()
        state.withLock {
            $0.mismatches.set(
                true,
                for: Mismatch(checkoutSession: checkoutSession, webviewSession: webviewSession),
                at: now
            )
        }
    }
}
