import Cryptography
import HTTPCore
package import Primitives
import StrictJSON
package import Web

// Repeats of a request.
extension ServiceCall {
    /// The right to carry the request out once.
    ///
    /// - Returns: To be taken before anything has an effect.
    /// - Throws: `idempotency_key_missing`; the router has refused those before.
    package func claim() throws(Failure) -> IdempotencyClaim {
        guard let word = content.idempotencyKey else { throw Failure(.idempotencyKeyMissing) }
        let fingerprint = RequestFingerprint(
            content.method,
            content.path,
            content.body,
            using: routes.service.hasher
        ) { bytes in
            guard case .success(let value) = json else { return false }
            value.appendSorted(to: &bytes)
            return true
        }
        return IdempotencyClaim(
            scope: claims,
            key: principal.id,
            word: word,
            fingerprint: fingerprint
        )
    }

    /// The subject whose claims it is among: an app's are its account's, and meet those of nobody else.
    private var claims: UUIDBytes {
        switch principal {
        case .program: routes.rules.claims
        case .app(_, let grant): grant.account
        }
    }

    /// The same where the request has an `Idempotency-Key`, on a route that does not need one.
    package func optionalClaim() throws(Failure) -> IdempotencyClaim? {
        content.idempotencyKey == nil ? nil : try claim()
    }

    /// Carries a request out that may be carried out twice without harm, and keeps its answer for repeats.
    ///
    /// Not for what moves money: that claims in the very statement that begins it.
    ///
    /// - Returns: The answer, or the kept one.
    /// - Throws: What the body throws; `request_in_progress`, `idempotency_key_reused`.
    package func idempotently(
        _ webviewSession: UUIDBytes? = nil,
        _ body: () async throws(Failure) -> ServiceAnswer
    ) async throws(Failure) -> ServiceAnswer {
        let claim = try claim()
        let outcome = try await Failure.mapErrors {
            try await routes.service.keys.take(claim, webviewSession: webviewSession)
        }
        let end: WallTime
        switch outcome {
        case .taken(let until): end = until
        case .others(let state): return try replay(state)
        }
        let answer: ServiceAnswer
        do throws(Failure) {
            answer = try await body()
        } catch {
            let problem = routes.refusal(error)
            await keep(problem, claim, until: end)
            throw problem
        }
        await keep(StoredAnswer(status: answer.status.code, body: answer.body), claim, until: end)
        return answer
    }

    /// The answer to a request that was carried out before, or is at the moment.
    ///
    /// - Returns: The kept answer, which is not sealed.
    /// - Throws: `request_in_progress`, `idempotency_key_reused`.
    package func replay(_ state: ClaimState) throws(Failure) -> ServiceAnswer {
        switch state {
        case .answered(let answer, let webviewSession):
            guard let status = HTTPStatus(answer.status) else {
                throw Failure(.internalError, "a kept answer with status \(answer.status)")
            }
            var replayed = ServiceAnswer(status, bytes: answer.body, webviewSession: webviewSession)
            replayed.isReplayed = true
            return replayed
        case .running(let seconds): throw Failure(.requestInProgress, retryAfter: seconds)
        case .reused: throw Failure(.idempotencyKeyReused)
        // It was there a moment ago: its time had come.
        case .absent: throw Failure(.requestInProgress)
        }
    }

    /// The answer to a request whose claim another statement than one's own has taken.
    ///
    /// - Throws: `request_in_progress`, `idempotency_key_reused`, and what the store says.
    package func replay(of claim: IdempotencyClaim) async throws(Failure) -> ServiceAnswer {
        try replay(try await Failure.mapErrors { try await routes.service.keys.state(of: claim) })
    }

    /// Seals the content of an answer that holds tokens, so that only who shows the key or token can have it again.
    ///
    /// - Throws: `internal_error` where OpenSSL refuses.
    package func sealed(_ body: [UInt8], for claim: IdempotencyClaim) throws(Failure) -> [UInt8] {
        do throws(CryptographyError) {
            let (seal, random) = (routes.service.seal, routes.service.random)
            return switch principal {
            case .program(let key, _): try seal.seal(body, for: claim, under: key, random: random)
            case .app(let token, _): try seal.seal(body, for: claim, under: token, random: random)
            }
        } catch {
            throw Failure(.internalError, error.debugDescription)
        }
    }

    /// What was sealed for a claim; `nil` where that was under another key, another secret of it, or another token.
    package func opened(_ sealed: [UInt8], for claim: IdempotencyClaim) -> [UInt8]? {
        switch principal {
        case .program(let key, _): routes.service.seal.open(sealed, for: claim, under: key)
        case .app(let token, _): routes.service.seal.open(sealed, for: claim, under: token)
        }
    }

    /// A refusal is kept as an answer, unless it is for a reason that passes.
    private func keep(_ problem: Failure, _ claim: IdempotencyClaim, until end: WallTime) async {
        let status = problem.code.status.code
        let passes = status >= 500 || problem.retryAfter != nil
        if !passes {
            let body = problem.problem(inRequest: content.requestID)
            return await keep(StoredAnswer(status: status, body: body), claim, until: end)
        }
        do throws(StoreError) {
            try await routes.service.keys.release(claim, until: end)
        } catch {
            routes.service.note(routes.refusal(error.failure), content.requestID, isApp: principal.isApp)
        }
    }

    private func keep(_ answer: StoredAnswer, _ claim: IdempotencyClaim, until end: WallTime) async {
        do throws(StoreError) {
            try await routes.service.keys.answer(claim, until: end, answer)
        } catch {
            // The claim runs out, and a repeat finds out by itself what there is.
            routes.service.note(routes.refusal(error.failure), content.requestID, isApp: principal.isApp)
        }
    }
}
