import AppLinks
import CheckoutCodes
import HTTPCore
import Pages
import Primitives
import SessionBroker
import Web

/// What the tab of a request may do.
enum TabAccess {
    /// It holds a live webview session; the page may change it, or only show it while the provider is being called.
    case open(TabToken, WebviewSessionView)
    /// It holds nothing that lives: this answer, and nothing else; with what it says of the order.
    case closed(HTTPResponse, OrderProgress)
}

extension Exchange {
    /// Looks the tab's webview session up.
    ///
    /// - Parameter withDetails: Whether buyer and address are wanted; costs opening the seal.
    /// - Returns: The webview session, or the neutral answer.
    /// - Throws: `invalid_request` for a malformed cookie, and what the store says.
    func tab(withDetails: Bool = false) async throws(Failure) -> TabAccess {
        guard let token = try tabToken() else { return .closed(neutral(), .unknown) }
        let caller = caller
        let outcome = try await Failure.mapErrors {
            try await services.broker.view(token, withDetails: withDetails, by: caller)
        }
        switch consume outcome {
        case .live(let view), .readOnly(let view): return .open(token, view)
        case .refused(let refusal): return .closed(neutral(after: refusal), refusal.progress)
        }
    }

    /// The page for a tab that holds no live session.
    ///
    /// - Parameters:
    ///   - status: 403, or 404 and 410 for a receipt.
    ///   - progress: What has become of the order, where this client may know it.
    ///   - offersReceipt: Whether a receipt that the jar holds is a way on from here.
    /// - Returns: The same page for every reason but one: whose order was completed, or is being completed, is told so.
    func neutral(
        _ status: HTTPStatus = .forbidden,
        _ progress: OrderProgress = .unknown,
        offersReceipt: Bool = true
    ) -> HTTPResponse {
        let page =
            switch progress {
            case .paid: pages.neutralPaid
            case .pending: pages.neutralPending
            case .unknown, .open, .placed, .declined, .over: pages.neutral
            }
        return plainPage(status, block: deployment.headers.page, page.render(receipt: offersReceipt && holdsReceipt))
    }

    /// The same for a token that the jar holds, which forgets it where it is of no use any more.
    ///
    /// Only the jar's own request brings the cookie: another site's are sent without it, or, where they load a page, find the
    /// session that lives. Whether there ever was such a token makes no difference.
    func neutral(after refusal: TabRefusal) -> HTTPResponse {
        var response = neutral(.forbidden, refusal.progress)
        if refusal.endsToken { deployment.cookies.clearTab(on: &response) }
        return response
    }

    /// Whether the jar holds the tab of a webview session.
    func holdsTab(of webviewSession: UUIDBytes?) -> Bool {
        guard let webviewSession, let token = try? tabToken() else { return false }
        return token.webviewSession == webviewSession
    }

    /// Whether the jar holds a receipt: its cookie lives as long.
    var holdsReceipt: Bool { (try? receiptTicket()) != nil }

    /// The launch ticket that the tab remembers, where it is the one that the webview session was opened with.
    func launchTicket(of view: WebviewSessionView) throws(Failure) -> LaunchTicket {
        guard let ticket = try rememberedLaunch(), services.broker.opened(view, with: ticket) else {
            throw Failure(.webviewSessionMismatch, "the tab remembers another launch ticket", of: view)
        }
        return ticket
    }

    /// The link that opens the app: C, A, the word for the old token, and the checkout session.
    ///
    /// - Parameters:
    ///   - view: A webview session with a checkout session.
    ///   - token: The tab token that C is derived from.
    /// - Returns: Built from the settings and checked values only.
    /// - Throws: `session_mismatch` where the tab remembers another launch ticket.
    func returnLink(_ view: WebviewSessionView, _ token: TabToken) throws(Failure) -> LinkTarget {
        let launch = try launchTicket(of: view)
        let ticket = services.broker.returnTicket(of: token)
        let link = ReturnLink(
            base: deployment.linkOrigin,
            returnTicket: ticket.text,
            launchTicket: launch.text,
            accessToken: PurchaseForm.sealedWord,
            orderReferenceID: view.orderReference ?? ""
        )
        guard let text = link?.text, let target = LinkTarget(text) else {
            throw Failure(.internalError, "no return link can be built", of: view)
        }
        return target
    }
}

extension TabRefusal {
    /// What the holder of the token may know of the order.
    fileprivate var progress: OrderProgress {
        switch self {
        case .closed(let state): OrderProgress(state)
        case .unknown, .expired, .superseded: .unknown
        }
    }
}
