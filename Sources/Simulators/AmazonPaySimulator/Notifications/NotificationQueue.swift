import Primitives
import SimulatorCore
import StrictJSON

/// A notification on its way to a merchant.
struct Outgoing: Sendable {
    let number: Int
    let merchantID: String
    let url: String
    let messageID: String
    /// `nil` for a confirmation.
    let change: StateChange?
    let fields: [(name: String, value: String)]
    let body: [UInt8]
    /// By the simulated clock.
    var dueAt: WallTime
    /// When it went out first, by the simulated clock.
    var firstSentAt: WallTime?
    var tries = 0
    var isUnderWay = false
}

/// One try to deliver a notification, as it ended.
struct DeliveryEntry: Sendable {
    let number: Int
    let outgoing: Outgoing
    let time: WallTime
    /// `nil` where no answer came.
    let status: Int?
    /// By the simulated clock; `nil` where there is no further try.
    let nextTry: WallTime?

    var json: JSONValue {
        [
            "number": JSONValue(number), "notification": JSONValue(outgoing.number),
            "merchantId": .string(outgoing.merchantID), "messageId": .string(outgoing.messageID),
            "objectType": JSONValue(outgoing.change?.kind.rawValue), "objectId": JSONValue(outgoing.change?.objectID),
            "try": JSONValue(outgoing.tries), "time": .string(CalendarDate(time).extendedText),
            "status": status.map { JSONValue($0) } ?? .null,
            "nextTry": JSONValue(nextTry.map { CalendarDate($0).extendedText }),
        ]
    }
}

/// The notifications that wait, and how their deliveries went.
///
/// A server error, no connection, or no answer within fifteen seconds is tried again one, two and three hours after the
/// first try, by the simulated clock; every other answer is the last word.
struct NotificationQueue: Sendable {
    /// How many may wait; more are lost.
    static let capacity = 20_000
    /// How many deliveries are remembered; the oldest goes first.
    static let historyCapacity = 20_000
    /// How long a receiver may take, by the real clock.
    static let patience = Duration.seconds(15)
    static let retries: [Duration] = [.seconds(3_600), .seconds(7_200), .seconds(10_800)]

    var isPaused = false
    private(set) var waiting: [Outgoing] = []
    private var history: [DeliveryEntry] = []
    private var added = 0
    private var ended = 0

    /// When the next one is due, by the simulated clock; `nil` while nothing waits or all is paused.
    var nextDue: WallTime? {
        isPaused ? nil : waiting.lazy.filter { !$0.isUnderWay }.map(\.dueAt).min()
    }

    /// Puts a notification into the queue.
    mutating func add(_ make: (Int) -> Outgoing) {
        guard waiting.count < NotificationQueue.capacity else { return }
        added += 1
        waiting.append(make(added))
    }

    /// The notifications that go out now, in the order of the queue; each is under way from here on.
    mutating func takeDue(at now: WallTime) -> [Outgoing] {
        guard !isPaused else { return [] }
        var due: [Outgoing] = []
        for index in waiting.indices where !waiting[index].isUnderWay && waiting[index].dueAt <= now {
            waiting[index].isUnderWay = true
            waiting[index].tries += 1
            if waiting[index].firstSentAt == nil { waiting[index].firstSentAt = now }
            due.append(waiting[index])
        }
        return due
    }

    /// Notes the end of a try.
    ///
    /// - Parameters:
    ///   - status: The receiver's answer; `nil` where none came in time.
    mutating func finish(_ number: Int, status: Int?, at now: WallTime) {
        guard let index = waiting.firstIndex(where: { $0.number == number && $0.isUnderWay }) else { return }
        let outgoing = waiting[index]
        var nextTry: WallTime?
        if status.map({ $0 >= 500 }) ?? true, outgoing.tries <= NotificationQueue.retries.count {
            nextTry = (outgoing.firstSentAt ?? now) + NotificationQueue.retries[outgoing.tries - 1]
        }
        remember(outgoing, status: status, nextTry: nextTry, at: now)
        guard let nextTry else {
            waiting.remove(at: index)
            return
        }
        waiting[index].dueAt = nextTry
        waiting[index].isUnderWay = false
    }

    /// Brings what waits into another order.
    mutating func shuffle(_ mint: inout IdentifierMint) {
        let keyed = waiting.map { (mint.token(), $0) }
        waiting = keyed.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Forgets what waits and what was delivered; numbers go on, so that an end that comes late hits nothing.
    mutating func removeAll() {
        (waiting, history) = ([], [])
    }

    /// The ends of tries after a number, oldest first.
    func deliveries(since number: Int, limit: Int) -> [DeliveryEntry] {
        Array(history.drop { $0.number <= number }.prefix(limit))
    }

    private mutating func remember(_ outgoing: Outgoing, status: Int?, nextTry: WallTime?, at now: WallTime) {
        ended += 1
        if history.count >= NotificationQueue.historyCapacity { history.removeFirst(history.count / 2) }
        history.append(
            DeliveryEntry(number: ended, outgoing: outgoing, time: now, status: status, nextTry: nextTry)
        )
    }
}
