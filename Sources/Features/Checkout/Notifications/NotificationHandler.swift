import EventIO
import HTTPCore
import Operations
import SessionBroker
import Web

/// `POST /ipn/amazon-pay`: what the provider pushes.
///
/// There is no cookie, no key and no origin to look at: the signature inside is what counts. The answer has no body, because
/// who sends this reads the status alone.
enum NotificationHandler {
    /// The service that delivers them waits for fifteen seconds, and then delivers again.
    static let patience = Duration.seconds(10)
    /// The most bytes of a message: eight times what the provider's have.
    ///
    /// The service that delivers them would carry 256 KB. But anybody may send here, and all of it is taken apart before there is a
    /// signature to be looked at.
    static let largestMessage = 16_384

    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        guard let inbox = exchange.services.notifications else { throw Failure(.notFound) }
        let body = exchange.request.body
        let sender = exchange.request.peer.keys
        // What has begun is finished although the sender goes away: a message may be on its way to the disk.
        let status = try await exchange.services.shield.runToCompletion { () async throws(Failure) -> Int in
            await inbox.receive(body, from: sender, at: SystemClock().now())
        }
        let answer: HTTPStatus =
            switch status {
            case 200: .ok
            case 400: .badRequest
            case 403: .forbidden
            default: .serviceUnavailable
            }
        return HTTPResponse(answer, block: exchange.deployment.headers.redirect)
    }
}
