import Postgres
package import Primitives

extension PostgresKeyStore {
    static let claimStatement = Statement(
        name: "api_claim",
        sql: "WITH \(ClaimSQL.claim(first: 1, key: "$5", webviewSession: "$4")) SELECT claimed FROM i",
        parameterTypes: ClaimSQL.types + [.uuid, .uuid]
    )

    /// Claims a request that is carried out by other statements afterwards, and may be carried out twice without harm.
    ///
    /// - Parameters:
    ///   - claim: Of the request.
    ///   - webviewSession: What it is about.
    /// - Returns: Until when it is ours now, or what became of it.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func take(_ claim: IdempotencyClaim, webviewSession: UUIDBytes?) async throws(StoreError) -> ClaimVerdict {
        var parameters = Parameters()
        parameters.append(claim: claim)
        parameters.append(uuid: webviewSession)
        parameters.append(uuid: claim.key)
        do throws(PostgresError) {
            let rows = try await client.write(PostgresKeyStore.claimStatement, parameters, key: claim.lockKey)
            if rows.rowCount == 1 { return .taken(until: try rows.timestamp(0, 0)) }
        } catch {
            throw StoreError(error)
        }
        return .others(try await state(of: claim))
    }

    static let stateStatement = Statement(
        name: "api_claim_state",
        sql: """
            SELECT c.fingerprint = $3, c.status, c.answer, c.flow_id, c.lease_until > statement_timestamp()
            FROM api_idempotency AS c WHERE c.key_id IN ($1, $4) AND c.idem = $2
            ORDER BY c.key_id = $1 DESC LIMIT 1
            """,
        parameterTypes: ClaimSQL.types + [.uuid]
    )

    /// What became of a claim.
    ///
    /// - Parameter claim: Of a request, which may be another one than that which claimed.
    /// - Returns: `running` also for one whose holder is gone: the repeat that it invites takes it over.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func state(of claim: IdempotencyClaim) async throws(StoreError) -> ClaimState {
        var parameters = Parameters()
        parameters.append(claim: claim)
        parameters.append(uuid: claim.key)
        do throws(PostgresError) {
            let rows = try await client.read(PostgresKeyStore.stateStatement, parameters, isLastStep: true)
            guard rows.rowCount == 1 else { return .absent }
            guard try rows.bool(0, 0) else { return .reused }
            guard let body = try rows.optionalBytes(0, 2) else { return .running(retryAfter: 2) }
            let answer = StoredAnswer(status: Int(try rows.int64(0, 1)), body: body)
            let webviewSession = try rows.optional(0, 3) { row, column throws(PostgresError) in
                try rows.uuid(row, column)
            }
            return .answered(answer, webviewSession: webviewSession)
        } catch {
            throw StoreError(error)
        }
    }

    static let answerStatement = Statement(
        name: "api_claim_answer",
        sql: """
            UPDATE api_idempotency SET status = $3, answer = $4, created_at = statement_timestamp()
            WHERE key_id = $1 AND idem = $2 AND answer IS NULL AND lease_until = $5
            """,
        parameterTypes: [.uuid, .text, .int4, .bytea, .timestamptz]
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
        var parameters = Parameters()
        parameters.append(uuid: claim.scope)
        parameters.append(text: claim.text)
        parameters.append(int32: Int32(answer.status))
        parameters.append(bytes: answer.body)
        parameters.append(timestamp: end)
        try await self.end(claim, PostgresKeyStore.answerStatement, parameters)
    }

    static let releaseStatement = Statement(
        name: "api_claim_release",
        sql: """
            UPDATE api_idempotency SET lease_until = statement_timestamp()
            WHERE key_id = $1 AND idem = $2 AND answer IS NULL AND lease_until = $3
            """,
        parameterTypes: [.uuid, .text, .timestamptz]
    )

    /// Lets a repeat judge a request anew, because it came to nothing for a reason that passes.
    ///
    /// - Parameters:
    ///   - claim: That was ours; nothing happens where somebody else has taken it over since.
    ///   - end: Until when it was ours, as `take` said.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`: the claim then runs out by itself.
    package func release(_ claim: IdempotencyClaim, until end: WallTime) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(uuid: claim.scope)
        parameters.append(text: claim.text)
        parameters.append(timestamp: end)
        try await self.end(claim, PostgresKeyStore.releaseStatement, parameters)
    }

    private func end(
        _ claim: IdempotencyClaim,
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(StoreError) {
        do {
            _ = try await client.write(statement, parameters, key: claim.lockKey, isLastStep: true)
        } catch {
            throw StoreError(error)
        }
    }

    /// How many answers one `prune` removes at most.
    package static let pruneLimit = 1_000

    static let pruneStatement = Statement(
        name: "api_claim_prune",
        sql: """
            WITH open AS MATERIALIZED (
                SELECT p.key_id, p.idem FROM payment_operation_open AS q, LATERAL (
                    SELECT p.key_id, p.idem FROM payment_operation AS p WHERE p.operation_id = q.operation_id OFFSET 0) AS p
            )
            DELETE FROM api_idempotency WHERE (key_id, idem) IN (
                SELECT c.key_id, c.idem FROM api_idempotency AS c
                WHERE c.created_at < date_trunc(
                        'month', statement_timestamp() - partition_keep($1 * interval '1 second', 180), 'UTC')
                    AND (c.answer IS NOT NULL OR NOT EXISTS (
                        SELECT FROM open WHERE open.key_id = c.key_id AND open.idem = c.idem))
                ORDER BY c.created_at LIMIT \(pruneLimit) FOR UPDATE OF c SKIP LOCKED)
            """,
        parameterTypes: [.int8]
    )

    /// Removes claims that are older than every order that is kept, `pruneLimit` at most.
    ///
    /// The claim of an operation that has not ended stays, however long a person takes over it.
    ///
    /// - Parameter keep: For orders, counted from the end of their month; at least 180 days are kept.
    /// - Returns: How many; as many as that means that there may be more.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func prune(keep: Duration) async throws(StoreError) -> Int {
        var parameters = Parameters()
        parameters.append(seconds: keep)
        do {
            return try await client.work(PostgresKeyStore.pruneStatement, parameters).affectedRowCount
        } catch {
            throw StoreError(error)
        }
    }
}
