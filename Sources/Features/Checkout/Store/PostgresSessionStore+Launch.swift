import Postgres
import Primitives
import SessionBroker

extension PostgresSessionStore {
    // MARK: Issue

    static let issueStatement = TypedStatement<
        Void, Guarded, String, Int64, Int64, Int64, Int64, String, Digest32, Digest32?, Digest32?, UTF8Text
    >(
        name: "webview_session_issue",
        sql: """
            WITH e AS (
                INSERT INTO webview_session_trail (webview_session_id, ordinal, to_state, op, outcome, peer, request)
                VALUES ($1, 1, 'issued', 'issue', $4, $2, $3)
            )
            INSERT INTO webview_session (
                webview_session_id, created_at, launch_until, idle_until, absolute_until, subtotal, tax_included, client, state,
                events, attempt, placements, proof_misses, outcome, launch_hash, app_hash, challenge, cart)
            VALUES (
                $1, statement_timestamp(), statement_timestamp() + $5 * interval '1 second',
                statement_timestamp() + $5 * interval '1 second', statement_timestamp() + $6 * interval '1 second',
                $7, $8, $9::webview_session_client, 'issued', 1, 0, 0, 0, $4, $10, $11, $12, $13::json)
            """
    )

    /// Stores a webview session in state `issued`.
    func issue(_ new: NewWebviewSession, by caller: Caller) async throws(StoreError) {
        // Profile compat may run without any proof of the app; the trail says so.
        let isBound = new.appHash != nil || new.challenge != nil
        let call = PostgresSessionStore.issueStatement(
            Guarded("issue", new.id, caller, marker),
            isBound ? "issued" : "issued_unbound",
            launchSeconds,
            absoluteSeconds,
            new.order.subtotal,
            new.order.taxIncluded,
            new.client.rawValue,
            new.launchHash,
            new.appHash,
            new.challenge,
            UTF8Text(new.order.json)
        )
        _ = try await write(call, as: "issue", of: new.id, by: caller)
    }

    // MARK: Open

