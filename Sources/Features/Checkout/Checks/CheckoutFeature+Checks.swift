package import Operations
package import ServerCore
import Settings

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
