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
        if try exchange.parameter("amazonCheckoutSessionId") != nil {
            return exchange.redirect(to: "/checkout_result", webviewSession: nil)
        }
        switch try await exchange.tab() {
        case .closed(let answer): return answer
        case .open(let token, let webviewSession): return try await answer(exchange, token, webviewSession)
        }
    }

    private static func answer(
        _ exchange: Exchange,
        _ token: TabToken,
        _ webviewSession: WebviewSessionView
    ) async throws(Failure) -> HTTPResponse {
        switch webviewSession.state {
        case .placed: return try await placed(exchange, token, webviewSession)
        case .purchasing: return try await way(exchange, token, webviewSession)
        case .declined: return declined(exchange, webviewSession)
        case .opened: return exchange.redirect(to: "/button", webviewSession: webviewSession.id)
        case .reviewed: return exchange.redirect(to: "/confirm_order", webviewSession: webviewSession.id)
        default: return exchange.neutral()
        }
    }

    private static func placed(
        _ exchange: Exchange,
        _ token: TabToken,
        _ webviewSession: WebviewSessionView
    ) async throws(Failure) -> HTTPResponse {
        guard let session = webviewSession.orderReference else {
            return exchange.redirect(to: "/button", webviewSession: webviewSession.id)
        }
        guard let refusal = await exchange.services.provider.refusal(of: session, webviewSession.id) else {
            return try await way(exchange, token, webviewSession)
        }
        let caller = exchange.caller
        _ = try await exchange.services.mapErrors { (broker) async throws(StoreError) in
            try await broker.decline(webviewSession, reason: refusal.reason, by: caller)
        }
        return refusal.isBuyersWish ? cancelled(exchange, token, webviewSession) : declined(exchange, webviewSession)
    }

    private static func cancelled(
        _ exchange: Exchange,
        _ token: TabToken,
        _ webviewSession: WebviewSessionView
    ) -> HTTPResponse {
        let ticket = exchange.services.broker.returnTicket(of: token)
        return CancelHandler.page(exchange, webviewSession, .atProvider(returnTicket: ticket))
    }

    private static func declined(_ exchange: Exchange, _ webviewSession: WebviewSessionView) -> HTTPResponse {
        let deployment = exchange.deployment
        let view = DeclinedView(client: webviewSession.client, canRetry: true, reference: webviewSession.orderNumber)
        let body = deployment.pages.declined(view, in: exchange.language)
        return exchange.tagged(
            exchange.plainPage(block: deployment.shopHeaders.ending, body),
            webviewSession.id
        )
    }

    /// The way on: back to the app or the site, or for client `browser` the purchase itself.
    private static func way(
        _ exchange: Exchange,
        _ token: TabToken,
        _ webviewSession: WebviewSessionView
    ) async throws(Failure) -> HTTPResponse {
        guard let session = webviewSession.orderReference, let total = webviewSession.total else {
            return exchange.redirect(to: "/button", webviewSession: webviewSession.id)
        }
        let view: ResultView
        switch webviewSession.client {
        case .iosApp, .androidApp: view = .app(returnLink: try exchange.returnLink(webviewSession, token), total: total)
        case .site: view = .site(returnLink: try exchange.wayBack(webviewSession, token), total: total)
        case .mobileApp: throw Failure(.internalError, "a tab of a flow that has none", of: webviewSession)
        case .browser:
            let purchase = BrowserPurchase(
                returnTicket: exchange.services.broker.returnTicket(of: token),
                launchTicket: try exchange.launchTicket(of: webviewSession),
                orderReferenceID: session,
                total: total
            )
            view = .browser(purchase)
        }
        let deployment = exchange.deployment
        let response = exchange.page(deployment.shopHeaders.ending, policy: ContentSecurityPolicy.scripted) { nonce in
            deployment.pages.result(view, in: exchange.language, nonce: nonce)
        }
        return exchange.tagged(response, webviewSession.id)
    }
}
