package import Commerce
import Cryptography
package import Primitives

/// An order as merchants see it: what was to be paid, and what became of it.
package struct MerchantOrder: Sendable, Hashable {
    /// The sums of an order, all in its currency.
    package struct Sums: Sendable, Hashable {
        /// The lines at their prices.
        package var subtotal: Money
        /// The tax on the lines; where the prices include tax, all tax that the other sums contain.
        package var tax: Money
        /// `nil` until it is known.
        package var postage: Money?
        /// What the buyer pays; `nil` until it is known.
        package var total: Money?
        /// What was taken of it.
        package var captured: Money
        /// What was given back, or is on its way back.
        package var refunded: Money

        /// Sums of an order of which nothing was taken yet.
        package init(subtotal: Money, tax: Money) {
            self.subtotal = subtotal
            self.tax = tax
            captured = Money(units: 0, subtotal.currency) ?? subtotal
            refunded = captured
        }
    }

    /// When things happened to an order, by the store's clock.
    package struct Times: Sendable, Hashable {
        /// When it was made.
        package var created: WallTime
        /// When it changed last.
        package var updated: WallTime
        /// When its session ends by itself if nothing happens before; `nil` once the webview session is not kept any more.
        package var expires: WallTime?

        /// Times of an order.
        ///
        /// - Parameters:
        ///   - updated: When it changed last.
        package init(created: WallTime, updated: WallTime, expires: WallTime?) {
            self.created = created
            self.updated = updated
            self.expires = expires
        }
    }

    /// A payment that was declined.
    package struct Decline: Sendable, Hashable {
        /// Why, in the provider's word or the program's.
        package let reason: String
        /// When.
        package let at: WallTime

        /// A payment that was declined.
        package init(reason: String, at: WallTime) {
            self.reason = reason
            self.at = at
        }
    }

    /// The session, which is the webview session.
    package let webviewSession: UUIDBytes
    /// The merchant's name for it.
    package let reference: String
    /// Where it stands, the webview session's progress included.
    package let state: OrderState
    /// The sums.
    package let sums: Sums
    /// The times.
    package let times: Times
    /// The key that opened it; `nil` for the program's own shop.
    package var key: UUIDBytes?
    /// What the buyer uses: the word that the session was opened with.
    package var client = ""
    /// Of the provider: `sandbox` or `live`.
    package var environment = ""
    /// The lines, as JSON in the form of the API; an array.
    package var lines: [UInt8] = []
    /// What comes on top of the lines or is taken off, as JSON in the form of the API; `nil` for none.
    package var adjustments: [UInt8]?
    /// What is paid at each rate and the tax in it, as JSON in the form of the API; `nil` where the prices exclude tax.
    package var taxes: [UInt8]?
    /// At which the postage is taxed, in per cent; `nil` where the prices exclude tax.
    package var postageRate: Int?
    /// The merchant's own, as a JSON object; `nil` for none.
    package var metadata: [UInt8]?
    /// A line for the buyer.
    package var note: String?
    /// The provider's session, once the buyer is there.
    package var checkoutSession: String?
    /// The provider's permission to charge, once the order is paid.
    package var permission: String?
    /// Whether its purchase or an operation on its payment was given up until a person decides.
    package var needsAttention = false
    /// When the money is taken: the word of the API; `nil` where that follows from settings or is not kept any more.
    package var captureMode: String?
    /// Where a buyer in a browser returns to.
    package var returnURL: String?
    /// Whether something is sent to an address; `nil` as the capture mode.
    package var hasDelivery: Bool?
    /// To which addresses it may go, as JSON in the form of the API; `nil` for all in Japan.
    package var restrictions: [UInt8]?
    /// Whether no other session may have its reference; `nil` where that is not kept any more.
    package var hasUniqueReference: Bool?
    /// Why the merchant has ended its permission, in the merchant's words.
    package var closeReason: String?
    /// The last payment that was declined.
    package var lastDecline: Decline?
    /// The charges, oldest first.
    package var charges: [LedgerObject] = []
    /// The refunds of all charges, oldest first.
    package var refunds: [LedgerObject] = []

    /// Whose it is, where that was said.
    package var account: UUIDBytes?

    /// The currency of every sum.
    package var currency: Currency { sums.subtotal.currency }

    /// An order.
    package init(webviewSession: UUIDBytes, reference: String, state: OrderState, sums: Sums, times: Times) {
        self.webviewSession = webviewSession
        self.reference = reference
        self.state = state
        self.sums = sums
        self.times = times
    }
}

