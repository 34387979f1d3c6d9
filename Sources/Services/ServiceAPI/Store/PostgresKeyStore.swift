package import Postgres
package import Primitives

/// Keeps merchants' keys, and what their requests were answered.
///
/// Only hashes of keys are kept. Every look at a key asks the database, so that a revocation works at once in every process.
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresKeyStore {
    /// Every statement that it sends.
    package static let statements: [Statement] = [
        claimStatement.statement,
        stateStatement.statement,
        answerStatement.statement,
        releaseStatement.statement,
        pruneStatement.statement,
        eraseStatement.statement,
        findStatement,
        hashesStatement.statement,
        touchStatement.statement,
        createStatement.statement,
        rotateStatement.statement,
        revokeStatement.statement,
        listStatement.statement,
    ]

    let client: PostgresClient

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }
}

/// A key as an operator sees it.
package struct KeyRecord: Sendable, Hashable {
    /// Names the key.
    package let grant: KeyGrant
    /// When it was made.
    package let created: WallTime
    /// The last day on which it was used, `YYYY-MM-DD`; `nil` before the first.
    package let lastUsedOn: String?
    /// Until when the secret of before the last rotation works; `nil` where there was none.
    package let previousUntil: WallTime?
    /// When it was revoked; `nil` while it works.
    package let revoked: WallTime?
}

extension PostgresKeyStore {
    // MARK: The look-up of each request

    // Not typed: it runs for each request of `/v1`, and a typed call allocates once more.
    static let findStatement = Statement(
        name: "api_key_find",
        sql: """
            SELECT k.name, array_to_string(k.scopes, ','), k.last_used_on IS DISTINCT FROM current_date
            FROM api_key AS k
            WHERE k.key_id = $1 AND k.revoked_at IS NULL
                AND (k.secret_hash = $2 OR (k.previous_hash = $2 AND statement_timestamp() < k.previous_until))
            """,
        parameterTypes: [.uuid, .bytea]
    )

    static let touchStatement = TypedStatement<Void, UUIDBytes>(
        name: "api_key_touch",
        sql: """
            UPDATE api_key SET last_used_on = current_date
            WHERE key_id = $1 AND last_used_on IS DISTINCT FROM current_date
            """
    )

    /// What a key opens; the first use of a day is written down where that is possible.
    ///
    /// - Returns: `nil` for a key that does not exist, has another secret or was revoked.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func find(_ id: UUIDBytes, hash: Digest32) async throws(StoreError) -> KeyGrant? {
        var parameters = Parameters()
        parameters.append(uuid: id)
        parameters.append(digest: hash)
        do throws(PostgresError) {
            let rows = try await client.read(PostgresKeyStore.findStatement, parameters)
            guard rows.rowCount == 1 else { return nil }
            if try rows.bool(0, 2) { await touch(id) }
            return KeyGrant(
                id: id,
                name: try rows.text(0, 0),
                scopes: PostgresKeyStore.scopes(try rows.text(0, 1))
            )
        } catch {
            throw StoreError(error)
        }
    }

    static let hashesStatement = TypedStatement<Digest32>(
        name: "api_key_hashes",
        sql: """
            SELECT secret_hash FROM api_key WHERE revoked_at IS NULL
            UNION ALL
            SELECT previous_hash FROM api_key WHERE revoked_at IS NULL AND statement_timestamp() < previous_until
            """
    )

    /// The hashes of all keys that work, for an address whose keys are not each looked up.
    ///
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func hashes() async throws(StoreError) -> [Digest32] {
        try await client.read(PostgresKeyStore.hashesStatement()).all()
    }

    private func touch(_ id: UUIDBytes) async {
        do {
            _ = try await client.write(PostgresKeyStore.touchStatement(id), key: id)
        } catch {
            // The day is for people who look for unused keys: no request fails for it, and the next one writes it.
        }
    }

    // MARK: What an operator does

    static let createStatement = TypedStatement<Void, UUIDBytes, Digest32, String, String>(
        name: "api_key_create",
        sql: """
            INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes)
            VALUES ($1, statement_timestamp(), $2, $3, string_to_array($4, ','))
            """
    )

    /// Stores a key.
    ///
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func create(_ record: NewAPIKey, name: String, scopes: [Scope]) async throws(StoreError) {
        _ = try await client.write(PostgresKeyStore.createStatement(record.id, record.hash, name, Scope.list(scopes)))
    }

    static let rotateStatement = TypedStatement<Void, UUIDBytes, Digest32, Duration>(
        name: "api_key_rotate",
        sql: """
            UPDATE api_key SET previous_hash = secret_hash, secret_hash = $2,
                previous_until = statement_timestamp() + $3 * interval '1 second'
            WHERE key_id = $1 AND revoked_at IS NULL
            """
    )

    /// Gives a key another secret; the one of before works for a while.
    ///
    /// - Parameters:
    ///   - record: Of a key with the same id.
    ///   - overlap: How long the secret of before still works; that of before it ends now.
    /// - Returns: False for a key that does not exist or was revoked.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func rotate(_ record: NewAPIKey, overlap: Duration) async throws(StoreError) -> Bool {
        let call = PostgresKeyStore.rotateStatement(record.id, record.hash, overlap)
        return try await client.write(call).affectedCount == 1
    }

    static let revokeStatement = TypedStatement<Void, UUIDBytes>(
        name: "api_key_revoke",
        sql: "UPDATE api_key SET revoked_at = statement_timestamp() WHERE key_id = $1 AND revoked_at IS NULL"
    )

    /// Ends a key at once and for good.
    ///
    /// - Returns: False for a key that does not exist or was revoked before.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func revoke(_ id: UUIDBytes) async throws(StoreError) -> Bool {
        try await client.write(PostgresKeyStore.revokeStatement(id)).affectedCount == 1
    }

    static let listStatement = TypedStatement<KeyRecord>(
        name: "api_key_list",
        sql: """
            SELECT key_id, name, array_to_string(scopes, ','), created_at, last_used_on::text, previous_until, revoked_at
            FROM api_key ORDER BY created_at, key_id
            """
    ) { row in
        KeyRecord(
            grant: KeyGrant(id: try row.next(), name: try row.next(), scopes: scopes(try row.next())),
            created: try row.next(),
            lastUsedOn: try row.next(),
            previousUntil: try row.next(),
            revoked: try row.next()
        )
    }

    /// Every key, the oldest first.
    ///
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func list() async throws(StoreError) -> [KeyRecord] {
        try await client.read(PostgresKeyStore.listStatement()).all()
    }

    /// A scope that this version does not know opens nothing: no route asks for it.
    private static func scopes(_ list: String) -> Set<Scope> {
        Set(list.split(separator: ",").map { Scope(String($0)) })
    }
}
