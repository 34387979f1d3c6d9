import AmazonPay
import EventIO
import Primitives
import SessionBroker
import Telemetry

/// Signs on a thread of its own: calls of the provider's API before buttons, and no more buttons than it gets done within
/// moments.
///
/// Shared by all loops. Calls need no limit here, since the quota has one. Of the buttons that wait an address has a quarter at
/// most, and its network half: sessions, each of which has a button, can be had in any number.
package final class SigningQueue: Sendable {
    private let worker: WorkerThread
    private let limit: Int
    private let refusals: Counter
    private let waiting: Lock<OccupancyLimiter>
    private let uptime: @Sendable () -> Int64
    private let buttons = Lock(
        GenerationCache<WebviewSessionID, ButtonSignature>(capacity: SigningQueue.capacity, life: SigningQueue.life)
    )

    /// How much may wait: a tenth of a second's work, or two.
    static let usualLimit = 256
    /// Of a kilobyte each.
    private static let capacity = 1_024
    /// Microseconds; most tabs are done with their button by then.
    private static let life: Int64 = 600_000_000

    /// A queue in front of a thread.
    ///
    /// - Parameters:
    ///   - worker: Signs, and does nothing else.
    ///   - limit: With as much to do, it takes no button.
    ///   - uptime: Microseconds since some fixed point, never going back.
    init(
        _ worker: WorkerThread,
        limit: Int = SigningQueue.usualLimit,
        metrics: MetricsRegistry,
        uptime: @escaping @Sendable () -> Int64 = { Int64(SystemClock().monotonicNow().nanoseconds / 1000) }
    ) {
        self.worker = worker
        self.limit = limit
        self.uptime = uptime
        waiting = Lock(OccupancyLimiter(address: max(1, limit / 4), network: max(1, limit / 2)))
        refusals = metrics.counter(
            "sallyport_signatures_refused_total",
            help: "Buttons that were not signed because too many signatures waited."
        )
    }

    /// Signs a call of the provider's API, before all buttons that wait.
    func signCall(_ work: @escaping @Sendable () -> SignatureResult) async -> SignatureResult {
        await worker.run(isUrgent: true, work)
    }

    /// Signs what starts a checkout; ask `admitsButton` before.
    func signButton(_ work: @escaping @Sendable () -> SignatureResult) async -> SignatureResult {
        await worker.run(work)
    }

    /// Whether a button is taken now; counted where it is not.
    ///
    /// A client's button that is taken ends with `end`.
    ///
    /// - Parameter client: `nil` for a merchant's server, whose key has a rate of its own.
    func admitsButton(of client: ClientKeys?) -> Bool {
        if worker.load < limit, client.map({ client in waiting.withLock { $0.enter(client) } }) ?? true { return true }
        refusals.increment()
        return false
    }

    /// Gives the place of a client's button back.
    func end(_ client: ClientKeys?) {
        if let client { waiting.withLock { $0.leave(client) } }
    }

    /// The button of a webview session that was signed before: it has no date, and is the same at every reload of its page.
    func button(of webviewSession: WebviewSessionID) -> ButtonSignature? {
        let now = uptime()
        return buttons.withLock { $0.value(for: webviewSession, at: now) }
    }

    /// Keeps the button of a webview session for the next time.
    func keep(_ button: ButtonSignature, of webviewSession: WebviewSessionID) {
        let now = uptime()
        buttons.withLock { $0.set(button, for: webviewSession, at: now) }
    }
}
