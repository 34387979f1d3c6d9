import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    // MARK: Status and observations

    static let statusStatement = TypedStatement<WebviewSessionStatus, WebviewSessionID, Digest32, Digest32>(
        name: "webview_session_status",
        sql: """
            SELECT f.state, statement_timestamp() >= least(f.idle_until, f.absolute_until)
            FROM webview_session AS f
            WHERE f.webview_session_id = $1 AND f.launch_hash = $2 AND f.app_hash = $3
            """
    ) { row in WebviewSessionStatus(try row.next(), isOver: try row.next()) }

    /// The status of a webview session, by launch ticket and app proof.
    func status(
        _ webviewSession: WebviewSessionID,
        launch: Digest32,
        app: Digest32
    ) async throws(StoreError) -> WebviewSessionStatus? {
        try await client.read(PostgresSessionStore.statusStatement(webviewSession, launch, app)).single()
    }

    static let observeStatement = TypedStatement<Void, Guarded, Digest32, String, Bool>(
        name: "webview_session_observe",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET
                    outcome = $5, events = f.events + 1,
                    state = CASE WHEN $6 AND is_waiting(f.state) THEN 'revoked' ELSE f.state END
                WHERE f.webview_session_id = $1 AND $4 IN (f.launch_hash, f.tab_hash, f.return_hash)
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(SQLText.audit("$5"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Writes down something seen about a token of the webview session, whichever it is; says whether there is such a token.
    func observe(
        _ observation: Observation,
        webviewSession: WebviewSessionID,
        token: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let word = observation.rawValue
        let call = PostgresSessionStore.observeStatement(
            Guarded(word, webviewSession, caller, marker),
            token,
            word,
            observation == .plaintext
        )
        return try await applies(call, word, webviewSession, caller)
    }

    // MARK: Revoke

    static let revokeStatement = TypedStatement<Void, Guarded>(
        name: "webview_session_revoke_order",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET outcome = 'revoked', state = 'revoked', events = f.events + 1
                WHERE f.webview_session_id = $1 AND is_waiting(f.state)
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(OrderSQL.ended("canceled", event: "session.canceled")),
            \(SQLText.audit("'close'", reason: "'operator'"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Revokes one webview session that is not final and not at the provider; says whether it did.
    package func revoke(_ webviewSession: WebviewSessionID, by caller: Caller) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.revokeStatement(Guarded("close", webviewSession, caller, marker))
        return try await applies(call, "close", webviewSession, caller)
    }

    /// Reads some webview sessions in the order of their ids, behind `$1`, and revokes those that wait, of install `$4` or
    /// of all.
    static let revokeSomeStatement = TypedStatement<
        (RevokeProgress, last: WebviewSessionID?), Guarded, Digest32?, Int, [UInt8]?
    >(
        name: "webview_session_revoke_some",
        sql: """
            WITH w AS MATERIALIZED (
                SELECT f.webview_session_id, f.app_hash, f.state FROM webview_session AS f
                WHERE f.webview_session_id > $1 ORDER BY f.webview_session_id LIMIT $5
            ), u AS (
                UPDATE webview_session AS f SET outcome = 'revoked', state = 'revoked', events = f.events + 1
                WHERE f.webview_session_id = ANY (ARRAY(SELECT w.webview_session_id FROM w WHERE $4 IS NULL OR w.app_hash = $4))
                    AND f.webview_session_id > $1 AND is_waiting(f.state)
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(SQLText.audit("'close'", reason: "'operator'", request: SQLText.marked("$6")))
            SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM u),
                (SELECT w.webview_session_id FROM w ORDER BY w.webview_session_id DESC LIMIT 1),
                (SELECT count(*) FROM w WHERE w.state = 'purchasing' AND ($4 IS NULL OR w.app_hash = $4))
            """
    ) { row in
        let (visited, revoked, last): (Int, Int, WebviewSessionID?) = (try row.next(), try row.next(), try row.next())
        return (RevokeProgress(visited: visited, revoked: revoked, underWay: try row.next()), last)
    }

    static let floorStatement = TypedStatement<WebviewSessionID, Duration>(
        name: "id_floor",
        sql: "SELECT id_floor(statement_timestamp() - $1 * interval '1 second')"
    )

    /// A program whose clock is wrong by a day makes webview session ids that are wrong by a day.
    private static let clockDoubt = Duration.seconds(86_400)

    /// How many webview sessions a statement of a long series reads: some 10 ms of work.
    private static let seriesBatch = 1_000

    /// Revokes all such webview sessions of an install, or all; says how many.
    ///
    /// Several statements: webview sessions issued meanwhile may remain.
    package func revokeAll(install: Digest32?, by caller: Caller) async throws(StoreError) -> Int {
        try await revokeAll(install: install, by: caller) { _ in }.revoked
    }

    /// Revokes all webview sessions of an install, or all, a thousand in a transaction; what is revoked stays so when it is cut
    /// off.
    ///
    /// - Parameters:
    ///   - install: SHA-256 of the app proof; `nil` for those of all.
    ///   - progress: Called behind each transaction.
    /// - Returns: What it came to. Webview sessions issued meanwhile may remain, and those that the database refuses to change.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`: some may have been revoked, repeat it.
    package func revokeAll(
        install: Digest32?,
        by caller: Caller,
        progress: (RevokeProgress) -> Void
    ) async throws(StoreError) -> RevokeProgress {
        let age = policy.times.absolute + PostgresSessionStore.clockDoubt
        var cursor = try await client.read(PostgresSessionStore.floorStatement(age)).first()
        var total = RevokeProgress()
        var batch = HalvedBatch(PostgresSessionStore.seriesBatch)
        let seed = marker?.seed("close", caller).bytes
        while true {
            let limit = batch.size
            let call = PostgresSessionStore.revokeSomeStatement(Guarded(cursor, caller), install, limit, seed)
            switch try await client.workOrRefusal(call) {
            case .done(let rows):
                let (step, last) = try rows.first()
                batch.passed()
                total.add(step)
                progress(total)
                guard step.visited == limit, let last else { return total }
                cursor = last
            case .refused(let state):
                guard batch.refused() else { continue }
                guard let refused = try await next(after: cursor) else { return total }
                try await noteSkipped(refused, by: .revoke, sqlState: state)
                total.skip(refused)
                guard total.skipped.count < PostgresSessionStore.mostSkipped else {
                    throw StoreError(.fault, "the database refuses each of \(total.skipped.count) sessions (\(state))")
                }
                cursor = refused
            }
        }
    }

    /// More refused rows than this are no matter of rows.
    private static let mostSkipped = 1_000

    // MARK: Counts

    static let liveAmongStatement = TypedStatement<WebviewSessionID, String>(
        name: "webview_session_live_among",
        sql: """
            SELECT f.webview_session_id FROM webview_session AS f
            WHERE f.webview_session_id = ANY ($1::uuid[]) AND is_waiting(f.state)
                AND statement_timestamp() < least(f.idle_until, f.absolute_until)
            """
    )

    /// Those of the given webview sessions that can still be opened or used.
    func live(among webviewSessions: [WebviewSessionID]) async throws(StoreError) -> [WebviewSessionID] {
        let ids = "{" + webviewSessions.map(\.description).joined(separator: ",") + "}"
        return try await client.read(PostgresSessionStore.liveAmongStatement(ids)).all()
    }

    /// Live is what `liveAmongStatement` calls so: a launch ticket nobody has opened is over at its own deadline.
    static let countLiveStatement = TypedStatement<CountStep, WebviewSessionID, WebviewSessionID, Int>(
        name: "webview_session_count_slice",
        sql: """
            WITH w AS MATERIALIZED (
                SELECT f.webview_session_id,
                    is_waiting(f.state) AND statement_timestamp() < least(f.idle_until, f.absolute_until) AS is_live
                FROM webview_session AS f
                WHERE f.webview_session_id >= $1 AND f.webview_session_id < $2 ORDER BY f.webview_session_id LIMIT $3
            )
            SELECT count(*) FILTER (WHERE w.is_live), (SELECT w.webview_session_id FROM w OFFSET $3 - 1 LIMIT 1) FROM w
            """
    ) { row in CountStep(live: try row.next(), last: try row.next()) }

    /// Counts the live webview sessions of a range of ids, of which it reads so many, in their order.
    package func countLive(
        from: WebviewSessionID,
        until: WebviewSessionID,
        limit: Int
    ) async throws(StoreError) -> CountStep {
        try await client.work(PostgresSessionStore.countLiveStatement(from, until, limit)).first()
    }

    // MARK: Upkeep

    /// The ids of one step of the sweep, said of each table: an array of ids alone would have every partition looked at.
    private static func swept(_ row: String) -> String {
        "\(row).webview_session_id > $1 AND \(row).webview_session_id < id_floor(statement_timestamp() - $4 * interval '1 second')"
    }

    /// Reads some webview sessions in the order of their ids, behind `$1` and older than `$4`, and expires the overdue.
    ///
    /// Orders of webview sessions that have ended end too, by whichever statement the webview session did. Says too which
    /// webview session is the first without an end: still waiting, or being bought.
    static let sweepStatement = TypedStatement<SweepStep, Guarded, Duration, Int, [UInt8]?>(
        name: "webview_session_sweep_open",
        sql: """
            WITH w AS MATERIALIZED (
                SELECT f.webview_session_id, f.state,
                    is_waiting(f.state) AND least(f.idle_until, f.absolute_until) <= statement_timestamp() AS is_over
                FROM webview_session AS f
                WHERE \(swept("f")) ORDER BY f.webview_session_id LIMIT $5
            ), u AS (
                UPDATE webview_session AS f SET outcome = 'expired', state = 'expired', events = f.events + 1
                WHERE \(swept("f")) AND f.webview_session_id = ANY (ARRAY(SELECT w.webview_session_id FROM w WHERE w.is_over))
                    AND is_waiting(f.state) AND least(f.idle_until, f.absolute_until) <= statement_timestamp()
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(OrderSQL.swept(where: swept("o"))), \(SQLText.audit("'sweep'", request: SQLText.marked("$6")))
            SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM u),
                (SELECT w.webview_session_id FROM w ORDER BY w.webview_session_id DESC LIMIT 1),
                (SELECT w.webview_session_id FROM w
                    -- What was given up waits for a person, perhaps for weeks; the sweep has nothing to do with it.
                    WHERE (is_waiting(w.state) OR w.state = 'purchasing' AND w.webview_session_id <> ALL (ARRAY(
                            SELECT s.webview_session_id FROM webview_session_purchase AS s WHERE s.stuck_at IS NOT NULL)))
                        AND w.webview_session_id NOT IN (SELECT u.webview_session_id FROM u)
                    ORDER BY w.webview_session_id LIMIT 1)
            """
    ) { row in
        SweepStep(visited: try row.next(), expired: try row.next(), last: try row.next(), held: try row.next())
    }

    /// Marks overdue webview sessions as expired, in the order of their ids, starting behind one; changes nothing where the database
    /// refuses one of them.
    ///
    /// - Parameters:
    ///   - after: The one behind which it starts; `nil` for the first.
    ///   - olderThan: The age that they have at least; `nil` for that which none outlives.
    func sweep(
        after: WebviewSessionID?,
        olderThan age: Duration? = nil,
        limit: Int,
        by caller: Caller
    ) async throws(StoreError) -> WorkOutcome<SweepStep> {
        let call = PostgresSessionStore.sweepStatement(
            Guarded(after ?? UUIDBytes(high: 0, low: 0), caller),
            age ?? policy.times.absolute,
            limit,
            marker?.seed("sweep", caller).bytes
        )
        return try await client.workOrRefusal(call)
    }
}

/// How far a revocation of many webview sessions has come.
package struct RevokeProgress: Sendable, Equatable {
    /// How many webview sessions were read.
    package private(set) var visited = 0
    /// How many of them were revoked now.
    package private(set) var revoked = 0
    /// How many are at the provider, and were left to come to their end.
    package private(set) var underWay = 0
    /// Those that the database refuses to change; each is on record as skipped.
    package private(set) var skipped: [WebviewSessionID] = []

    fileprivate mutating func add(_ step: RevokeProgress) {
        visited += step.visited
        revoked += step.revoked
        underWay += step.underWay
    }

    fileprivate mutating func skip(_ webviewSession: WebviewSessionID) {
        visited += 1
        skipped.append(webviewSession)
    }
}
