import EventIO
import Primitives
import StrictJSON
import TestKit
import Webhooks

/// Queues in memory, by the rules of `WebhookQueue`; what the dispatcher asks of a database.
final class MemoryStore: WebhookStore {
    struct Key: Hashable {
        let endpoint: UUIDBytes
        let subject: UUIDBytes
    }

    private struct Entry {
        var queue: WebhookQueue
        var attempt: UUIDBytes?
        var nextAt: WallTime
    }

    private let clock: ManualClock
    private var entries: [Key: Entry] = [:]
    var urls: [UUIDBytes: String] = [:]
    var keys: [UUIDBytes: [SealedWebhookKey]] = [:]
    private(set) var demands: [ClaimDemand] = []
    private(set) var failures: [DeliveryFailure] = []
    private(set) var pauses: [Duration?] = []
    private(set) var backlogCount = 0
    var isAway = false

    init(clock: ManualClock) {
        self.clock = clock
    }

    /// Lets an event happen.
    func happen(_ endpoint: UUIDBytes, _ subject: UUIDBytes, _ sequence: Int64) {
        let key = Key(endpoint: endpoint, subject: subject)
        if entries[key] == nil {
            entries[key] = Entry(queue: WebhookQueue(sequence), nextAt: clock.now())
        } else {
            entries[key]?.queue.append(sequence)
        }
    }

    func queue(_ endpoint: UUIDBytes, _ subject: UUIDBytes) -> WebhookQueue? {
        entries[Key(endpoint: endpoint, subject: subject)]?.queue
    }

    var queueCount: Int { entries.count }

    static func event(_ subject: UUIDBytes, _ sequence: Int64) -> WebhookEvent {
        WebhookEvent(
            id: UUIDBytes(high: subject.low, low: UInt64(sequence)),
            type: WebhookEventType.sessionPaid.text,
            subject: .session(subject),
            sequence: sequence,
            at: WallTime(seconds: 1_767_323_045),
            data: ["reference": "R-1"]
        )
    }

    func claim(_ demand: ClaimDemand, attempt: UUIDBytes) async throws(StoreError) -> [ClaimedDelivery] {
        if isAway { throw StoreError(.unavailable, "away") }
        demands.append(demand)
        let now = clock.now()
        let due = entries.filter { !$0.value.queue.isDeadLettered && $0.value.nextAt <= now }
            .sorted { ($0.value.nextAt, $0.key.subject) < ($1.value.nextAt, $1.key.subject) }
        var counts: [UUIDBytes: Int] = [:]
        var claimed: [ClaimedDelivery] = []
        for (key, entry) in due where claimed.count < demand.limit {
            let share = demand.allowances[key.endpoint] ?? demand.share
            guard counts[key.endpoint, default: 0] < share else { continue }
            counts[key.endpoint, default: 0] += 1
            entries[key]?.attempt = attempt
            entries[key]?.nextAt = now + demand.lease
            let delivery = ClaimedDelivery(
                attempt: attempt,
                endpoint: key.endpoint,
                url: urls[key.endpoint] ?? "",
                keys: keys[key.endpoint] ?? [],
                event: MemoryStore.event(key.subject, entry.queue.head),
                failures: entry.queue.failures
            )
            claimed.append(delivery)
        }
        return claimed
    }

    private func key(_ delivery: ClaimedDelivery) -> Key? {
        let key = Key(endpoint: delivery.endpoint, subject: delivery.event.subject.id)
        return entries[key]?.attempt == delivery.attempt ? key : nil
    }

    func delivered(_ delivery: ClaimedDelivery, lease: Duration) async throws(StoreError) -> QueueStep {
        if isAway { throw StoreError(.unavailable, "away") }
        guard let key = key(delivery), var entry = entries[key] else { return .over }
        guard entry.queue.settle(delivery.event.sequence, .delivered) else {
            entries[key] = nil
            return .over
        }
        entry.nextAt = clock.now() + lease
        entries[key] = entry
        return .next(MemoryStore.event(key.subject, entry.queue.head))
    }

    func failed(
        _ delivery: ClaimedDelivery,
        _ failure: DeliveryFailure,
        again pause: Duration?
    ) async throws(StoreError) {
        if isAway { throw StoreError(.unavailable, "away") }
        failures.append(failure)
        pauses.append(pause)
        guard let key = key(delivery), var entry = entries[key] else { return }
        let outcome = pause.map { DeliveryOutcome.retry(after: $0) } ?? .deadLetter
        _ = entry.queue.settle(delivery.event.sequence, outcome)
        entry.attempt = nil
        if let pause { entry.nextAt = clock.now() + pause }
        entries[key] = entry
    }

    func postponed(_ delivery: ClaimedDelivery, for pause: Duration) async throws(StoreError) {
        guard let key = key(delivery) else { return }
        entries[key]?.attempt = nil
        entries[key]?.nextAt = clock.now() + pause
    }

    func retryNow(_ endpoint: UUIDBytes) async throws(StoreError) {
        for key in entries.keys where key.endpoint == endpoint && entries[key]?.attempt == nil {
            entries[key]?.nextAt = clock.now()
        }
    }

    func backlog() async throws(StoreError) -> WebhookBacklog {
        backlogCount += 1
        let deadLettered = entries.values.filter(\.queue.isDeadLettered).count
        return WebhookBacklog(lag: .seconds(entries.isEmpty ? 0 : 7), deadLettered: deadLettered)
    }
}
