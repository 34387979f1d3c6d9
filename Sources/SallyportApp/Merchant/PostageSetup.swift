import Cryptography
import EventIO
import HTTPClient
import MerchantOrders
import Primitives
import Settings
import Webhooks

/// How merchants' servers are asked for the postage, read and checked at the start.
struct PostageSetup: Sendable {
    private let policy: OrderPolicy
    private let numbers: [Int]
    private let outbound: ClientConfiguration
    /// `nil` where no merchant may be asked.
    private let secret: Secret<[UInt8]>?

    /// The setup of a configuration.
    ///
    /// - Parameter configuration: Checked in itself.
    /// - Throws: Where the merchant secret is needed and cannot be read.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        policy = configuration.merchant.policy
        numbers = configuration.merchant.postageKeys
        let servers = try configuration.merchantServers()
        outbound = servers.inquiries
        secret = policy.postageOrigins.isEmpty ? nil : try servers.secret()
    }

    /// The client of a loop.
    ///
    /// - Parameters:
    ///   - reactor: The loop's.
    ///   - telemetry: Where to write and count.
    /// - Returns: A client that has asked nobody yet.
    /// - Throws: `failed` where OpenSSL does not offer what signing needs.
    func client(_ reactor: Reactor, _ telemetry: AppTelemetry) throws(CryptographyError) -> ShippingCostClient {
        guard let secret else { return ShippingCostClient(nil) }
        let inquiry = ShippingCostClient.Inquiry(
            policy: policy,
            exchange: CurlClient(
                reactor,
                configuration: outbound,
                logger: telemetry.logger,
                metrics: telemetry.metrics
            ),
            signer: try WebhookSigner(),
            keys: try PostageKeys(secret: secret),
            numbers: numbers,
            clock: SystemClock(),
            random: reactor.random
        )
        return ShippingCostClient(inquiry)
    }
}
