import Postgres
import Primitives

/// The statements on accounts.
enum AccountStatement {
    static let all = [
        open.statement, read.statement, find.statement, page.statement, begin.statement, end.statement,
        unfinished.statement,
    ]

    private static let columns = "a.account_id, a.created_at, a.external_id, a.erased_at, a.cleared_at"

    static let open = TypedStatement<UUIDBytes, String, UUIDBytes>(
        name: "account_open",
        sql: "SELECT account_open($1, $2, statement_timestamp())"
    )

    static let read = TypedStatement<Account, UUIDBytes>(
        name: "account_read",
        sql: "SELECT \(columns) FROM account AS a WHERE a.account_id = $1",
        row: account
    )

    static let find = TypedStatement<Account, String>(
        name: "account_find",
        sql: "SELECT \(columns) FROM account AS a WHERE a.external_id = $1",
        row: account
    )

    /// The newest first.
    static let page = TypedStatement<Account, UUIDBytes?, Int>(
        name: "account_page",
        sql: """
            SELECT \(columns) FROM account AS a
            WHERE a.account_id < coalesce($1, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) ORDER BY a.account_id DESC LIMIT $2
            """,
        row: account
    )

    /// From its first commit on nobody opens the account, and nothing is added to it.
    static let begin = TypedStatement<Account, UUIDBytes>(
        name: "account_erase",
        sql: """
            UPDATE account AS a SET
                erased_at = coalesce(a.erased_at, statement_timestamp()), tried_at = statement_timestamp(), external_id = NULL
            WHERE a.account_id = $1 RETURNING \(columns)
            """,
        row: account
    )

    static let end = TypedStatement<Void, UUIDBytes>(
        name: "account_clear",
        sql: """
            UPDATE account SET cleared_at = statement_timestamp()
            WHERE account_id = $1 AND erased_at IS NOT NULL AND cleared_at IS NULL
            """
    )

    /// Those that waited longest.
    static let unfinished = TypedStatement<UUIDBytes, Int>(
        name: "account_unfinished",
        sql: """
            SELECT account_id FROM account
            WHERE erased_at IS NOT NULL AND cleared_at IS NULL AND tried_at < statement_timestamp() - interval '5 minutes'
            ORDER BY tried_at LIMIT $1
            """
    )

    @Sendable private static func account(_ row: inout RowReader) throws -> Account {
        Account(
            id: try row.next(),
            created: try row.next(),
            externalID: try row.next(),
            erased: try row.next(),
            cleared: try row.next()
        )
    }
}
