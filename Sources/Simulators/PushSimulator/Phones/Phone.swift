import Primitives
import SimulatorCore
import StrictJSON

/// A simulated phone.
struct Phone: Sendable {
    /// Something that has happened on it.
    struct Event: Sendable {
        /// Kinds in the order in which an update passes through them.
        enum Kind: String, Sendable {
            case added, refused, registered, unregistered, removed, pushed, stored, listed, fetched, shown, failed
            case wiped
        }

        let at: WallTime
        let kind: Kind
        /// For people, with words of passes in it; programs are given it in English.
        let text: PageText
        /// Of the pass; empty where it is about none.
        let serial: String

        var json: JSONValue {
            [
                "time": .string(Phone.text(of: at)), "kind": .string(kind.rawValue), "text": .string(text.english),
                "serial": .string(serial),
            ]
        }
    }

    /// A push that waits until the phone is on again.
    struct StoredPush: Sendable {
        let at: WallTime
        let expiresAt: WallTime?
    }

    /// The number by which it is named.
    let number: Int
    /// The device library identifier.
    private(set) var device: String
    /// In lower case.
    private(set) var pushToken: String
    /// Whether passes are updated by themselves.
    var getsUpdates = true
    /// Whether it has a network.
    var isOnline = true
    var cards: [Card] = []
    /// What was last listed, by server and type.
    var tags: [OctetText: String] = [:]
    /// Topics of passes, with the latest push of each.
    var stored: [OctetText: StoredPush] = [:]
    /// Passes that were removed while there was no network; their servers are still to be told.
    var owed: [Card] = []
    /// The latest of them.
    private(set) var events: [Event] = []
    /// What it has written to web services of late.
    private(set) var lines: [String] = []

    /// Languages by preference.
    static let languages = ["ja", "en"]
    private static let eventLimit = 300
    private static let lineLimit = 300

    init(number: Int, device: String, pushToken: String) {
        (self.number, self.device, self.pushToken) = (number, device, pushToken)
    }

    mutating func note(_ kind: Event.Kind, _ text: PageText, serial: String = "", at time: WallTime) {
        events.append(Event(at: time, kind: kind, text: text, serial: serial))
        if events.count > Self.eventLimit { events.removeFirst(events.count - Self.eventLimit) }
    }

    mutating func note(line: String) {
        lines.append(line)
        if lines.count > Self.lineLimit { lines.removeFirst(lines.count - Self.lineLimit) }
    }

    /// Where a pass is among the cards.
    func index(_ type: String, _ serial: String) -> Int? {
        cards.firstIndex { $0.isSame(type, serial) }
    }

    /// The key of `tags`.
    static func tagKey(server: String, type: String) -> OctetText { (server + " " + type).octets }

    /// Becomes as good as new: it has forgotten everything, and nobody was told.
    mutating func wipe(device: String, pushToken: String) {
        (self.device, self.pushToken) = (device, pushToken)
        (cards, tags, stored, owed) = ([], [:], [:], [])
    }

    mutating func change(pushToken: String) { self.pushToken = pushToken }

    /// With milliseconds, UTC.
    static func text(of time: WallTime) -> String {
        let milliseconds = (time.microseconds - time.seconds * 1_000_000) / 1_000
        let digits = String(1_000 + milliseconds).dropFirst()
        return String(CalendarDate(time).extendedText.dropLast()) + "." + digits + "Z"
    }

    var json: JSONValue {
        [
            "number": JSONValue(number), "device": .string(device), "pushToken": .string(pushToken),
            "updates": .bool(getsUpdates), "online": .bool(isOnline), "cards": .array(cards.map(\.json)),
            "stored": .array(stored.keys.sorted().map { .string($0.string) }), "events": .array(events.map(\.json)),
            "lines": .array(lines.map(JSONValue.string)),
        ]
    }
}

extension Card {
    var json: JSONValue {
        let fields = Area.allCases.flatMap { area in self.fields(area, in: Phone.languages) }
        return .object([
            JSONMember("type", .string(type)), JSONMember("serial", .string(serial)),
            JSONMember("webService", JSONValue(webService)), JSONMember("registered", .bool(isRegistered)),
            JSONMember("lastModified", JSONValue(lastModified)),
            JSONMember("voided", .bool(opened.json["voided"]?.flag ?? false)),
            JSONMember("fields", .object(fields.map { JSONMember($0.key, .string($0.value)) })),
            JSONMember("changes", .array(changes.map(\.json))),
        ])
    }
}
