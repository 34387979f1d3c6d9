import Checkout
import CheckoutCodes
import Commerce
import Cryptography
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import SessionBroker
import Web
import Webhooks

/// Asks merchants' servers for the postage of their orders; one per loop.
///
/// An answer counts as it is written or not at all: a price is never guessed, and nothing is tried twice, since a buyer is
/// waiting.
final class ShippingCostClient: ShippingCosts {
    private let policy: OrderPolicy
    private let exchange: any HTTPExchange
    private let signer: WebhookSigner
    private let keys: PostageKeys
    private let numbers: [PostageKeyNumber]
    private let agent: String
    private let clock: any WallClock
    private let random: any RandomSource

    /// How long a merchant's server has: the buyer looks at an empty page meanwhile.
    static let limit = Duration.seconds(3)

    /// The status by which a merchant's server says that an address has no price: another try would not help.
    private static let noPrice = 422

    /// The one status whose content counts.
    private static let priced = 200

    /// A client.
    ///
    /// - Parameters:
    ///   - policy: Where merchants' servers may be asked.
    ///   - exchange: Carries requests; follows no redirect.
    ///   - numbers: Of the keys to sign with.
    init(
        _ policy: OrderPolicy,
        over exchange: any HTTPExchange,
        signer: WebhookSigner,
        keys: PostageKeys,
        numbers: [PostageKeyNumber],
        agent: String,
        clock: any WallClock,
        random: any RandomSource
    ) {
        self.policy = policy
        self.exchange = exchange
        self.signer = signer
        self.keys = keys
        self.numbers = numbers
        self.agent = agent
        self.clock = clock
        self.random = random
    }

    func ask(
        _ address: String,
        _ question: PostageQuestion,
        _ webviewSession: WebviewSessionID
    ) async throws(Failure) -> DeliveryAnswer {
        guard let origin = policy.postageOrigin(of: address) else {
            throw Failure(
                .postageFailed,
                "the origin is not in merchant.postage_origins any more",
                session: webviewSession
            )
        }
        func failure(_ detail: String) -> Failure {
            Failure(.postageFailed, "\(origin): \(detail)", session: webviewSession)
        }
        let request: OutboundRequest
        do throws(CryptographyError) {
            request = try self.request(address, origin, question.body)
        } catch {
            throw Failure(.internalError, error.debugDescription, session: webviewSession)
        }
        let response: InboundResponse
        do throws(HTTPExchangeError) {
            response = try await exchange.send(request)
        } catch {
            throw failure(error.code == .bodyTooLarge ? "the answer's body has \(error.detail)" : error.description)
        }
        guard response.status != ShippingCostClient.noPrice else {
            throw Failure(.addressNotPriced, "\(origin): no price for the address", session: webviewSession)
        }
        guard response.status == ShippingCostClient.priced else { throw failure("answered \(response.status)") }
        do throws(PostageRefusal) {
            return try question.reading(response.body)
        } catch {
            throw failure(error.rawValue)
        }
    }

    private func request(
        _ address: String,
        _ origin: CallbackOrigin,
        _ body: [UInt8]
    ) throws(CryptographyError) -> OutboundRequest {
        var signing: [WebhookKey] = []
        for number in numbers { signing.append(try keys.key(for: origin.description, number: number)) }
        let now = clock.now()
        let signature = signer.fields(
            id: "ask_" + UUIDBytes(version7At: now, random: random).description,
            at: now,
            body: body,
            keys: signing
        )
        return OutboundRequest(
            method: "POST",
            url: address,
            fields: [
                ("content-type", "application/json"), ("accept", "application/json"),
                ("user-agent", agent),
            ] + signature,
            body: body,
            timeout: ShippingCostClient.limit,
            needs: .of(status: ShippingCostClient.priced)
        )
    }
}
