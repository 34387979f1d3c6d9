import HTTPCore
import Pages
import Web

/// `GET /`: what a demonstration is about.
///
/// Elsewhere there is no such page: a shop has a front of its own.
enum StartHandler {
    @Sendable static func get(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        let deployment = exchange.deployment
        guard deployment.isDemo else { throw Failure(.notFound) }
        return exchange.plainPage(block: deployment.headers.page, exchange.pages.start)
    }
}
