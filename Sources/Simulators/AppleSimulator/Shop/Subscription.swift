import Cryptography
import Primitives
import SimulatorCore
import StrictJSON

// Subscriptions, as far as the simulator has them: periods that a tester renews or ends.

extension Purchase {
    /// 1 for active, 2 for expired, 5 for revoked.
    func status(at time: WallTime) -> Int {
        if revocation != nil { return 5 }
        return expiresAt.map { time < $0 } ?? true ? 1 : 2
    }
}

extension AppStoreModel {
    /// The renewal information of a subscription, signed now.
    mutating func renewalText(of latest: Purchase) throws(APIFailure) -> String {
        do throws(CryptographyError) {
            return try sign(renewalPayload(of: latest), in: latest.environment)
        } catch { throw APIFailure(error) }
    }

    /// The payload of it.
    func renewalPayload(of latest: Purchase) -> [JSONMember] {
        let times = TextTimes(environment: latest.environment)
        let store = state.stores[latest.environment]
        let renews = store?.endingSubscriptions.contains(latest.originalID) == false
        var members = [
            JSONMember("originalTransactionId", .string(latest.originalID)),
            JSONMember("autoRenewProductId", .string(latest.product)), JSONMember("productId", .string(latest.product)),
            JSONMember("autoRenewStatus", renews ? 1 : 0), JSONMember("signedDate", times.value(now)),
            JSONMember("environment", .string(latest.environment.rawValue)),
            JSONMember("recentSubscriptionStartDate", times.value(latest.originallyPurchasedAt)),
            JSONMember("currency", .string(latest.currency)), JSONMember("renewalPrice", JSONValue(latest.price)),
        ]
        if let customer = store?.customer(named: latest.customer) {
            members.append(JSONMember("appTransactionId", .string(customer.appTransactionID)))
        }
        if let token = latest.token { members.append(JSONMember("appAccountToken", .string(token))) }
        if renews {
            members += times.member("renewalDate", latest.expiresAt)
        } else if latest.status(at: now) == 2 {
            members.append(JSONMember("expirationIntent", 1))
        }
        return members
    }

    /// Begins the next period of a subscription.
    mutating func renew(_ purchase: Purchase) throws(ControlError) {
        let latest = try latestPeriod(of: purchase)
        guard let end = latest.expiresAt else { throw ControlError(409, "The subscription has no end.") }
        let length = end.microseconds - latest.purchasedAt.microseconds
        var next = Purchase(
            environment: latest.environment,
            id: newID(in: latest.environment),
            originalID: latest.originalID,
            customer: latest.customer,
            product: latest.product,
            kind: latest.kind,
            orderID: "M" + mint.token().prefix(9).uppercased(),
            purchasedAt: max(end, now),
            originallyPurchasedAt: latest.originallyPurchasedAt,
            change: 0
        )
        (next.price, next.currency, next.storefront) = (latest.price, latest.currency, latest.storefront)
        (next.group, next.token, next.ownership) = (latest.group, latest.token, latest.ownership)
        next.expiresAt = WallTime(microseconds: next.purchasedAt.microseconds + length)
        next.webOrderLineItemID = newID(in: latest.environment)
        next.isRenewal = true
        state.stores[latest.environment]?.add(next)
        try notify("DID_RENEW", about: next.id, in: next.environment)
    }

    /// Ends a subscription now.
    mutating func expire(_ purchase: Purchase) throws(ControlError) {
        let latest = try latestPeriod(of: purchase)
        let time = now
        state.stores[latest.environment]?.endingSubscriptions.insert(latest.originalID)
        state.stores[latest.environment]?.update(latest.id) { period, _ in period.expiresAt = time }
        try notify("EXPIRED", subtype: "VOLUNTARY", about: latest.id, in: latest.environment)
    }

    private func latestPeriod(of purchase: Purchase) throws(ControlError) -> Purchase {
        guard purchase.kind == .subscription,
            let latest = state.stores[purchase.environment]?.line(purchase.originalID).last
        else { throw ControlError(409, "The purchase is no subscription that is paid.") }
        return latest
    }
}
