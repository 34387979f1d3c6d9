import Cryptography
import EventIO
import HTTPClient
import MerchantOrders
import Primitives
import ServerCore
import Settings
import Telemetry
import Webhooks

/// How merchants' servers are asked for the postage, read and checked at the start.
struct PostageSetup: Sendable {
    private let policy: OrderPolicy
    private let numbers: [Int]
    private let agent: String
    private let outbound: OutboundPurpose
    /// `nil` where no merchant may be asked.
    private let secret: Secret<[UInt8]>?

    /// How merchants are asked.
    ///
    /// - Throws: Where the merchant secret is needed and cannot be read.
    init(
        _ policy: OrderPolicy,
        keys numbers: [Int],
        _ servers: WebhookSettings,
        agent: String
    ) throws(ConfigurationError) {
        self.policy = policy
        self.numbers = numbers
        self.agent = agent
        outbound = servers.inquiries
        secret = policy.postageOrigins.isEmpty ? nil : try servers.secret()
    }

    /// The client of a loop.
    ///
    /// - Returns: `nil` where no merchant may be asked.
    /// - Throws: `failed` where OpenSSL does not offer what signing needs.
    func client(_ loop: LoopContext) throws(CryptographyError) -> ShippingCostClient? {
        guard let secret else { return nil }
        return ShippingCostClient(
            policy,
            over: loop.client(outbound),
            signer: try WebhookSigner(),
            keys: try PostageKeys(secret: secret),
            numbers: numbers,
            agent: agent,
            clock: SystemClock(),
            random: loop.reactor.random
        )
    }
}
