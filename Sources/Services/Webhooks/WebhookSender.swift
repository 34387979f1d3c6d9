package import Cryptography
package import HTTPCore
import Primitives

/// Sends signed events to endpoints; one per loop, not `Sendable`.
package struct WebhookSender {
    private let exchange: any HTTPExchange
    private let agent: String
    private let signer: WebhookSigner

    /// A sender.
    ///
    /// - Parameters:
    ///   - exchange: Carries requests; follows no redirect.
    ///   - agent: The value of `User-Agent`, for example `Sallyport/0.1.0`.
    /// - Throws: As `WebhookSigner`.
    package init(over exchange: any HTTPExchange, agent: String) throws(CryptographyError) {
        self.exchange = exchange
        self.agent = agent
        signer = try WebhookSigner()
    }

    /// Sends an event once; of the response only status line and fields are read.
    func send(
        _ event: UUIDBytes,
        _ body: [UInt8],
        to url: String,
        keys: [WebhookKey],
        at time: WallTime,
        timeout: Duration
    ) async throws(HTTPExchangeError) -> InboundResponse {
        let signature = signer.fields(event: event, at: time, body: body, keys: keys)
        let request = OutboundRequest(
            method: "POST",
            url: url,
            fields: [("content-type", "application/json"), ("user-agent", agent)] + signature,
            body: body,
            timeout: timeout,
            needs: .none
        )
        return try await exchange.send(request)
    }
}
