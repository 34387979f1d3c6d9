package import Primitives
import StrictJSON

/// Why a request to the App Store Server API is not made.
package enum ServerAPIRequestError: Error, Sendable, Equatable {
    /// A part of the path is empty, too long, made of dots, or has control characters; the text names it.
    case badPart(String)
    /// Filters that exclude each other, or a time frame that ends before it begins.
    case badFilter(String)
}

/// A request to the App Store Server API, without host and token.
package struct ServerAPIRequest: Sendable {
    /// The call.
    package let call: ServerAPICall
    /// For example `GET`.
    package let method: String
    /// Path and query, escaped.
    package let target: String
    /// JSON; empty for none.
    package let body: [UInt8]

    private init(
        _ call: ServerAPICall,
        _ method: String,
        _ target: String,
        query: [(String, String)] = [],
        body: JSONValue? = nil
    ) {
        self.call = call
        self.method = method
        let pairs = query.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }
        self.target = target + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
        self.body = body.map(\.bytes) ?? []
    }

    /// One transaction, by its own identifier.
    package static func transactionInfo(_ id: String) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(.transactionInfo, "GET", "/inApps/v1/transactions/\(try part(id))")
    }

    /// A page of a customer's transactions.
    ///
    /// - Parameters:
    ///   - id: Of a transaction, an original transaction or an app transaction of the customer.
    ///   - revision: Of the page before.
    package static func transactionHistory(
        _ id: String,
        filter: HistoryFilter = HistoryFilter(),
        revision: String? = nil
    ) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(
            .transactionHistory,
            "GET",
            "/inApps/v2/history/\(try part(id))",
            query: (revision.map { [("revision", $0)] } ?? []) + filter.query
        )
    }

    /// A customer's subscriptions.
    ///
    /// - Parameter statuses: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; none for all.
    package static func subscriptionStatuses(
        _ id: String,
        statuses: [Int] = []
    ) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(
            .subscriptionStatuses,
            "GET",
            "/inApps/v1/subscriptions/\(try part(id))",
            query: statuses.map { ("status", String($0)) }
        )
    }

    /// The purchase of the app by a customer.
    package static func appTransactionInfo(_ id: String) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(.appTransactionInfo, "GET", "/inApps/v1/transactions/appTransactions/\(try part(id))")
    }

    /// Finishes a transaction in the app's place.
    package static func finishTransaction(_ id: String) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(.finishTransaction, "POST", "/inApps/v1/transactions/\(try part(id))/finish")
    }

    /// Says what was used of a purchase.
    ///
    /// - Parameter id: Of the charge in question, not of the original one.
    package static func consumption(
        of id: String,
        _ information: ConsumptionInformation
    ) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(
            .consumptionInformation,
            "PUT",
            "/inApps/v2/transactions/consumption/\(try part(id))",
            body: information.json
        )
    }

    /// Says whose a purchase is.
    ///
    /// - Parameter originalID: Of the first purchase of the line.
    package static func appAccountToken(
        of originalID: String,
        _ token: UUIDBytes
    ) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(
            .appAccountToken,
            "PUT",
            "/inApps/v1/transactions/\(try part(originalID))/appAccountToken",
            body: ["appAccountToken": .string(token.description)]
        )
    }

    /// A page of a customer's refunds.
    package static func refundHistory(
        _ id: String,
        revision: String? = nil
    ) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(
            .refundHistory,
            "GET",
            "/inApps/v2/refund/lookup/\(try part(id))",
            query: revision.map { [("revision", $0)] } ?? []
        )
    }

    /// The transactions of an order; production only.
    package static func orderLookup(_ orderID: String) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(.orderLookup, "GET", "/inApps/v1/lookup/\(try part(orderID))")
    }

    /// Asks for a notification.
    package static let testNotification = ServerAPIRequest(.testNotification, "POST", "/inApps/v1/notifications/test")

    /// What became of a notification that was asked for.
    package static func testNotificationStatus(_ token: String) throws(ServerAPIRequestError) -> ServerAPIRequest {
        ServerAPIRequest(.testNotificationStatus, "GET", "/inApps/v1/notifications/test/\(try part(token))")
    }

    /// A page of the notifications of a time.
    ///
    /// - Parameter page: The token that the page before ended with.
    package static func notificationHistory(_ filter: NotificationFilter, page: String? = nil) -> ServerAPIRequest {
        ServerAPIRequest(
            .notificationHistory,
            "POST",
            "/inApps/v1/notifications/history",
            query: page.map { [("paginationToken", $0)] } ?? [],
            body: filter.json
        )
    }

    // MARK: Escapes

    /// A part of a path.
    ///
    /// Dots alone would be taken for a folder, escaped or not.
    private static func part(_ text: String) throws(ServerAPIRequestError) -> String {
        let isGood = !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") } && text.utf8.count <= 256
        guard isGood, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .badPart("identifier") }
        return PercentEncoding.encode(text)
    }
}

