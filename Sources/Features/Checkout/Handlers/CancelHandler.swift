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
        case .closed(let answer, _): return answer
        case .open(let token, let view):
            guard view.state != .purchasing else {
                return exchange.redirect(to: "/checkout_result", webviewSession: view.id)
            }
            let ticket = exchange.broker.returnTicket(of: token)
            return page(exchange, view, .atProvider(returnTicket: ticket))
        }
    }

    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let form = try exchange.request.form(["secureWebviewSessionId"])
        let ticket = try exchange.returnTicket(form)
        switch try await exchange.tab() {
        case .closed(let answer, _): return answer
        case .open(let token, let view): return try await cancel(exchange, token, view, ticket)
        }
    }

    private static func cancel(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView,
        _ ticket: ReturnTicket
    ) async throws(Failure) -> HTTPResponse {
        let outcome = try await Failure.mapErrors {
            try await exchange.broker.cancel(token, ticket: ticket, by: exchange.caller)
        }
        switch outcome {
        case .canceled:
            var response = page(exchange, view, .ended)
            exchange.deployment.cookies.clearTab(on: &response)
            return response
        case .webviewSessionMismatch: throw Failure(.webviewSessionMismatch, of: view)
        case .readOnly: return exchange.redirect(to: "/checkout_result", webviewSession: view.id)
        case .refused(let refusal): return exchange.neutral(after: refusal)
        }
    }

    /// The page in either of its stages.
    static func page(
        _ exchange: Exchange,
        _ view: WebviewSessionView,
        _ stage: CanceledPage.Stage
    ) -> HTTPResponse {
        let deployment = exchange.deployment
        let body = exchange.pages.canceled.render(view, stage)
        let response = exchange.plainPage(
            block: deployment.shopHeaders.ending,
            policy: ContentSecurityPolicy.form,
            body
        )
        return exchange.tagged(response, view.id)
    }
}
