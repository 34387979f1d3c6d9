import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    // MARK: Status and observations

    static let statusStatement = Statement(
        name: "flow_status",
        sql: """
            SELECT f.state, statement_timestamp() >= least(f.idle_until, f.absolute_until)
            FROM flow AS f
            WHERE f.flow_id = $1 AND f.a_hash = $2 AND f.app_hash = $3
            """,
        parameterTypes: [.uuid, .bytea, .bytea]
    )

    /// The status of a webview session, by launch ticket and app proof.
    func status(
        _ webviewSession: WebviewSessionID,
        launch: Digest32,
        app: Digest32
    ) async throws(StoreError) -> WebviewSessionStatus? {
        var parameters = Parameters()
        parameters.append(uuid: webviewSession)
        parameters.append(digest: launch)
        parameters.append(digest: app)
        let rows = try await read(PostgresSessionStore.statusStatement, parameters)
        guard rows.rowCount == 1 else { return nil }
        return try StoreError.decoding { () throws(PostgresError) in
            WebviewSessionStatus(try rows.word(0, 0), isOver: try rows.bool(0, 1))
        }
    }

    static let observeStatement = Statement(
        name: "flow_observe",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET
                    verdict = $5, events = f.events + 1,
                    state = CASE WHEN $6 AND is_waiting(f.state) THEN 'revoked' ELSE f.state END
                WHERE f.flow_id = $1 AND $4 IN (f.a_hash, f.b_hash, f.c_hash)
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), \(SQLText.audit("$5"))
            SELECT u.verdict, u.state FROM u
            """,
        parameterTypes: SQLText.leading + [.bytea, .text, .bool]
    )

    /// Writes down something seen about a token of the webview session, whichever it is; says whether there is such a token.
    func observe(
        _ observation: Observation,
        webviewSession: WebviewSessionID,
        token: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        var parameters = Parameters(webviewSession, caller)
        parameters.append(digest: token)
        parameters.append(text: observation.rawValue)
        parameters.append(bool: observation == .plaintext)
        return try await applies(
            PostgresSessionStore.observeStatement,
            parameters,
            observation.rawValue,
            webviewSession,
            caller
        )
    }

    // MARK: Revoke

    static let revokeStatement = Statement(
        name: "flow_revoke_order",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET verdict = 'revoked', state = 'revoked', events = f.events + 1
                WHERE f.flow_id = $1 AND is_waiting(f.state)
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), \(OrderSQL.ended("cancelled", event: "session.cancelled")),
            \(SQLText.audit("'close'", reason: "'operator'"))
            SELECT u.verdict, u.state FROM u
            """,
        parameterTypes: SQLText.leading
    )

    /// Revokes one webview session that is not final and not at the provider; says whether it did.
    package func revoke(_ webviewSession: WebviewSessionID, by caller: Caller) async throws(StoreError) -> Bool {
        try await applies(
            PostgresSessionStore.revokeStatement,
            Parameters(webviewSession, caller),
            "close",
            webviewSession,
            caller
        )
    }

    /// Looks at some webview sessions in the order of their ids, behind `$1`, and revokes those that wait, of install `$4` or
    /// of all.
    static let revokeSomeStatement = Statement(
        name: "flow_revoke_some",
        sql: """
            WITH w AS MATERIALIZED (
                SELECT f.flow_id, f.app_hash, f.state FROM flow AS f WHERE f.flow_id > $1 ORDER BY f.flow_id LIMIT $5
            ), u AS (
                UPDATE flow AS f SET verdict = 'revoked', state = 'revoked', events = f.events + 1
                WHERE f.flow_id = ANY (ARRAY(SELECT w.flow_id FROM w WHERE $4 IS NULL OR w.app_hash = $4))
                    AND f.flow_id > $1 AND is_waiting(f.state)
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), \(SQLText.audit("'close'", reason: "'operator'"))
            SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM u),
                (SELECT w.flow_id FROM w ORDER BY w.flow_id DESC LIMIT 1),
                (SELECT count(*) FROM w WHERE w.state = 'purchasing' AND ($4 IS NULL OR w.app_hash = $4))
            """,
        parameterTypes: SQLText.leading + [.bytea, .int8]
    )

    static let floorStatement = Statement(
        name: "flow_floor",
        sql: "SELECT flow_floor(statement_timestamp() - $1 * interval '1 second')",
        parameterTypes: [.int8]
    )

    /// A program whose clock is wrong by a day makes webview session ids that are wrong by a day.
    private static let clockDoubt: Int64 = 86_400

    /// How many webview sessions a statement of a long series looks at: some 10 ms of work.
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
    ///   - caller: The operator.
    ///   - progress: Called behind each transaction.
    /// - Returns: What it came to. Webview sessions issued meanwhile may remain.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`: some may have been revoked, repeat it.
    package func revokeAll(
        install: Digest32?,
        by caller: Caller,
        progress: (RevokeProgress) -> Void
    ) async throws(StoreError) -> RevokeProgress {
        var parameters = Parameters()
        parameters.append(int64: policy.times.absolute.components.seconds + PostgresSessionStore.clockDoubt)
        let floor = try await read(PostgresSessionStore.floorStatement, parameters)
        var cursor = try StoreError.decoding { () throws(PostgresError) in try floor.uuid(0, 0) }
        var total = RevokeProgress()
        while true {
            var parameters = Parameters(cursor, caller)
            parameters.append(digest: install)
            parameters.append(int64: Int64(PostgresSessionStore.seriesBatch))
            let rows = try await work(PostgresSessionStore.revokeSomeStatement, parameters)
            let (step, last) = try StoreError.decoding { () throws(PostgresError) in
                let step = RevokeProgress(
                    visited: Int(try rows.int64(0, 0)),
                    revoked: Int(try rows.int64(0, 1)),
                    underWay: Int(try rows.int64(0, 3))
                )
                let last = try rows.optional(0, 2) { row, column throws(PostgresError) in try rows.uuid(row, column) }
                return (step, last)
            }
            total.add(step)
            progress(total)
            guard step.visited == PostgresSessionStore.seriesBatch, let last else { return total }
            cursor = last
        }
    }

    // MARK: Counts

    static let liveAmongStatement = Statement(
        name: "flow_live_among",
        sql: """
            SELECT f.flow_id FROM flow AS f
            WHERE f.flow_id = ANY ($1::uuid[]) AND is_waiting(f.state)
                AND statement_timestamp() < least(f.idle_until, f.absolute_until)
            """,
        parameterTypes: [.text]
    )

    /// Those of the given webview sessions that can still be opened or used.
    func live(among webviewSessions: [WebviewSessionID]) async throws(StoreError) -> [WebviewSessionID] {
        var parameters = Parameters()
        parameters.append(text: "{" + webviewSessions.map(\.description).joined(separator: ",") + "}")
        let rows = try await read(PostgresSessionStore.liveAmongStatement, parameters)
        return try StoreError.decoding { () throws(PostgresError) in
            var live: [WebviewSessionID] = []
            for row in 0..<rows.rowCount { live.append(try rows.uuid(row, 0)) }
            return live
        }
    }

    /// Live is what `liveAmongStatement` calls so: a launch ticket nobody has opened is over at its own deadline.
    static let countLiveStatement = Statement(
        name: "flow_count_slice",
        sql: """
            WITH w AS MATERIALIZED (
                SELECT f.flow_id,
                    is_waiting(f.state) AND statement_timestamp() < least(f.idle_until, f.absolute_until) AS is_live
                FROM flow AS f WHERE f.flow_id >= $1 AND f.flow_id < $2 ORDER BY f.flow_id LIMIT $3
            )
            SELECT count(*) FILTER (WHERE w.is_live), (SELECT w.flow_id FROM w OFFSET $3 - 1 LIMIT 1) FROM w
            """,
        parameterTypes: [.uuid, .uuid, .int8]
    )

    /// Counts the live webview sessions of a range of ids, of which it looks at so many, in their order.
    package func countLive(
        from: WebviewSessionID,
        until: WebviewSessionID,
        limit: Int
    ) async throws(StoreError) -> CountStep {
        var parameters = Parameters()
        parameters.append(uuid: from)
        parameters.append(uuid: until)
        parameters.append(int64: Int64(limit))
        let rows = try await work(PostgresSessionStore.countLiveStatement, parameters)
        return try StoreError.decoding { () throws(PostgresError) in
            CountStep(
                live: Int(try rows.int64(0, 0)),
                last: try rows.optional(0, 1) { row, column throws(PostgresError) in try rows.uuid(row, column) }
            )
        }
    }

    // MARK: Upkeep

    /// The ids of one step of the sweep, said of each table: an array of ids alone would have every partition looked at.
    private static func swept(_ row: String) -> String {
        "\(row).flow_id > $1 AND \(row).flow_id < flow_floor(statement_timestamp() - $4 * interval '1 second')"
    }

    /// Looks at some webview sessions in the order of their ids, behind `$1` and older than any webview session may live, and
    /// expires the overdue.
    ///
    /// Orders of webview sessions that have ended end too, by whichever statement the webview session did. Says too which
    /// webview session is the first without an end: still waiting, or being bought.
    static let sweepStatement = Statement(
        name: "flow_sweep_open",
        sql: """
            WITH w AS MATERIALIZED (
                SELECT f.flow_id, f.state FROM flow AS f
                WHERE \(swept("f")) ORDER BY f.flow_id LIMIT $5
            ), u AS (
                UPDATE flow AS f SET verdict = 'expired', state = 'expired', events = f.events + 1
                WHERE \(swept("f")) AND f.flow_id = ANY (ARRAY(SELECT w.flow_id FROM w WHERE is_waiting(w.state)))
                    AND is_waiting(f.state) AND least(f.idle_until, f.absolute_until) <= statement_timestamp()
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), \(OrderSQL.swept(where: swept("o"))), \(SQLText.audit("'sweep'"))
            SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM u),
                (SELECT w.flow_id FROM w ORDER BY w.flow_id DESC LIMIT 1),
                (SELECT w.flow_id FROM w
                    -- What was given up waits for a person, perhaps for weeks; the sweep has nothing to do with it.
                    WHERE (is_waiting(w.state) OR w.state = 'purchasing' AND w.flow_id <> ALL (ARRAY(
                            SELECT s.flow_id FROM flow_purchasing AS s WHERE s.stuck_at IS NOT NULL)))
                        AND w.flow_id NOT IN (SELECT u.flow_id FROM u)
                    ORDER BY w.flow_id LIMIT 1)
            """,
        parameterTypes: SQLText.leading + [.int8, .int8]
    )

    /// Marks overdue webview sessions as expired, in the order of their ids, starting behind one.
    package func sweep(after: WebviewSessionID?, limit: Int, by caller: Caller) async throws(StoreError) -> SweepStep {
        var parameters = Parameters(after ?? UUIDBytes(high: 0, low: 0), caller)
        parameters.append(seconds: policy.times.absolute)
        parameters.append(int64: Int64(limit))
        return try await step(PostgresSessionStore.sweepStatement, parameters)
    }

    /// Runs one statement of a series; what it looked at, what it changed, and where it stopped.
    private func step(_ statement: Statement, _ parameters: Parameters) async throws(StoreError) -> SweepStep {
        let rows = try await work(statement, parameters)
        return try StoreError.decoding { () throws(PostgresError) in
            SweepStep(
                visited: Int(try rows.int64(0, 0)),
                expired: Int(try rows.int64(0, 1)),
                last: try rows.optional(0, 2) { row, column throws(PostgresError) in try rows.uuid(row, column) },
                held: try rows.optional(0, 3) { row, column throws(PostgresError) in try rows.uuid(row, column) }
            )
        }
    }

    private func work(_ statement: Statement, _ parameters: Parameters) async throws(StoreError) -> ResultSet {
        do {
            return try await client.work(statement, parameters)
        } catch {
            throw StoreError(error)
        }
    }
}

/// How far a revocation of many webview sessions has come.
package struct RevokeProgress: Sendable, Equatable {
    /// How many webview sessions were looked at.
    package private(set) var visited = 0
    /// How many of them were revoked now.
    package private(set) var revoked = 0
    /// How many are at the provider, and were left to come to their end.
    package private(set) var underWay = 0

    fileprivate mutating func add(_ step: RevokeProgress) {
        visited += step.visited
        revoked += step.revoked
        underWay += step.underWay
    }
}
