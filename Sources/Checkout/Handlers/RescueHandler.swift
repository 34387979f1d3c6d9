import HTTPCore
import Pages
import SessionBroker
import Web

/// `GET /rescue`: offers the return link once more to the browser that holds the webview session, where the first tap did not
/// open the app.
enum RescueHandler {
    @Sendable static func get(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        let deployment = exchange.deployment
        let (target, isBeingCompleted) = try await link(exchange)
        let body = exchange.pages.rescue.render(target, isBeingCompleted: isBeingCompleted)
        return exchange.plainPage(block: deployment.shopHeaders.ending, body)
    }

    private static func link(_ exchange: Exchange) async throws(Failure) -> (LinkTarget?, isBeingCompleted: Bool) {
        guard case .open(let token, let webviewSession) = try await exchange.tab(), webviewSession.client.isApp,
            webviewSession.orderReference != nil
        else { return (nil, false) }
        let awaitsMeeting =
            exchange.deployment.policy.requiresMeeting && webviewSession.state == .reviewed
            && !webviewSession.record.isMet
        guard webviewSession.state == .placed || webviewSession.state == .purchasing || awaitsMeeting else {
            return (nil, false)
        }
        return (try exchange.wayBack(webviewSession, token), webviewSession.state == .purchasing)
    }
}
