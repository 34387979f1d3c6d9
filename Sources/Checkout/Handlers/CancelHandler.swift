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
        case .open(let token, let flow):
            guard flow.state != .purchasing else { return exchange.redirect(to: "/checkout_result", flow: flow.flow) }
            let ticket = exchange.services.broker.returnTicket(of: token)
            return page(exchange, flow, .atProvider(returnTicket: ticket))
        }
    }

    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let form = try exchange.form(["secureWebviewSessionId"])
        let ticket = try exchange.returnTicket(form)
        switch try await exchange.tab() {
        case .closed(let answer): return answer
        case .open(let token, let flow): return try await cancel(exchange, token, flow, ticket)
        }
    }

    private static func cancel(
        _ exchange: Exchange,
        _ token: TabToken,
        _ flow: FlowView,
        _ ticket: ReturnTicket
    ) async throws(Failure) -> HTTPResponse {
        let caller = exchange.caller
        let verdict = try await exchange.services.mapErrors { (broker) async throws(StoreError) in
            try await broker.cancel(token, ticket: ticket, by: caller)
        }
        switch verdict {
        case .cancelled:
            var response = page(exchange, flow, .ended)
            exchange.deployment.cookies.clearTab(on: &response)
            return response
        case .flowMismatch: throw Failure(.flowMismatch, of: flow)
        case .refused(.readOnly): throw Failure(.purchaseInProgress, of: flow)
        case .refused(let refusal): return exchange.neutral(after: refusal)
        }
    }

    /// The page in either of its stages.
    static func page(_ exchange: Exchange, _ flow: FlowView, _ stage: CancelledView.Stage) -> HTTPResponse {
        let deployment = exchange.deployment
        let view = CancelledView(client: flow.client, stage: stage, reference: flow.orderNumber)
        let body = deployment.pages.cancelled(view, in: exchange.language)
        let response = exchange.plainPage(
            block: deployment.shopHeaders.ending,
            policy: ContentSecurityPolicy.form,
            body
        )
        return exchange.tagged(response, flow.flow)
    }
}
