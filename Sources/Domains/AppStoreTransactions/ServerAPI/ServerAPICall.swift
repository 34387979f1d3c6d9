/// The calls of the App Store Server API that this program makes.
package enum ServerAPICall: String, Sendable, Hashable, CaseIterable {
    /// One transaction.
    case transactionInfo = "transaction_info"
    /// All transactions of a customer.
    case transactionHistory = "transaction_history"
    /// The subscriptions of a customer.
    case subscriptionStatuses = "subscription_statuses"
    /// The purchase of the app.
    case appTransactionInfo = "app_transaction_info"
    /// Finishes a transaction in the app's place.
    case finishTransaction = "finish_transaction"
    /// Says what was used of a purchase whose refund a customer wants.
    case consumptionInformation = "consumption_information"
    /// Says whose a purchase is.
    case appAccountToken = "app_account_token"
    /// The refunds of a customer.
    case refundHistory = "refund_history"
    /// The transactions of an order; production only.
    case orderLookup = "order_lookup"
    /// Asks for a notification.
    case testNotification = "test_notification"
    /// What became of it.
    case testNotificationStatus = "test_notification_status"
    /// Notifications of the last months.
    case notificationHistory = "notification_history"

    /// How many calls a second Apple takes in production; the sandbox takes a tenth.
    package var callsPerSecond: Int {
        switch self {
        case .transactionInfo, .transactionHistory, .subscriptionStatuses, .appTransactionInfo, .finishTransaction,
            .consumptionInformation, .notificationHistory:
            50
        case .appAccountToken: 20
        case .refundHistory, .orderLookup: 10
        case .testNotification, .testNotificationStatus: 1
        }
    }

    /// The status of a call that succeeded.
    package var success: Int { self == .consumptionInformation ? 202 : 200 }
}
