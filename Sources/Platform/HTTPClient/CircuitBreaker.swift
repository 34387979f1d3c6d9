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
        case closed(failures: Int)
        /// Until then, after so many openings in a row.
        case open(until: MonotonicTime, openings: Int)
        /// One request finds out.
        case trying(openings: Int)
    }

    private enum Outcome {
        case answered
        /// With the pause that the server asks for.
        case failed(wanted: Duration?)
        /// It says nothing of the server.
        case unknown
    }

    private let exchange: any HTTPExchange
    private let policy: Policy
    private let clock: any WallClock & MonotonicClock
    private let random: any RandomSource
    private let gauge: Gauge
    private var state = State.closed(failures: 0)

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
        let isTrial = try enter()
        do throws(HTTPExchangeError) {
            let response = try await exchange.send(request)
            let isFailure = response.status == 429 || (500...599).contains(response.status)
            let wanted = RetryAfter.pause(in: response, at: clock.now())
            settle(isFailure ? .failed(wanted: wanted) : .answered, isTrial: isTrial)
            return response
        } catch {
            settle(error.isOurs ? .unknown : .failed(wanted: nil), isTrial: isTrial)
            throw error
        }
    }

    /// Whether the request that may be sent is the one that finds out.
    private func enter() throws(HTTPExchangeError) -> Bool {
        switch state {
        case .closed: return false
        case .open(let until, let openings) where clock.monotonicNow() >= until:
            state = .trying(openings: openings)
            return true
        case .open, .trying:
            throw HTTPExchangeError(.connectFailed, detail: "the server fails and is left alone", isOurs: true)
        }
    }

    private func settle(_ outcome: Outcome, isTrial: Bool) {
        switch (state, outcome) {
        case (.closed, .answered): state = .closed(failures: 0)
        case (.closed(let failures), .failed(let wanted)):
            if failures + 1 < policy.failures, wanted == nil {
                state = .closed(failures: failures + 1)
            } else {
                open(1, wanted)
            }
        case (.trying, .answered) where isTrial:
            state = .closed(failures: 0)
            gauge.set(0)
        case (.trying(let openings), .failed(let wanted)) where isTrial: open(openings + 1, wanted)
        // The next one finds out.
        case (.trying(let openings), .unknown) where isTrial:
            state = .open(until: clock.monotonicNow(), openings: openings)
        // It was sent before the breaker opened, or says nothing.
        default: break
        }
    }

    private func open(_ openings: Int, _ wanted: Duration?) {
        let own = policy.backoff.pause(after: openings, random: random)
        let pause = max(own, min(wanted ?? .zero, policy.backoff.cap))
        state = .open(until: clock.monotonicNow() + pause, openings: openings)
        gauge.set(1)
    }
}
