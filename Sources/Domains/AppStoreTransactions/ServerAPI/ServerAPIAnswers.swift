package import Primitives
import StrictJSON

/// An answer of success that is not what was asked for.
package struct ServerAPIAnswerError: Error, Sendable, Equatable {
    /// A sentence for people, without a full stop; nothing of it comes from the answer.
    package let sentence: String
}

/// A page of a customer's transactions or refunds: signed texts, each to be verified.
package struct TransactionPage: Sendable {
    /// The signed transactions, in the order asked for.
    package let signedTransactions: [String]
    /// What the next page is asked for with.
    package let revision: String?
    /// Whether there is a next page.
    package let hasMore: Bool

    /// Reads the body of an answer.
    package init(_ body: [UInt8]) throws(ServerAPIAnswerError) {
        let answer = try ServerAPIAnswer(body)
        signedTransactions = try answer.texts("signedTransactions")
        revision = try answer.text("revision")
        hasMore = try answer.flag("hasMore")
    }
}

/// One text that an answer consists of.
package enum SignedAnswer {
    /// The signed transaction in an answer about one.
    package static func transaction(_ body: [UInt8]) throws(ServerAPIAnswerError) -> String {
        try ServerAPIAnswer(body).needed("signedTransactionInfo")
    }

    /// The signed app transaction in an answer about one.
    package static func appTransaction(_ body: [UInt8]) throws(ServerAPIAnswerError) -> String {
        try ServerAPIAnswer(body).needed("signedAppTransactionInfo")
    }

    /// The token under which a test notification is asked about.
    package static func testNotificationToken(_ body: [UInt8]) throws(ServerAPIAnswerError) -> String {
        try ServerAPIAnswer(body).needed("testNotificationToken")
    }

    /// The signed transactions of an order; none for one that Apple does not know.
    package static func order(_ body: [UInt8]) throws(ServerAPIAnswerError) -> [String] {
        let answer = try ServerAPIAnswer(body)
        guard let status = answer.object["status"]?.integer, status == 0 || status == 1 else {
            throw ServerAPIAnswerError(sentence: "an order without status")
        }
        return status == 0 ? try answer.texts("signedTransactions") : []
    }
}

/// One of a customer's subscriptions.
package struct SubscriptionStatus: Sendable {
    /// The group of the subscription.
    package let groupID: String
    /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    package let status: Int
    /// The first purchase of the subscription.
    package let originalID: String
    /// Not verified.
    package let signedTransaction: String
    /// Not verified.
    package let signedRenewal: String?

    /// Reads the body of an answer.
    package static func list(_ body: [UInt8]) throws(ServerAPIAnswerError) -> [SubscriptionStatus] {
        var list: [SubscriptionStatus] = []
        for group in try ServerAPIAnswer(body).objects("data") {
            let groupID = try group.needed("subscriptionGroupIdentifier")
            for item in try group.objects("lastTransactions") {
                guard let status = item.object["status"]?.integer else {
                    throw ServerAPIAnswerError(sentence: "a subscription without status")
                }
                list.append(
                    SubscriptionStatus(
                        groupID: groupID,
                        status: status,
                        originalID: try item.needed("originalTransactionId"),
                        signedTransaction: try item.needed("signedTransactionInfo"),
                        signedRenewal: try item.text("signedRenewalInfo")
                    )
                )
            }
        }
        return list
    }
}

/// One try of Apple to send a notification.
package struct NotificationAttempt: Sendable, Hashable {
    /// When.
    package let time: WallTime?
    /// For example `SUCCESS`, `TIMED_OUT` or `UNSUCCESSFUL_HTTP_RESPONSE_CODE`.
    package let result: OctetText

    /// Whether our server took it.
    package var isSuccess: Bool { result == "SUCCESS" }
}

/// A notification that Apple has sent or tried to send.
package struct SentNotification: Sendable {
    /// Not verified.
    package let signedPayload: String
    /// The tries, in Apple's order.
    package let attempts: [NotificationAttempt]

    /// Reads the body of an answer about a test notification.
    package init(_ body: [UInt8]) throws(ServerAPIAnswerError) {
        try self.init(ServerAPIAnswer(body))
    }

    fileprivate init(_ answer: ServerAPIAnswer) throws(ServerAPIAnswerError) {
        signedPayload = try answer.needed("signedPayload")
        var attempts: [NotificationAttempt] = []
        for item in try answer.objects("sendAttempts") {
            let time: WallTime? =
                if case .number(let digits)? = item.object["attemptDate"] {
                    PayloadReader.time(milliseconds: digits)
                } else { nil }
            attempts.append(NotificationAttempt(time: time, result: try item.needed("sendAttemptResult").octets))
        }
        self.attempts = attempts
    }
}

