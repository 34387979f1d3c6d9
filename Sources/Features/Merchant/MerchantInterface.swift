import Checkout
import CheckoutCodes
import HTTPCore
import HTTPServer
import MerchantAPI
import Operations
import Primitives
import ServiceAPI
import StrictJSON
import Web

/// Lets requests below `/v1` in or refuses them, and turns every outcome into a response; one per loop.
///
/// The order of checks: path and method, browsers, the key, how often it is used, what it opens, then the form of the request.
/// Nothing is looked up before the key was found good, so that a client without a key learns nothing but which routes there
/// are. A valid key is let in whatever else its address does, and whatever the buyers do whose requests it relays.
final class MerchantInterface {
    private let checkout: CheckoutPart
    private let merchant: MerchantServices
    private let deployment: MerchantDeployment

    /// The greatest content of a request: 200 lines with all that they may have.
    ///
    /// Less than what is read of a refused request to be dropped, so that a client that sends a little more gets its answer.
    static let bodyLimit = 196_608

    /// The interface on a loop.
    init(_ checkout: CheckoutPart, _ merchant: MerchantServices, _ deployment: MerchantDeployment) {
        self.checkout = checkout
        self.merchant = merchant
        self.deployment = deployment
    }

    /// Its routes, for the router.
    static let routes = RouteGroup<MerchantInterface>(
        on: .web,
        .problem,
        prefix: "/v1/",
        bodyLimit: bodyLimit,
        head: .likeGet,
        MerchantRouteTable.all.map { route in
            let description = route.description
            guard let handler = route.handler else {
                return Route(
                    description.method,
                    description.path,
                    description.summary,
                    .fixed { interface in interface.deployment.document }
                )
            }
            return Route(
                description.method,
                description.path,
                description.summary,
                .later(admit: nil) { interface, request in await interface.respond(to: request, route, handler) }
            )
        }
    )

    private func respond(
        to request: HTTPRequest,
        _ route: MerchantRoute,
        _ handler: @escaping MerchantRoute.Handler
    ) async -> HTTPResponse {
        let requestID = request.requestID
        var quota: RequestQuota?
        do throws(Failure) {
            let call = try await authorize(request, route, &quota)
            let answer: MerchantAnswer
            if route.description.method == .get {
                answer = try await handler(call)
            } else {
                // What has begun is brought to its end even where nobody waits for the answer.
                answer = try await merchant.shield.runToCompletion { () async throws(Failure) in
                    try await handler(call)
                }
            }
            merchant.count(route.description.name, answer.status.code)
            return response(answer, requestID, quota)
        } catch {
            let problem = error.forMerchantAPI
            merchant.note(problem, requestID)
            merchant.count(route.description.name, problem.code.status.code)
            return response(to: problem, requestID, quota)
        }
    }

    // MARK: Who may come in

    private func authorize(
        _ request: HTTPRequest,
        _ route: MerchantRoute,
        _ quota: inout RequestQuota?
    ) async throws(Failure) -> MerchantCall {
        guard request.count(.origin) == 0 else { throw Failure(.browserNotAllowed) }
        // The request is looked at before anything is waited for, and talked about only with those who have a key.
        let invalid = validate(request, route.description)
        var caller = request.caller(merchant.hasher)
        caller.showsKey = true
        let content = Result { [caller] () throws(Failure) in
            try self.content(request, route.description, caller)
        }
        let (key, grant) = try await authenticate(request)
        let session = route.isCausedByBuyers ? UUIDBytes(request.capture(0)) : nil
        let counted = session.map { merchant.count(session: $0) } ?? merchant.count(grant.id)
        quota = counted
        try demand(route.description.scope, of: grant, counted)
        if let invalid { throw invalid }
        return MerchantCall(checkout, merchant, key: key, grant: grant, try content.get())
    }

    /// Refuses what is one too many, and what the key does not open.
    private func demand(_ scope: Scope?, of grant: KeyGrant, _ quota: RequestQuota) throws(Failure) {
        if let wait = quota.wait { throw Failure(.rateLimited, retryAfter: wait, context: quota) }
        guard let scope, !grant.allows(scope) else { return }
        throw Failure(.scopeMissing, message: "The API key does not have the scope \(scope.text).")
    }

    /// The same answer whether a key is missing, malformed, unknown or revoked; 429 where the address has shown too many such
    /// keys.
    private func authenticate(_ request: HTTPRequest) async throws(Failure) -> (APIKey, KeyGrant) {
        let (client, misses) = (request.peer.keys, deployment.keyMisses)
        let wait = misses?.wait(client, at: merchant.time)
        if let key = MerchantInterface.key(request), let grant = try await grant(of: key, isGuess: wait != nil) {
            return (key, grant)
        }
        misses?.count(client, at: merchant.time)
        if let wait { throw Failure(.rateLimited, retryAfter: wait) }
        throw Failure(.unauthenticated)
    }

