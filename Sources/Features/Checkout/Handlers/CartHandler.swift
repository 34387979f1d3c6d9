import HTTPCore
import Pages
import SessionBroker
import Web

/// `GET /{client}/cart`: the page the app's web view starts with.
///
/// Gives the jar its app proof where it has none.
enum CartHandler {
    @Sendable static func iosApp(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        try cart(exchange, .iosApp)
    }

    @Sendable static func androidApp(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        try cart(exchange, .androidApp)
    }

    @Sendable static func browser(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        try cart(exchange, .browser)
    }

    private static func cart(_ exchange: Exchange, _ client: ClientKind) throws(Failure) -> HTTPResponse {
        let deployment = exchange.deployment
        var response = exchange.page(deployment.shopHeaders.cart, policy: ContentSecurityPolicy.scripted) { nonce in
            exchange.pages.cart(client).render(nonce: nonce)
        }
        if try exchange.appProof() == nil, mayGive(exchange) {
            deployment.cookies.set(app: exchange.broker.mintProof(), on: &response)
        }
        return response
    }

    /// Whether a jar that shows no proof has none.
    ///
    /// Where another site has brought the buyer here the browser keeps a Strict cookie back, and a new one would take the place
    /// of the one that purchases under way need. The cart's own request brings it along, and is given one where there is none.
    /// Profile compat binds a webview session only to a proof that was there before, so there the page gives it.
    private static func mayGive(_ exchange: Exchange) -> Bool {
        exchange.deployment.policy.appProof == .optional || !exchange.request.fieldIs(.secFetchSite, "cross-site")
    }
}
