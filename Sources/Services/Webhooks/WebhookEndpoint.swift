package import Primitives

/// An endpoint as operators see it.
package struct WebhookEndpoint: Sendable, Hashable {
    /// Its id.
    package let id: UUIDBytes
    /// Where events go.
    package let url: String
    /// Which events; empty for all.
    package let types: [String]
    /// When it was added.
    package let createdAt: WallTime
    /// The name of its key.
    package let keyID: String
    /// The name of the key before, while that signs too.
    package let previousKeyID: String?
    /// Sessions with events that have not arrived.
    package let waiting: Int
    /// Those of them that nothing is sent for.
    package let deadLettered: Int
    /// Since when the oldest has been waiting.
    package let waitingSince: WallTime?
}

/// A queue as operators see it.
package struct WaitingQueue: Sendable, Hashable {
    /// Where its events go.
    package let endpoint: UUIDBytes
    /// The session.
    package let subject: UUIDBytes
    /// The first event; `nil` where it is past retention.
    package let event: UUIDBytes?
    /// What kind of event it is.
    package let type: String?
    /// The place of the first event and of the last.
    package let places: ClosedRange<Int64>
    /// How many tries of the first event have failed.
    package let failures: Int
    /// What the last try brought.
    package let last: DeliveryFailure
    /// When there is another try; `nil` where the queue is dead-lettered.
    package let nextAt: WallTime?
    /// Since when the first event has been waiting.
    package let since: WallTime
}

/// The events that an operator sends again.
package enum WebhookReplay: Sendable, Hashable {
    /// One event and what follows it in its session, also where it has arrived; to one endpoint or all that want it. Without
    /// its session it is looked for among all events.
    case event(UUIDBytes, subject: UUIDBytes?, endpoint: UUIDBytes?)
    /// What has not arrived at an endpoint.
    case endpoint(UUIDBytes)
    /// What has not arrived of a session.
    case subject(UUIDBytes)
}

/// The result of a replay.
package struct WebhookReplayed: Sendable, Hashable {
    /// How many queues are sent now.
    package let queues: Int
    /// How many queues were left as they are, because a try is under way.
    package let underWay: Int

    /// An outcome.
    ///
    /// - Parameters:
    ///   - underWay: How many were left as they are.
    package init(queues: Int, underWay: Int = 0) {
        self.queues = queues
        self.underWay = underWay
    }
}
