import HTTPCore
import Pages
import SessionBroker

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
        var response = exchange.page(deployment.headers.cart, policy: ContentSecurityPolicy.scripted) { nonce in
            deployment.pages.cart(client, in: exchange.language, nonce: nonce)
        }
        if try exchange.appProof() == nil {
            deployment.cookies.set(app: exchange.services.broker.mintProof(), on: &response)
        }
        return response
    }
}
