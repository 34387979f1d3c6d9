import MerchantOrders
package import Postgres
package import Primitives

/// Keeps in PostgreSQL how far the reports have come that compare orders with the provider's objects, and what they came to.
///
/// One per loop, not `Sendable`.
package final class PostgresReconciliationStore {
    /// Every statement that it sends.
    static let statements: [Statement] = [
        unfinishedStatement.statement,
        beginStatement.statement,
        resumeStatement.statement,
        advanceStatement.statement,
        newestStatement.statement,
        paidStatement.statement,
        operatedStatement.statement,
        notifiedStatement.statement,
        sampleStatement.statement,
    ]

    /// What a report was asked for.
    package struct Terms: Sendable, Hashable {
        /// Orders from then on, to the microsecond.
        package let since: WallTime
        /// Orders before.
        package let until: WallTime
        /// Whether the ledger takes in what differs.
        package let repairs: Bool
        /// How many orders with captured money, of the 180 days before, are compared besides.
        package let sample: Int

        /// What a report is asked for.
        ///
        /// - Parameters:
        ///   - until: Orders before.
        ///   - repairs: Whether the ledger takes in what differs.
        ///   - sample: How many older orders are compared besides.
        package init(since: WallTime, until: WallTime, repairs: Bool, sample: Int = 0) {
            self.sample = sample
            self.since = since
            self.until = until
            self.repairs = repairs
        }
    }

    /// How far a report has come.
    package struct Progress: Sendable, Hashable {
        /// The order that was compared last; `nil` before the first.
        package var reached: UUIDBytes?
        /// Orders so far.
        package var orders: Int
        /// Objects so far.
        package var compared: Int
        /// Differences that are left so far.
        package var differences: Int

        /// How far a report has come.
        ///
        /// - Parameters:
        ///   - reached: The order that was compared last.
        package init(reached: UUIDBytes? = nil, orders: Int = 0, compared: Int = 0, differences: Int = 0) {
            self.reached = reached
            self.orders = orders
            self.compared = compared
            self.differences = differences
        }
    }

    /// A report that has not come to its end: cut off, or still at it somewhere.
    package struct Unfinished: Sendable, Hashable {
        /// When it was begun.
        package let started: WallTime
        /// What it was asked for.
        package let terms: Terms
        /// How far it has come.
        package let progress: Progress
        /// Who was at it last.
        package let attempt: UUIDBytes

        /// A report that has not come to its end.
        ///
        /// - Parameters:
        ///   - attempt: Who was at it last.
        package init(started: WallTime, terms: Terms, progress: Progress, attempt: UUIDBytes) {
            self.started = started
            self.terms = terms
            self.progress = progress
            self.attempt = attempt
        }
    }

    let client: PostgresClient

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    static let unfinishedStatement = TypedStatement<Unfinished, String>(
        name: "reconciliation_unfinished",
        sql: """
            SELECT r.started_at, r.since_at, r.until_at, r.repairs, r.attempt_id, r.reached, r.orders, r.compared, r.differences,
                r.sample
            FROM reconciliation_run AS r
            WHERE r.day = $1::date AND r.ended_at IS NULL AND r.attempt_id IS NOT NULL
            """
    ) { row in
        let (started, since, until) = (
            try row.next(WallTime.self), try row.next(WallTime.self), try row.next(WallTime.self)
        )
        let (repairs, attempt) = (try row.next(Bool.self), try row.next(UUIDBytes.self))
        let progress = Progress(
            reached: try row.next(),
            orders: try row.next(),
            compared: try row.next(),
            differences: try row.next()
        )
        let terms = Terms(since: since, until: until, repairs: repairs, sample: try row.next())
        return Unfinished(started: started, terms: terms, progress: progress, attempt: attempt)
    }

    /// The report of a day that has not come to its end.
    ///
    /// - Parameter day: `YYYY-MM-DD`, of the first orders that are compared.
    /// - Returns: `nil` where there is none.
    /// - Throws: `StoreError`.
    package func unfinished(_ day: String) async throws(StoreError) -> Unfinished? {
        try await client.work(PostgresReconciliationStore.unfinishedStatement(day)).single()
    }

    static let beginStatement = TypedStatement<Void, String, WallTime, WallTime, Bool, UUIDBytes, Int>(
        name: "reconciliation_begin",
        sql: """
            INSERT INTO reconciliation_run AS r (
                day, started_at, since_at, until_at, repairs, attempt_id, compared, differences, sample)
            VALUES ($1::date, statement_timestamp(), $2, $3, $4, $5, 0, 0, $6)
            ON CONFLICT (day) DO UPDATE SET
                started_at = excluded.started_at, since_at = excluded.since_at, until_at = excluded.until_at,
                repairs = excluded.repairs, attempt_id = excluded.attempt_id, ended_at = NULL, reached = NULL, orders = 0,
                compared = 0, differences = 0, sample = excluded.sample
            """
    )

    /// Notes that a report begins; one of the same day before it is forgotten.
    ///
    /// - Parameters:
    ///   - day: `YYYY-MM-DD`, of the first orders that are compared.
    /// - Throws: `StoreError`.
    package func begin(_ day: String, _ terms: Terms, attempt: UUIDBytes) async throws(StoreError) {
        let call = PostgresReconciliationStore.beginStatement(
            day,
            terms.since,
            terms.until,
            terms.repairs,
            attempt,
            terms.sample
        )
        _ = try await client.work(call)
    }

    static let resumeStatement = TypedStatement<Void, String, UUIDBytes, UUIDBytes>(
        name: "reconciliation_resume",
        sql: """
            UPDATE reconciliation_run AS r SET attempt_id = $3
            WHERE r.day = $1::date AND r.attempt_id = $2 AND r.ended_at IS NULL
            RETURNING 1
            """
    )

    /// Takes a report over that has not come to its end; a process that is still at it finds out at its next order.
    ///
    /// - Parameters:
    ///   - attempt: Who was at it last.
    ///   - fresh: Who is at it from now on.
    /// - Returns: False where it has ended since, or somebody else has taken it over.
    /// - Throws: `StoreError`.
    package func resume(
        _ day: String,
        of attempt: UUIDBytes,
        as fresh: UUIDBytes
    ) async throws(StoreError) -> Bool {
        try await client.work(PostgresReconciliationStore.resumeStatement(day, attempt, fresh)).count == 1
    }

    static let advanceStatement = TypedStatement<Void, String, UUIDBytes, UUIDBytes?, Int, Int, Int, Bool>(
        name: "reconciliation_advance",
        sql: """
            UPDATE reconciliation_run AS r SET
                reached = $3, orders = $4, compared = $5, differences = $6,
                ended_at = CASE WHEN $7 THEN statement_timestamp() END, attempt_id = CASE WHEN NOT $7 THEN r.attempt_id END
            WHERE r.day = $1::date AND r.attempt_id = $2 AND r.ended_at IS NULL
            RETURNING 1
            """
    )

    /// Notes how far a report has come.
    ///
    /// - Parameters:
    ///   - attempt: As it began or was taken over.
    ///   - isEnd: Whether that is everything.
    /// - Returns: False where somebody else has taken it over.
    /// - Throws: `StoreError`.
    package func advance(
        _ day: String,
        attempt: UUIDBytes,
        to progress: Progress,
        isEnd: Bool = false
    ) async throws(StoreError) -> Bool {
        let call = PostgresReconciliationStore.advanceStatement(
            day,
            attempt,
            progress.reached,
            progress.orders,
            progress.compared,
            progress.differences,
            isEnd
        )
        return try await client.work(call).count == 1
    }

    static let newestStatement = TypedStatement<(differences: Int, ended: WallTime)>(
        name: "reconciliation_newest",
        sql: """
            SELECT r.differences, r.ended_at FROM reconciliation_run AS r
            WHERE r.ended_at IS NOT NULL ORDER BY r.ended_at DESC LIMIT 1
            """
    ) { row in (try row.next(), try row.next()) }

    /// What the newest report came to.
    ///
    /// - Returns: How many differences were left, and when it ended; `nil` where there was no report.
    /// - Throws: `StoreError`.
    package func newest() async throws(StoreError) -> (differences: Int, ended: WallTime)? {
        try await client.read(PostgresReconciliationStore.newestStatement()).single()
    }
}
