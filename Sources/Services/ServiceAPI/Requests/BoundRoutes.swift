import HTTPCore
import HTTPServer
import Operations
import Primitives
import StrictJSON
import Web

/// The routes of a feature below `/v1` and `/app/v1` on one loop: lets requests in or refuses them, and turns every outcome into a
/// response.
///
/// The order of checks: path and method, browsers, the key or token, how often it is used, what it opens, the form of the request,
/// then what a guard demands of an app. Nothing is looked up before that was found good, so that a client without one learns
/// nothing but which routes there are. A valid key is let in whatever else its address does, and whatever the buyers do whose
/// requests it relays.
package final class BoundRoutes<Part: AnyObject> {
    /// Who answers.
    let part: Part
    let service: ServiceInterface
    let rules: ServiceRules

    init(_ part: Part, _ service: ServiceInterface, _ rules: ServiceRules) {
        self.part = part
        self.service = service
        self.rules = rules
    }

    /// The rows for the router.
    static func group(_ routes: [ServiceRoute<Part>]) -> RouteGroup<BoundRoutes<Part>> {
        RouteGroup(
            on: .web,
            .problem,
            bodyLimit: ServiceInterface.bodyLimit,
            head: .likeGet,
            routes.map { route in
                let description = route.description
                return Route(
                    description.method,
                    description.path,
                    description.summary,
                    bodyLimit: description.shape.bodyLimit,
                    .later(admit: nil) { bound, request in await bound.respond(to: request, route) }
                )
            }
        )
    }

    private func respond(to request: HTTPRequest, _ route: ServiceRoute<Part>) async -> HTTPResponse {
        let requestID = request.requestID
        var quota: RequestQuota?
        do throws(Failure) {
            let call = try await authorize(request, route, &quota)
            if let guarded = call.content.guarded { try await service.admit(guarded, call.principal) }
            let answer: ServiceAnswer
            if route.description.method == .get {
                answer = try await route.handler(call)
            } else {
                // What has begun is brought to its end even where nobody waits for the answer.
                answer = try await service.shield.runToCompletion { () async throws(Failure) in
                    try await route.handler(call)
                }
            }
            service.counters.count(route.description, answer.status.code)
            return service.response(answer, requestID, quota)
        } catch {
            let problem = refusal(error)
            service.note(problem, requestID, isApp: route.description.principal.isApp)
            service.counters.count(route.description, problem.code.status.code)
            return service.response(to: problem, requestID, quota)
        }
    }

    /// In the codes of `/v1`.
    func refusal(_ failure: Failure) -> Failure { rules.refusals(failure).forServiceAPI }

    private func authorize(
        _ request: HTTPRequest,
        _ route: ServiceRoute<Part>,
        _ quota: inout RequestQuota?
    ) async throws(Failure) -> ServiceCall<Part> {
        let wanted = route.description.principal
        guard request.count(.origin) == 0 else { throw wanted.refusal(.browserNotAllowed) }
        // The request is looked at before anything is waited for, and talked about only with those who have a key.
        let invalid = validate(request, route.description)
        var caller = request.caller(service.hasher)
        caller.showsKey = !wanted.isApp
        let content = Result { [caller] () throws(Failure) in
            try ServiceContent(request, route.description, caller)
        }
        let principal: ServicePrincipal
        let counted: RequestQuota
        let isAllowed: Bool
        switch wanted {
        case .program(let scope):
            let (key, grant) = try await service.authenticate(request)
            let session = route.isCausedByBuyers ? UUIDBytes(request.capture(0)) : nil
            counted = session.map { service.count(session: $0) } ?? service.count(grant.id)
            isAllowed = grant.allows(scope)
            principal = .program(key, grant)
        case .app(let scope): (principal, counted, isAllowed) = try await authorizeApp(request, scope)
        // Nobody has said who may come in: such a route is not mounted.
        case .anybody: throw Failure(.unauthenticated)
        }
        quota = counted
        if let wait = counted.wait { throw Failure(.rateLimited, retryAfter: wait) }
        guard isAllowed else { throw wanted.scopeRefusal }
        if let invalid { throw invalid }
        return ServiceCall(self, principal, try content.get())
    }

    /// For whom an app asks, what its account's limit leaves, and whether its token opens the route.
    ///
    /// Apart, so that what it keeps while it waits is not held for requests of merchants' programs.
    private func authorizeApp(
        _ request: HTTPRequest,
        _ scope: AppScope?
    ) async throws(Failure) -> (ServicePrincipal, RequestQuota, Bool) {
        let (token, grant) = try await service.authenticateApp(request)
        let isAllowed = scope.map(grant.scopes.contains) ?? true
        return (.app(token, grant), service.count(account: grant.account), isAllowed)
    }

    /// What is wrong with the fields of a request; answered only to clients with a key or a token.
    private func validate(_ request: HTTPRequest, _ route: RouteDescription) -> Failure? {
        if route.hasContent, !request.contentTypeIs(.bareJSON) { return Failure(.unsupportedMediaType) }
        guard route.takesWord else { return nil }
        let texts = request.values(.idempotencyKey)
        guard let first = texts.first else { return route.needsWord ? Failure(.idempotencyKeyMissing) : nil }
        guard texts.count == 1 else {
            return Failure(.idempotencyKeyInvalid, message: "The field comes twice.", field: "Idempotency-Key")
        }
        do throws(IdempotencyWord.Refusal) {
            _ = try IdempotencyWord(reading: first)
            return nil
        } catch {
            return Failure(error)
        }
    }
}

/// Rows of a feature that are bound to its part.
protocol MountedRoutes: AnyObject {
    func mount(_ routes: inout Routes) throws(RouteError)
}

extension BoundRoutes: MountedRoutes where Part: ServiceRouted {
    func mount(_ routes: inout Routes) throws(RouteError) {
        let served = part.servedRoutes.map { $0.guarded(by: service.appGuard) }
        for description in served.map(\.description) where !description.isWellPlaced {
            throw RouteError(
                description:
                    "\(description.path.text): keys open no path below /app/, and tokens those below /app/v1/ alone"
            )
        }
        try routes.mount(BoundRoutes.group(served), on: self)
    }
}
