import Accounts
import AmazonPaySimulator
import AppStore
import AppleSimulator
import Checkout
import DeviceCheck
import Merchant
import Operators
import PushSimulator
import SecurityText
package import ServerCore
import ServiceAPI
import SimulatorCore
import Wallet
import Webhooks

/// The features of this program; a new system is one more here.
package enum FeatureList {
    /// In the order in which they are opened; what another one needs stands before it.
    package static let all = FeatureSet(
        [
            ServiceFeature.self, AccountsFeature.self, OperatorPages.self, CheckoutFeature.self, SecurityText.self,
            WebhookDelivery.self, MerchantFeature.self, WalletFeature.self, AppStoreFeature.self,
            DeviceCheckFeature.self,
        ],
        // Tables of the record of operators and of events.
        sharedFolders: ["core"]
    )

    /// What a demo simulates of the systems that they talk to; the first keeps its state in the file of `--state` itself.
    static let simulators: [any SimulatedSystem.Type] = [
        SimulatedAmazonPay.self, SimulatedPushService.self, SimulatedAppStore.self,
        SimulatedDeviceCheck.self,
    ]

    /// What keys of merchants' programs may open.
    static var scopes: [Scope] { all.slots(Scope.self) }

    /// The events that merchants can get.
    static var eventTypes: [WebhookEventType] { WebhookEventType.ofOrders + all.slots(WebhookEventType.self) }
}