    /// The usual case: a ticket that was not used opens its tab.
    ///
    /// It could be left to the statement below, which decides the same; without that one's cases it costs PostgreSQL a quarter
    /// less. No row means "not this outcome", and changes nothing.
    static let openFirstStatement = TypedStatement<
        LazyRow, Guarded, Digest32, Digest32, Digest32?, Digest32?, Int64, Int64
    >(
        name: "webview_session_open_first",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET
                    outcome = 'opened', state = 'opened', events = f.events + 1, tab_hash = $5,
                    launch_until = statement_timestamp() + $8 * interval '1 second',
                    idle_until = \(SQLText.deadline("$9"))
                WHERE f.webview_session_id = $1 AND f.launch_hash = $4 AND open_outcome(f, $6, $7, statement_timestamp()) = 'opened'
                RETURNING f.webview_session_id, f.events, \(WebviewSessionColumns.opening("f"))
            ), \(SQLText.audit("'open'"))
            SELECT \(WebviewSessionColumns.opening("u")) FROM u
            """
    )

    /// How a second use of a ticket is judged.
    struct Reuse: StatementInput {
        static var parameterTypes: [PostgresType] { [.bool, .int8] }
        static var parameterCount: Int { 2 }

        /// Whether it revokes.
        let revokes: Bool
        /// Seconds by which the time of doubled opens ends after the time of re-opens; `nil` decides at once.
        let putsOff: Int64?

        func append(to parameters: inout Parameters) {
            revokes.append(to: &parameters)
            putsOff.append(to: &parameters)
        }
    }

    /// Seconds after an open in which a second one may be the same browser's, whose cookie is still on its way.
    ///
    /// Both loads leave a phone within a moment; the later one may be held up by a lost packet or two.
    static let doubledSeconds: Int64 = 5

    /// Every case.
    static let openStatement = TypedStatement<
        LazyRow, Guarded, Digest32, Digest32, Digest32?, Digest32?, Int64, Int64, Reuse
    >(
        name: "webview_session_open",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET (outcome, state, events, tab_superseded_hash, tab_hash, launch_until, idle_until) = (
                    SELECT v.x,
                        CASE WHEN v.x IN ('opened', 'expired') THEN v.x::webview_session_state
                            WHEN v.x = 'reused' AND $10 THEN 'revoked' ELSE f.state END,
                        f.events + 1,
                        CASE v.x WHEN 'reopened' THEN f.tab_hash ELSE f.tab_superseded_hash END,
                        CASE WHEN v.x IN ('opened', 'reopened') THEN $5 ELSE f.tab_hash END,
                        CASE v.x WHEN 'opened' THEN statement_timestamp() + $8 * interval '1 second'
                            ELSE f.launch_until END,
                        CASE WHEN v.x IN ('opened', 'reopened', 'same_tab') THEN \(SQLText.deadline("$9"))
                            ELSE f.idle_until END
                    -- OFFSET keeps the planner from copying the outcome into each of the cases.
                    FROM (
                        -- Since the open, launch_until is the end of the time of re-opens.
                        SELECT CASE WHEN w.x IN ('reopened', 'reused')
                                AND statement_timestamp() < f.launch_until + $11 * interval '1 second'
                            THEN 'doubled' ELSE w.x END AS x
                        FROM (SELECT open_outcome(f, $6, $7, statement_timestamp()) AS x OFFSET 0) AS w OFFSET 0) AS v)
                WHERE f.webview_session_id = $1 AND f.launch_hash = $4
                RETURNING f.webview_session_id, f.events, \(WebviewSessionColumns.opening("f"))
            ), \(SQLText.audit("'open'"))
            SELECT \(WebviewSessionColumns.opening("u")) FROM u
            """
    )

    /// Lets a launch ticket open its tab, or says why not.
    ///
    /// At most one tab token is live afterwards.
    func open(
        _ request: OpenRequest,
        by caller: Caller
    ) async throws(StoreError) -> Transition<OpenOutcome<OpenedSession>> {
        var call = PostgresSessionStore.openFirstStatement(
            Guarded("open", request.webviewSession, caller, marker),
            request.launchHash,
            request.freshTabHash,
            request.tabHash,
            request.appHash,
            reopenSeconds,
            idleSeconds
        )
        let opened = try await open(call, request, caller, isLastStep: false)
        guard !opened.isFound else { return opened }
        PostgresSessionStore.openFirstStatement.extend(
            &call,
            to: PostgresSessionStore.openStatement,
            Reuse(
                revokes: policy.onReuse == .revoke,
                putsOff: request.putsOff ? PostgresSessionStore.doubledSeconds - reopenSeconds : nil
            )
        )
        // A client that hangs up meanwhile must not keep a used ticket from being noticed.
        return try await open(call, request, caller, isLastStep: true)
    }

    private func open(
        _ call: StatementCall<LazyRow>,
        _ request: OpenRequest,
        _ caller: Caller,
        isLastStep: Bool
    ) async throws(StoreError) -> Transition<OpenOutcome<OpenedSession>> {
        let id = request.webviewSession
        let written = try await write(call, as: "open", of: id, by: caller, isLastStep: isLastStep)
        guard let cells = try written.rows.single() else { return .ofNoRow }
        let row = WebviewSessionRow(cells: cells, webviewSession: id)
        let opened = try StoreError.decoding { () throws(PostgresError) in
            try Transition<OpenOutcome<OpenedSession>>(row)
        }
        guard written.isReread, opened.outcome.opened != nil else { return opened }
        // It was committed, but does our token still live? Another request may have re-opened since.
        let live = try StoreError.decoding { () throws(PostgresError) in try row.liveTab() }
        guard live == request.freshTabHash else {
            throw StoreError(.outcomeUnknown, "open of \(id): its tab token was replaced")
        }
        return opened
    }
}
