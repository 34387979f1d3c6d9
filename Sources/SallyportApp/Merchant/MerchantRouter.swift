import HTTPCore
import HTTPServer
import MerchantAPI
import MerchantOrders
import Persistence
import Primitives
import SessionBroker
import StrictJSON
import Web

/// Finds the route of a request below `/v1`, lets it in or refuses it, and turns every outcome into a response; one per loop.
///
/// The order of checks: path and method, browsers, the key, how often it is used, what it opens, then the form of the request.
/// Nothing is looked up before the key was found good, so that a stranger learns nothing but which routes there are. A valid key is
/// let in whatever else its address does, and whatever the buyers do whose requests it relays.
final class MerchantRouter {
    private let services: LoopServices
    private let merchant: MerchantServices
    private let deployment: MerchantDeployment

    /// What every path of the interface begins with.
    static let prefix: StaticString = "/v1/"
    /// The greatest content of a request: 200 lines with all that they may have.
    ///
    /// Less than what is read of a refused request to be dropped, so that whoever sends a little more gets its answer.
    static let bodyLimit = 196_608

    /// A router, or `nil` where the interface is not served.
    ///
    /// - Parameter services: The loop's.
    init?(_ services: LoopServices) {
        guard let merchant = services.merchant, let deployment = services.deployment.merchant else { return nil }
        self.services = services
        self.merchant = merchant
        self.deployment = deployment
    }

    /// Answers a request whose path begins with `prefix`.
    func handle(_ request: HTTPRequest) -> HandlerResult {
        let asked = request.method
        let method = asked == .head ? .get : asked
        let path = request.path
        var others: [String] = []
        for route in MerchantRouteTable.all {
            guard let ids = route.description.path.match(path) else { continue }
            guard route.description.method == method else {
                others.append(route.description.method == .get ? "GET, HEAD" : "\(route.description.method.text)")
                continue
            }
            guard let handler = route.handler else { return .precomposed(deployment.document.answer(request)) }
            return later(request, path, ids, route, handler)
        }
        merchant.count("none", others.isEmpty ? 404 : 405)
        guard !others.isEmpty else { return .now(response(to: Problem(.notFound), request.requestID)) }
        var response = response(to: Problem(.methodNotAllowed), request.requestID)
        _ = response.add(.allow, others.joined(separator: ", "))
        return .now(response)
    }

    /// Answers a request whose content is not taken, before anybody has looked who sends it.
    func refusal(of request: HTTPRequest, with status: HTTPStatus) -> HTTPResponse {
        merchant.count("none", status.code)
        return response(to: Problem(contentRefusedWith: status, limit: MerchantRouter.bodyLimit), request.requestID)
    }

    private func later(
        _ request: HTTPRequest,
        _ path: String,
        _ ids: [String],
        _ route: MerchantRoute,
        _ handler: @escaping MerchantRoute.Handler
    ) -> HandlerResult {
        .later {
            let requestID = request.requestID
            do throws(Problem) {
                let call = try await self.letIn(request, path, ids, route)
                let answer: MerchantAnswer
                if route.description.method == .get {
                    answer = try await handler(call)
                } else {
                    // What has begun is brought to its end even where nobody waits for the answer.
                    answer = try await self.services.toTheEnd { () async throws(Problem) in try await handler(call) }
                }
                self.merchant.count(route.description.name, answer.status.code)
                return self.response(answer, requestID)
            } catch {
                self.services.note(error, requestID: requestID)
                self.merchant.count(route.description.name, error.code.status.code)
                return self.response(to: error, requestID)
            }
        }
    }

    // MARK: Who may come in

    private func letIn(
        _ request: HTTPRequest,
        _ path: String,
        _ ids: [String],
        _ route: MerchantRoute
    ) async throws(Problem) -> MerchantCall {
        guard request.count(.origin) == 0 else { throw Problem(.browserNotAllowed) }
        // The request is looked at before anything is waited for, and talked about only with those who have a key.
        let misshape = misshape(request, route.description)
        var caller = Exchange(request: request, services: services).caller
        caller.showsKey = true
        let content = Result { [caller] () throws(Problem) in
            try self.content(request, path, ids, route.description, caller)
        }
        let (key, grant) = try await authenticate(request, caller)
        let session = route.isCausedByBuyers ? ids.first.flatMap { UUIDBytes($0) } : nil
        let wait = session.map { merchant.wait(ofSession: $0) } ?? merchant.wait(of: grant.id)
        if let wait { throw Problem(.rateLimited, retryAfter: wait) }
        if let scope = route.description.scope, !grant.allows(scope) {
            throw Problem(.scopeMissing, "The key does not open \(scope.rawValue).")
        }
        if let misshape { throw misshape }
        return MerchantCall(services, merchant, key: key, grant: grant, try content.get())
    }

