import CheckoutCodes
import HTTPCore
import Primitives
import SessionBroker
import Web

/// `POST /secureWebviewSession/status`: the name of a webview session's state for the app that started it; never data, never a
/// token.
enum StatusHandler {
    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let text = try exchange.request.form(["secureWebviewSessionId"]).required("secureWebviewSessionId")
        guard let ticket = LaunchTicket.parse(text) else { throw exchange.malformedToken() }
        let proof = try exchange.appProof()
        let status = try await Failure.mapErrors {
            try await exchange.broker.status(ticket, proof: proof, by: exchange.caller)
        }
        guard let status else { throw Failure(.unknownSession) }
        return exchange.json(Array("{\"state\":\"\(status.rawValue)\"}".utf8), webviewSession: ticket.webviewSession)
    }
}
