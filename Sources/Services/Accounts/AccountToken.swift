import Postgres
import Primitives
import ServiceAPI
import StrictJSON

/// A token that an app may speak for an account with, as it is kept.
struct AccountToken: Sendable, Hashable {
    /// Names the token; no secret.
    let id: UUIDBytes
    let account: UUIDBytes
    let created: WallTime
    let expires: WallTime
    /// What it opens.
    let scopes: [AppScope]

    /// Seconds that one may live.
    static let lifetimes = 60...86_400
    static let usualLifetime = 3_600
    /// How many an account has: more phones and tablets than a person has, and few enough for a server that asks in a loop.
    static let most = 50

    /// As `/v1` shows it.
    var json: JSONValue { .object(members) }

    /// As the one answer shows it that has the token itself.
    func json(with token: AppToken) -> JSONValue {
        .object([members[0], JSONMember("token", .string(token.text))] + members[1...])
    }

    private var members: [JSONMember] {
        [
            .kind("accountToken"), JSONMember("id", .string(id.description)),
            JSONMember("accountId", .string(account.description)),
            JSONMember("scopes", .array(scopes.map { .string($0.text) })),
            JSONMember("createdAt", JSONValue(time: created)), JSONMember("expiresAt", JSONValue(time: expires)),
        ]
    }
}

/// The statements on tokens.
enum AccountTokenStatement {
    static let all = [
        issue.statement, find.statement, page.statement, revoke.statement, revokeAll.statement, erase.statement,
        prune.statement,
    ]

    private static let columns =
        "t.token_id, t.account_id, t.created_at, t.expires_at, array_to_string(t.scopes, ',')"

    /// No row for an account that is not there, or is erased.
    static let issue = TypedStatement<AccountToken, UUIDBytes, UUIDBytes, Digest32, String, Duration>(
        name: "account_token_issue",
        sql: """
            SELECT \(columns) FROM account_token_issue(
                $1, $2, $3, string_to_array($4, ','), $5 * interval '1 second', \(AccountToken.most)) AS t
            """,
        row: token
    )

    /// What a token opens, for each request of an app.
    static let find = TypedStatement<AppGrant, UUIDBytes, Digest32>(
        name: "account_token_find",
        sql: """
            SELECT t.account_id, t.expires_at, array_to_string(t.scopes, ',')
            FROM account_token AS t JOIN account AS a USING (account_id)
            WHERE t.token_id = $1 AND t.token_hash = $2 AND t.expires_at > statement_timestamp() AND a.erased_at IS NULL
            """
    ) { row in
        let (account, expires) = (try row.next(UUIDBytes.self), try row.next(WallTime.self))
        // A scope that this version does not know opens nothing: no route asks for it.
        return AppGrant(account: account, scopes: Set(scopes(try row.next())), expires: expires)
    }

    /// Those that work, the newest first.
    static let page = TypedStatement<AccountToken, UUIDBytes, UUIDBytes?, Int>(
        name: "account_token_page",
        sql: """
            SELECT \(columns) FROM account_token AS t
            WHERE t.account_id = $1 AND t.token_id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
                AND t.expires_at > statement_timestamp()
            ORDER BY t.token_id DESC LIMIT $3
            """,
        row: token
    )

    static let revoke = TypedStatement<Void, UUIDBytes, UUIDBytes>(
        name: "account_token_revoke",
        sql: """
            DELETE FROM account_token WHERE token_id = $2 AND account_id = $1 AND expires_at > statement_timestamp()
            RETURNING 1
            """
    )

    static let revokeAll = TypedStatement<Void, UUIDBytes>(
        name: "account_token_revoke_all",
        sql: "DELETE FROM account_token WHERE account_id = $1 AND expires_at > statement_timestamp() RETURNING 1"
    )

    /// Those that have ended, too.
    static let erase = TypedStatement<Void, UUIDBytes>(
        name: "account_token_erase",
        sql: "DELETE FROM account_token WHERE account_id = $1"
    )

    static let pruneLimit = 1_000

    static let prune = TypedStatement<Void>(
        name: "account_token_prune",
        sql: """
            DELETE FROM account_token WHERE token_id = ANY (ARRAY(
                SELECT t.token_id FROM account_token AS t WHERE t.expires_at < statement_timestamp()
                ORDER BY t.expires_at LIMIT \(pruneLimit)))
            """
    )

    @Sendable private static func token(_ row: inout RowReader) throws -> AccountToken {
        AccountToken(
            id: try row.next(),
            account: try row.next(),
            created: try row.next(),
            expires: try row.next(),
            scopes: scopes(try row.next())
        )
    }

    private static func scopes(_ list: String) -> [AppScope] {
        list.octets.parts(between: UInt8(ascii: ","), keepingEmpty: false).map { AppScope($0) }
    }
}
