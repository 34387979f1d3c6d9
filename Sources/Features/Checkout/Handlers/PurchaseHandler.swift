import CheckoutCodes
import HTTPCore
import Operations
import SessionBroker
import Web

/// `POST /purchase`: the two halves meet, and the purchase is completed exactly once.
///
/// Scripts get JSON. The result page's form also works without script: then the browser gets a page.
enum PurchaseHandler {
    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let request = try PurchaseForm.read(exchange)
        guard wantsPage(exchange.request) else { return try await purchase(exchange, request) }
        do throws(Failure) {
            return try await purchase(exchange, request)
        } catch {
            return page(for: error, exchange)
        }
    }

    private static func purchase(
        _ exchange: Exchange,
        _ request: PurchaseRequest
    ) async throws(Failure) -> HTTPResponse {
        let asPage = wantsPage(exchange.request)
        let caller = exchange.caller
        let purchases = exchange.services.purchases
        let outcome = try await exchange.services.shield.runToCompletion { () async throws(Failure) in
            try await purchases.purchase(request, by: caller)
        }
        switch outcome {
        case .done(let body):
            let webviewSession = request.ticket.webviewSession
            var response =
                asPage
                ? exchange.redirect(to: "/thanks", webviewSession: webviewSession)
                : exchange.json(body, webviewSession: webviewSession)
            exchange.deployment.cookies.set(receipt: request.ticket, on: &response)
            return response
        case .openAgain(let ticket):
            guard !asPage else {
                return exchange.redirect(
                    to: "/button?secureWebviewSessionId=\(ticket.text)",
                    webviewSession: ticket.webviewSession
                )
            }
            let body = "{\"status\":\"202\",\"secureWebviewSessionId\":\"\(ticket.text)\"}"
            return exchange.json(Array(body.utf8), status: .accepted, webviewSession: ticket.webviewSession)
        }
    }

    /// What a browser without script sees instead of a JSON error.
    private static func page(for failure: Failure, _ exchange: Exchange) -> HTTPResponse {
        switch failure.code {
        case .notReady, .purchaseInProgress, .paymentDeclined:
            return exchange.redirect(to: "/checkout_result", webviewSession: failure.session)
        default:
            exchange.services.note(failure, exchange.request)
            return FailureResponse.make(failure, exchange, .page)
        }
    }

    private static func wantsPage(_ request: HTTPRequest) -> Bool {
        if request.fieldIs(.secFetchMode, "navigate") { return true }
        return request.fieldLists(.accept, "text/html") && !request.fieldLists(.accept, "application/json")
    }
}
