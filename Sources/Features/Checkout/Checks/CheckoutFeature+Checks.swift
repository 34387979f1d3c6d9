import AmazonPay
import MerchantOrders
package import Operations
package import Postgres
package import ServerCore
import SessionBroker
package import Settings

extension CheckoutFeature {
    package func findings(_ examined: ExaminedSettings) -> [Finding] {
        var found = AddressChecks.findings(examined) + SessionChecks.findings(examined)
        found += AppChecks.findings(settings.apps, examined)
        found += ProviderChecks.findings(examined) + NotificationChecks.findings(examined)
        found += ShopChecks.findings(examined)
        if let apple = files(examined)?.apple {
            found += AppleFileChecks(bytes: apple, apps: settings.apps.ios, settings: examined).findings
        }
        return found
    }

    package func probe(_ context: ProbeContext) async -> [Finding] {
        var found = await AssociationProbe(files(context.settings), settings.apps, context).findings()
        found += await PageChecks(context).findings()
        found += await AccountChecks(context: context).findings()
        return found
    }

    package func examine(_ database: PostgresClient) async throws -> [Finding] {
        let store = try PostgresSessionStore(client: database, policy: settings.policy)
        return StoreChecks.account(newest: try await store.newestAccount(), settings: settings.provider.onlyAccount)
            + StoreChecks.skipped(try await store.skippedSessions())
    }

    package func check(_ reader: inout SettingReader, beside features: ConfiguredFeatures, web: WebOrigin) {
        let isPlain = web.scheme != "https" && !web.isLoopback
        if reader.areSound("web.base_url"), settings.policy.cookieNames == .host, isPlain {
            reader.complain("cookies.names", "__Host- names need https")
        }
    }

    /// The association files; `nil` where the settings come to none.
    private func files(_ examined: ExaminedSettings) -> Associations? {
        guard examined.areSound else { return nil }
        do throws(ConfigurationError) {
            return try Associations(settings)
        } catch {
            // The checks of apps report why.
            return nil
        }
    }
}

extension ProviderSettings {
    /// What all orders of the database have to be made under; `nil` where that is open.
    fileprivate var onlyAccount: OrderAccount? {
        guard !merchantID.isEmpty, !allowsAccountChange, let environment = PublicKeyID(publicKeyID)?.environment else {
            return nil
        }
        return OrderAccount(merchantID: merchantID, environment: environment.rawValue)
    }
}