/// Which orders a list shows.
package struct OrderQuery: Sendable, Hashable {
    /// Where to go on; `nil` begins with the newest.
    package var cursor: OrderCursor?
    /// How many at most, 1 to 100.
    package var limit: Int
    /// Only these; empty for all.
    ///
    /// A part looks through a bounded number of orders for them: it may have few or none, and a place to go on.
    package var states: Set<OrderState> = []
    /// Only those of this reference; `nil` for all.
    package var reference: String?
    /// Only those that have changed since, as with states; `nil` for all.
    package var updatedAfter: WallTime?
    /// Only those made at this time or later, as with states; `nil` for all.
    package var createdAfter: WallTime?
    /// Only those made before this time, as with states; `nil` for all.
    package var createdBefore: WallTime?
    /// Only these, which were looked up by another name of theirs; `nil` for all.
    package var among: [UUIDBytes]?

    /// Whether every order that has the reference is asked for.
    package var takesAll: Bool {
        states.isEmpty && updatedAfter == nil && createdAfter == nil && createdBefore == nil
    }

    /// How far apart the time in an order's id, by the clock of a process, and that of its making, by the store's, may be.
    private static let skew = Duration.seconds(3_600)

    /// An id above those of all orders that are asked for.
    package var end: UUIDBytes {
        let cursor = cursor?.webviewSession ?? UUIDBytes(high: .max, low: .max)
        guard let createdBefore else { return cursor }
        return min(cursor, UUIDBytes(firstAt: createdBefore + OrderQuery.skew))
    }

    /// An id that none of the orders that are asked for is below.
    package var least: UUIDBytes {
        guard let createdAfter else { return UUIDBytes(high: 0, low: 0) }
        return UUIDBytes(firstAt: createdAfter + OrderQuery.skew * -1)
    }

    /// All orders from a place on.
    ///
    /// - Parameters:
    ///   - limit: How many at most, 1 to 100.
    package init(after cursor: OrderCursor? = nil, limit: Int) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// A part of a list of orders, newest first.
package struct OrderPage: Sendable, Hashable {
    /// The orders.
    package let orders: [MerchantOrder]
    /// Where to go on, also where there are few or no orders; `nil` at the end.
    package let next: OrderCursor?

    /// A part of a list.
    ///
    /// - Parameters:
    ///   - orders: Newest first.
    ///   - next: Where to go on; `nil` at the end.
    package init(_ orders: [MerchantOrder], next: OrderCursor?) {
        self.orders = orders
        self.next = next
    }
}

/// The account at the provider under which orders are made.
package struct OrderAccount: Sendable, Hashable {
    /// The merchant's id at the provider.
    package let merchantID: String
    /// `sandbox` or `live`.
    package let environment: String
    /// Stands for both in claims: two accounts never share one.
    package let claimScope: UUIDBytes

    /// For programs that make no orders.
    package static let none = OrderAccount(merchantID: "", environment: "")

    /// An account.
    ///
    /// - Parameters:
    ///   - environment: `sandbox` or `live`.
    package init(merchantID: String, environment: String) {
        self.merchantID = merchantID
        self.environment = environment
        let digest = SHA256.digest(of: Array("sallyport/claims/1\n\(environment)\n\(merchantID)".utf8)).bytes
        claimScope = UUIDBytes(digest.span.extracting(..<16)) ?? UUIDBytes(high: 0, low: 0)
    }
}
