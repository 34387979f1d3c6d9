import HTTPCore
import Pages
import Web

/// `GET /index.html` on the link host: what the buyer sees where the link did not open the app.
enum LinkHandler {
    @Sendable static func fallback(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        let deployment = exchange.services.deployment
        return exchange.page(deployment.shopHeaders.linkFallback, policy: ContentSecurityPolicy.linkFallback) { nonce in
            exchange.pages.link.render(nonce: nonce)
        }
    }
}
