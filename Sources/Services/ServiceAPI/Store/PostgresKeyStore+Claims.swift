import Postgres
package import Primitives

extension PostgresKeyStore {
    static let claimStatement = TypedStatement<WallTime, IdempotencyClaim, UUIDBytes?>(
        name: "api_claim",
        sql: "WITH \(ClaimSQL.claim(first: 1, webviewSession: "$4")) SELECT claimed FROM i"
    )

    /// Claims a request that is carried out by other statements afterwards, and may be carried out twice without harm.
    ///
    /// - Returns: Until when it is ours now, or what became of it.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func take(_ claim: IdempotencyClaim, webviewSession: UUIDBytes?) async throws(StoreError) -> ClaimOutcome {
        let call = PostgresKeyStore.claimStatement(claim, webviewSession)
        if let end = try await client.write(call, key: claim.lockKey).single() { return .taken(until: end) }
        return .others(try await state(of: claim))
    }

    static let stateStatement = TypedStatement<ClaimState, IdempotencyClaim>(
        name: "api_claim_state",
        sql: """
            SELECT c.fingerprint = $3, c.status, c.answer, c.webview_session_id, c.lease_until > statement_timestamp()
            FROM api_idempotency AS c WHERE c.key_id = $1 AND c.idem = $2
            """
    ) { row in
        let isSame: Bool = try row.next()
        let (status, body) = (try row.next(Int?.self), try row.next([UInt8]?.self))
        guard isSame else { return .reused }
        guard let body else { return .running(retryAfter: 2) }
        guard let status else { throw PostgresError(.decoding, "an answer has no status") }
        return .answered(StoredAnswer(status: status, body: body), webviewSession: try row.next())
    }

    /// What became of a claim.
    ///
    /// - Parameter claim: Of a request, which may be another one than that which claimed.
    /// - Returns: `running` also for one whose holder is gone: the repeat that it invites takes it over.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func state(of claim: IdempotencyClaim) async throws(StoreError) -> ClaimState {
        try await client.read(PostgresKeyStore.stateStatement(claim), isLastStep: true).single() ?? .absent
    }

    static let answerStatement = TypedStatement<Void, UUIDBytes, String, Int32, [UInt8], WallTime>(
        name: "api_claim_answer",
        sql: """
            UPDATE api_idempotency SET status = $3, answer = $4, created_at = statement_timestamp()
            WHERE key_id = $1 AND idem = $2 AND answer IS NULL AND lease_until = $5
            """
    )

    /// Keeps the answer of a request that had no effect, or an effect that a repeat does not change.
    ///
    /// - Parameters:
    ///   - claim: That was ours; one with an answer keeps it, and so does one that somebody else has taken over since.
    ///   - end: Until when it was ours, as `take` said.
    ///   - answer: What was sent, or is about to be.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`: the claim then runs out, and a repeat is judged anew.
    package func answer(
        _ claim: IdempotencyClaim,
        until end: WallTime,
        _ answer: StoredAnswer
    ) async throws(StoreError) {
        let call = PostgresKeyStore.answerStatement(claim.scope, claim.text, Int32(answer.status), answer.body, end)
        _ = try await client.write(call, key: claim.lockKey, isLastStep: true)
    }

    static let releaseStatement = TypedStatement<Void, UUIDBytes, String, WallTime>(
        name: "api_claim_release",
        sql: """
            UPDATE api_idempotency SET lease_until = statement_timestamp()
            WHERE key_id = $1 AND idem = $2 AND answer IS NULL AND lease_until = $3
            """
    )

    /// Lets a repeat judge a request anew, because it came to nothing for a reason that passes.
    ///
    /// - Parameters:
    ///   - claim: That was ours; nothing happens where somebody else has taken it over since.
    ///   - end: Until when it was ours, as `take` said.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`: the claim then runs out by itself.
    package func release(_ claim: IdempotencyClaim, until end: WallTime) async throws(StoreError) {
        let call = PostgresKeyStore.releaseStatement(claim.scope, claim.text, end)
        _ = try await client.write(call, key: claim.lockKey, isLastStep: true)
    }

    static let eraseLimit = 1_000

    static let eraseStatement = TypedStatement<Void, UUIDBytes>(
        name: "api_claim_erase",
        sql: """
            DELETE FROM api_idempotency WHERE key_id = $1 AND idem = ANY (ARRAY(
                SELECT c.idem FROM api_idempotency AS c WHERE c.key_id = $1 LIMIT \(eraseLimit)))
            """
    )

    /// Removes all claims among those of a subject, whose requests are let in no more, with what they were answered.
    ///
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func erase(_ scope: UUIDBytes) async throws(StoreError) {
        while try await client.work(PostgresKeyStore.eraseStatement(scope)).affectedCount
            == PostgresKeyStore.eraseLimit
        {}
    }

    /// How many answers one `prune` removes at most.
    package static let pruneLimit = 1_000

    static let pruneStatement = TypedStatement<Void, Duration>(
        name: "api_claim_prune",
        sql: """
            DELETE FROM api_idempotency WHERE (key_id, idem) IN (
                SELECT c.key_id, c.idem FROM api_idempotency AS c
                WHERE NOT c.held AND c.created_at < date_trunc(
                        'month', statement_timestamp() - partition_keep($1 * interval '1 second', 180), 'UTC')
                ORDER BY c.created_at LIMIT \(pruneLimit) FOR UPDATE OF c SKIP LOCKED)
            """
    )

    /// Removes claims that are older than everything that a repeat would do once more, `pruneLimit` at most.
    ///
    /// One that is held stays: what it began is not over, however long a person takes over it.
    ///
    /// - Parameter keep: Counted from the end of their month; at least 180 days are kept.
    /// - Returns: How many; as many as that means that there may be more.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func prune(keep: Duration) async throws(StoreError) -> Int {
        try await client.work(PostgresKeyStore.pruneStatement(keep)).affectedCount
    }
}
