/// What a message says whose signature is good, whose topic is ours, and which is fresh.
package enum VerifiedNotification: Sendable, Hashable {
    /// One of our objects has changed; the object has to be read to learn what.
    case change(ObjectChange)
    /// Somebody wants us to subscribe to our topic, by a single GET of the address; it is one of the notification service.
    case subscription(confirmURL: String)
    /// Our address gets no more messages: an operator has to know.
    case unsubscription
    /// A message about something that this program does not know, for example one of an earlier interface.
    ///
    /// `kind` is up to 64 printable ASCII characters in the sender's words, possibly none.
    case unknownObject(messageID: String, kind: String)
}

/// A change of one object, of which a message says only that it happened.
package struct ObjectChange: Sendable, Hashable {
    /// What kind of object.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A charge.
        case charge = "CHARGE"
        /// A charge permission.
        case chargePermission = "CHARGE_PERMISSION"
        /// A refund.
        case refund = "REFUND"
        /// A chargeback; it cannot be read, the charge that it is about can.
        case chargeback = "CHARGEBACK"
    }

    /// The id of the message; the same at every delivery of it.
    package let messageID: String
    /// What kind of object.
    package let kind: Kind
    /// The object: 1 to 128 characters of `[A-Za-z0-9._-]`.
    package let objectID: String
    /// The charge permission that it belongs to, as `objectID`; `nil` where the message does not say.
    package let permission: String?
    /// Whose object; always our own account.
    package let merchantID: String
    /// `STATE_CHANGE` or `ATTRIBUTE_CHANGE`; up to 64 printable ASCII characters, possibly none.
    package let notificationType: String
    /// A mark for tracing, not for telling messages apart: up to 128 bytes of any text; `nil` where there is none.
    package let notificationID: String?
}
