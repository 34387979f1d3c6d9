import Primitives
import SimulatorCore
import StrictJSON

// What happens in the store: each step changes the purchase and says so in a notification.

extension AppStoreModel {
    /// Makes a purchase.
    ///
    /// - Returns: Its id, which the API knows once it is paid.
    /// - Throws: 409 where the store is full.
    mutating func buy(_ order: PurchaseOrder) throws(ControlError) -> Purchase {
        guard state.stores[order.environment]?.isFull == false else {
            throw ControlError(409, "The store holds \(Store.limit) purchases; reset it.")
        }
        let customer = customer(named: order.customer, in: order.environment)
        let id = newID(in: order.environment)
        var purchase = Purchase(
            environment: order.environment,
            id: id,
            originalID: id,
            customer: customer.name,
            product: order.product,
            kind: order.kind,
            orderID: "M" + mint.token().prefix(9).uppercased(),
            purchasedAt: now,
            originallyPurchasedAt: now,
            change: 0
        )
        (purchase.quantity, purchase.price, purchase.currency) = (order.quantity, order.price, order.currency)
        (purchase.storefront, purchase.ownership, purchase.token) = (order.storefront, order.ownership, order.token)
        if order.kind == .subscription {
            purchase.group = order.group ?? "20000001"
            purchase.webOrderLineItemID = newID(in: order.environment)
            purchase.expiresAt = now + order.period
        }
        purchase.state = order.asksToBuy ? .pending : .purchased
        state.stores[order.environment]?.add(purchase)
        if !order.asksToBuy { try announcePurchase(id, in: order.environment) }
        return try self.purchase(id)
    }

    /// The purchase of an id in any store.
    ///
    /// - Throws: 404 where there is none.
    func purchase(_ id: String) throws(ControlError) -> Purchase {
        for store in state.stores.values {
            if let purchase = store.purchase(id) { return purchase }
        }
        throw ControlError(404, "There is no such purchase.")
    }

    /// Somebody in the family agrees, or does not.
    mutating func decide(_ purchase: Purchase, isApproved: Bool) throws(ControlError) {
        guard purchase.state == .pending else { throw ControlError(409, "Nobody has to agree to this purchase.") }
        let time = now
        state.stores[purchase.environment]?.update(purchase.id) { purchase, _ in
            purchase.state = isApproved ? .purchased : .rejected
            if let end = purchase.expiresAt {
                let length = end.microseconds - purchase.purchasedAt.microseconds
                purchase.expiresAt = WallTime(microseconds: time.microseconds + length)
            }
            (purchase.purchasedAt, purchase.originallyPurchasedAt) = (time, time)
        }
        if isApproved { try announcePurchase(purchase.id, in: purchase.environment) }
    }

    /// Gives money back.
    ///
    /// - Parameters:
    ///   - percentage: Of it, in thousandths of a percent.
    mutating func revoke(
        _ purchase: Purchase,
        _ kind: Purchase.Revocation.Kind,
        percentage: Int,
        reason: Int
    ) throws(ControlError) {
        guard purchase.isPaid else { throw ControlError(409, "The purchase is not paid.") }
        guard purchase.revocation == nil else { throw ControlError(409, "The purchase is refunded already.") }
        let time = now
        state.stores[purchase.environment]?.update(purchase.id) { purchase, change in
            purchase.revocation = Purchase.Revocation(
                date: time,
                kind: kind,
                reason: reason,
                percentage: percentage,
                change: change
            )
            purchase.isRefundRequested = false
        }
        try notify(kind == .family ? "REVOKE" : "REFUND", about: purchase.id, in: purchase.environment)
    }

    /// Undoes a refund after a dispute.
    mutating func reverseRefund(_ purchase: Purchase) throws(ControlError) {
        guard purchase.revocation != nil else { throw ControlError(409, "The purchase is not refunded.") }
        state.stores[purchase.environment]?.update(purchase.id) { purchase, _ in purchase.revocation = nil }
        try notify("REFUND_REVERSED", about: purchase.id, in: purchase.environment)
    }

    /// The customer has asked for a refund: the store wants to know what became of the goods.
    mutating func requestConsumption(_ purchase: Purchase, reason: String) throws(ControlError) {
        guard purchase.isPaid, purchase.revocation == nil else {
            throw ControlError(409, "The purchase is not paid, or refunded.")
        }
        state.stores[purchase.environment]?.mark(purchase.id) { $0.isRefundRequested = true }
        try notify("CONSUMPTION_REQUEST", about: purchase.id, in: purchase.environment, reason: reason)
    }

    /// The store refuses a refund.
    mutating func declineRefund(_ purchase: Purchase) throws(ControlError) {
        guard purchase.isPaid, purchase.revocation == nil else {
            throw ControlError(409, "The purchase is not paid, or refunded.")
        }
        state.stores[purchase.environment]?.mark(purchase.id) { $0.isRefundRequested = false }
        try notify("REFUND_DECLINED", about: purchase.id, in: purchase.environment)
    }

    /// The customer with a name, who is new where there is none.
    mutating func customer(named name: String, in environment: StoreEnvironment) -> StoreCustomer {
        if let known = state.stores[environment]?.customer(named: name) { return known }
        let customer = StoreCustomer(
            name: name,
            appTransactionID: "70" + mint.digits(16),
            deviceID: mint.uuid(),
            since: now
        )
        state.stores[environment]?.add(customer)
        return customer
    }

    /// Ids look as they do in their environment.
    mutating func newID(in environment: StoreEnvironment) -> String {
        switch environment {
        case .production: return "21" + mint.digits(13)
        case .sandbox: return "20000" + mint.digits(11)
        case .xcode:
            state.idsOfXcode += 1
            return String(state.idsOfXcode - 1)
        }
    }

    private mutating func announcePurchase(_ id: String, in environment: StoreEnvironment) throws(ControlError) {
        guard let purchase = state.stores[environment]?.paid(id) else { return }
        if purchase.kind == .subscription {
            try notify("SUBSCRIBED", subtype: "INITIAL_BUY", about: id, in: environment)
        } else {
            try notify("ONE_TIME_CHARGE", about: id, in: environment)
        }
    }
}
