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
    private let numbers: [PostageKeyNumber]
    private let agent: String
    private let outbound: OutboundPurpose
    /// `nil` where no merchant may be asked.
    private let keyring: Keyring?

    /// How merchants are asked.
    ///
    /// - Throws: Where a key is derived from a secret that is not there.
    init(
        _ policy: OrderPolicy,
        keys numbers: [PostageKeyNumber],
        _ servers: WebhookSettings,
        _ keyring: Keyring?,
        agent: String
    ) throws(ConfigurationError) {
        self.policy = policy
        self.numbers = numbers
        self.agent = agent
        outbound = servers.inquiries
        self.keyring = policy.postageOrigins.isEmpty ? nil : keyring
        guard let keyring = self.keyring else { return }
        do throws(CryptographyError) {
            for number in numbers { _ = try keyring.secret(number.secret) }
        } catch {
            throw ConfigurationError(problems: ["merchant.postage_keys: \(error.detail)"])
        }
    }

    /// The client of a loop.
    ///
    /// - Returns: `nil` where no merchant may be asked.
    /// - Throws: `failed` where OpenSSL does not offer what signing needs.
    func client(_ loop: LoopContext) throws(CryptographyError) -> ShippingCostClient? {
        guard let keyring else { return nil }
        return ShippingCostClient(
            policy,
            over: loop.client(outbound),
            signer: try WebhookSigner(),
            keys: try PostageKeys(keyring),
            numbers: numbers,
            agent: agent,
            clock: SystemClock(),
            random: loop.reactor.random
        )
    }
}
