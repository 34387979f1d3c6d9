import CheckoutCodes
import HTTPCore
import Pages
import Primitives
import SessionBroker
import Web

/// `/button`: opens a launch ticket, and shows the tab's first page to the holder of the tab token.
enum ButtonHandler {
    private static let name = "secureWebviewSessionId"

    @Sendable static func get(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        guard let text = try exchange.request.parameter(name) else { return try await page(exchange) }
        guard !exchange.request.isPrefetch else { return try await refusePrefetch(exchange, text) }
        let site = FetchSite(exchange.request)
        if exchange.deployment.policy.fetchSite == .enforce, !site.mayOpen {
            exchange.services.countOpen(site, nil)
            throw Failure(.wrongBrowser, "Sec-Fetch-Site: \(site.word)")
        }
        switch exchange.deployment.policy.openMode {
        case .get: return try await open(exchange, text, isAgain: false)
        case .autoPost: return try interstitial(exchange, text, .autoPost)
        case .tap: return try interstitial(exchange, text, .tap)
        }
    }

    /// Whether `get` would use up a ticket.
    ///
    /// Any query counts: it is not read twice for the sake of requests that nobody sends, and that `get` refuses at once.
    @Sendable static func opens(_ part: CheckoutPart, _ request: HTTPRequest) -> Bool {
        guard request.method == .get, part.deployment.policy.openMode == .get, request.hasQuery else { return false }
        return !request.isPrefetch
    }

    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let text = try exchange.request.form([name]).required(name)
        // It comes from the page that `get` has shown, and a browser says so. What is silent is no browser: a scanner that
        // sends forms.
        guard exchange.request.namesOwnOrigin else { throw Failure(.csrfRejected, "neither Origin nor Sec-Fetch-Site") }
        return try await open(exchange, text, isAgain: try exchange.request.parameter("again") != nil)
    }

    private static func refusePrefetch(_ exchange: Exchange, _ text: String) async throws(Failure) -> HTTPResponse {
        if let ticket = LaunchTicket.parse(text) {
            try await Failure.mapErrors { try await exchange.broker.notePrefetch(ticket, by: exchange.caller) }
        }
        return HTTPResponse(.serviceUnavailable, block: exchange.deployment.shopHeaders.prefetch)
    }

    private static func interstitial(
        _ exchange: Exchange,
        _ text: String,
        _ mode: OpenPage.Mode
    ) throws(Failure) -> HTTPResponse {
        guard let ticket = LaunchTicket.parse(text) else { throw exchange.malformedToken() }
        return page(exchange, ticket, mode)
    }

    private static func page(_ exchange: Exchange, _ ticket: LaunchTicket, _ mode: OpenPage.Mode) -> HTTPResponse {
        let deployment = exchange.deployment
        return exchange.page(deployment.shopHeaders.interstitial, policy: ContentSecurityPolicy.interstitial) { nonce in
            exchange.pages.open.render(mode, ticket, nonce: nonce)
        }
    }

    // MARK: Open

    /// Opens a ticket.
    ///
    /// - Parameter isAgain: Whether it comes from the page that a second use of the ticket was answered with.
    private static func open(
        _ exchange: Exchange,
        _ text: String,
        isAgain: Bool
    ) async throws(Failure) -> HTTPResponse {
        guard let ticket = LaunchTicket.parse(text) else { throw exchange.malformedToken() }
        let tab = try exchange.tabToken()
        let proof = try exchange.appProof()
        let site = FetchSite(exchange.request)
        let outcome = try await Failure.mapErrors {
            try await exchange.broker.open(ticket, tab: tab, proof: proof, putsOff: !isAgain, by: exchange.caller)
        }
        exchange.services.countOpen(site, outcome.opened?.session.client)
        return try await answer(exchange, ticket, outcome)
    }

    private static func answer(
        _ exchange: Exchange,
        _ ticket: LaunchTicket,
        _ outcome: OpenOutcome<OpenedTab>
    ) async throws(Failure) -> HTTPResponse {
        switch outcome {
        case .opened(let tab), .reopened(let tab):
            var response = try await landing(exchange, tab)
            exchange.deployment.cookies.set(tab: tab.token, launch: ticket, on: &response)
            return response
        case .sameTab(let review):
            return opened(exchange, start(review), ticket.webviewSession)
        case .doubled: return exchange.tagged(page(exchange, ticket, .again), ticket.webviewSession)
        case .unknown: throw Failure(.unknownSession)
        case .expired: throw Failure(.expiredSession, session: ticket.webviewSession)
        case .reused(let state), .finished(let state):
            throw Failure(.sessionReused, session: ticket.webviewSession, in: state)
        case .wrongBrowser: throw Failure(.wrongBrowser, session: ticket.webviewSession)
        case .dead(let state): throw Failure(state.deadCode, session: ticket.webviewSession)
        }
    }

    /// The clean address where an open tab begins.
    private static func start(_ review: String?) -> String {
        review.map { "/confirm_order?amazonCheckoutSessionId=\($0)" } ?? "/button"
    }

    /// Where a fresh tab goes: to the clean URL, or in profile compat straight to the page.
    private static func landing(_ exchange: Exchange, _ tab: OpenedTab) async throws(Failure) -> HTTPResponse {
        let webviewSession = tab.token.webviewSession
        guard tab.session.review == nil, !exchange.deployment.policy.opensToCleanURL else {
            return opened(exchange, start(tab.session.review), webviewSession)
        }
        let outcome = try await Failure.mapErrors { try await exchange.broker.view(tab.token, by: exchange.caller) }
        guard case .live(let view) = outcome else { return exchange.neutral() }
        return try await page(exchange, view)
    }

    private static func opened(
        _ exchange: Exchange,
        _ location: String,
        _ webviewSession: WebviewSessionID
    ) -> HTTPResponse {
        exchange.redirect(to: location, webviewSession: webviewSession, block: exchange.deployment.shopHeaders.opened)
    }

    // MARK: Page

    private static func page(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        if try exchange.tabToken() == nil {
            // Right after an open this means that the browser keeps no cookie, as browsers inside other apps do.
            let deployment = exchange.deployment
            return exchange.plainPage(
                .forbidden,
                block: deployment.headers.page,
                exchange.pages.cookiesBlocked.render(receipt: exchange.holdsReceipt)
            )
        }
        switch try await exchange.tab() {
        case .open(_, let view): return try await page(exchange, view)
        case .closed(let answer, _): return answer
        }
    }

    private static func page(
        _ exchange: Exchange,
        _ view: WebviewSessionView
    ) async throws(Failure) -> HTTPResponse {
        switch view.state {
        case .opened, .reviewed, .declined: break
        case .placed, .purchasing:
            return exchange.redirect(to: "/confirm_order", webviewSession: view.id)
        default: return exchange.neutral()
        }
        let content = ButtonView(
            webviewSession: view,
            start: try await exchange.services.provider.start(
                for: view.id,
                try exchange.terms(of: view),
                of: exchange.request.peer.keys
            ),
            fallbackAction: exchange.deployment.startAction
        )
        let response = exchange.providerPage { exchange.pages.button.render(content, nonce: $0) }
        return exchange.tagged(response, view.id)
    }
}

extension FetchSite {
    /// Whether an honest open can come from there: an app's tab says `none`, our own cart page `same-origin`.
    fileprivate var mayOpen: Bool { self == .absent || self == .none || self == .sameOrigin }
}