    /// The same answer whether a key is missing, malformed, unknown or revoked; 429 where the address has shown too many such keys.
    private func authenticate(_ request: HTTPRequest, _ caller: Caller) async throws(Problem) -> (APIKey, KeyGrant) {
        let wait = services.broker.keyWait(caller)
        if let key = MerchantRouter.key(request), let grant = try await grant(of: key, isGuess: wait != nil) {
            return (key, grant)
        }
        services.broker.countKeyMiss(caller)
        if let wait { throw Problem(.rateLimited, retryAfter: wait) }
        throw Problem(.unauthenticated)
    }

    /// What a key opens, or `nil`.
    ///
    /// - Parameter isGuess: Whether its address guesses: then it is looked up only if it is one of those that exist.
    private func grant(of key: APIKey, isGuess: Bool) async throws(Problem) -> KeyGrant? {
        let hash = key.hash(services.broker.hasher)
        do throws(StoreError) {
            if isGuess, !(try await merchant.exists(hash)) { return nil }
            return try await merchant.keys.find(key.id, hash: hash)
        } catch {
            throw Problem(error)
        }
    }

    private static func key(_ request: HTTPRequest) -> APIKey? {
        guard request.count(.authorization) == 1, let field = request.first(.authorization) else { return nil }
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return APIKey.parse(String(words[1]))
    }

    // MARK: The form of a request

    /// What is wrong with the fields of a POST; told only to those who have a key.
    private func misshape(_ request: HTTPRequest, _ route: RouteDescription) -> Problem? {
        guard route.method == .post else { return nil }
        guard request.contentTypeIs(.bareJSON) else { return Problem(.unsupportedMediaType) }
        let texts = request.values(.idempotencyKey)
        let isWord = texts.count == 1 && IdempotencyClaim.isWord(texts[0])
        return isWord ? nil : Problem(.idempotencyKeyMissing)
    }

    private func content(
        _ request: HTTPRequest,
        _ path: String,
        _ ids: [String],
        _ route: RouteDescription,
        _ caller: Caller
    ) throws(Problem) -> MerchantCall.Content {
        let query: [(name: String, value: String)]
        do {
            query = try request.queryParameters().all
        } catch {
            throw Problem(.invalidRequest, "The query cannot be read.", detail: "\(error)")
        }
        return MerchantCall.Content(
            method: "\(route.method.text)",
            path: path,
            ids: ids,
            query: query,
            body: request.body,
            idempotencyKey: request.first(.idempotencyKey),
            requestID: request.requestID,
            caller: caller
        )
    }

    // MARK: Responses

    private func response(_ answer: MerchantAnswer, _ requestID: String) -> HTTPResponse {
        var response = HTTPResponse(
            answer.status,
            block: services.deployment.headers.json,
            body: .bytes(answer.status.code < 400 ? answer.body : MerchantRouter.line(answer.body))
        )
        _ = response.add(.xRequestID, requestID)
        if let seconds = answer.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        if let flow = answer.flow { _ = response.add(.xFlowID, flow.description) }
        return response
    }

    /// A refusal as a terminal likes it: people try the interface with curl, and read refusals more often than anything else.
    private static func line(_ json: [UInt8]) -> [UInt8] { json + [UInt8(ascii: "\n")] }

    private func response(to problem: Problem, _ requestID: String) -> HTTPResponse {
        var response = HTTPResponse(
            problem.code.status,
            block: services.deployment.headers.json,
            body: .bytes(MerchantRouter.line(problem.body.bytes))
        )
        _ = response.add(.xRequestID, requestID)
        if problem.code == .unauthenticated { response.add(.wwwAuthenticate, constant: "Bearer") }
        if let seconds = problem.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        if let flow = problem.flow { _ = response.add(.xFlowID, flow.description) }
        return response
    }
}
