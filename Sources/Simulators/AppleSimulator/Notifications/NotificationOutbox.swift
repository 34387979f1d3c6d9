import Primitives
import SimulatorCore
import StrictJSON

/// Notifications, where they go, and when.
struct NotificationOutbox: Sendable {
    /// Where they go; nobody is notified of a store without an address.
    var urls: [StoreEnvironment: String] = [:]
    /// What an hour of the table of tries is, by the simulated clock.
    var hour = Duration.seconds(3_600)
    /// How long a new one waits.
    var delay = Duration.zero
    /// Whether new ones wait until a tester sends them.
    var holds = false
    /// How often each goes out beyond once.
    var duplicates = 0
    private(set) var items: [Int: StoreNotification] = [:]
    /// Numbers of those that are to go out, now or later; each request looks at these alone.
    private(set) var waiting: Set<Int> = []
    private(set) var count = 0

    private static let capacity = 10_000

    /// In the order in which they were made.
    var all: [StoreNotification] { items.values.sorted { $0.number < $1.number } }

    /// The number of the next one.
    var nextNumber: Int { count + 1 }

    mutating func add(_ notification: StoreNotification) {
        count += 1
        set(notification)
        items[count - Self.capacity] = nil
        waiting.remove(count - Self.capacity)
    }

    private mutating func set(_ item: StoreNotification) {
        items[item.number] = item
        if item.dueAt != nil, !item.isUnderWay { waiting.insert(item.number) } else { waiting.remove(item.number) }
    }

    mutating func update(_ number: Int, _ body: (inout StoreNotification) -> Void) {
        guard var item = items[number] else { return }
        body(&item)
        set(item)
    }

    /// Takes over what a tester names; an empty address takes it back.
    ///
    /// - Throws: 400, naming what is wrong.
    mutating func apply(_ body: ControlBody) throws(ControlError) {
        try body.check([
            .init("production", .url(2_048)), .init("sandbox", .url(2_048)), .init("hourMs", .count),
            .init("delay", .text(40)), .init("holds", .flag), .init("duplicates", .count),
        ])
        let value = body.value
        for (name, environment) in [("production", StoreEnvironment.production), ("sandbox", .sandbox)] {
            if let url = value[name]?.text { urls[environment] = url.isEmpty ? nil : url }
        }
        if let milliseconds = value["hourMs"]?.integer {
            guard (1...3_600_000).contains(milliseconds) else { throw ControlError("hourMs is 1 to 3600000.") }
            hour = .milliseconds(milliseconds)
        }
        if let text = value["delay"]?.text {
            guard let wanted = ISO8601.duration(text) else { throw ControlError("delay is not a duration like PT5M.") }
            delay = wanted
        }
        holds = value["holds"]?.flag ?? holds
        duplicates = min(value["duplicates"]?.integer ?? duplicates, 100)
    }

    /// What the control interface shows of the switches.
    var members: [JSONMember] {
        [
            JSONMember("production", JSONValue(urls[.production])), JSONMember("sandbox", JSONValue(urls[.sandbox])),
            JSONMember("hourMs", JSONValue(Int(hour / .milliseconds(1)))),
            JSONMember("delaySeconds", JSONValue(Int(delay / .seconds(1)))), JSONMember("holds", .bool(holds)),
            JSONMember("duplicates", JSONValue(duplicates)),
        ]
    }
}
