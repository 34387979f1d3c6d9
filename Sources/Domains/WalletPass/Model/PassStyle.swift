/// The look of a pass.
package enum PassStyle: String, Sendable, CaseIterable {
    /// For a journey.
    case boardingPass
    /// For a discount, once.
    case coupon
    /// For an event.
    case eventTicket
    /// For anything else.
    case generic
    /// For a card of points or money.
    case storeCard
}
