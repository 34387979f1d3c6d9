import Cryptography
import Primitives
import SimulatorCore
import StrictJSON

// Calls of the API about notifications.

extension AppStoreModel {
    /// Sends a test.
    mutating func requestTest(_ route: APIRoute) throws(APIFailure) -> SimulatorAnswer {
        guard state.outbox.urls[route.environment] != nil else {
            throw APIFailure(4_040_007, "No App Store Server Notification URL found for provided app.")
        }
        let token = mint.uuid() + "_" + String(now.microseconds / 1_000)
        do throws(CryptographyError) {
            try post(NotificationDraft(environment: route.environment, type: "TEST"), testToken: token)
        } catch { throw APIFailure(error) }
        return .json(200, ["testNotificationToken": .string(token)])
    }

    /// What has become of a test.
    func testStatus(_ route: APIRoute) throws(APIFailure) -> SimulatorAnswer {
        let parts = route.id.octets.parts(between: UInt8(ascii: "_"))
        guard parts.count == 2, UUIDBytes(parts[0]) != nil, Int(parts[1]) != nil else {
            throw APIFailure(4_000_020, "Invalid request. Bad test notification token.")
        }
        let found = state.outbox.items.values.first {
            $0.environment == route.environment && $0.testToken?.octets == route.id.octets
        }
        guard let found, !found.attempts.isEmpty else {
            throw APIFailure(4_040_008, "Either the test notification token is expired or it has not been sent yet.")
        }
        return .json(200, ["signedPayload": .string(found.text), "sendAttempts": found.sendAttempts])
    }

    /// A page of what was sent.
    func notificationHistory(_ request: SimulatorRequest, _ route: APIRoute) throws(APIFailure) -> SimulatorAnswer {
        let body = try json(request)
        let filter = try NotificationFilter(body, in: route.environment, now: now)
        let list = PageRevision.list([route.environment.rawValue, body.description])
        var start = 0
        for (name, value) in try HistoryQuery.parameters(request.query) where name.octets == "paginationToken" {
            do throws(APIFailure) { start = try PageRevision(value, of: list).change } catch {
                throw .bad(4_000_014, name)
            }
        }
        let rest = state.outbox.all.filter {
            $0.number > start && $0.environment == route.environment && !$0.attempts.isEmpty && filter.fits($0)
        }
        let page = rest.prefix(Self.pageSize)
        var members = [
            JSONMember(
                "notificationHistory",
                .array(page.map { ["signedPayload": .string($0.text), "sendAttempts": $0.sendAttempts] })
            ), JSONMember("hasMore", .bool(rest.count > page.count)),
        ]
        if rest.count > page.count, let last = page.last {
            let token = PageRevision(list: list, change: last.number).text
            members.append(JSONMember("paginationToken", .string(token)))
        }
        return .json(200, .object(members))
    }
}

/// Which notifications somebody wants to see.
private struct NotificationFilter {
    let start: Int
    let end: Int
    let type: String?
    let subtype: String?
    let transaction: String?
    let onlyFailures: Bool

    /// Types that the store has.
    private static let types = [
        "ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE", "TEST",
        "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "OFFER_REDEEMED",
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "PRICE_INCREASE", "PRICE_CHANGE", "METADATA_UPDATE",
        "MIGRATION", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT",
    ]

    init(_ body: JSONValue, in environment: StoreEnvironment, now: WallTime) throws(APIFailure) {
        let present = Int(now.microseconds / 1_000)
        guard let start = body["startDate"]?.integer, start >= 0 else { throw .bad(4_000_015, "startDate") }
        guard let end = body["endDate"]?.integer, end >= 0 else { throw .bad(4_000_016, "endDate") }
        let days = environment == .production ? 180 : 30
        guard start >= present - days * 86_400_000 else {
            throw APIFailure(4_000_012, "Invalid request. The start date is earlier than the allowed start date.")
        }
        guard start < end else { throw APIFailure(4_000_013, "Invalid request. startDate >= endDate.") }
        (self.start, self.end) = (start, min(end, present))
        type = body["notificationType"]?.text
        subtype = body["notificationSubtype"]?.text
        transaction = body["transactionId"]?.text
        onlyFailures = body["onlyFailures"]?.flag ?? false
        guard type == nil || transaction == nil else {
            throw APIFailure(4_000_019, "Invalid request. Only one of the filters may be used.")
        }
        if let type, !Self.types.contains(type) { throw .bad(4_000_018, "notificationType") }
        if subtype != nil, type == nil { throw .bad(4_000_018, "notificationType") }
    }

    func fits(_ notification: StoreNotification) -> Bool {
        let date = Int(notification.signedAt.microseconds / 1_000)
        return (start...max(start, end)).contains(date)
            && (type.map { $0.octets == notification.type.octets } ?? true)
            && (subtype.map { $0.octets == notification.subtype?.octets } ?? true)
            && (transaction.map { $0.octets == notification.transaction?.octets } ?? true)
            && (!onlyFailures || notification.isUndelivered)
    }
}
