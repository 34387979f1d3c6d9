import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    // MARK: Begin and check

    /// The evidence of a purchase and whether a proof must be there: `$4` to `$11`.
    private static let outcome = "buy_outcome(f, $5, $6, $7, $8, $9, $10, $11, statement_timestamp())"

    /// The state after the outcome `v.x` on proofs; the parameter says whether a wrong one ends the webview session.
    static func stateAfterProof(_ revokes: String) -> String {
        """
        CASE WHEN v.x = 'expired' THEN 'expired'
            WHEN \(revokes) AND is_waiting(f.state)
                AND (v.x = 'proof_mismatch' OR v.x = 'proof_required' AND f.proof_misses >= 4)
                THEN 'revoked'
            ELSE f.state END
        """
    }

    /// The count of misses after the outcome `v.x` on proofs.
    static let missesAfterProof = "f.proof_misses + (v.x IN ('proof_mismatch', 'proof_required'))::integer"

    static let beginStatement = TypedStatement<LazyRow, Guarded, PurchaseEvidence, Bool, UUIDBytes, Duration, Bool>(
        name: "webview_session_begin_attempt",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET (outcome, state, events, proof_misses, attempt, attempt_id, lease_until) = (
                    SELECT v.x,
                        CASE WHEN v.x IN ('begin', 'recover') THEN 'purchasing' ELSE \(stateAfterProof("$14")) END,
                        f.events + 1,
                        \(missesAfterProof),
                        f.attempt + (v.x = 'begin')::integer,
                        CASE WHEN v.x IN ('begin', 'recover') THEN $12 ELSE f.attempt_id END,
                        CASE WHEN v.x IN ('begin', 'recover') THEN statement_timestamp() + $13 * interval '1 second'
                            ELSE f.lease_until END
                    FROM (SELECT \(outcome) AS x OFFSET 0) AS v)
                WHERE f.webview_session_id = $1 AND f.return_hash = $4
                \(SQLText.returning("f"))
            ), q AS (
                INSERT INTO webview_session_purchase (webview_session_id) SELECT $1 FROM u WHERE u.outcome = 'begin'
                -- An attempt that begins has none; one that somebody has put there would keep recovery from it.
                ON CONFLICT (webview_session_id) DO UPDATE SET
                    since = excluded.since, next_at = excluded.next_at, stuck_at = NULL, reason = NULL, recoveries = 0, failures = 0,
                    woken = false, missing_since = NULL
            ), \(SQLText.audit("'purchase'"))
            SELECT \(WebviewSessionColumns.whole("u")) FROM u
            """
    )

    /// Takes the lease of a purchase, or says why not.
    ///
    /// Proofs are checked before anything else.
    func begin(
        _ evidence: PurchaseEvidence,
        freshAttempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Transition<BeginOutcome> {
        let call = PostgresSessionStore.beginStatement(
            Guarded("purchase", evidence.webviewSession, caller, marker),
            evidence,
            policy.appProof == .required,
            freshAttempt,
            policy.times.lease,
            policy.onMismatch == .revoke
        )
        let done: Transition<BeginOutcome> = try await transition(call, "purchase", evidence.webviewSession, caller)
        switch done.outcome {
        // After a re-read somebody else may hold the lease by now.
        case .begin(let attempt) where attempt.id != freshAttempt,
            .recover(let attempt) where attempt.id != freshAttempt:
            throw StoreError(.outcomeUnknown, "purchase of \(evidence.webviewSession): the lease was taken over")
        case .begin, .recover, .replayed, .met, .refused: return done
        }
    }

    static let checkStatement = TypedStatement<LazyRow, Guarded, PurchaseEvidence, Bool>(
        name: "webview_session_check_purchase",
        sql: """
            SELECT \(outcome), f.state, \(WebviewSessionColumns.face("f"))
            FROM webview_session AS f
            WHERE f.webview_session_id = $1 AND f.return_hash = $4
            """
    )

    /// What `begin` would decide; changes nothing.
    func check(_ evidence: PurchaseEvidence) async throws(StoreError) -> Transition<CheckOutcome> {
        let call = PostgresSessionStore.checkStatement(
            Guarded(evidence.webviewSession, Caller(internal: "check", request: "")),
            evidence,
            policy.appProof == .required
        )
        return try transition(try await client.read(call), evidence.webviewSession)
    }

    // MARK: Meet

    static let meetStatement = TypedStatement<Void, Guarded, PurchaseEvidence, Bool, Digest32, Duration>(
        name: "webview_session_present_both",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET
                    outcome = 'met', state = 'issued', events = f.events + 1, launch_hash = $12, tab_hash = NULL,
                    tab_superseded_hash = NULL, tab_seen_at = NULL,
                    both_presented_at = coalesce(f.both_presented_at, statement_timestamp()),
                    launch_until = statement_timestamp() + $13 * interval '1 second',
                    idle_until = \(SQLText.deadline("$13"))
                WHERE f.webview_session_id = $1 AND f.return_hash = $4 AND f.client <> 'browser' AND \(outcome) = 'not_ready'
                    AND (f.state = 'reviewed' AND f.both_presented_at IS NULL OR f.state = 'issued' AND f.both_presented_at IS NOT NULL)
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(SQLText.audit("'meet'"))
            SELECT u.outcome, u.state FROM u
            """
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
        let call = PostgresSessionStore.meetStatement(
            Guarded("meet", evidence.webviewSession, caller, marker),
            evidence,
            policy.appProof == .required,
            freshLaunchHash,
            policy.times.launch
        )
        return try await applies(call, "meet", evidence.webviewSession, caller)
    }

    // MARK: The end of an attempt

    static let pendingStatement = TypedStatement<Void, WebviewSessionID, UUIDBytes>(
        name: "webview_session_pending",
        sql: """
            WITH u AS (
                SELECT f.webview_session_id FROM webview_session AS f
                WHERE f.webview_session_id = $1 AND f.attempt_id = $2 AND f.state = 'purchasing'
            ), \(OrderSQL.pending)
            SELECT 1 FROM o
            """
    )

    /// Notes for the order that the provider agreed to the purchase before the bank has spoken; once for each order, and only
    /// while the attempt holds the webview session.
    package func notePending(_ attempt: PurchaseAttempt) async throws(StoreError) {
        let call = PostgresSessionStore.pendingStatement(attempt.webviewSession, attempt.id)
        _ = try await client.write(call, key: attempt.webviewSession, isLastStep: true)
    }

    static let releaseStatement = TypedStatement<Void, Guarded, UUIDBytes, Duration>(
        name: "webview_session_release_patient",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET
                    outcome = 'placed', state = 'placed', events = f.events + 1, lease_until = NULL,
                    idle_until = \(SQLText.patience("$5"))
                WHERE f.webview_session_id = $1 AND f.attempt_id = $4 AND f.state = 'purchasing'
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), q AS (
                DELETE FROM webview_session_purchase WHERE webview_session_id = $1 AND EXISTS (SELECT FROM u)
            ), \(OrderSQL.released), \(SQLText.audit("'release'"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Gives the lease back: `purchasing` becomes `placed`.
    ///
    /// Does nothing for another attempt id; says whether it did.
    func release(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.releaseStatement(
            Guarded("release", webviewSession, caller, marker),
            attempt,
            policy.times.idle
        )
        return try await applies(call, "release", webviewSession, caller)
    }

    static let settleStatement = TypedStatement<
        Void, Guarded, UUIDBytes, String, [UInt8]?, String?, String?, String?, Duration, Duration, String?, String?,
        Bool
    >(
        name: "webview_session_settle_patient",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET
                    outcome = $5, state = $5::webview_session_state, events = f.events + 1, lease_until = NULL, result = $6,
                    charge_permission = $7, charge = $8,
                    receipt_until = CASE $5 WHEN 'authorized' THEN statement_timestamp() + $10 * interval '1 second' END,
                    idle_until = \(SQLText.patience("$11"))
                WHERE f.webview_session_id = $1 AND f.attempt_id = $4 AND f.state = 'purchasing'
                    AND $5 IN ('authorized', 'declined')
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), q AS (
                DELETE FROM webview_session_purchase WHERE webview_session_id = $1 AND EXISTS (SELECT FROM u)
            ), \(OrderSQL.settled(permission: "$7", charge: ("$8", "$12"), isNamed: "$14")),
            \(SQLText.audit("'settle'", reason: "$9", providerRequest: "$13"))
            SELECT u.outcome, u.state FROM u
            """
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
        let (state, authorization, reason): (WebviewSessionState, Authorization?, String?) =
            switch end {
            case .authorized(let authorization): (.authorized, authorization, nil)
            case .declined(let reason): (.declined, nil, reason)
            }
        let call = PostgresSessionStore.settleStatement(
            Guarded("settle", webviewSession, caller, marker),
            attempt,
            state.rawValue,
            authorization?.answer,
            authorization?.chargePermission,
            authorization?.charge,
            reason,
            policy.times.receipt,
            policy.times.idle,
            authorization.map { $0.isCapturing ? "CaptureInitiated" : "Authorized" },
            authorization?.request,
            authorization?.isNamed ?? true
        )
        return try await applies(call, "settle", webviewSession, caller)
    }

    // MARK: Receipt

    static let receiptStatement = TypedStatement<LazyRow, WebviewSessionID, Digest32, Digest32?, Digest32?>(
        name: "webview_session_show_receipt",
        sql: """
            SELECT receipt_outcome(f, $3, $4, statement_timestamp()), f.state, \(WebviewSessionColumns.face("f")), p.sealed
            FROM webview_session AS f LEFT JOIN webview_session_private AS p ON p.webview_session_id = $1
            WHERE f.webview_session_id = $1 AND f.return_hash = $2
            """
    )

    /// Reads the receipt of a return ticket; changes nothing.
    func receipt(_ request: ReceiptRequest) async throws(StoreError) -> Transition<ReceiptOutcome> {
        let call = PostgresSessionStore.receiptStatement(
            request.webviewSession,
            request.returnHash,
            request.appHash,
            request.tabHash
        )
        let rows = try await client.read(call)
        return try transition(rows, request.webviewSession, sealedColumn: WebviewSessionColumns.faceCount)
    }
}

/// Return ticket, app, verifier, old ticket, tab, session, total; the webview session itself is among what leads.
extension PurchaseEvidence: StatementInput {
    static var parameterTypes: [PostgresType] { [.bytea, .bytea, .bytea, .bytea, .bytea, .text, .int8] }
    static var parameterCount: Int { 7 }

    func append(to parameters: inout Parameters) {
        parameters.append(digest: returnHash)
        parameters.append(digest: appHash)
        parameters.append(digest: challenge)
        parameters.append(digest: launchHash)
        parameters.append(digest: tabHash)
        parameters.append(text: orderReference)
        parameters.append(int64: total)
    }
}
