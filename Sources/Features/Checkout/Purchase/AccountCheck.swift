import AmazonPay
package import MerchantOrders
import Settings

extension ProviderSetup {
    /// What orders are made under.
    package var account: OrderAccount {
        OrderAccount(merchantID: credentials.merchantID, environment: credentials.environment.rawValue)
    }
}

extension PostgresSessionStore {
    /// Refuses a database that belongs to another account or environment: what the provider does not know there, it would be
    /// asked about, and purchases and schedules would end for it.
    ///
    /// - Parameters:
    ///   - isAllowed: Whether the settings allow another one.
    /// - Throws: `ConfigurationError` that names both; what the store says.
    package func demandAccount(_ account: OrderAccount, orAllowed isAllowed: Bool) async throws {
        guard !isAllowed, let newest = try await newestAccount(), newest != account else { return }
        throw ConfigurationError(problems: [
            """
            database: its newest order is of account \(newest.words), the settings name \(account.words); change the settings, use another \
            database, or set provider.allow_account_change
            """
        ])
    }
}

extension OrderAccount {
    /// For operators.
    package var words: String { "\(merchantID) (\(environment))" }
}
