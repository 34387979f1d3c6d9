import AmazonPay
import EventIO
import MerchantOrders
import Primitives
import ServerCore
import SessionBroker
import Settings
import SimulatorCore
package import StrictJSON
import Telemetry
import Webhooks

/// Everything the program was told, read once at the start, checked in full, and never changed afterwards.
package struct Configuration: Sendable {
    let listeners: Listeners
    let storage: Storage
    /// The rules of a flow, with what the profile leaves open filled in.
    let policy: BrokerPolicy
    /// Whether the rules may take the place of those that programs of the database work under.
    let allowsPolicyChange: Bool
    let limits: Limits
    let http2: HTTP2
    let provider: Provider
    let shop: Shop
    let merchant: Merchant
    let notifications: Notifications
    /// Pause between two looks at what is to be asked of the provider; `nil` for never.
    let pollRound: Duration?
    let apps: AppSettings
    let logLevel: LogLevel
    /// `nil` for text at a terminal, JSON elsewhere.
    let logFormat: LogFormat?
    let includesSubdomains: Bool
    let enforcesScriptPolicy: Bool
    /// What the features read.
    let features: ConfiguredFeatures
    /// What is simulated of the systems that they talk to.
    let simulated: [any SimulatedSystem]
    /// Name and text of every setting, secrets hidden, in the order of the table.
    package let printed: [(name: String, value: String)]
    /// Every setting as the file of `--config` has it, secrets left out.
    package let document: JSONValue

    /// How merchants' servers are reached.
    ///
    /// - Throws: `ConfigurationError` in a program that tells merchants of nothing.
    func merchantServers() throws(ConfigurationError) -> WebhookSettings {
        if let delivery = features.first(WebhookDelivery.self) { return delivery.settings }
        throw ConfigurationError(problems: ["merchant.secret_file: needs webhooks, which the settings switch off"])
    }
}
