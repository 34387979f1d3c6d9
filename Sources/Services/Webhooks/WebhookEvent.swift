package import Primitives
package import StrictJSON

/// What an event happened to, of whatever age.
package struct EventSubject: Sendable, Hashable {
    /// `session`, or a word of the feature that keeps it.
    package let kind: String
    /// Its id, a UUID of version 7.
    package let id: UUIDBytes

    /// A subject.
    package init(_ kind: String, _ id: UUIDBytes) {
        self.kind = kind
        self.id = id
    }

    /// A session, which is the webview session.
    package static func session(_ id: UUIDBytes) -> EventSubject { EventSubject("session", id) }

    var isSession: Bool { kind.octets == "session" }
}

/// An event: something that happened to an order, or to something that a feature keeps.
package struct WebhookEvent: Sendable, Equatable {
    /// The same at every try, so that a receiver recognises a repeat.
    package let id: UUIDBytes
    /// The text of a `WebhookEventType`.
    package let type: String
    /// What it happened to.
    package let subject: EventSubject
    /// The place among the events of the same, from 1 on.
    package let sequence: Int64
    /// When it happened, UTC.
    package let at: WallTime
    /// What is told of it.
    package let data: JSONValue
    /// What is sent, octet for octet the same at every try: one JSON object without line breaks.
    package let body: [UInt8]

    /// An event.
    ///
    /// - Parameters:
    ///   - type: The text of a `WebhookEventType`.
    ///   - sequence: The place among the events of the same.
    ///   - at: When it happened; sent to the second.
    ///   - data: The session as it was then, without anything about the buyer; numbers keep their digits, members their order.
    package init(id: UUIDBytes, type: String, subject: EventSubject, sequence: Int64, at: WallTime, data: JSONValue) {
        self.id = id
        self.type = type
        self.subject = subject
        self.sequence = sequence
        self.at = at
        self.data = data
        let other: JSONValue = ["kind": .string(subject.kind), "id": .string(subject.id.description)]
        let member = subject.isSession ? [] : [JSONMember("subject", other)]
        body =
            JSONValue.object(
                [
                    JSONMember("object", "event"), JSONMember("id", .string(WebhookEvent.text(of: id))),
                    JSONMember("type", .string(type)),
                    JSONMember("createdAt", .string(CalendarDate(at).extendedText)),
                    JSONMember("sessionId", subject.isSession ? .string(subject.id.description) : .null),
                ] + member + [
                    JSONMember("sequence", .number(String(sequence))),
                    JSONMember("data", data),
                ]
            )
            .bytes
    }

    /// The content of a request that lets an operator see whether an endpoint takes events; no session has such an event.
    ///
    /// - Returns: One JSON object without line breaks, with the members of an event.
    package static func test(id: UUIDBytes, at: WallTime) -> [UInt8] {
        let event: JSONValue = [
            "object": "event", "id": .string(text(of: id)), "type": "webhook.test",
            "createdAt": .string(CalendarDate(at).extendedText), "sessionId": .null, "sequence": 0, "data": [:],
        ]
        return event.bytes
    }

    /// An event's id as it is written everywhere outside: `evt_` and a UUID in lower case, 40 characters.
    package static func text(of id: UUIDBytes) -> String {
        tag + id.description
    }

    /// The id behind its text; `nil` for any other text.
    package static func id(of text: String) -> UUIDBytes? {
        text.octets.starts(with: tag.octets) ? UUIDBytes(String(Substring(text.utf8.dropFirst(tag.utf8.count)))) : nil
    }

    private static let tag = "evt_"
}
