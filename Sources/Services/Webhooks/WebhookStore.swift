package import Primitives

/// How many deliveries to claim.
package struct ClaimDemand: Sendable {
    /// How many queues at most, one or more.
    package var limit: Int
    /// How many of one endpoint.
    package var share: Int
    /// How long they are the dispatcher's: nobody else sends for them until then.
    package var lease: Duration
    /// How many of each endpoint that gets fewer, zero or more: it fails, or has something on its way.
    package var allowances: [UUIDBytes: Int]

    /// A demand.
    ///
    /// - Parameters:
    ///   - limit: How many queues at most.
    ///   - allowances: How many of each endpoint that gets fewer than its share.
    package init(limit: Int, share: Int, lease: Duration, allowances: [UUIDBytes: Int] = [:]) {
        self.limit = limit
        self.share = share
        self.lease = lease
        self.allowances = allowances
    }
}

/// The first event of a queue, to be sent by the dispatcher that claimed it.
package struct ClaimedDelivery: Sendable {
    /// Fences: an outcome under another one changes nothing.
    package let attempt: UUIDBytes
    /// Where it goes.
    package let endpoint: UUIDBytes
    /// Absolute.
    package let url: String
    /// The endpoint's key, and before it runs out the one before.
    package let keys: [SealedWebhookKey]
    /// What is sent.
    package var event: WebhookEvent
    /// How many tries of it have failed.
    package var failures: Int

    /// A delivery.
    ///
    /// - Parameters:
    ///   - failures: How many tries of it have failed.
    package init(
        attempt: UUIDBytes,
        endpoint: UUIDBytes,
        url: String,
        keys: [SealedWebhookKey],
        event: WebhookEvent,
        failures: Int
    ) {
        self.attempt = attempt
        self.endpoint = endpoint
        self.url = url
        self.keys = keys
        self.event = event
        self.failures = failures
    }
}

/// What follows in a queue when an event has arrived.
package enum QueueStep: Sendable {
    /// This one, under the same attempt, whose lease begins anew.
    case next(WebhookEvent)
    /// Nothing: the queue has ended, or somebody else has it.
    case over
}

/// What is taken down of a try that failed.
package struct DeliveryFailure: Sendable, Hashable {
    /// What the endpoint answered; `nil` where it did not.
    package var status: Int?
    /// A word for what went wrong where there was no answer.
    package var error: String?

    /// A failure.
    package init(status: Int? = nil, error: String? = nil) {
        self.status = status
        self.error = error
    }

    /// What failed in a try.
    package init(_ attempt: DeliveryAttempt) {
        switch attempt {
        case .answered(let status, _): self.init(status: status)
        case .broke(let code): self.init(error: "\(code)")
        }
    }
}

/// How much has not arrived yet.
package struct WebhookBacklog: Sendable, Equatable {
    /// Since when the longest has been waiting that is not dead-lettered; zero where nothing waits.
    package var lag: Duration
    /// Queues that an operator has to look at.
    package var deadLettered: Int

    /// A backlog.
    ///
    /// - Parameters:
    ///   - lag: The age of the oldest that waits.
    package init(lag: Duration, deadLettered: Int) {
        self.lag = lag
        self.deadLettered = deadLettered
    }
}

/// Keeps queues, for the dispatchers of all processes.
///
/// A queue comes into being with its event, in the same commit; nothing here can miss one. No call waits for a lock that a
/// buyer's purchase holds.
package protocol WebhookStore: AnyObject {
    /// Takes queues that are due, the longest due first.
    ///
    /// - Parameters:
    ///   - attempt: A fresh id that fences what follows.
    /// - Returns: The first event of each.
    /// - Throws: What hinders the store.
    func claim(_ demand: ClaimDemand, attempt: UUIDBytes) async throws(StoreError) -> [ClaimedDelivery]

    /// Takes down that an event has arrived.
    ///
    /// - Parameters:
    ///   - lease: How long the next event of the queue is the caller's.
    /// - Throws: What hinders the store; then the event is sent once more, when the lease is over.
    func delivered(_ delivery: ClaimedDelivery, lease: Duration) async throws(StoreError) -> QueueStep

    /// Takes down that an event has not arrived, and gives the queue back.
    ///
    /// - Parameters:
    ///   - pause: Until the next try; `nil` parks the queue.
    /// - Throws: What hinders the store; then there is another try when the lease is over.
    func failed(
        _ delivery: ClaimedDelivery,
        _ failure: DeliveryFailure,
        again pause: Duration?
    ) async throws(StoreError)

    /// Gives a queue back whose event was not sent, for a reason that is not the endpoint's: no try has failed.
    ///
    /// - Parameters:
    ///   - pause: Until somebody may take it.
    /// - Throws: What hinders the store; then it is free when the lease is over.
    func postponed(_ delivery: ClaimedDelivery, for pause: Duration) async throws(StoreError)

    /// Makes everything due that waits for another try at an endpoint that answers again.
    ///
    /// - Throws: What hinders the store.
    func retryNow(_ endpoint: UUIDBytes) async throws(StoreError)

    /// How much has not arrived.
    ///
    /// - Throws: What hinders the store.
    func backlog() async throws(StoreError) -> WebhookBacklog
}
