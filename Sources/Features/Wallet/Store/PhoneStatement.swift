import Postgres
import Primitives

/// What phones have the database asked.
enum PhoneStatement {
    static let all = [register.statement, unregister.statement, list.statement, read.statement, log.statement]

    /// Pass type, serial number, device, push token, number of the secret.
    static let register = TypedStatement<RegisterOutcome, String, String, String, String, Int32>(
        name: "wallet_register",
        sql: "SELECT wallet_register($1, $2, $3, $4, $5)"
    )

    /// Pass type, serial number, device, number of the secret.
    static let unregister = TypedStatement<UnregisterOutcome, String, String, String, Int32>(
        name: "wallet_unregister",
        sql: "SELECT wallet_unregister($1, $2, $3, $4)"
    )

    /// Device, pass type, tag: the passes with a greater one.
    ///
    /// A transaction that is still running may have a lower number than one that has ended: the tag that the phone is to send next
    /// time is before all that are running, so that nothing they commit is missed.
    static let list = TypedStatement<ChangedPasses, String, String, Int64>(
        name: "wallet_list",
        sql: """
            SELECT json_agg(p.serial ORDER BY p.tag, p.serial), least(
                max(p.tag), wallet_tag_at(pg_snapshot_xmin(pg_current_snapshot())::text::bigint) - 1)
            FROM wallet_registration AS r JOIN wallet_pass AS p USING (pass_type, serial)
            WHERE r.device = $1 AND r.pass_type = $2 AND p.tag > $3
            """
    ) { row in
        ChangedPasses(serials: try row.next(StoredJSON?.self)?.utf8, tag: try row.next(Int64?.self) ?? 0)
    }

    /// Pass type, serial number, number of the secret.
    static let read = TypedStatement<PassVersion, String, String, Int32>(
        name: "wallet_pass_read",
        sql: """
            SELECT \(PassVersion.columns) FROM wallet_pass AS p
            WHERE p.pass_type = $1 AND p.serial = $2 AND p.token_key = $3
            """,
        row: PassVersion.init
    )

    /// Lines as a JSON array of objects, how many a day has of no card of ours, and of each card.
    static let log = TypedStatement<Int, String, Int64, Int64>(
        name: "wallet_log",
        sql: "SELECT wallet_log($1::json, $2, $3)::bigint"
    )
}

/// What became of a registration.
enum RegisterOutcome: String, ColumnValue, CaseIterable {
    case created, exists, unauthorized, full
}

/// What became of the end of one.
enum UnregisterOutcome: String, ColumnValue, CaseIterable {
    case removed, absent, unauthorized
}

/// The passes of a phone that have changed.
struct ChangedPasses {
    /// A JSON array of texts; `nil` where none has.
    let serials: [UInt8]?
    /// What the phone is to send the next time.
    let tag: Int64
}

/// One version of a pass: all that its file is made of, from one row.
struct PassVersion: Sendable {
    let passType: String
    let serial: String
    let template: String
    let content: [UInt8]
    let number: Int
    let modifiedAt: WallTime
    let isFinal: Bool
    /// Number of the secret that its token is derived from.
    let secret: Int

    static let columns = """
        p.pass_type, p.serial, p.template, p.content, p.version::bigint, p.modified_at, p.is_final, p.token_key::bigint
        """

    @Sendable init(_ row: inout RowReader) throws {
        passType = try row.next()
        serial = try row.next()
        template = try row.next()
        content = try row.next(StoredJSON.self).utf8
        number = try row.next()
        modifiedAt = try row.next()
        isFinal = try row.next()
        secret = try row.next()
    }
}
