import Postgres
import Primitives
import ServiceAPI

/// What the shop's routes and the download link have the database asked.
enum MemberStatement {
    static let all = [
        issue.statement, read.statement, page.statement, pageByState.statement, pageByName.statement,
        byExternalID.statement, points.statement, renewLink.statement, end.statement, wakeAll.statement,
        linked.statement, erase.statement,
    ]

    /// The shop's name of the member, the member's name, points, pass type, serial number, template, fields, number of the secret.
    static let issue = TypedStatement<IssuedPass, String, String?, Int64, String, String, String, String, Int32>(
        name: "wallet_issue",
        sql: """
            SELECT i.outcome, i.account, i.serial, i.link_secret::bigint, i.link_number::bigint
            FROM wallet_issue($1, $2, $3, $4, $5, $6, $7::jsonb, $8) AS i
            """
    ) { row in
        IssuedPass(
            outcome: try row.next(),
            account: try row.next(),
            serial: try row.next(),
            secret: try row.next(),
            link: try row.next()
        )
    }

    /// The member with phones and history; NULL for whoever is none.
    static let read = TypedStatement<StoredJSON?, UUIDBytes>(
        name: "wallet_member_read",
        sql: "SELECT wallet_member_json($1, true)"
    )

    /// Members behind one, how many.
    static let page = TypedStatement<ListedMember, UUIDBytes, Int32>(
        name: "wallet_member_page",
        sql: """
            SELECT m.account_id, wallet_member_json(m.account_id, false) FROM wallet_member AS m
            WHERE m.account_id > $1 ORDER BY m.account_id LIMIT $2
            """,
        row: ListedMember.init
    )

    /// The same with a pass in a state.
    static let pageByState = TypedStatement<ListedMember, UUIDBytes, Int32, String>(
        name: "wallet_member_page_state",
        sql: """
            SELECT m.account_id, wallet_member_json(m.account_id, false) FROM (
                SELECT DISTINCT p.account_id FROM wallet_pass AS p
                WHERE p.state = $3 AND p.account_id > $1 ORDER BY p.account_id LIMIT $2
            ) AS m ORDER BY m.account_id
            """,
        row: ListedMember.init
    )

    /// The same whose names begin with a text, whatever the case.
    static let pageByName = TypedStatement<ListedMember, UUIDBytes, Int32, String>(
        name: "wallet_member_page_name",
        sql: """
            SELECT m.account_id, wallet_member_json(m.account_id, false) FROM wallet_member AS m
            WHERE lower(m.name) ~>=~ lower($3) AND lower(m.name) ~<~ (lower($3) || chr(1114111)) AND m.account_id > $1
            ORDER BY m.account_id LIMIT $2
            """,
        row: ListedMember.init
    )

    /// The member that the shop knows by a name of its own.
    static let byExternalID = TypedStatement<ListedMember, String>(
        name: "wallet_member_external",
        sql: """
            SELECT m.account_id, wallet_member_json(m.account_id, false)
            FROM account AS a JOIN wallet_member AS m USING (account_id) WHERE a.external_id = $1
            """,
        row: ListedMember.init
    )

    /// The claim of a request, member, number, whether it is added.
    static let points = TypedStatement<PointsResult, IdempotencyClaim, UUIDBytes, Int64, Bool>(
        name: "wallet_points",
        sql: """
            SELECT w.outcome, coalesce(w.points, 0), coalesce(w.devices, 0),
                wallet_points_json($4, coalesce(w.points, 0), w.outcome = 'changed', coalesce(w.devices, 0))
            FROM wallet_points_once($1, $2, $3, $4, $5, $6) AS w
            """
    ) { row in
        PointsResult(
            outcome: try row.next(),
            points: try row.next(),
            devices: try row.next(),
            json: try row.next(StoredJSON.self).utf8
        )
    }

    /// Member, number of the secret.
    static let renewLink = TypedStatement<RenewedLink, UUIDBytes, Int32>(
        name: "wallet_link",
        sql: "SELECT w.outcome, coalesce(w.number, 0)::bigint FROM wallet_link($1, $2) AS w"
    ) { row in
        RenewedLink(outcome: try row.next(), link: try row.next())
    }

    /// The member.
    static let end = TypedStatement<EndOutcome, UUIDBytes>(
        name: "wallet_end",
        sql: "SELECT w.outcome FROM wallet_end($1) AS w"
    )

    /// The account of a member; how many passes were its.
    static let erase = TypedStatement<Int, UUIDBytes>(name: "wallet_erase", sql: "SELECT wallet_erase($1)::bigint")

    /// Pass type; whether there is one.
    static let wakeAll = TypedStatement<Bool, String>(name: "wallet_wake_all", sql: "SELECT wallet_wake_all($1)")

    /// The first passes of a member whose membership goes on, so many, and what the key of the link is derived from; none where the link
    /// is older than $3 seconds, unless they are zero.
    static let linked = TypedStatement<LinkedPass, UUIDBytes, Int32, Duration>(
        name: "wallet_linked",
        sql: """
            SELECT m.link_secret::bigint, m.link_number::bigint, \(PassVersion.columns)
            FROM wallet_member AS m JOIN wallet_pass AS p USING (account_id)
            WHERE m.account_id = $1 AND m.ended_at IS NULL
                AND ($3 = 0 OR m.link_at > statement_timestamp() - $3 * interval '1 second')
            ORDER BY p.created_at, p.pass_type LIMIT $2
            """
    ) { row in
        LinkedPass(secret: try row.next(), link: try row.next(), pass: try PassVersion(&row))
    }
}

/// What became of a pass that was to be made.
struct IssuedPass {
    enum Outcome: String, ColumnValue, CaseIterable {
        case created, exists, ended
    }

    let outcome: Outcome
    let account: UUIDBytes
    /// `nil` where an ended member has none of the type.
    let serial: String?
    /// What the link's key is derived from: number of the secret, and of the link.
    let secret: Int
    let link: Int
}

/// A member in a list.
struct ListedMember {
    let account: UUIDBytes
    let json: StoredJSON

    @Sendable init(_ row: inout RowReader) throws {
        account = try row.next()
        json = try row.next()
    }
}

/// What became of points.
struct PointsResult {
    enum Outcome: String, ColumnValue, CaseIterable {
        case changed, unchanged, unknown, ended
        /// The client's word was there before.
        case claimed
        case tooFew = "too_few"
        case tooMany = "too_many"
    }

    let outcome: Outcome
    /// Those of afterwards.
    let points: Int
    /// How many phones are woken.
    let devices: Int
    /// As a program is answered; empty for others.
    let json: [UInt8]
}

/// What became of a link.
struct RenewedLink {
    enum Outcome: String, ColumnValue, CaseIterable {
        case renewed, ended, unknown
    }

    let outcome: Outcome
    let link: Int
}

/// What became of a membership.
enum EndOutcome: String, ColumnValue, CaseIterable {
    case ended, repeated, unknown
}

/// The pass that a link leads to.
struct LinkedPass {
    /// What the link's key is derived from: number of the secret, and of the link.
    let secret: Int
    let link: Int
    let pass: PassVersion
}