    /// What a key opens, or `nil`.
    ///
    /// - Parameter isGuess: Whether its address guesses: then it is looked up only if it is one of those that exist.
    private func grant(of key: APIKey, isGuess: Bool) async throws(Failure) -> KeyGrant? {
        let hash = key.hash(merchant.hasher)
        return try await Failure.mapErrors {
            if isGuess, !(try await merchant.exists(hash)) { return nil }
            return try await merchant.keys.find(key.id, hash: hash)
        }
    }

    private static func key(_ request: HTTPRequest) -> APIKey? {
        request.bearerToken.flatMap { APIKey.parse($0) }
    }

    // MARK: The form of a request

    /// What is wrong with the fields of a POST; answered only to clients with a key.
    private func validate(_ request: HTTPRequest, _ route: RouteDescription) -> Failure? {
        guard route.method == .post else { return nil }
        guard request.contentTypeIs(.bareJSON) else { return Failure(.unsupportedMediaType) }
        let texts = request.values(.idempotencyKey)
        guard let first = texts.first else { return Failure(.idempotencyKeyMissing) }
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

    private func content(
        _ request: HTTPRequest,
        _ route: RouteDescription,
        _ caller: Caller
    ) throws(Failure) -> MerchantCall.Content {
        let query: [(name: String, value: String)]
        do {
            query = try request.queryParameters().all
        } catch {
            throw Failure(.invalidRequest, "\(error)", message: "The query cannot be read.")
        }
        return MerchantCall.Content(
            method: "\(route.method.text)",
            path: request.path,
            ids: route.path.places.indices.map { request.capture($0) },
            query: query,
            body: request.body,
            idempotencyKey: request.first(.idempotencyKey).flatMap { IdempotencyWord($0) },
            requestID: request.requestID,
            caller: caller
        )
    }

    // MARK: Responses

    private func response(_ answer: MerchantAnswer, _ requestID: String, _ quota: RequestQuota?) -> HTTPResponse {
        let fields = quota?.fields ?? deployment.fields
        var response = HTTPResponse(
            answer.status,
            // A kept refusal is a problem, too.
            block: answer.status.code < 400 ? fields.answer : fields.problem,
            body: .bytes(answer.body)
        )
        _ = response.add(.xRequestID, requestID)
        if let quota { _ = response.add(.rateLimit, quota.value) }
        if let seconds = answer.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        if answer.isReplayed { response.add(.idempotentReplayed, constant: "true") }
        if let webviewSession = answer.webviewSession {
            _ = response.add(.webviewSessionID, webviewSession.description)
        }
        return response
    }

    private func response(to problem: Failure, _ requestID: String, _ quota: RequestQuota? = nil) -> HTTPResponse {
        // Of a route of another feature, only what is one too many says so here.
        let quota = quota ?? problem.context as? RequestQuota
        var response = HTTPResponse(
            problem.code.status,
            block: (quota?.fields ?? deployment.fields).problem,
            body: .bytes(problem.problem(inRequest: requestID))
        )
        _ = response.add(.xRequestID, requestID)
        if let quota { _ = response.add(.rateLimit, quota.value) }
        if problem.code == .unauthenticated { response.add(.wwwAuthenticate, constant: "Bearer") }
        if let seconds = problem.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        if let webviewSession = problem.session { _ = response.add(.webviewSessionID, webviewSession.description) }
        return response
    }
}

extension MerchantInterface: ServiceGate {
    func admit(_ request: HTTPRequest, _ scope: Scope) async throws(Failure) -> KeyGrant {
        guard request.count(.origin) == 0 else { throw Failure(.browserNotAllowed) }
        let (_, grant) = try await authenticate(request)
        try demand(scope, of: grant, merchant.count(grant.id))
        return grant
    }
}

extension MerchantInterface: FailureFormat {
    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        merchant.count("none", failure.code.status.code)
        return response(to: failure, request.requestID)
    }

    /// Nobody has looked yet who sends it.
    func response(toContentRefusedWith status: HTTPStatus, limit: Int?, _ request: HTTPRequest) -> HTTPResponse? {
        merchant.count("none", status.code)
        let problem = Failure(contentRefusedWith: status, limit: limit ?? MerchantInterface.bodyLimit)
        return response(to: problem, request.requestID)
    }
}
