import HTTPCore
import Primitives
import SessionBroker
import Web

/// `POST /return`: lets native code check a return before it shows anything.
///
/// Consumes nothing, calls nobody.
enum ReturnHandler {
    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let request = try PurchaseForm.read(exchange)
        let outcome = try await Failure.mapErrors { try await exchange.broker.check(request, by: exchange.caller) }
        switch outcome {
        case .proven:
            return exchange.json(Array("{\"status\":\"ok\"}".utf8), webviewSession: request.ticket.webviewSession)
        case .refused(let refusal): throw refusal.failure(request.ticket.webviewSession)
        }
    }
}
