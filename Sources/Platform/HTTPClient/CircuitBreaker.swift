package import HTTPCore
package import Primitives
package import Telemetry

/// Leaves a server alone that fails, for a pause that grows or that it asks for; then one request finds out.
///
/// What is refused meanwhile is `connectFailed`: nothing was sent. One for each purpose and loop, in front of one server. Not `Sendable`.
package final class CircuitBreaker: HTTPExchange {
    /// When it opens, and for how long.
    package struct Policy: Sendable {
        /// So many failures in a row open it: no answer, or one of 429 and 500 to 599.
        package var failures = 5
        /// The pauses; the longest also where the server asks for more.
        package var backoff = Backoff(base: .seconds(1), cap: .seconds(60), least: 0.5)

        /// Five failures, a second to a minute.
        package init() {}
    }

    private enum State {
        /// With so many failures in a row.
        case closed(Int)
        /// Until then, after so many openings in a row.
        case open(until: MonotonicTime, Int)
        /// One request is under way.
        case trying(Int)
    }

    private let exchange: any HTTPExchange
    private let policy: Policy
    private let clock: any WallClock & MonotonicClock
    private let random: any RandomSource
    private let gauge: Gauge
    private var state = State.closed(0)

    /// A closed one in front of a client.
    ///
    /// - Parameter purpose: Of its gauge.
    package init(
        _ exchange: any HTTPExchange,
        _ policy: Policy,
        purpose: String,
        clock: any WallClock & MonotonicClock,
        random: any RandomSource,
        metrics: MetricsRegistry
    ) {
        self.exchange = exchange
        self.policy = policy
        self.clock = clock
        self.random = random
        gauge = metrics.gauge(
            "sallyport_outbound_breaker_open",
            help: "1 while requests of a purpose are refused, because its server fails.",
            labels: [("purpose", purpose)]
        )
    }

    /// Sends a request, or refuses it while the server is left alone.
    package func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        try enter()
        do throws(HTTPExchangeError) {
            let response = try await exchange.send(request)
            let isFailure = response.status == 429 || (500...599).contains(response.status)
            settle(isFailure, RetryAfter.pause(in: response, at: clock.now()))
            return response
        } catch {
            settle(true, nil)
            throw error
        }
    }

    private func enter() throws(HTTPExchangeError) {
        switch state {
        case .closed: return
        case .open(let until, let openings) where clock.monotonicNow() >= until: state = .trying(openings)
        case .open, .trying: throw HTTPExchangeError(.connectFailed, detail: "the server fails and is left alone")
        }
    }

    private func settle(_ isFailure: Bool, _ wanted: Duration?) {
        switch (state, isFailure) {
        case (.closed, false): state = .closed(0)
        case (.closed(let failures), true):
            guard failures + 1 >= policy.failures || wanted != nil else {
                state = .closed(failures + 1)
                return
            }
            open(1, wanted)
        case (.trying, false):
            state = .closed(0)
            gauge.set(0)
        case (.trying(let openings), true): open(openings + 1, wanted)
        // It was sent before the breaker opened.
        case (.open, _): break
        }
    }

    private func open(_ openings: Int, _ wanted: Duration?) {
        let own = policy.backoff.pause(after: openings, random: random)
        state = .open(until: clock.monotonicNow() + max(own, min(wanted ?? .zero, policy.backoff.cap)), openings)
        gauge.set(1)
    }
}
