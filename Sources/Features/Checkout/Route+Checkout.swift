import HTTPCore
import HTTPServer
import Web

// Rows of the shop: their handlers take an exchange, and say what went wrong in the codes of the HTTP contract.

extension Route where Part == CheckoutPart {
    /// Answered at once, from memory, the same for everybody.
    static func fixed(
        _ pattern: RoutePattern,
        _ format: FormatName,
        _ summary: String,
        _ answer: @escaping @Sendable (Deployment) -> FixedAnswer
    ) -> Route {
        Route(.get, pattern, summary, format: format, .fixed { services in answer(services.deployment) })
    }

    /// Answered at once.
    static func now(
        _ method: HTTPMethod,
        _ pattern: RoutePattern,
        _ format: FormatName,
        _ summary: String,
        _ handler: @escaping @Sendable (Exchange) throws(Failure) -> HTTPResponse
    ) -> Route {
        let action = Action.now { services, request throws(Failure) in
            try handler(Exchange(request: request, services: services))
        }
        return Route(method, pattern, summary, format: format, action)
    }

    /// Answered after waiting for the store or the provider.
    ///
    /// - Parameter begins: Whether the request begins something: then it is refused at once where the store has no room for it.
    static func later(
        _ method: HTTPMethod,
        _ pattern: RoutePattern,
        _ format: FormatName,
        _ summary: String,
        bodyLimit: Int? = nil,
        patience: Duration? = nil,
        beginning begins: (@Sendable (CheckoutPart, HTTPRequest) -> Bool)? = nil,
        _ handler: @escaping @Sendable (Exchange) async throws(Failure) -> HTTPResponse
    ) -> Route {
        let admit = begins.map { begins in
            { @Sendable (services: CheckoutPart, request: HTTPRequest) -> StaticResponse? in
                guard begins(services, request) else { return nil }
                return services.loadSheddingAnswer(request, format)
            }
        }
        let action = Action.later(admit: admit) { services, request async throws(Failure) in
            try await handler(Exchange(request: request, services: services))
        }
        return Route(method, pattern, summary, format: format, bodyLimit: bodyLimit, patience: patience, action)
    }
}

/// How the shop refuses: JSON or a page.
final class ShopFailures: FailureFormat {
    private let services: CheckoutPart
    private let format: FormatName

    init(_ services: CheckoutPart, _ format: FormatName) {
        self.services = services
        self.format = format
    }

    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        services.note(failure, request)
        return FailureResponse.make(failure, Exchange(request: request, services: services), format)
    }
}
