import Foundation

/// What came of handing in a return.
public enum Redemption: Sendable, Hashable {
    /// Paid, now or before.
    case paid(Receipt)
    /// Not decided; the same is asked again after so many seconds.
    case pending(retryAfter: TimeInterval)
    /// The tab is opened once more, for the payment itself.
    case again(URL)
    /// The page in the web view goes on by itself.
    case handedToPage
    /// Nothing is under way.
    case nothing
    /// The tab has not been left yet.
    case open
    /// No money; the buyer may try another way.
    case declined
    /// Over without a payment.
    case ended(CheckoutEnd)
}

/// The cart page, for an app whose cart is in a web view.
public protocol CartPage: Sendable {
    /// Calls the page's `purchase`. The same link may be handed in again.
    ///
    /// - Parameter link: Received and checked.
    /// - Throws: Where the page or the network is away; nothing is lost, and the same may be tried again.
    func purchase(_ link: ReturnLink) async throws -> Redemption
}

/// The shop's own server, for an app with a cart of its own.
///
/// It opens the session, and keeps its proof bound to the login of the buyer: no secret but the ticket is ever in the app.
public protocol MerchantServer: Sendable {
    /// Opens a session.
    ///
    /// - Parameters:
    ///   - order: Becomes an object of JSON, of the form that the server knows.
    ///   - key: Names this opening: sent again under it, it has no second effect.
    /// - Returns: The address for the tab.
    /// - Throws: ``CheckoutError`` or what the transport throws.
    func begin(order: some Encodable & Sendable, client: ClientKind, key: String) async throws -> URL
    /// Hands in the return; the same may be handed in again.
    ///
    /// - Parameter link: Received and checked.
    /// - Throws: ``CheckoutError`` or what the transport throws.
    func redeem(_ link: ReturnLink) async throws -> Redemption
    /// How a checkout of this login stands; the login may have begun others since, on other devices.
    ///
    /// - Throws: ``CheckoutError`` or what the transport throws.
    func current(_ ticket: LaunchTicket) async throws -> Redemption
}
