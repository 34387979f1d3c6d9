import ServerCore
import Settings

@testable import Checkout
@testable import Program

extension Configuration {
    /// What the checkout read.
    func checkout() throws(ConfigurationError) -> CheckoutSettings {
        try features.read(CheckoutFeature.self).settings
    }

    /// The account at the provider, with its key.
    func provider() throws(ConfigurationError) -> ProviderSetup {
        try ProviderSetup(try checkout(), web: listeners.web)
    }
}
