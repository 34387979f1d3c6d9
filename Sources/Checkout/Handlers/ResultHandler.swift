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
            return exchange.redirect(to: "/checkout_result", flow: nil)
        }
        switch try await exchange.tab() {
        case .closed(let answer): return answer
        case .open(let token, let flow): return try await answer(exchange, token, flow)
        }
    }

    private static func answer(
        _ exchange: Exchange,
        _ token: TabToken,
        _ flow: FlowView
    ) async throws(Failure) -> HTTPResponse {
        switch flow.state {
        case .placed: return try await placed(exchange, token, flow)
        case .purchasing: return try await way(exchange, token, flow)
        case .declined: return declined(exchange, flow)
        case .opened: return exchange.redirect(to: "/button", flow: flow.flow)
        case .reviewed: return exchange.redirect(to: "/confirm_order", flow: flow.flow)
        default: return exchange.neutral()
        }
    }

    private static func placed(
        _ exchange: Exchange,
        _ token: TabToken,
        _ flow: FlowView
    ) async throws(Failure) -> HTTPResponse {
        guard let session = flow.orderReference else { return exchange.redirect(to: "/button", flow: flow.flow) }
        guard let refusal = await exchange.services.provider.refusal(of: session, flow.flow) else {
            return try await way(exchange, token, flow)
        }
        let caller = exchange.caller
        _ = try await exchange.services.mapErrors { (broker) async throws(StoreError) in
            try await broker.decline(flow, reason: refusal.reason, by: caller)
        }
        return refusal.isBuyersWish ? cancelled(exchange, token, flow) : declined(exchange, flow)
    }

    private static func cancelled(_ exchange: Exchange, _ token: TabToken, _ flow: FlowView) -> HTTPResponse {
        let ticket = exchange.services.broker.returnTicket(of: token)
        return CancelHandler.page(exchange, flow, .atProvider(returnTicket: ticket))
    }

    private static func declined(_ exchange: Exchange, _ flow: FlowView) -> HTTPResponse {
        let deployment = exchange.deployment
        let view = DeclinedView(client: flow.client, canRetry: true, reference: flow.orderNumber)
        let body = deployment.pages.declined(view, in: exchange.language)
        return exchange.tagged(exchange.plainPage(block: deployment.shopHeaders.ending, body), flow.flow)
    }

    /// The way on: back to the app or the site, or for client `browser` the purchase itself.
    private static func way(
        _ exchange: Exchange,
        _ token: TabToken,
        _ flow: FlowView
    ) async throws(Failure) -> HTTPResponse {
        guard let session = flow.orderReference, let total = flow.total else {
            return exchange.redirect(to: "/button", flow: flow.flow)
        }
        let view: ResultView
        switch flow.client {
        case .iosApp, .androidApp: view = .app(returnLink: try exchange.returnLink(flow, token), total: total)
        case .site: view = .site(returnLink: try exchange.wayBack(flow, token), total: total)
        case .mobileApp: throw Failure(.internalError, "a tab of a flow that has none", of: flow)
        case .browser:
            let purchase = BrowserPurchase(
                returnTicket: exchange.services.broker.returnTicket(of: token),
                launchTicket: try exchange.launchTicket(of: flow),
                orderReferenceID: session,
                total: total
            )
            view = .browser(purchase)
        }
        let deployment = exchange.deployment
        let response = exchange.page(deployment.shopHeaders.ending, policy: ContentSecurityPolicy.scripted) { nonce in
            deployment.pages.result(view, in: exchange.language, nonce: nonce)
        }
        return exchange.tagged(response, flow.flow)
    }
}
