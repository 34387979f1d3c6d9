import MerchantOrders
import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    // MARK: Read and touch

    /// `$1` the webview session, `$2` the hash of the tab token, `$3` and `$4` seconds.
    static let readTabStatement = Statement(
        name: "webview_session_tab_read",
        sql: """
            SELECT \(tabColumns("$2"))
            FROM webview_session AS f
            WHERE f.webview_session_id = $1 AND (f.tab_hash = $2 OR f.tab_superseded_hash = $2)
            """,
        parameterTypes: [.uuid, .bytea, .int8, .int8]
    )

    /// The same for several webview sessions: each is compared with the hash at its own place.
    static let readTabsStatement = Statement(
        name: "webview_session_tabs_read",
        sql: """
            SELECT \(tabColumns("k.hash"))
            FROM webview_session AS f \(hashOfWebviewSession)
            WHERE f.webview_session_id = ANY ($1) AND (f.tab_hash = k.hash OR f.tab_superseded_hash = k.hash)
            """,
        parameterTypes: [.uuidArray, .byteaArray, .int8, .int8]
    )

    /// The tab with what is sealed, which is given out only where the webview session was found by the hash.
    static let readSealedTabStatement = Statement(
        name: "webview_session_tab_read_sealed",
        sql: """
            SELECT \(tabColumns("$2")), p.sealed
            FROM webview_session AS f LEFT JOIN webview_session_private AS p ON p.webview_session_id = $1
            WHERE f.webview_session_id = $1 AND (f.tab_hash = $2 OR f.tab_superseded_hash = $2)
            """,
        parameterTypes: [.uuid, .bytea, .int8, .int8]
    )

    /// The same for several webview sessions.
    static let readSealedTabsStatement = Statement(
        name: "webview_session_tabs_read_sealed",
        sql: """
            SELECT \(tabColumns("k.hash")), p.sealed
            FROM webview_session AS f \(hashOfWebviewSession)
            LEFT JOIN webview_session_private AS p ON p.webview_session_id = f.webview_session_id
            WHERE f.webview_session_id = ANY ($1) AND (f.tab_hash = k.hash OR f.tab_superseded_hash = k.hash)
            """,
        parameterTypes: [.uuidArray, .byteaArray, .int8, .int8]
    )

    static let tabLookup = BatchedRead.Lookup(
        one: readTabStatement,
        many: readTabsStatement,
        keyColumn: keyColumn
    )

    static let sealedTabLookup = BatchedRead.Lookup(
        one: readSealedTabStatement,
        many: readSealedTabsStatement,
        keyColumn: keyColumn
    )

    private static let touchColumn = WebviewSessionColumns.faceCount
    private static let keyColumn = WebviewSessionColumns.faceCount + 1
    private static let sealedColumn = WebviewSessionColumns.faceCount + 2

    /// What a webview session of an array is compared with, as `k.hash`.
    private static let hashOfWebviewSession =
        "CROSS JOIN LATERAL (SELECT $2[array_position($1, f.webview_session_id)] AS hash OFFSET 0) AS k"

    /// The columns of a page, whether a touch is due, and the key, for what is presented.
    private static func tabColumns(_ hash: String) -> String {
        "tab_outcome(f, \(hash), statement_timestamp()), f.state, \(WebviewSessionColumns.face("f")), \(isTouchDue), f.webview_session_id"
    }

    /// Never seen, or the deadline would move by `$4` seconds or more.
    private static let isTouchDue =
        "f.tab_seen_at IS NULL OR \(SQLText.deadline("$3")) - f.idle_until >= $4 * interval '1 second'"

    /// What a tab token may see; revokes the webview session of a superseded one.
    ///
    /// Reads, and writes only what is due: the idle deadline moves by steps, and the first sight of a token is remembered.
    func view(
        _ webviewSession: WebviewSessionID,
        tab: Digest32,
        withPrivate: Bool,
        by caller: Caller
    ) async throws(StoreError) -> Transition<TabOutcome> {
        let view: WebviewSessionView
        do throws(PostgresError) {
            let asked = try (withPrivate ? sealedTabs : tabs).ask(webviewSession, digest: tab)
            guard let (rows, index) = try await asked.row() else { return .notFound(.refused(.unknown)) }
            let row = WebviewSessionRow(
                cells: LazyRow(rows, index),
                webviewSession: webviewSession,
                sealedColumn: withPrivate ? PostgresSessionStore.sealedColumn : nil
            )
            view = try row.view()
            let found = try PostgresSessionStore.transition(row, view)
            let isTouchDue =
                switch found.outcome {
                case .live: try row.cells.read(PostgresSessionStore.touchColumn, Bool.self)
                case .refused(.superseded), .refused(.expired): true
                case .readOnly, .refused: false
                }
            guard isTouchDue else { return found }
        } catch {
            throw StoreError(error)
        }
        return try await touch(view, tab, by: caller)
    }

    /// The outcome of a tab that was read, in the state that the row names.
    private static func transition(
        _ row: WebviewSessionRow,
        _ view: WebviewSessionView
    ) throws(PostgresError) -> Transition<TabOutcome> {
        let word = try row.word()
        guard let outcome = TabOutcome(word, view, in: try row.state()) else {
            throw PostgresError(.decoding, "\(word) is no \(TabOutcome.self)")
        }
        return Transition(outcome: outcome, word: word, isFound: true)
    }

    static let touchTabStatement = TypedStatement<LazyRow, Guarded, Digest32, Duration>(
        name: "webview_session_tab_touch",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET (outcome, state, events, tab_seen_at, idle_until) = (
                    SELECT v.x,
                        \(stateAfterTab),
                        f.events + (v.x <> 'live')::integer,
                        CASE v.x WHEN 'live' THEN coalesce(f.tab_seen_at, statement_timestamp()) ELSE f.tab_seen_at END,
                        CASE v.x WHEN 'live' THEN \(SQLText.deadline("$5")) ELSE f.idle_until END
                    FROM (SELECT tab_outcome(f, $4, statement_timestamp()) AS x OFFSET 0) AS v)
                WHERE f.webview_session_id = $1 AND (f.tab_hash = $4 OR f.tab_superseded_hash = $4)
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(SQLText.audit("'tab'", where: "u.outcome <> 'live'"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// What a superseded token or a late tab does to the webview session; the outcome of other cases leaves it.
    private static let stateAfterTab =
        "CASE v.x WHEN 'orphan' THEN 'revoked' WHEN 'expired' THEN 'expired' ELSE f.state END"

    /// Slides the idle deadline, and remembers that the tab was seen; a superseded token revokes the webview session.
    private func touch(
        _ view: WebviewSessionView,
        _ tab: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Transition<TabOutcome> {
        let call = PostgresSessionStore.touchTabStatement(
            Guarded("tab", view.id, caller, marker),
            tab,
            policy.times.idle
        )
        // A touch leaves no audit row to look for, and none is needed: the next request touches again.
        let rows = try await client.write(call, key: view.id)
        guard let cells = try rows.single() else { return .notFound(.refused(.unknown)) }
        let row = WebviewSessionRow(cells: cells, webviewSession: view.id)
        return try StoreError.decoding { () throws(PostgresError) in try PostgresSessionStore.transition(row, view) }
    }

    // MARK: Review

    static let reviewStatement = TypedStatement<
        LazyRow, Guarded, Digest32, Digest32, String, Int64?, [UInt8], Duration, Digest32
    >(
        name: "webview_session_review_choice",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET
                    (outcome, state, events, tab_seen_at, idle_until, order_ref, postage, total, shown, return_hash) = (
                    SELECT v.x,
                        CASE v.x WHEN 'reviewed' THEN 'reviewed' ELSE \(stateAfterTab) END,
                        f.events + 1,
                        coalesce(f.tab_seen_at, statement_timestamp()),
                        CASE v.x WHEN 'reviewed' THEN \(SQLText.deadline("$9")) ELSE f.idle_until END,
                        CASE v.x WHEN 'reviewed' THEN $6 ELSE f.order_ref END,
                        CASE v.x WHEN 'reviewed' THEN $7 ELSE f.postage END,
                        CASE v.x WHEN 'reviewed' THEN f.tax_included + $7 ELSE f.total END,
                        CASE v.x WHEN 'reviewed' THEN $10 ELSE f.shown END,
                        -- A function of the tab token, so this changes it only after profile strict has replaced that.
                        CASE v.x WHEN 'reviewed' THEN $5 ELSE f.return_hash END
                    FROM (SELECT review_outcome(f, $4, $6, statement_timestamp()) AS x OFFSET 0) AS v)
                WHERE f.webview_session_id = $1 AND (f.tab_hash = $4 OR f.tab_superseded_hash = $4)
                \(SQLText.returning("f"))
            ), s AS (
                INSERT INTO webview_session_private (webview_session_id, sealed) SELECT $1, $8 FROM u WHERE u.outcome = 'reviewed'
                ON CONFLICT (webview_session_id) DO UPDATE SET sealed = EXCLUDED.sealed
            ), \(SQLText.audit("'review'"))
            SELECT \(WebviewSessionColumns.whole("u")) FROM u
            """
    )

    /// Pins the provider's session, stores postage and total, or that there is none, and replaces the sealed details.
    func review(
        _ request: ReviewRequest,
        by caller: Caller
    ) async throws(StoreError) -> Transition<ReviewOutcome> {
        let call = PostgresSessionStore.reviewStatement(
            Guarded("review", request.webviewSession, caller, marker),
            request.tabHash,
            request.returnHash,
            request.orderReference,
            request.postage,
            request.sealed,
            policy.times.idle,
            request.shown
        )
        return try await transition(call, "review", request.webviewSession, caller)
    }

    // MARK: Place, and back

    static let placeStatement = TypedStatement<
        LazyRow, Guarded, Digest32, Digest32, Int64?, Bool, Duration, String, OrderAccount, Digest32?
    >(
        name: "webview_session_agree",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET (outcome, state, events, placements, idle_until) = (
                    -- What was placed already keeps its order; whatever fails now does not take it back.
                    SELECT CASE WHEN v.x = 'placed' AND f.state = 'placed' THEN 'placed_again' ELSE v.x END,
                        CASE v.x WHEN 'placed' THEN 'placed' ELSE \(stateAfterTab) END,
                        f.events + 1,
                        f.placements + (v.x = 'placed')::integer,
                        CASE v.x WHEN 'placed' THEN \(SQLText.deadline("$8")) ELSE f.idle_until END
                    FROM (SELECT place_outcome(f, $4, $5, $6, $12, $7, statement_timestamp()) AS x OFFSET 0) AS v)
                WHERE f.webview_session_id = $1 AND (f.tab_hash = $4 OR f.tab_superseded_hash = $4)
                \(SQLText.returning("f")), f.created_at
            ), \(OrderSQL.placed(reference: "$9", account: ("$10", "$11"))), \(SQLText.audit("'place'"))
            SELECT \(WebviewSessionColumns.whole("u")), p.sealed
            FROM u LEFT JOIN webview_session_private AS p ON p.webview_session_id = $1
                AND u.outcome IN ('placed', 'placed_again')
            """
    )

    /// Moves a reviewed or placed webview session to `placed`.
    func place(
        _ request: PlaceRequest,
        by caller: Caller
    ) async throws(StoreError) -> Transition<PlaceOutcome> {
        let call = PostgresSessionStore.placeStatement(
            Guarded("place", request.webviewSession, caller, marker),
            request.tabHash,
            request.returnHash,
            request.total,
            policy.requiresMeeting,
            policy.times.idle,
            OrderNumber(request.webviewSession).description,
            account,
            request.shown
        )
        return try await transition(
            call,
            "place",
            request.webviewSession,
            caller,
            sealedColumn: WebviewSessionColumns.wholeCount
        )
    }

    static let unplaceStatement = TypedStatement<Void, Guarded, Int32>(
        name: "webview_session_unplace",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET outcome = 'reviewed', state = 'reviewed', events = f.events + 1
                WHERE f.webview_session_id = $1 AND f.state = 'placed' AND f.placements = $4
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(SQLText.audit("'unplace'"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Moves a placed webview session back to `reviewed`, unless it was placed again since; says whether it did.
    func unplace(
        _ webviewSession: WebviewSessionID,
        placement: Int,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.unplaceStatement(
            Guarded("unplace", webviewSession, caller, marker),
            Int32(clamping: placement)
        )
        return try await applies(call, "unplace", webviewSession, caller)
    }

    static let declineStatement = TypedStatement<Void, Guarded, String, String>(
        name: "webview_session_decline_order",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET outcome = 'declined', state = 'declined', events = f.events + 1
                WHERE f.webview_session_id = $1 AND f.state = 'placed' AND f.order_ref = $4
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(OrderSQL.ended("declined", event: "session.declined", decline: "$5")),
            \(SQLText.audit("'decline'", reason: "$5"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Moves a webview session that is placed with this session to `declined`; says whether it did.
    package func decline(
        _ webviewSession: WebviewSessionID,
        orderReference: String,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.declineStatement(
            Guarded("decline", webviewSession, caller, marker),
            orderReference,
            reason
        )
        return try await applies(call, "decline", webviewSession, caller)
    }

    // MARK: Cancel

    static let cancelStatement = TypedStatement<LazyRow, Guarded, Digest32>(
        name: "webview_session_leave",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET (outcome, state, events) = (
                    SELECT CASE v.x WHEN 'live' THEN 'canceled' ELSE v.x END,
                        CASE v.x WHEN 'live' THEN 'canceled' ELSE \(stateAfterTab) END,
                        f.events + 1
                    FROM (SELECT tab_outcome(f, $4, statement_timestamp()) AS x OFFSET 0) AS v)
                WHERE f.webview_session_id = $1 AND (f.tab_hash = $4 OR f.tab_superseded_hash = $4)
                \(SQLText.returning("f"))
            ), \(OrderSQL.ended("canceled", event: "session.canceled", where: "u.outcome = 'canceled'")),
            \(SQLText.audit("'cancel'"))
            SELECT \(WebviewSessionColumns.whole("u")) FROM u
            """
    )

    /// Ends a webview session that the buyer cancels.
    func cancel(
        _ webviewSession: WebviewSessionID,
        tab: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Transition<CancelOutcome> {
        let call = PostgresSessionStore.cancelStatement(Guarded("cancel", webviewSession, caller, marker), tab)
        return try await transition(call, "cancel", webviewSession, caller)
    }
}

extension PostgresSessionStore {
    /// Makes a guarded call that returns all columns.
    func transition<Outcome: StatementOutcome>(
        _ call: StatementCall<LazyRow>,
        _ operation: String,
        _ webviewSession: WebviewSessionID,
        _ caller: Caller,
        sealedColumn: Int? = nil
    ) async throws(StoreError) -> Transition<Outcome> {
        let written = try await write(call, as: operation, of: webviewSession, by: caller)
        return try transition(written.rows, webviewSession, sealedColumn: sealedColumn)
    }

    /// What the one row says that a call returns, or that there is none.
    func transition<Outcome: StatementOutcome>(
        _ rows: Rows<LazyRow>,
        _ webviewSession: WebviewSessionID,
        sealedColumn: Int? = nil
    ) throws(StoreError) -> Transition<Outcome> {
        guard let cells = try rows.single() else { return .ofNoRow }
        let row = WebviewSessionRow(
            cells: cells,
            webviewSession: webviewSession,
            sealedColumn: sealedColumn,
            leaseSeconds: Int(policy.times.lease.components.seconds)
        )
        return try StoreError.decoding { () throws(PostgresError) in try Transition(row) }
    }

    /// Makes a guarded call that has one outcome or does nothing; says whether it did it.
    func applies(
        _ call: StatementCall<Void>,
        _ operation: String,
        _ webviewSession: WebviewSessionID,
        _ caller: Caller
    ) async throws(StoreError) -> Bool {
        // All of these end what an earlier statement began, or take a secret out of use.
        try await write(call, as: operation, of: webviewSession, by: caller, isLastStep: true).rows.count == 1
    }
}
