import HTTPCore
import Pages
import Primitives
import SessionBroker

/// Turns a refusal into what the client sees: the code and a sentence, nothing about the inside.
enum FailureResponse {
    /// The response to a refusal.
    ///
    /// - Parameters:
    ///   - failure: The refusal.
    ///   - exchange: The request it answers.
    ///   - format: JSON or a page.
    /// - Returns: Status, page or JSON, `Retry-After` and `X-Flow-Id` where they apply.
    static func make(_ failure: Failure, _ exchange: Exchange, _ format: Route.Format) -> HTTPResponse {
        var response =
            switch format {
            case .json: json(failure.code, exchange)
            case .page: page(failure.code, exchange)
            }
        if let seconds = failure.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        if let flow = failure.flow { _ = response.add(.xFlowID, flow.description) }
        return response
    }

    private static func json(_ code: FailureCode, _ exchange: Exchange) -> HTTPResponse {
        // Both texts are constants of ours and hold nothing that JSON would escape.
        let body = "{\"error\":\"\(code.rawValue)\",\"message\":\"\(code.message)\"}"
        return HTTPResponse(
            code.status,
            block: exchange.services.deployment.headers.json,
            body: .bytes(Array(body.utf8))
        )
    }

    private static func page(_ code: FailureCode, _ exchange: Exchange) -> HTTPResponse {
        let deployment = exchange.services.deployment
        let view = ErrorView(
            code: code,
            way: code.way,
            reference: code == .internalError ? exchange.request.requestID : nil
        )
        return exchange.plainPage(
            code.status,
            block: deployment.headers.neutral,
            deployment.pages.error(view, in: exchange.language)
        )
    }
}

extension PageErrorCode {
    /// What the error page offers first.
    fileprivate var way: ErrorView.Way {
        switch self {
        case .providerFailed, .priceChanged, .notReady, .purchaseInProgress: .confirm
        case .notPriced, .orderMismatch: .button
        default: .none
        }
    }
}