/// A page of notifications.
package struct NotificationPage: Sendable {
    /// The notifications.
    package let notifications: [SentNotification]
    /// What the next page is asked for with.
    package let token: String?
    /// Whether there is a next page.
    package let hasMore: Bool

    /// Reads the body of an answer.
    package init(_ body: [UInt8]) throws(ServerAPIAnswerError) {
        let answer = try ServerAPIAnswer(body)
        var notifications: [SentNotification] = []
        for item in try answer.objects("notificationHistory") { notifications.append(try SentNotification(item)) }
        self.notifications = notifications
        token = try answer.text("paginationToken")
        hasMore = try answer.flag("hasMore")
    }
}

/// Goes from page to page, and stops where pages would never end.
package struct PageWalk: Sendable {
    /// What follows a page.
    package enum Step: Sendable, Equatable {
        /// The next page, with `mark`.
        case next
        /// Nothing: `mark` is where to begin next time.
        case finished
        /// Nothing: there would be more, but they do not advance.
        case stuck
        /// Nothing for now: there is more than the bound; `mark` is where to go on.
        case paused
    }

    /// What the next page is asked for with; `nil` for the first.
    package private(set) var mark: String?
    private var pagesLeft: Int

    /// A walk.
    ///
    /// - Parameters:
    ///   - mark: The revision at which the last one finished.
    ///   - mostPages: One or more.
    package init(from mark: String? = nil, mostPages: Int) {
        self.mark = mark
        pagesLeft = mostPages
    }

    /// Goes on to what a page says.
    ///
    /// - Parameter next: The page's revision or token.
    package mutating func take(_ next: String?, hasMore: Bool) -> Step {
        pagesLeft -= 1
        let hasMoved = next.map { $0.octets != mark?.octets } ?? false
        if hasMoved { mark = next }
        guard hasMore else { return .finished }
        guard hasMoved else { return .stuck }
        return pagesLeft > 0 ? .next : .paused
    }
}

/// An object of an answer.
private struct ServerAPIAnswer {
    let object: JSONValue

    init(_ body: [UInt8]) throws(ServerAPIAnswerError) {
        guard let object = try? JSONParser.parse(body, depth: 8, values: 16_384), case .object = object else {
            throw ServerAPIAnswerError(sentence: "not an object in JSON")
        }
        self.object = object
    }

    private init(object: JSONValue) { self.object = object }

    func text(_ name: String) throws(ServerAPIAnswerError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.text else { throw ServerAPIAnswerError(sentence: "\(name) is not a text") }
        return text
    }

    func needed(_ name: String) throws(ServerAPIAnswerError) -> String {
        guard let text = try text(name), !text.isEmpty else {
            throw ServerAPIAnswerError(sentence: "\(name) is missing")
        }
        return text
    }

    /// A truth value; false where it is absent.
    func flag(_ name: String) throws(ServerAPIAnswerError) -> Bool {
        guard let value = object[name] else { return false }
        guard let flag = value.flag else { throw ServerAPIAnswerError(sentence: "\(name) is not a truth value") }
        return flag
    }

    func texts(_ name: String) throws(ServerAPIAnswerError) -> [String] {
        var texts: [String] = []
        for element in try list(name) {
            guard let text = element.text else { throw ServerAPIAnswerError(sentence: "\(name) has no texts") }
            texts.append(text)
        }
        return texts
    }

    func objects(_ name: String) throws(ServerAPIAnswerError) -> [ServerAPIAnswer] {
        var objects: [ServerAPIAnswer] = []
        for element in try list(name) {
            guard case .object = element else { throw ServerAPIAnswerError(sentence: "\(name) has no objects") }
            objects.append(ServerAPIAnswer(object: element))
        }
        return objects
    }

    /// A list; empty where it is absent.
    private func list(_ name: String) throws(ServerAPIAnswerError) -> [JSONValue] {
        guard let value = object[name] else { return [] }
        guard case .array(let elements) = value else { throw ServerAPIAnswerError(sentence: "\(name) is not a list") }
        return elements
    }
}
