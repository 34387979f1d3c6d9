import Cryptography
import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
import Telemetry
import Web

/// What the routes below `/v1` and `/app/v1` share on one loop: who may come in, how often, and what answers look like.
final class ServiceInterface {
    /// The greatest content of a request: 200 order lines with all that they may have.
    ///
    /// Less than what is read of a refused request to be dropped, so that a client that sends a little more gets its answer.
    static let bodyLimit = 196_608

    /// Keys, and what requests were answered.
    let keys: PostgresKeyStore
    /// Seals answers that hold tokens.
    let seal: AnswerSeal
    /// Brings what has begun to its end.
    let shield: CancellationShield
    /// The digest context of the loop.
    let hasher: SHA256
    let random: any RandomSource
    let counters: ServiceCounters
    /// Who knows the tokens of apps; `nil` where nobody keeps accounts.
    var tokens: (any AppTokenStore)?
    /// Who demands more of apps than a token; `nil` where nobody does.
    var appGuard: (any AppGuard)?
    private let deployment: ServiceDeployment
    private let log: FailureLog
    private let clock: any WallClock & MonotonicClock
    /// Hashes of all keys, as they were read last; only while somebody guesses.
    private var keyHashes: Set<Digest32> = []
    private var keyHashesReadAt: MonotonicTime?

    init(_ deployment: ServiceDeployment, _ loop: LoopContext) throws(CryptographyError) {
        self.deployment = deployment
        keys = PostgresKeyStore(client: loop.database)
        seal = try AnswerSeal()
        shield = loop.shield
        hasher = try SHA256()
        random = loop.reactor.random
        counters = ServiceCounters(loop.metrics)
        log = FailureLog(loop.logger, on: loop.reactor)
        clock = SystemClock()
    }

    /// The present, for what an answer says; deadlines are the database's.
    var now: WallTime { clock.now() }

    /// Writes down that a request failed for a reason on our side.
    ///
    /// - Parameter problem: As the client got it.
    func note(_ problem: Failure, _ requestID: String, isApp: Bool) {
        guard problem.code.status.code >= 500 else { return }
        log.write(.warning, isApp ? "app.request_failed" : "merchant.request_failed", problem, requestID)
    }
}

// Who may come in, and how often.
extension ServiceInterface {
    /// Counts a request of a key.
    ///
    /// - Returns: What is left to it.
    func count(_ key: UUIDBytes) -> RequestQuota {
        deployment.limits.count(key, at: clock.monotonicNow())
    }

    /// Counts a request that a buyer of a session has caused.
    ///
    /// - Parameter session: As the path names it.
    /// - Returns: What is left to it.
    func count(session: UUIDBytes) -> RequestQuota {
        deployment.limits.count(session: session, at: clock.monotonicNow())
    }

    /// Counts a request of an account's app.
    ///
    /// - Returns: What is left to it.
    func count(account: UUIDBytes) -> RequestQuota {
        deployment.limits.count(account: account, at: clock.monotonicNow())
    }

    /// Finds the account for which an app sends a request.
    ///
    /// - Throws: The same refusal whether a token is missing, malformed, unknown, expired or revoked, and for one whose account
    ///   was erased; `rate_limited` where the address has shown too many such tokens.
    func authenticateApp(_ request: HTTPRequest) async throws(Failure) -> (token: AppToken, grant: AppGrant) {
        let (client, misses) = (request.peer.keys, deployment.tokenMisses)
        let shown = request.bearerToken.flatMap { AppToken($0) }
        let hash = shown?.hash(hasher)
        let wait = misses.wait(client, hash, at: clock.monotonicNow())
        if wait == nil, let tokens, let shown, let hash, let grant = try await tokens.grant(of: shown.id, hash: hash) {
            misses.note(hash, at: clock.monotonicNow())
            return (shown, grant)
        }
        misses.count(client, hash, at: clock.monotonicNow())
        if let wait { throw Failure(.rateLimited, retryAfter: wait) }
        throw RouteDescription.Principal.app(nil).refusal(.unauthenticated)
    }

    /// Asks the guard of a route for an app.
    func admit(_ request: AppRequest, _ principal: ServicePrincipal) async throws(Failure) {
        guard case .app(_, let grant) = principal else { return }
        try await appGuard?.admit(request, of: grant.account)
    }

    /// Finds the key of a request.
    ///
    /// - Throws: The same refusal whether a key is missing, malformed, unknown or revoked; `rate_limited` where the address has
    ///   shown too many such keys.
    func authenticate(_ request: HTTPRequest) async throws(Failure) -> (key: APIKey, grant: KeyGrant) {
        let (client, misses) = (request.peer.keys, deployment.keyMisses)
        let wait = misses.wait(client, at: clock.monotonicNow())
        let shown = request.bearerToken.flatMap { APIKey.parse($0) }
        if let key = shown, let grant = try await grant(of: key, isGuess: wait != nil) { return (key, grant) }
        misses.count(client, at: clock.monotonicNow())
        if let wait { throw Failure(.rateLimited, retryAfter: wait) }
        throw Failure(.unauthenticated)
    }

    /// What a key opens, or `nil`.
    ///
    /// - Parameter isGuess: Whether its address guesses: then it is looked up only if it is one of those that exist.
    private func grant(of key: APIKey, isGuess: Bool) async throws(Failure) -> KeyGrant? {
        let hash = key.hash(hasher)
        return try await Failure.mapErrors {
            if isGuess, !(try await exists(hash)) { return nil }
            return try await keys.find(key.id, hash: hash)
        }
    }

    /// Whether there is a key with a hash; for addresses that guess, whose keys are not each looked up.
    ///
    /// All hashes are read, once in a second at most, so that guesses cost nothing and no valid key is refused because of them.
    ///
    /// - Returns: False also for a key that was made within the last second.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    private func exists(_ hash: Digest32) async throws(StoreError) -> Bool {
        if keyHashes.contains(hash) { return true }
        let now = clock.monotonicNow()
        if let last = keyHashesReadAt {
            guard last + .seconds(1) <= now else { return false }
            keyHashesReadAt = now
        }
        keyHashes = Set(try await keys.hashes())
        keyHashesReadAt = now
        return keyHashes.contains(hash)
    }
}

// Responses.
extension ServiceInterface {
    func response(_ answer: ServiceAnswer, _ requestID: String, _ quota: RequestQuota?) -> HTTPResponse {
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

    func response(to problem: Failure, _ requestID: String, _ quota: RequestQuota? = nil) -> HTTPResponse {
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

extension ServiceInterface: FailureFormat {
    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        counters.count(failure.code.status.code)
        return response(to: failure, request.requestID)
    }

    /// Nobody has looked yet who sends it.
    func response(
        toContentRefusedWith status: HTTPStatus,
        limit: Int?,
        _ request: HTTPRequest
    ) -> HTTPResponse? {
        counters.count(status.code)
        let problem = Failure(contentRefusedWith: status, limit: limit ?? ServiceInterface.bodyLimit)
        return response(to: problem, request.requestID)
    }
}
