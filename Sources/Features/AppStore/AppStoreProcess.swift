import AppStoreTransactions
import Operations
import Postgres
import Primitives
package import ServerCore
import Settings
import Telemetry
import Web

/// Purchases once per process: who judges signed texts, and what is sold.
package final class AppStoreProcess: FeatureProcess {
    let settings: AppStoreSettings
    let verifiers: AppStoreVerifiers
    /// Notifications that Apple has not signed, by address.
    let forgeries: AddressRateLimit
    /// Questions to Apple's server that apps cause, by account.
    let lookups: KeyRateLimit
    /// What opens Apple's server; `nil` where it is not asked.
    let keys: ServerAPIKeys?
    let pace = ServerAPIPace()
    private let table: Lock<ProductTable>
    private let logger: Logger

    init(_ settings: AppStoreSettings, _ logger: Logger = .silent) throws(ConfigurationError) {
        self.settings = settings
        self.logger = logger
        verifiers = try AppStoreVerifiers(settings)
        lookups = KeyRateLimit(perMinute: settings.lookupsPerMinute)
        keys = settings.server.isOn ? ServerAPIKeys(try settings.server.key(bundleID: settings.bundleID)) : nil
        try settings.server.checkTrust()
        forgeries = AddressRateLimit(perMinute: settings.forgeriesPerMinute)
        table = Lock(try ProductTable(path: settings.products))
        warnOfEmptyTable()
    }

    /// What is sold now.
    var products: ProductTable { table.withLock { $0 } }

    /// Refuses a database with customers' purchases where anybody can make texts.
    package func prepare(_ loop: LoopContext) async throws {
        guard settings.environments.contains(where: { !$0.isSigned }) else { return }
        guard try await loop.database.work(PurchaseStatement.hasCustomers()).first() else { return }
        throw ConfigurationError(problems: [
            "app_store.environments: the database has purchases of customers, and anybody can make texts of Xcode and LocalTesting"
        ])
    }

    package func open(_ loop: LoopContext) throws -> AppStorePart { try AppStorePart(self, loop) }

    /// Reads products and key again; where one of them is wrong, nothing changes.
    package func reload() throws {
        let read = try ProductTable(path: settings.products)
        if let keys { keys.replace(try settings.server.key(bundleID: settings.bundleID)) }
        table.withLock { $0 = read }
        var fields = [LogField("products", read.count)]
        if let keys { fields.append(LogField("key", keys.current.key.id)) }
        logger.info("app_store.reloaded", fields)
        warnOfEmptyTable()
    }

    private func warnOfEmptyTable() {
        guard products.count == 0 else { return }
        logger.warning("app_store.no_products", [LogField("file", settings.products)])
    }
}
