import HTTPCore
import SessionBroker

/// `POST /purchase`: the two halves meet, and the purchase is completed exactly once.
enum PurchaseHandler {
    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let request = try PurchaseForm.read(exchange)
        switch try await exchange.services.purchases.purchase(request, by: exchange.caller) {
        case .done(let body):
            var response =
                wantsPage(exchange)
                ? exchange.redirect(to: "/thanks", flow: request.ticket.flow)
                : exchange.json(body, flow: request.ticket.flow)
            exchange.deployment.cookies.set(receipt: request.ticket, on: &response)
            return response
        case .openAgain(let ticket):
            let body = "{\"status\":\"202\",\"secureWebviewSessionId\":\"\(ticket.text)\"}"
            return exchange.json(Array(body.utf8), status: .accepted, flow: ticket.flow)
        }
    }

    /// Whether a plain form of the result page posted this, which wants a page and not JSON.
    private static func wantsPage(_ exchange: Exchange) -> Bool {
        exchange.request.fieldIs(.secFetchMode, "navigate")
    }
}
