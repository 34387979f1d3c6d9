package import Primitives

/// A place in the list of all events: the event after which to go on.
package struct EventCursor: Sendable, Hashable {
    /// The transaction that the event is listed under; see docs/schema.md.
    package let transaction: Int64
    /// The session of the event.
    package let subject: UUIDBytes
    /// The place of the event among those of its session.
    package let sequence: Int64

    /// Before all events.
    package static let start = EventCursor(transaction: 0, subject: UUIDBytes(high: 0, low: 0), sequence: 0)

    /// The place behind an event.
    ///
    /// - Parameters:
    ///   - sequence: Its place among the events of the session.
    package init(transaction: Int64, subject: UUIDBytes, sequence: Int64) {
        self.transaction = transaction
        self.subject = subject
        self.sequence = sequence
    }

    /// The place that a text stands for, or `nil` where it is none.
    ///
    /// - Parameter text: 43 characters of base64url without padding.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 32,
            let subject = UUIDBytes(bytes.span.extracting(8..<24))
        else { return nil }
        self.init(
            transaction: EventCursor.number(bytes[..<8]),
            subject: subject,
            sequence: EventCursor.number(bytes[24...])
        )
    }

    /// 43 characters of `[A-Za-z0-9_-]`.
    package var text: String {
        Base64URL.encode(EventCursor.bytes(transaction) + subject.bytes + EventCursor.bytes(sequence))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
    }
}

/// A part of the list of all events.
package struct EventPage: Sendable {
    /// In their order; those of one session in the order in which they happened.
    package let events: [WebhookEvent]
    /// Where to go on: behind the last event, or where the part began.
    package let next: EventCursor
    /// Whether there are more at the moment.
    package let hasMore: Bool

    /// A part of the list.
    ///
    /// - Parameters:
    ///   - hasMore: Whether there are more at the moment.
    package init(_ events: [WebhookEvent], next: EventCursor, hasMore: Bool) {
        self.events = events
        self.next = next
        self.hasMore = hasMore
    }
}
