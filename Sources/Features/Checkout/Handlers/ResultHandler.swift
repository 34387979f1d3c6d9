import CheckoutCodes
import HTTPCore
import Pages
import Primitives
import SessionBroker
import Web

/// `GET /checkout_result`: where the provider sends the buyer after its last page.
///
/// The arrival proves nothing: the same address is used for success, refusal and cancellation. So the provider is asked, and
/// the page says what became of it; nothing is charged here.
enum ResultHandler {
    @Sendable static func get(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        if try exchange.request.parameter("amazonCheckoutSessionId") != nil {
            return exchange.redirect(to: "/checkout_result", webviewSession: nil)
        }
        switch try await exchange.tab() {
        case .closed(let answer, _): return answer
        case .open(let token, let view): return try await answer(exchange, token, view)
        }
    }

    private static func answer(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView
    ) async throws(Failure) -> HTTPResponse {
        switch view.state {
        case .placed: return try await placed(exchange, token, view)
        case .purchasing: return try await way(exchange, token, view)
        case .declined: return declined(exchange, view)
        case .opened: return exchange.redirect(to: "/button", webviewSession: view.id)
        case .reviewed: return exchange.redirect(to: "/confirm_order", webviewSession: view.id)
        default: return exchange.neutral()
        }
    }

    private static func placed(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView
    ) async throws(Failure) -> HTTPResponse {
        guard let checkoutSession = view.orderReference else {
            return exchange.redirect(to: "/button", webviewSession: view.id)
        }
        let caller = exchange.caller
        guard let refusal = await exchange.services.provider.refusal(of: checkoutSession, view.id, by: caller) else {
            exchange.broker.steps.note("session.returned", view.id)
            return try await way(exchange, token, view)
        }
        _ = try await Failure.mapErrors { try await exchange.broker.decline(view, reason: refusal.reason, by: caller) }
        return refusal.isBuyersWish ? cancelled(exchange, token, view) : declined(exchange, view)
    }

    private static func cancelled(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView
    ) -> HTTPResponse {
        let ticket = exchange.broker.returnTicket(of: token)
        return CancelHandler.page(exchange, view, .atProvider(returnTicket: ticket))
    }

    private static func declined(_ exchange: Exchange, _ view: WebviewSessionView) -> HTTPResponse {
        let deployment = exchange.deployment
        let body = exchange.pages.declined.render(view)
        return exchange.tagged(
            exchange.plainPage(block: deployment.shopHeaders.ending, body),
            view.id
        )
    }

    /// The way on: back to the app or the site, or for client `browser` the purchase itself.
    private static func way(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView
    ) async throws(Failure) -> HTTPResponse {
        guard let checkoutSession = view.orderReference, let total = view.total else {
            return exchange.redirect(to: "/button", webviewSession: view.id)
        }
        let content: ResultView
        switch view.client {
        case .iosApp, .androidApp:
            let link = try exchange.returnLink(view, token)
            content = .app(returnLink: link, total: total, isBeingCompleted: view.state == .purchasing)
        case .site:
            let link = try exchange.wayBack(view, token)
            content = .site(returnLink: link, total: total, isBeingCompleted: view.state == .purchasing)
        case .mobileApp: throw Failure(.internalError, "a tab of a webview session that has none", of: view)
        case .browser:
            let purchase = BrowserPurchase(
                returnTicket: exchange.broker.returnTicket(of: token),
                launchTicket: try exchange.launchTicket(of: view),
                orderReferenceID: checkoutSession,
                total: total
            )
            content = .browser(purchase)
        }
        let deployment = exchange.deployment
        let response = exchange.page(deployment.shopHeaders.ending, policy: ContentSecurityPolicy.scripted) { nonce in
            exchange.pages.result.render(content, nonce: nonce)
        }
        return exchange.tagged(response, view.id)
    }
}
