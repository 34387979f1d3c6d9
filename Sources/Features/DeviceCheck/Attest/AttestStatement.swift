import DeviceAttestation
import Postgres
import Primitives

/// The statements on challenges and attested keys.
enum AttestStatement {
    static let all = [
        challenge.statement, bind.statement, key.statement, use.statement, prune.statement, erase.statement,
        export.statement,
    ]

    /// Keeps a challenge: account, its hash, for how long; until when.
    static let challenge = TypedStatement<WallTime, UUIDBytes, Digest32, Duration>(
        name: "app_attest_challenge",
        sql: """
            INSERT INTO app_attest_challenge (account_id, expires_at, challenge_hash)
            VALUES ($1, statement_timestamp() + $3 * interval '1 second', $2) RETURNING expires_at
            """
    )

    /// Account, hash of the challenge, id, point, receipt, app, environment, category.
    static let bind = TypedStatement<
        AttestBinding, UUIDBytes, Digest32, Digest32, [UInt8], [UInt8], String, String, Int32?
    >(
        name: "app_attest_bind",
        sql: "SELECT app_attest_bind($1, $2, $3, $4, $5, $6, $7, $8)"
    )

    /// Id, environment, and the account that it has to be of; NULL for any.
    static let key = TypedStatement<StoredAttestKey, Digest32, String, UUIDBytes?>(
        name: "app_attest_key",
        sql: """
            SELECT k.account_id, k.public_key, k.app FROM app_attest_key AS k
            WHERE k.key_id = $1 AND k.environment = $2 AND k.account_id = coalesce($3, k.account_id)
            """
    ) { row in StoredAttestKey(account: try row.next(), point: try row.next(), app: try row.next()) }

    /// Account, hash of the challenge, id of the key, counter.
    static let use = TypedStatement<AttestUse, UUIDBytes, Digest32, Digest32, Int64>(
        name: "app_attest_use",
        sql: "SELECT app_attest_use($1, $2, $3, $4)"
    )

    /// How long an unused key is kept, how many are deleted at most; how many were.
    static let prune = TypedStatement<Int, Duration, Int32>(
        name: "app_attest_prune",
        sql: "SELECT app_attest_prune($1, $2)"
    )

    /// How many keys went.
    static let erase = TypedStatement<Int, UUIDBytes>(name: "app_attest_erase", sql: "SELECT app_attest_erase($1)")

    /// The keys of an account; NULL where there are none.
    static let export = TypedStatement<StoredJSON?, UUIDBytes>(
        name: "app_attest_export",
        sql: "SELECT app_attest_export($1)"
    )
}

/// What became of a key that was attested.
enum AttestBinding: String, ColumnValue, CaseIterable {
    /// It is the account's, now or since before.
    case bound
    /// The challenge is unknown, was used, or is over.
    case challenge
    /// It is another account's.
    case taken
    /// The account is nobody's any more.
    case closed
}

/// What became of an assertion whose signature is good.
enum AttestUse: String, ColumnValue, CaseIterable {
    /// Challenge and counter are used up by it.
    case passed
    /// The challenge is unknown, was used, or is over.
    case challenge
    /// One with the same counter, or a greater one, came before.
    case counter
}

/// A key as the database has it.
struct StoredAttestKey: Sendable {
    let account: UUIDBytes
    let point: [UInt8]
    /// As `AttestedApp` writes it.
    let app: String
}
