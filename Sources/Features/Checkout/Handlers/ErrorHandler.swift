import CheckoutCodes
import HTTPCore
import Pages
import Web

/// `GET` and `POST /error`: the last resort of the sample shop's pages.
///
/// Closes nothing, reveals nothing, reads nothing.
enum ErrorHandler {
    @Sendable static func page(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        let deployment = exchange.services.deployment
        let body = exchange.pages.error.render(ErrorView(code: .internalError))
        return exchange.plainPage(block: deployment.headers.page, body)
    }
}
