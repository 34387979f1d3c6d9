import ServerCore

/// The wish of a feature to act on what others do: among the slots of its card, with a handler from when its part is opened.
///
/// From the first start of a program that has it on, its events wait in the database until they are handled: each at least once, those
/// of one subject in their order, by one process at a time.
package struct EventSubscription: Sendable, Hashable, FeatureSlot {
    /// The name in the database and in metrics; never given to another one.
    package let name: String
    /// The types of events; empty for all.
    package let types: [WebhookEventType]

    /// A subscription, such as `wallet.points`.
    package init(_ name: String, to types: [WebhookEventType]) {
        self.name = name
        self.types = types
    }
}

/// Acts on an event: again on the same, where it was cut off or has thrown, so that the event's id has to make a repeat harmless.
///
/// It has to end within a minute, and what it calls has deadlines; beyond that another process begins it as well.
package typealias EventHandler = (WebhookEvent) async throws -> Void
