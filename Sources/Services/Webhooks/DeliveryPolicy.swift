package import HTTPCore
package import Primitives

/// What became of one try to deliver an event.
package enum DeliveryAttempt: Sendable, Hashable {
    /// The endpoint has answered; `retryAfter` is the pause that it asks for, where it does.
    case answered(status: Int, retryAfter: Duration?)
    /// There was no answer.
    case broke(HTTPExchangeError.Code)

    /// A try that was answered at a time.
    ///
    /// - Parameter response: Its status and `Retry-After` count, its content does not.
    package init(_ response: InboundResponse, at time: WallTime) {
        self = .answered(status: response.status, retryAfter: RetryAfter.pause(in: response, at: time))
    }
}

/// What follows from a try.
package enum DeliveryOutcome: Sendable, Hashable {
    /// The event has arrived; the next one of its session may go.
    case delivered
    /// The same event again, after a pause.
    case retry(after: Duration)
    /// Nothing of this session goes to the endpoint until an operator says so.
    case deadLetter
}

/// How often and when an event is sent that does not arrive.
package struct DeliveryPolicy: Sendable {
    /// After so many failures of one event its queue is dead-lettered; with the pauses below that is after three days.
    package var tries = 112
    /// For one try, from the connection to the last byte of the answer.
    package var timeout = Duration.seconds(10)
    /// How many tries of a process may be under way; one endpoint gets half of them.
    package var concurrency = 16
    /// From half of the bound to the bound, which is the longest pause also where an endpoint asks for more.
    package var backoff = Backoff(base: .seconds(5), cap: .seconds(3600), least: 0.5)

    /// The policy in production.
    package init() {}

    /// What follows from a try.
    ///
    /// A redirect is a failure like any other: it is not followed. 410 says that the endpoint is gone for good.
    ///
    /// - Parameters:
    ///   - failures: How many tries of the event had failed before, zero or more.
    ///   - random: Supplies eight bytes where there is a pause.
    package func outcome(
        on attempt: DeliveryAttempt,
        failures: Int,
        random: any RandomSource
    ) -> DeliveryOutcome {
        var wanted = Duration.zero
        if case .answered(let status, let retryAfter) = attempt {
            if (200...299).contains(status) { return .delivered }
            if status == 410 { return .deadLetter }
            wanted = min(backoff.cap, retryAfter ?? .zero)
        }
        guard failures + 1 < tries else { return .deadLetter }
        return .retry(after: max(wanted, backoff.pause(after: failures + 1, random: random)))
    }
}
