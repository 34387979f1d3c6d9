import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    // MARK: Begin and check

    /// The proofs of a purchase as parameters `$4` to `$11`: return ticket, app, verifier, old ticket, tab, session, total,
    /// bound.
    private static let evidenceTypes: [PostgresType] = [
        .bytea, .bytea, .bytea, .bytea, .bytea, .text, .int8, .bool,
    ]

    private static let verdict = "buy_verdict(f, $5, $6, $7, $8, $9, $10, $11, statement_timestamp())"

    /// The state after the verdict `v.x` on proofs; the parameter says whether a wrong one ends the webview session.
    static func stateAfterProof(_ revokes: String) -> String {
        """
        CASE WHEN v.x = 'expired' THEN 'expired'
            WHEN \(revokes) AND is_waiting(f.state)
                AND (v.x = 'proof_mismatch' OR v.x = 'proof_required' AND f.proof_misses >= 4)
                THEN 'revoked'
            ELSE f.state END
        """
    }

    /// The count of misses after the verdict `v.x` on proofs.
    static let missesAfterProof = "f.proof_misses + (v.x IN ('proof_mismatch', 'proof_required'))::integer"

    private func append(_ evidence: PurchaseEvidence, to parameters: inout Parameters) {
        parameters.append(digest: evidence.returnHash)
        parameters.append(digest: evidence.appHash)
        parameters.append(digest: evidence.challenge)
        parameters.append(digest: evidence.launchHash)
        parameters.append(digest: evidence.tabHash)
        parameters.append(text: evidence.orderReference)
        parameters.append(int64: evidence.total)
        parameters.append(bool: policy.appProof == .required)
    }

    static let beginStatement = Statement(
        name: "flow_begin_attempt",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET (verdict, state, events, proof_misses, attempt, attempt_id, lease_until) = (
                    SELECT v.x,
                        CASE WHEN v.x IN ('begin', 'recover') THEN 'purchasing' ELSE \(stateAfterProof("$14")) END,
                        f.events + 1,
                        \(missesAfterProof),
                        f.attempt + (v.x = 'begin')::integer,
                        CASE WHEN v.x IN ('begin', 'recover') THEN $12 ELSE f.attempt_id END,
                        CASE WHEN v.x IN ('begin', 'recover') THEN statement_timestamp() + $13 * interval '1 second'
                            ELSE f.lease_until END
                    FROM (SELECT \(verdict) AS x OFFSET 0) AS v)
                WHERE f.flow_id = $1 AND f.c_hash = $4
                \(SQLText.returning("f"))
            ), q AS (
                INSERT INTO flow_purchasing (flow_id) SELECT $1 FROM u WHERE u.verdict = 'begin'
                ON CONFLICT (flow_id) DO NOTHING
            ), \(SQLText.audit("'purchase'"))
            SELECT \(WebviewSessionColumns.whole("u")) FROM u
            """,
        parameterTypes: SQLText.leading + evidenceTypes + [.uuid, .int8, .bool]
    )

    /// Takes the lease of a purchase, or says why not.
    ///
    /// Proofs are checked before anything else.
    func begin(
        _ evidence: PurchaseEvidence,
        freshAttempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Transition<BeginOutcome> {
        var parameters = Parameters(evidence.webviewSession, caller)
        append(evidence, to: &parameters)
        parameters.append(uuid: freshAttempt)
        parameters.append(seconds: policy.times.lease)
        parameters.append(bool: policy.onMismatch == .revoke)
        let done: Transition<BeginOutcome> = try await transition(
            PostgresSessionStore.beginStatement,
            parameters,
            "purchase",
            evidence.webviewSession,
            caller
        )
        switch done.outcome {
        // After a second look somebody else may hold the lease by now.
        case .begin(let attempt) where attempt.id != freshAttempt,
            .recover(let attempt) where attempt.id != freshAttempt:
            throw StoreError(.outcomeUnknown, "purchase of \(evidence.webviewSession): the lease was taken over")
        case .begin, .recover, .replayed, .met, .refused: return done
        }
    }

    static let checkStatement = Statement(
        name: "flow_check_purchase",
        sql: """
            SELECT \(verdict), f.state, \(WebviewSessionColumns.face("f"))
            FROM flow AS f
            WHERE f.flow_id = $1 AND f.c_hash = $4
            """,
        parameterTypes: SQLText.leading + evidenceTypes
    )

    /// What `begin` would decide; changes nothing.
    func check(_ evidence: PurchaseEvidence) async throws(StoreError) -> Transition<CheckOutcome> {
        var parameters = Parameters(evidence.webviewSession, Caller(internal: "check", request: ""))
        append(evidence, to: &parameters)
        let rows = try await read(PostgresSessionStore.checkStatement, parameters)
        return try transition(rows, evidence.webviewSession)
    }

    // MARK: Meet

    static let meetStatement = Statement(
        name: "flow_meet",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET
                    verdict = 'met', state = 'issued', events = f.events + 1, a_hash = $12, b_hash = NULL,
                    b_prev_hash = NULL, b_seen_at = NULL, met_at = coalesce(f.met_at, statement_timestamp()),
                    launch_until = statement_timestamp() + $13 * interval '1 second',
                    idle_until = \(SQLText.deadline("$13"))
                WHERE f.flow_id = $1 AND f.c_hash = $4 AND f.client <> 'browser' AND \(verdict) = 'not_ready'
                    AND (f.state = 'reviewed' AND f.met_at IS NULL OR f.state = 'issued' AND f.met_at IS NOT NULL)
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), \(SQLText.audit("'meet'"))
            SELECT u.verdict, u.state FROM u
            """,
        parameterTypes: SQLText.leading + evidenceTypes + [.bytea, .int8]
    )

    /// Profile strict: sends a reviewed webview session back to `issued` with a fresh launch ticket and kills the tab token;
    /// says whether it did.
    ///
    /// Asked again before that ticket has opened, it replaces it.
    func meet(
        _ evidence: PurchaseEvidence,
        freshLaunchHash: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        var parameters = Parameters(evidence.webviewSession, caller)
        append(evidence, to: &parameters)
        parameters.append(digest: freshLaunchHash)
        parameters.append(seconds: policy.times.launch)
        return try await applies(
            PostgresSessionStore.meetStatement,
            parameters,
            "meet",
            evidence.webviewSession,
            caller
        )
    }

    // MARK: The end of an attempt

    static let pendingStatement = Statement(
        name: "flow_pending",
        sql: """
            WITH u AS (
                SELECT f.flow_id FROM flow AS f WHERE f.flow_id = $1 AND f.attempt_id = $2 AND f.state = 'purchasing'
            ), \(OrderSQL.pending)
            SELECT 1 FROM o
            """,
        parameterTypes: [.uuid, .uuid]
    )

    /// Notes for the order that the provider agreed to the purchase before the bank has spoken; once for each order, and only
    /// while the attempt holds the webview session.
    package func notePending(_ attempt: PurchaseAttempt) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(uuid: attempt.webviewSession)
        parameters.append(uuid: attempt.id)
        do {
            _ = try await client.write(
                PostgresSessionStore.pendingStatement,
                parameters,
                key: attempt.webviewSession,
                isLastStep: true
            )
        } catch {
            throw StoreError(error)
        }
    }

    static let releaseStatement = Statement(
        name: "flow_release_patient",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET
                    verdict = 'placed', state = 'placed', events = f.events + 1, lease_until = NULL,
                    idle_until = \(SQLText.patience("$5"))
                WHERE f.flow_id = $1 AND f.attempt_id = $4 AND f.state = 'purchasing'
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), q AS (
                DELETE FROM flow_purchasing WHERE flow_id = $1 AND EXISTS (SELECT FROM u)
            ), \(OrderSQL.released), \(SQLText.audit("'release'"))
            SELECT u.verdict, u.state FROM u
            """,
        parameterTypes: SQLText.leading + [.uuid, .int8]
    )

    /// Gives the lease back: `purchasing` becomes `placed`.
    ///
    /// Does nothing for another attempt id; says whether it did.
    func release(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        var parameters = Parameters(webviewSession, caller)
        parameters.append(uuid: attempt)
        parameters.append(seconds: policy.times.idle)
        return try await applies(PostgresSessionStore.releaseStatement, parameters, "release", webviewSession, caller)
    }

    static let settleStatement = Statement(
        name: "flow_settle_patient",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET
                    verdict = $5, state = $5::flow_state, events = f.events + 1, lease_until = NULL, result = $6,
                    charge_permission = $7, charge = $8,
                    receipt_until = CASE $5 WHEN 'authorized' THEN statement_timestamp() + $10 * interval '1 second' END,
                    idle_until = \(SQLText.patience("$11"))
                WHERE f.flow_id = $1 AND f.attempt_id = $4 AND f.state = 'purchasing'
                    AND $5 IN ('authorized', 'declined')
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), q AS (
                DELETE FROM flow_purchasing WHERE flow_id = $1 AND EXISTS (SELECT FROM u)
            ), \(OrderSQL.settled(permission: "$7", charge: ("$8", "$12"))),
            \(SQLText.audit("'settle'", reason: "$9", providerRequest: "$13"))
            SELECT u.verdict, u.state FROM u
            """,
        parameterTypes: SQLText.leading + [.uuid, .text, .bytea, .text, .text, .text, .int8, .int8, .text, .text]
    )

    /// Ends the attempt.
    ///
    /// Does nothing for another attempt id; says whether it did.
    package func settle(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        as end: AttemptOutcome,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        var parameters = Parameters(webviewSession, caller)
        parameters.append(uuid: attempt)
        var charge: String?
        var request: String?
        switch end {
        case .authorized(let authorization):
            parameters.append(text: WebviewSessionState.authorized.rawValue)
            parameters.append(bytes: authorization.answer)
            parameters.append(text: authorization.chargePermission)
            parameters.append(text: authorization.charge)
            parameters.append(text: nil)
            charge = authorization.isCapturing ? "CaptureInitiated" : "Authorized"
            request = authorization.request
        case .declined(let reason):
            parameters.append(text: WebviewSessionState.declined.rawValue)
            parameters.append(bytes: nil)
            parameters.append(text: nil)
            parameters.append(text: nil)
            parameters.append(text: reason)
        }
        parameters.append(seconds: policy.times.receipt)
        parameters.append(seconds: policy.times.idle)
        parameters.append(text: charge)
        parameters.append(text: request)
        return try await applies(PostgresSessionStore.settleStatement, parameters, "settle", webviewSession, caller)
    }

    // MARK: Receipt

    static let receiptStatement = Statement(
        name: "flow_show_receipt",
        sql: """
            SELECT receipt_verdict(f, $3, $4, statement_timestamp()), f.state, \(WebviewSessionColumns.face("f")), p.sealed
            FROM flow AS f LEFT JOIN flow_private AS p ON p.flow_id = $1
            WHERE f.flow_id = $1 AND f.c_hash = $2
            """,
        parameterTypes: [.uuid, .bytea, .bytea, .bytea]
    )

    /// Looks for the receipt of a return ticket; changes nothing.
    func receipt(_ request: ReceiptRequest) async throws(StoreError) -> Transition<ReceiptOutcome> {
        var parameters = Parameters()
        parameters.append(uuid: request.webviewSession)
        parameters.append(digest: request.returnHash)
        parameters.append(digest: request.appHash)
        parameters.append(digest: request.tabHash)
        let rows = try await read(PostgresSessionStore.receiptStatement, parameters)
        return try transition(rows, request.webviewSession, sealedColumn: WebviewSessionColumns.faceCount)
    }
}
