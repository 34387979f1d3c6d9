import Webhooks

/// The events of one session that one endpoint has not got yet.
///
/// Only the first of them is ever on its way, so that they arrive in their order; a queue without events does not exist.
/// For the store in memory; in the product the database carries these rules out.
struct WebhookQueue: Sendable, Hashable {
    /// The event that is on its way or goes next.
    private(set) var head: Int64
    /// The last event.
    private(set) var tail: Int64
    /// How many tries of the first event have failed.
    private(set) var failures = 0
    /// Whether nothing goes until an operator says so: later events must not overtake one that does not arrive.
    private(set) var isDeadLettered = false

    /// A queue with one event.
    ///
    /// - Parameter sequence: Its place among the events of the session.
    init(_ sequence: Int64) {
        head = sequence
        tail = sequence
    }

    /// Adds an event.
    ///
    /// - Parameter sequence: Its place; one that came before changes nothing.
    mutating func append(_ sequence: Int64) {
        tail = max(tail, sequence)
    }

    /// Takes a try down.
    ///
    /// - Parameters:
    ///   - sequence: The event that was sent; the outcome on any but the first, from a try that was given up, changes nothing.
    ///   - outcome: What follows.
    ///   - wants: Whether the endpoint wants the event of a place.
    /// - Returns: Whether the queue goes on; false when its last event has arrived.
    mutating func settle(
        _ sequence: Int64,
        _ outcome: DeliveryOutcome,
        wants: (Int64) -> Bool = { _ in true }
    ) -> Bool {
        guard sequence == head else { return true }
        switch outcome {
        case .delivered:
            failures = 0
            repeat { head += 1 } while head <= tail && !wants(head)
            return head <= tail
        case .retry:
            failures += 1
        case .deadLetter:
            failures += 1
            isDeadLettered = true
        }
        return true
    }

    /// Lets a dead-lettered queue go on, with all its tries.
    mutating func replay() {
        failures = 0
        isDeadLettered = false
    }

    /// Lets a queue go on from an event that may have arrived already; what follows is sent again, in order.
    ///
    /// - Parameter sequence: Its place; one behind the first event of the queue does not let the first be left out.
    mutating func replay(from sequence: Int64) {
        head = min(head, sequence)
        replay()
    }
}
