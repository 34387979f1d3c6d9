import CheckoutCodes
import Commerce
import HTTPCore
import Pages
import Primitives
import SessionBroker
import Web

/// Turns a refusal into what the client sees: the code and a sentence, nothing about the inside.
enum FailureResponse {
    /// The response to a refusal.
    ///
    /// - Parameters:
    ///   - format: JSON or a page.
    /// - Returns: Status, page or JSON, `Retry-After` and `Webview-Session-Id` where they apply.
    static func make(_ failure: Failure, _ exchange: Exchange, _ format: FormatName) -> HTTPResponse {
        if format == .page, exchange.request.hostNames(exchange.deployment.linkHost) { return link(failure, exchange) }
        return make(
            failure,
            exchange.deployment,
            format,
            in: { Language(preferredBy: exchange.request) },
            asked: Asked(failure, exchange)
        )
    }

    /// What of a request counts for the page of its refusal.
    struct Asked {
        /// Its id, which a buyer may quote where no session is known and the log has more.
        let request: String
        /// Whether the jar holds the tab of the refused session.
        let holdsTab: Bool
        /// Whether the jar holds a receipt.
        let holdsReceipt: Bool

        fileprivate init(_ failure: Failure, _ exchange: Exchange) {
            request = exchange.request.requestID
            holdsTab = exchange.holdsTab(of: failure.session)
            holdsReceipt = exchange.holdsReceipt
        }
    }

    /// The response to a refusal that is the same for everybody who prefers a language.
    ///
    /// - Parameters:
    ///   - format: JSON or a page.
    ///   - language: Of a page; not asked for JSON.
    ///   - asked: The request; `nil` for an answer that is the same for every one.
    /// - Returns: As above.
    static func make(
        _ failure: Failure,
        _ deployment: Deployment,
        _ format: FormatName,
        in language: () -> Language,
        asked: Asked? = nil
    ) -> HTTPResponse {
        var response =
            format == .page
            ? page(failure, deployment, language(), asked) : json(failure, deployment)
        if let seconds = failure.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        if let webviewSession = failure.session { _ = response.add(.webviewSessionID, webviewSession.description) }
        return response
    }

    /// On the link host, which has no static files: a page that is whole in itself.
    private static func link(_ failure: Failure, _ exchange: Exchange) -> HTTPResponse {
        let deployment = exchange.deployment
        var response = exchange.page(
            deployment.shopHeaders.linkFallback,
            policy: ContentSecurityPolicy.linkFallback
        ) { exchange.pages.link.render(failure.code, nonce: $0) }
        response.status = failure.code.status
        if let seconds = failure.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        return response
    }

    private static func json(_ failure: Failure, _ deployment: Deployment) -> HTTPResponse {
        let code = failure.code
        // What a page that waits shows; a sum has digits and commas only.
        let sum = failure.total.map { ",\"totalPrice\":\"\($0.grouped)\"" } ?? ""
        // Both texts are constants of ours and hold nothing that JSON would escape.
        let body = "{\"error\":\"\(code.name)\",\"message\":\"\(code.message)\"\(sum)}\n"
        return HTTPResponse(code.status, block: deployment.headers.json, body: .bytes(Array(body.utf8)))
    }

    private static func page(
        _ failure: Failure,
        _ deployment: Deployment,
        _ language: Language,
        _ asked: Asked?
    ) -> HTTPResponse {
        let code = failure.code
        let number = failure.session.map { OrderNumber($0).description }
        let view = ErrorView(
            code: code,
            progress: failure.progress,
            client: failure.client,
            holdsTab: asked?.holdsTab ?? false,
            holdsReceipt: asked?.holdsReceipt ?? false,
            reference: number ?? (code == .internalError ? asked?.request : nil)
        )
        var response = HTTPResponse(
            code.status,
            block: deployment.headers.page,
            body: .bytes(deployment.pages[language].error.render(view))
        )
        _ = response.add(.contentSecurityPolicy, ContentSecurityPolicy.plain)
        return response
    }
}

/// A refusal that is made once, as JSON and as a page in each language.
final class PreparedRefusal {
    private let json: StaticResponse
    private let pages: [StaticResponse]

    /// The given refusal.
    ///
    /// - Parameters:
    ///   - failure: One that names no webview session and needs no reference.
    init(_ failure: Failure, _ deployment: Deployment) {
        json = StaticResponse(FailureResponse.make(failure, deployment, .json, in: { .ja }))
        pages = Language.allCases.map { language in
            StaticResponse(FailureResponse.make(failure, deployment, .page, in: { language }))
        }
    }

    /// The answer for one request.
    func answer(_ request: HTTPRequest, _ format: FormatName) -> StaticResponse {
        guard format == .page, let index = Language.allCases.firstIndex(of: Language(preferredBy: request)) else {
            return json
        }
        return pages[index]
    }
}
