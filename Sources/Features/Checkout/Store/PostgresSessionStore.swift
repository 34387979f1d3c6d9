package import MerchantOrders
package import Postgres
import Primitives
package import SessionBroker

/// Keeps webview sessions in PostgreSQL: one guarded statement per transition, each with its audit row.
///
/// Every statement of the hot path names exactly one webview session, finds it by the primary key, compares the stored hash in
/// its WHERE (so a wrong secret changes nothing), and lets a function of the schema name the outcome on the row as it is when
/// it is locked. Statements stand next to their decoding, one file per concern; docs/schema.md has tables and outcomes.
///
/// Each function is atomic: it decides on the newest version of the row, changes it and writes one audit row with the outcome,
/// or does none of this. Of calls that race each decides on what the one before left. All deadlines are compared with the
/// database's clock, never with the caller's. A webview session that is not there and a secret that does not fit are one case:
/// nothing is changed and nothing is written. The store sees hashes and sealed bytes, never a token.
///
/// Every function throws `unavailable` and `overloaded` (nothing was done), `fault` (nothing was done, a retry fails too), and
/// those that change something `outcomeUnknown`: it may have been done, and a re-read did not show it. Then ask the caller to
/// try again: each statement decides anew on what is there.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresSessionStore {
    let client: PostgresClient
    let policy: BrokerPolicy
    /// Marks the rows of the trail; `nil` where no key is set.
    let marker: TrailMarker?
    let account: OrderAccount
    /// The times that an issue and an open send, as they are sent.
    let launchSeconds: Int64
    let absoluteSeconds: Int64
    let reopenSeconds: Int64
    let idleSeconds: Int64
    let tabs: BatchedRead
    let sealedTabs: BatchedRead

    /// A store on a client of the same loop.
    ///
    /// - Parameters:
    ///   - policy: Times and reactions, sent with each statement that needs them.
    /// - Throws: `CryptographyError` where OpenSSL does not offer the algorithm of the marks.
    package init(client: PostgresClient, policy: BrokerPolicy, account: OrderAccount = .none) throws {
        self.client = client
        self.policy = policy
        marker = try policy.trailKey.map { try TrailMarker($0) }
        self.account = account
        launchSeconds = policy.times.launch.components.seconds
        absoluteSeconds = policy.times.absolute.components.seconds
        reopenSeconds = policy.times.reopenWindow.components.seconds
        idleSeconds = policy.times.idle.components.seconds
        let seconds = [policy.times.idle.components.seconds, policy.times.touch.components.seconds]
        tabs = BatchedRead(client, PostgresSessionStore.tabLookup, numbers: seconds)
        sealedTabs = BatchedRead(client, PostgresSessionStore.sealedTabLookup, numbers: seconds)
    }
}

extension PostgresSessionStore {
    /// The rows of a call that was written, and whether they are its own answer or what a re-read found.
    struct Written<Row> {
        let rows: Rows<Row>
        let isReread: Bool
    }

    /// Makes a call that changes one webview session and writes one audit row.
    ///
    /// When the connection is lost while the statement is under way, its audit row shows whether it was committed: the row has
    /// the id of the request, and it exists if and only if the change does.
    ///
    /// - Parameters:
    ///   - isLastStep: Whether it ends what an earlier statement of the request began.
    /// - Returns: The statement's rows. After a re-read, the columns of `WebviewSessionColumns` with outcome and state of
    ///   the audit row, then what is sealed.
    /// - Throws: `outcomeUnknown` when the re-read finds nothing: the statement may still be on its way.
    func write<Row>(
        _ call: StatementCall<Row>,
        as operation: String,
        of webviewSession: WebviewSessionID,
        by caller: Caller,
        isLastStep: Bool = false
    ) async throws(StoreError) -> Written<Row> {
        do {
            let rows = try await client.write(call, key: webviewSession, isLastStep: isLastStep)
            return Written(rows: rows, isReread: false)
        } catch {
            guard error.code == .outcomeUnknown else { throw error }
            let rows = call.rows(try await verifyCommit(operation, webviewSession, caller))
            guard rows.count == 1 else { throw error }
            return Written(rows: rows, isReread: true)
        }
    }

    /// The audit row of one request's statement, with the webview session as it is now.
    static let verifyCommitStatement = TypedStatement<LazyRow, WebviewSessionID, String, String>(
        name: "webview_session_verify_commit",
        sql: """
            SELECT e.outcome, e.to_state, \(WebviewSessionColumns.wholeAfterState("f")), p.sealed
            FROM webview_session_event AS e
            JOIN webview_session AS f ON f.webview_session_id = e.webview_session_id
            LEFT JOIN webview_session_private AS p ON p.webview_session_id = $1
            WHERE e.webview_session_id = $1 AND f.webview_session_id = $1 AND e.op = $2 AND e.request = $3
            ORDER BY e.ordinal DESC LIMIT 1
            """
    )

    /// Pauses before the next re-read, each counted from the last one: a server that lives ends the group although its connection
    /// was cut.
    private static let verifyPauses: [Duration] = [.milliseconds(50), .milliseconds(250)]
    /// How long to wait for a connection, because a server that fell over may be back soon.
    private static let patience = Duration.seconds(3)

    private func verifyCommit(
        _ operation: String,
        _ webviewSession: WebviewSessionID,
        _ caller: Caller
    ) async throws(StoreError) -> ResultSet {
        let request = Guarded(operation, webviewSession, caller, marker).request
        let call = PostgresSessionStore.verifyCommitStatement(webviewSession, operation, request)
        do {
            try await client.waitUntilReady(within: PostgresSessionStore.patience)
            var rows = try await client.read(call.statement, call.parameters, isLastStep: true)
            for pause in PostgresSessionStore.verifyPauses where rows.rowCount == 0 {
                await client.pause(for: pause)
                rows = try await client.read(call.statement, call.parameters, isLastStep: true)
            }
            return rows
        } catch {
            throw StoreError(.outcomeUnknown, "\(operation) of \(webviewSession), and the re-read: \(error)")
        }
    }
}
