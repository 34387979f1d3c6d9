import Foundation

/// Where a checkout stands: what an app shows.
public enum CheckoutState: Sendable, Equatable {
    /// None is under way.
    case idle
    /// The session is being opened.
    case starting
    /// The secure tab is to be opened with this, at once and once.
    case opening(Launch)
    /// The tab was opened before ``Checkout/resume()``, maybe by an app that has ended since; only a return link or the server
    /// says what happened in it.
    case inTab
    /// The return was received, and the payment is being completed.
    case completing
    /// Not decided yet; it is asked again by itself.
    case pending
    /// The page in the web view has taken over and shows how it ends.
    case handedToPage
    /// Paid.
    case paid(Receipt)
    /// The bank or the provider said no; the buyer may try another way in the tab.
    case declined
    /// Over without a payment.
    case ended(CheckoutEnd)
    /// Nothing is known: the network or a server was away.
    ///
    /// ``Checkout/resume()`` asks again, which is always safe; where it was ``Checkout/begin(order:key:)`` that has failed, that
    /// under the same key.
    case failed(any Error)

    /// Whether two states are the same; two failures are where their errors have the same text.
    public static func == (one: CheckoutState, other: CheckoutState) -> Bool {
        switch (one, other) {
        case (.idle, .idle), (.starting, .starting), (.inTab, .inTab), (.completing, .completing), (.pending, .pending),
            (.handedToPage, .handedToPage), (.declined, .declined):
            true
        case (.opening(let launch), .opening(let otherLaunch)): launch == otherLaunch
        case (.paid(let receipt), .paid(let otherReceipt)): receipt == otherReceipt
        case (.ended(let end), .ended(let otherEnd)): end == otherEnd
        case (.failed(let error), .failed(let otherError)): "\(error)" == "\(otherError)"
        default: false
        }
    }
}

/// What the secure tab is opened with, once.
public struct Launch: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// An address that is a secret until it was opened: for the tab alone, never for a log.
    public let url: URL
    /// The ticket in it.
    public let ticket: LaunchTicket

    init(_ url: URL, _ ticket: LaunchTicket) {
        self.url = url
        self.ticket = ticket
    }

    /// Without the secret.
    public var description: String { "a launch" }
    /// Without the secret.
    public var debugDescription: String { description }
}

/// What a shop says of a paid order.
public struct Receipt: Sendable, Hashable, Codable {
    /// The shop's number of the order.
    public let reference: String?
    /// The total as the server writes it.
    public let total: String?

    /// A receipt.
    ///
    /// - Parameters:
    ///   - total: The total as the server writes it.
    public init(reference: String?, total: String?) {
        self.reference = reference
        self.total = total
    }
}

/// Why a checkout is over without a payment.
public enum CheckoutEnd: String, Sendable, Codable {
    /// The buyer or the app gave it up.
    case canceled
    /// It has ended at the server.
    case over
    /// The server did not take this app for the one that had started it. The app starts anew.
    case refused
    /// Something about the order has changed; the buyer starts anew from the cart.
    case changed
}

/// What went wrong with a call, without anything secret.
public struct CheckoutError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// For a log.
    public let description: String
    /// The same text, which `localizedDescription` has, too.
    public var errorDescription: String? { description }
    /// How long to wait before the same is asked again, in seconds, where the server said so.
    public let retryAfter: TimeInterval?
    /// Of HTTP, where a server has answered: 401 says that the login is over.
    public let status: Int?
    /// Whether a server has said no: the same is refused again, and nothing was begun.
    public let isFinal: Bool
    /// Whether the key of a `begin` was used before, so that its order may be paid: 409, or 422 for other items.
    public var mayBePaid: Bool { status == 409 || status == 422 }

    /// An error.
    ///
    /// - Parameters:
    ///   - description: For a log; without anything secret.
    ///   - retryAfter: In seconds, where the server said so.
    ///   - status: Of HTTP, where a server has answered. Of 400 to 499 it is final, but for 401, 408 and 429.
    public init(_ description: String, retryAfter: TimeInterval? = nil, status: Int? = nil) {
        self.description = description
        self.retryAfter = retryAfter
        self.status = status
        isFinal = status.map { 400..<500 ~= $0 && ![401, 408, 429].contains($0) } ?? false
    }
}