/// Which transactions of a history are asked for; every page of it is asked for with the same filter.
package struct HistoryFilter: Sendable {
    /// The types of products, in the words of the query.
    package enum ProductType: String, Sendable, Hashable, CaseIterable {
        /// Subscriptions that renew themselves.
        case autoRenewable = "AUTO_RENEWABLE"
        /// Subscriptions that end.
        case nonRenewable = "NON_RENEWABLE"
        /// Bought again and again.
        case consumable = "CONSUMABLE"
        /// Bought once.
        case nonConsumable = "NON_CONSUMABLE"
    }

    /// Purchased then or later.
    package var start: WallTime?
    /// Purchased before then.
    package var end: WallTime?
    /// Any of these products; none for all.
    package var productIDs: [String] = []
    /// Any of these types; none for all.
    package var productTypes: [ProductType] = []
    /// Any of these groups; none for all.
    package var subscriptionGroupIDs: [String] = []
    /// For example `PURCHASED`.
    package var ownership: TransactionOwnership?
    /// By the time of the last change, newest first.
    package var isDescending = false
    /// Only revoked ones, or only others.
    package var isRevoked: Bool?

    /// All transactions, oldest change first.
    package init() {}

    fileprivate var query: [(String, String)] {
        var query: [(String, String)] = []
        if let start { query.append(("startDate", String(start.microseconds / 1_000))) }
        if let end { query.append(("endDate", String(end.microseconds / 1_000))) }
        query += productIDs.map { ("productId", $0) }
        query += productTypes.map { ("productType", $0.rawValue) }
        query += subscriptionGroupIDs.map { ("subscriptionGroupIdentifier", $0) }
        if let ownership { query.append(("inAppOwnershipType", ownership.word)) }
        if isDescending { query.append(("sort", "DESCENDING")) }
        if let isRevoked { query.append(("revoked", isRevoked ? "true" : "false")) }
        return query
    }
}

/// Which notifications are asked for; every page is asked for with the same filter.
package struct NotificationFilter: Sendable {
    /// A kind of notification, or a transaction: never both.
    package enum Choice: Sendable {
        /// A type, and one of its subtypes.
        case type(NotificationType, subtype: OctetText?)
        /// Those about a transaction.
        case transaction(OctetText)
    }

    /// How far back notifications can be asked for.
    package static func oldest(in environment: AppStoreEnvironment) -> Duration {
        .seconds(86_400 * (environment == .production ? 180 : 30))
    }

    private let start: WallTime
    private let end: WallTime
    private let choice: Choice?
    private let onlyFailures: Bool

    /// The notifications of a time.
    ///
    /// - Parameters:
    ///   - end: One to come counts as now.
    ///   - onlyFailures: Those alone that did not reach our server.
    /// - Throws: `badFilter` where the time ends before it begins.
    package init(
        from start: WallTime,
        to end: WallTime,
        _ choice: Choice? = nil,
        onlyFailures: Bool = false
    ) throws(ServerAPIRequestError) {
        guard start < end, start.microseconds >= 0 else { throw .badFilter("the time ends before it begins") }
        self.start = start
        self.end = end
        self.choice = choice
        self.onlyFailures = onlyFailures
    }

    fileprivate var json: JSONValue {
        var members = [
            JSONMember("startDate", JSONValue(Int(start.microseconds / 1_000))),
            JSONMember("endDate", JSONValue(Int(end.microseconds / 1_000))),
        ]
        switch choice {
        case .type(let type, let subtype):
            members.append(JSONMember("notificationType", .string(type.word)))
            if let subtype { members.append(JSONMember("notificationSubtype", .string(subtype.string))) }
        case .transaction(let id): members.append(JSONMember("transactionId", .string(id.string)))
        case nil: break
        }
        if onlyFailures { members.append(JSONMember("onlyFailures", true)) }
        return .object(members)
    }
}
