package import ServiceAPI

// What keys open of sessions and payments.

extension Scope {
    /// Reading sessions, charges and refunds.
    package static let sessionsRead = Scope("sessions:read")
    /// Opening, completing and cancelling sessions.
    package static let sessionsWrite = Scope("sessions:write")
    /// Reading who bought, and where to.
    package static let buyersRead = Scope("buyers:read")
    /// Charging, capturing, cancelling a charge, closing a permission.
    package static let paymentsWrite = Scope("payments:write")
    /// Giving money back.
    package static let refundsWrite = Scope("refunds:write")
    /// Reading what happened to all sessions.
    package static let eventsRead = Scope("events:read")

    /// All of them, in the order in which lists have them.
    package static let ofMerchants: [Scope] = [
        .sessionsRead, .sessionsWrite, .buyersRead, .paymentsWrite, .refundsWrite, .eventsRead,
    ]
}
