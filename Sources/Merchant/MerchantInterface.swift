import Checkout
import CheckoutCodes
import HTTPCore
import HTTPServer
import MerchantAPI
import Primitives
import ServiceAPI
import SessionBroker
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
        do throws(Failure) {
            let call = try await authorize(request, route)
            let answer: MerchantAnswer
            if route.description.method == .get {
                answer = try await handler(call)
            } else {
                // What has begun is brought to its end even where nobody waits for the answer.
                answer = try await checkout.runToCompletion { () async throws(Failure) in try await handler(call) }
            }
            merchant.count(route.description.name, answer.status.code)
            return response(answer, requestID)
        } catch {
            let problem = error.forMerchantAPI
            checkout.note(problem, requestID: requestID)
            merchant.count(route.description.name, problem.code.status.code)
            return response(to: problem, requestID)
        }
    }

    // MARK: Who may come in

    private func authorize(
        _ request: HTTPRequest,
        _ route: MerchantRoute
    ) async throws(Failure) -> MerchantCall {
        guard request.count(.origin) == 0 else { throw Failure(.browserNotAllowed) }
        // The request is looked at before anything is waited for, and talked about only with those who have a key.
        let invalid = validate(request, route.description)
        var caller = Exchange(request: request, services: checkout).caller
        caller.showsKey = true
        let content = Result { [caller] () throws(Failure) in
            try self.content(request, route.description, caller)
        }
        let (key, grant) = try await authenticate(request, caller)
        let session = route.isCausedByBuyers ? UUIDBytes(request.capture(0)) : nil
        try demand(route.description.scope, of: grant, session: session)
        if let invalid { throw invalid }
        return MerchantCall(checkout, merchant, key: key, grant: grant, try content.get())
    }

    /// Counts a request for its key, or for the session whose buyer caused it, and refuses what the key does not open.
    private func demand(_ scope: Scope?, of grant: KeyGrant, session: UUIDBytes? = nil) throws(Failure) {
        let wait = session.map { merchant.wait(ofSession: $0) } ?? merchant.wait(of: grant.id)
        if let wait { throw Failure(.rateLimited, retryAfter: wait) }
        guard let scope, !grant.allows(scope) else { return }
        throw Failure(.scopeMissing, message: "The API key does not have the scope \(scope.text).")
    }

    /// The same answer whether a key is missing, malformed, unknown or revoked; 429 where the address has shown too many such
    /// keys.
    private func authenticate(_ request: HTTPRequest, _ caller: Caller) async throws(Failure) -> (APIKey, KeyGrant) {
        let wait = checkout.broker.keyWait(caller)
        if let key = MerchantInterface.key(request), let grant = try await grant(of: key, isGuess: wait != nil) {
            return (key, grant)
        }
        checkout.broker.countKeyMiss(caller)
        if let wait { throw Failure(.rateLimited, retryAfter: wait) }
        throw Failure(.unauthenticated)
    }

    /// What a key opens, or `nil`.
    ///
    /// - Parameter isGuess: Whether its address guesses: then it is looked up only if it is one of those that exist.
    private func grant(of key: APIKey, isGuess: Bool) async throws(Failure) -> KeyGrant? {
        let hash = key.hash(checkout.broker.hasher)
        do throws(StoreError) {
            if isGuess, !(try await merchant.exists(hash)) { return nil }
            return try await merchant.keys.find(key.id, hash: hash)
        } catch {
            throw Failure(forMerchantAPI: error)
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
        guard texts.count == 1, IdempotencyWord(first) != nil else {
            return Failure(.idempotencyKeyInvalid, field: "Idempotency-Key")
        }
        return nil
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

    private func response(_ answer: MerchantAnswer, _ requestID: String) -> HTTPResponse {
        var response = HTTPResponse(
            answer.status,
            block: checkout.deployment.headers.json,
            body: .bytes(answer.status.code < 400 ? answer.body : MerchantInterface.line(answer.body))
        )
        _ = response.add(.xRequestID, requestID)
        if let seconds = answer.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        if answer.isReplayed { response.add(.idempotentReplayed, constant: "true") }
        if let webviewSession = answer.webviewSession {
            _ = response.add(.webviewSessionID, webviewSession.description)
        }
        return response
    }

    /// A refusal as a terminal likes it: people try the interface with curl, and read refusals more often than anything else.
    private static func line(_ json: [UInt8]) -> [UInt8] { json + [UInt8(ascii: "\n")] }

    private func response(to problem: Failure, _ requestID: String) -> HTTPResponse {
        var response = HTTPResponse(
            problem.code.status,
            block: checkout.deployment.headers.json,
            body: .bytes(MerchantInterface.line(problem.problem.bytes))
        )
        _ = response.add(.xRequestID, requestID)
        if problem.code == .unauthenticated { response.add(.wwwAuthenticate, constant: "Bearer") }
        if let seconds = problem.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        if let webviewSession = problem.session { _ = response.add(.webviewSessionID, webviewSession.description) }
        return response
    }
}

extension FormatName {
    /// `{"error":{"code","message"}}` of `/v1`.
    static let problem = FormatName("problem")
}

extension MerchantInterface: ServiceGate {
    func admit(_ request: HTTPRequest, _ scope: Scope) async throws(Failure) -> KeyGrant {
        guard request.count(.origin) == 0 else { throw Failure(.browserNotAllowed) }
        var caller = Exchange(request: request, services: checkout).caller
        caller.showsKey = true
        let (_, grant) = try await authenticate(request, caller)
        try demand(scope, of: grant)
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
