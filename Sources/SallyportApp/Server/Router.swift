import HTTPCore
import HTTPServer
import Pages
import Telemetry
import Web

/// Finds the route of a request and turns every outcome into a response; one per loop.
///
/// The order of checks is session-security 2.6: host and path here, then size and form, then the handler's own.
final class Router: RequestHandler {
    private let services: LoopServices
    private let face: Route.Face?
    private let routes: Table
    private let linkRoutes: Table
    /// Looked through only where `routes` has nothing, so that they cost the others nothing.
    private let lateRoutes: Table
    private let merchants: MerchantRouter?

    /// Routes, and their paths beside them to be looked through.
    private final class Table {
        let routes: [Route]
        let paths: [StaticString]

        init(_ routes: [Route]) {
            self.routes = routes
            paths = routes.map(\.path)
        }
    }

    /// A router for the public listeners, or for the administration listener alone.
    ///
    /// - Parameters:
    ///   - services: What handlers are given.
    ///   - face: `.admin` for the administration listener; `nil` for the public ones, which tell hosts apart.
    init(_ services: LoopServices, face: Route.Face? = nil) {
        self.services = services
        self.face = face
        routes = Table(face == .admin ? RouteTable.admin : RouteTable.web)
        linkRoutes = Table(RouteTable.link)
        lateRoutes = Table(face == nil ? RouteTable.late : [])
        merchants = face == nil ? MerchantRouter(services) : nil
    }

    func bodyLimit(for request: HTTPRequest) -> Int? {
        guard face == nil else { return nil }
        if merchants != nil, request.pathHasPrefix(MerchantRouter.prefix) { return MerchantRouter.bodyLimit }
        // Nobody else sends so much, and nobody does before notifications are set up.
        guard services.notifications != nil, request.pathIs(RouteTable.notificationPath), request.method == .post,
            request.hostIs(services.deployment.webHost)
        else { return nil }
        return RouteTable.notificationLimit
    }

    func refusal(of request: HTTPRequest, with status: HTTPStatus) -> HTTPResponse? {
        guard let merchants, request.hostIs(services.deployment.webHost), request.pathHasPrefix(MerchantRouter.prefix)
        else { return nil }
        return merchants.refusal(of: request, with: status)
    }

    func handle(_ request: HTTPRequest) -> HandlerResult {
        let deployment = services.deployment
        if face == .admin {
            let refusal = deployment.admin.refusal(of: request, deployment.headers.admin)
            return refusal.map { .now($0) } ?? dispatch(request, among: routes)
        }
        if request.hostIs(deployment.linkHost) { return dispatch(request, among: linkRoutes) }
        guard request.hostIs(deployment.webHost) else { return .precomposed(deployment.misdirected) }
        if request.pathHasPrefix("/static/"), let file = deployment.asset(request) {
            return request.method == .get || request.method == .head
                ? .precomposed(file.answer(request))
                : .now(refuse(.methodNotAllowed, request, .page, allow: "GET, HEAD"))
        }
        return dispatch(request, among: routes)
    }

    private func dispatch(_ request: HTTPRequest, among table: Table) -> HandlerResult {
        let asked = request.method
        let method = asked == .head ? .get : asked
        var others: [Route] = []
        var found = request.pathIndex(in: table.paths)
        while let index = found {
            let route = table.routes[index]
            if route.method == method { return answer(request, route) }
            others.append(route)
            found = request.pathIndex(in: table.paths, from: index + 1)
        }
        guard let last = others.last else { return dispatchLate(request, behind: table) }
        let methods = others.map { $0.method == .get ? "GET, HEAD" : $0.method.name }
        return .now(refuse(.methodNotAllowed, request, last.format, allow: methods.joined(separator: ", ")))
    }

    /// What the table does not have: the interface for merchants' programs, and what few ever ask for.
    private func dispatchLate(_ request: HTTPRequest, behind table: Table) -> HandlerResult {
        guard table === routes else { return .now(refuse(.notFound, request, .page)) }
        if let merchants, request.pathHasPrefix(MerchantRouter.prefix) { return merchants.handle(request) }
        return dispatch(request, among: lateRoutes)
    }

    private func answer(_ request: HTTPRequest, _ route: Route) -> HandlerResult {
        // What waits for something has an effect, or looks a token up: a HEAD has none, and whoever asks with it learns nothing.
        if request.method == .head, route.action.waits {
            return .now(HTTPResponse(.ok, block: services.deployment.headers.redirect))
        }
        switch route.action {
        case .fixed(let answer):
            return .precomposed(answer(services.deployment).answer(request))
        case .now(let handler):
            let exchange = Exchange(request: request, services: services)
            do {
                return .now(try handler(exchange))
            } catch {
                return .now(refusal(error, exchange, route.format))
            }
        case .later(let handler):
            return later(Exchange(request: request, services: services), route.format, handler)
        case .beginning(let handler, let begins):
            let exchange = Exchange(request: request, services: services)
            if begins(exchange), let refusal = services.refusalOfNew(request, route.format) {
                return .precomposed(refusal)
            }
            return later(exchange, route.format, handler)
        }
    }

    private func later(
        _ exchange: Exchange,
        _ format: Route.Format,
        _ handler: @escaping @Sendable (Exchange) async throws(Failure) -> HTTPResponse
    ) -> HandlerResult {
        .later {
            do throws(Failure) {
                return try await handler(exchange)
            } catch {
                return self.refusal(error, exchange, format)
            }
        }
    }

    private func refusal(_ failure: Failure, _ exchange: Exchange, _ format: Route.Format) -> HTTPResponse {
        services.note(failure, exchange.request)
        return FailureResponse.make(failure, exchange, format)
    }

    private func refuse(
        _ code: FailureCode,
        _ request: HTTPRequest,
        _ format: Route.Format,
        allow: String? = nil
    ) -> HTTPResponse {
        let exchange = Exchange(request: request, services: services)
        services.note(Failure(code), request)
        var response = FailureResponse.make(Failure(code), exchange, format)
        if let allow, let field = HTTPField(.allow, allow) { response.fields.append(field) }
        return response
    }
}

extension HTTPMethod {
    /// The method's name for an Allow field.
    fileprivate var name: String { "\(text)" }
}
