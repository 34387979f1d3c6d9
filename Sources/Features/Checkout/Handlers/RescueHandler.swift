import HTTPCore
import Pages
import SessionBroker
import Web

/// `GET /rescue`: offers the return link once more to the browser that holds the webview session, where the first tap did not
/// open the app.
enum RescueHandler {
    @Sendable static func get(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        switch try await exchange.tab() {
        // Whoever has ordered is told so, and needs no way back.
        case .closed(let answer, let progress): return progress.isOrdered ? answer : page(exchange, nil)
        case .open(let token, let view):
            guard offersLink(exchange, view) else {
                // Another page of the tab leads on from this state.
                return exchange.redirect(to: "/checkout_result", webviewSession: view.id)
            }
            let link = try exchange.wayBack(view, token)
            return page(exchange, link, isBeingCompleted: view.state == .purchasing)
        }
    }

    private static func offersLink(_ exchange: Exchange, _ view: WebviewSessionView) -> Bool {
        guard case .some = view.orderReference else { return false }
        switch view.client {
        case .iosApp, .androidApp: break
        // The page speaks of an app; the way back to a site is on the pages of the tab alone.
        case .browser, .site, .mobileApp: return false
        }
        switch view.state {
        case .placed, .purchasing: return true
        case .reviewed: return exchange.deployment.policy.requiresMeeting && !view.record.isMet
        default: return false
        }
    }

    private static func page(
        _ exchange: Exchange,
        _ link: LinkTarget?,
        isBeingCompleted: Bool = false
    ) -> HTTPResponse {
        let body = exchange.pages.rescue.render(link, isBeingCompleted: isBeingCompleted)
        return exchange.plainPage(block: exchange.deployment.shopHeaders.ending, body)
    }
}
