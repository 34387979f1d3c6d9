import CheckoutCodes
import HTTPCore
import Pages
import Primitives
import SessionBroker
import Web

/// `/checkout_cancel`: the buyer left the provider's pages.
///
/// Coming here changes nothing; the form on the page does.
enum CancelHandler {
    @Sendable static func get(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        switch try await exchange.tab() {
        case .closed(let answer): return answer
        case .open(let token, let webviewSession):
            guard webviewSession.state != .purchasing else {
                return exchange.redirect(to: "/checkout_result", webviewSession: webviewSession.id)
            }
            let ticket = exchange.services.broker.returnTicket(of: token)
            return page(exchange, webviewSession, .atProvider(returnTicket: ticket))
        }
    }

    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let form = try exchange.form(["secureWebviewSessionId"])
        let ticket = try exchange.returnTicket(form)
        switch try await exchange.tab() {
        case .closed(let answer): return answer
        case .open(let token, let webviewSession): return try await cancel(exchange, token, webviewSession, ticket)
        }
    }

    private static func cancel(
        _ exchange: Exchange,
        _ token: TabToken,
        _ webviewSession: WebviewSessionView,
        _ ticket: ReturnTicket
    ) async throws(Failure) -> HTTPResponse {
        let caller = exchange.caller
        let verdict = try await exchange.services.mapErrors { (broker) async throws(StoreError) in
            try await broker.cancel(token, ticket: ticket, by: caller)
        }
        switch verdict {
        case .cancelled:
            var response = page(exchange, webviewSession, .ended)
            exchange.deployment.cookies.clearTab(on: &response)
            return response
        case .webviewSessionMismatch: throw Failure(.webviewSessionMismatch, of: webviewSession)
        case .refused(.readOnly): throw Failure(.purchaseInProgress, of: webviewSession)
        case .refused(let refusal): return exchange.neutral(after: refusal)
        }
    }

    /// The page in either of its stages.
    static func page(
        _ exchange: Exchange,
        _ webviewSession: WebviewSessionView,
        _ stage: CancelledView.Stage
    ) -> HTTPResponse {
        let deployment = exchange.deployment
        let view = CancelledView(client: webviewSession.client, stage: stage, reference: webviewSession.orderNumber)
        let body = deployment.pages.cancelled(view, in: exchange.language)
        let response = exchange.plainPage(
            block: deployment.shopHeaders.ending,
            policy: ContentSecurityPolicy.form,
            body
        )
        return exchange.tagged(response, webviewSession.id)
    }
}
