import HTTPCore
import HTTPServer
import Pages
import Web

// Rows of the shop: their handlers take an exchange, and say what went wrong in the codes of the HTTP contract.

extension Route where Part == LoopServices {
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
        let action = Action.now { services, request in
            let exchange = Exchange(request: request, services: services)
            do throws(Failure) {
                return try handler(exchange)
            } catch {
                return exchange.refusal(error, format)
            }
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
        beginning begins: (@Sendable (Exchange) -> Bool)? = nil,
        _ handler: @escaping @Sendable (Exchange) async throws(Failure) -> HTTPResponse
    ) -> Route {
        let admit = begins.map { begins in
            { @Sendable (services: LoopServices, request: HTTPRequest) -> StaticResponse? in
                guard begins(Exchange(request: request, services: services)) else { return nil }
                return services.refusalOfNew(request, format)
            }
        }
        let action = Action.later(admit: admit) { services, request in
            let exchange = Exchange(request: request, services: services)
            do throws(Failure) {
                return try await handler(exchange)
            } catch {
                return exchange.refusal(error, format)
            }
        }
        return Route(method, pattern, summary, format: format, bodyLimit: bodyLimit, action)
    }
}

extension Exchange {
    /// The answer to a refusal, which is counted and logged.
    fileprivate func refusal(_ failure: Failure, _ format: FormatName) -> HTTPResponse {
        services.note(failure, request)
        return FailureResponse.make(failure, self, format)
    }
}

/// How the shop refuses where no handler is asked: JSON or a page.
final class ShopFailures: FailureFormat {
    private let services: LoopServices
    private let format: FormatName

    init(_ services: LoopServices, _ format: FormatName) {
        self.services = services
        self.format = format
    }

    func response(to failure: Web.Failure, _ request: HTTPRequest) -> HTTPResponse {
        let code: FailureCode = failure.code == .methodNotAllowed ? .methodNotAllowed : .notFound
        return Exchange(request: request, services: services).refusal(Failure(code), format)
    }
}
