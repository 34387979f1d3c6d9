import Postgres
import Primitives
import SessionBroker

// Webview sessions that a merchant's app starts by itself.
extension PostgresSessionStore {
    // MARK: Arrive

    /// App, verifier, session, bound: `$5` to `$8`.
    private static let outcome = "mobile_return_outcome(f, $5, $6, $7, $8, statement_timestamp())"

    static let readMobileReturnStatement = TypedStatement<
        LazyRow, WebviewSessionID, Digest32?, Digest32?, String, Bool
    >(
        name: "webview_session_mobile_return_read",
        sql: """
            SELECT mobile_return_outcome(f, $2, $3, $4, $5, statement_timestamp()), f.state, \(WebviewSessionColumns.face("f"))
            FROM webview_session AS f
            WHERE f.webview_session_id = $1 AND f.client = 'mobileApp'
            """
    )

    /// What `arrive` would decide of a webview session that an app started by itself; changes nothing.
    func readMobileReturn(
        _ evidence: PurchaseEvidence
    ) async throws(StoreError) -> Transition<MobileReturnOutcome> {
        let call = PostgresSessionStore.readMobileReturnStatement(
            evidence.webviewSession,
            evidence.appHash,
            evidence.challenge,
            evidence.orderReference,
            policy.appProof == .required
        )
        return try transition(try await client.read(call), evidence.webviewSession)
    }

    static let arriveStatement = TypedStatement<
        LazyRow, Guarded, Digest32, Digest32?, Digest32?, String, Bool, [UInt8]?, Bool
    >(
        name: "webview_session_mobile_return",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET (outcome, state, events, proof_misses, order_ref, return_hash) = (
                    SELECT v.x,
                        CASE v.x WHEN 'arrived' THEN 'placed' ELSE \(stateAfterProof("$10")) END,
                        f.events + 1,
                        \(missesAfterProof),
                        CASE v.x WHEN 'arrived' THEN $7 ELSE f.order_ref END,
                        CASE v.x WHEN 'arrived' THEN $4 ELSE f.return_hash END
                    FROM (SELECT \(outcome) AS x OFFSET 0) AS v)
                WHERE f.webview_session_id = $1 AND f.client = 'mobileApp'
                \(SQLText.returning("f"))
            ), s AS (
                INSERT INTO webview_session_private (webview_session_id, sealed) SELECT $1, $9 FROM u
                WHERE u.outcome = 'arrived' AND $9 IS NOT NULL
                ON CONFLICT (webview_session_id) DO UPDATE SET sealed = EXCLUDED.sealed
            ), \(OrderSQL.arrived(session: "$7")), \(SQLText.audit("'arrive'"))
            SELECT \(WebviewSessionColumns.whole("u")) FROM u
            """
    )

    /// Pins the provider's session of such a webview session and moves it to `placed`; the sealed details replace those of a
    /// session before.
    ///
    /// Proofs are checked before anything else.
    func arrive(
        _ evidence: PurchaseEvidence,
        sealed: [UInt8]?,
        by caller: Caller
    ) async throws(StoreError) -> Transition<MobileReturnOutcome> {
        let call = PostgresSessionStore.arriveStatement(
            Guarded("arrive", evidence.webviewSession, caller, marker),
            evidence.returnHash,
            evidence.appHash,
            evidence.challenge,
            evidence.orderReference,
            policy.appProof == .required,
            sealed,
            policy.onMismatch == .revoke
        )
        return try await transition(call, "arrive", evidence.webviewSession, caller)
    }

    // MARK: Lapse

    static let expireLeaseStatement = TypedStatement<Void, Guarded, UUIDBytes>(
        name: "webview_session_expire_lease",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET outcome = 'lapsed', events = f.events + 1, lease_until = statement_timestamp()
                WHERE f.webview_session_id = $1 AND f.attempt_id = $4 AND f.state = 'purchasing'
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(SQLText.audit("'lapse'"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Lets the lease be over now; the webview session stays `purchasing`.
    ///
    /// Does nothing for another attempt id; says whether it did.
    func expireLease(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.expireLeaseStatement(Guarded("lapse", webviewSession, caller, marker), attempt)
        return try await applies(call, "lapse", webviewSession, caller)
    }
}
