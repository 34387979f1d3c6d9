package import Postgres
package import Primitives

/// Keeps merchants' keys, and what their requests were answered.
///
/// Only hashes of keys are kept. Every look at a key asks the database, so that a revocation works at once in every process.
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresKeyStore {
    /// Every statement that it sends.
    package static let statements: [Statement] = [
        claimStatement,
        stateStatement,
        answerStatement,
        releaseStatement,
        pruneStatement,
        findStatement,
        hashesStatement,
        touchStatement,
        createStatement,
        rotateStatement,
        revokeStatement,
        listStatement,
    ]

    let client: PostgresClient

    /// A store on a client of the same loop.
    ///
    /// - Parameter client: Started by the caller.
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

    static let touchStatement = Statement(
        name: "api_key_touch",
        sql: """
            UPDATE api_key SET last_used_on = current_date
            WHERE key_id = $1 AND last_used_on IS DISTINCT FROM current_date
            """,
        parameterTypes: [.uuid]
    )

    /// What a key opens; the first use of a day is written down where that is possible.
    ///
    /// - Parameters:
    ///   - id: As the key says.
    ///   - hash: Of its whole text.
    /// - Returns: `nil` for a key that does not exist, has another secret or was revoked.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func find(_ id: UUIDBytes, hash: Digest32) async throws(StoreError) -> KeyGrant? {
        var parameters = Parameters()
        parameters.append(uuid: id)
        parameters.append(digest: hash)
        do throws(PostgresError) {
            let rows = try await client.read(PostgresKeyStore.findStatement, parameters)
            guard rows.rowCount == 1 else { return nil }
            let grant = try PostgresKeyStore.grant(rows, 0, id: id, name: 0, scopes: 1)
            if try rows.bool(0, 2) { await touch(id) }
            return grant
        } catch {
            throw StoreError(error)
        }
    }

    static let hashesStatement = Statement(
        name: "api_key_hashes",
        sql: """
            SELECT secret_hash FROM api_key WHERE revoked_at IS NULL
            UNION ALL
            SELECT previous_hash FROM api_key WHERE revoked_at IS NULL AND statement_timestamp() < previous_until
            """
    )

    /// The hashes of all keys that work, for an address whose keys are not each looked up.
    ///
    /// - Returns: In no order.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func hashes() async throws(StoreError) -> [Digest32] {
        do throws(PostgresError) {
            let rows = try await client.read(PostgresKeyStore.hashesStatement)
            var hashes: [Digest32] = []
            for row in 0..<rows.rowCount { hashes.append(try rows.digest(row, 0)) }
            return hashes
        } catch {
            throw StoreError(error)
        }
    }

    private func touch(_ id: UUIDBytes) async {
        var parameters = Parameters()
        parameters.append(uuid: id)
        do throws(PostgresError) {
            _ = try await client.write(PostgresKeyStore.touchStatement, parameters, key: id)
        } catch {
            // The day is for people who look for unused keys: no request fails for it, and the next one writes it.
        }
    }

    // MARK: What an operator does

    static let createStatement = Statement(
        name: "api_key_create",
        sql: """
            INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes)
            VALUES ($1, statement_timestamp(), $2, $3, string_to_array($4, ','))
            """,
        parameterTypes: [.uuid, .bytea, .text, .text]
    )

    /// Stores a key.
    ///
    /// - Parameters:
    ///   - record: Of a fresh key.
    ///   - name: What an operator calls it.
    ///   - scopes: What it opens.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func create(_ record: NewAPIKey, name: String, scopes: [Scope]) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(uuid: record.id)
        parameters.append(digest: record.hash)
        parameters.append(text: name)
        parameters.append(text: Scope.list(scopes))
        _ = try await change(PostgresKeyStore.createStatement, parameters)
    }

    static let rotateStatement = Statement(
        name: "api_key_rotate",
        sql: """
            UPDATE api_key SET previous_hash = secret_hash, secret_hash = $2,
                previous_until = statement_timestamp() + $3 * interval '1 second'
            WHERE key_id = $1 AND revoked_at IS NULL
            """,
        parameterTypes: [.uuid, .bytea, .int8]
    )

    /// Gives a key another secret; the one of before works for a while.
    ///
    /// - Parameters:
    ///   - record: Of a key with the same id.
    ///   - overlap: How long the secret of before still works; that of before it ends now.
    /// - Returns: False for a key that does not exist or was revoked.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func rotate(_ record: NewAPIKey, overlap: Duration) async throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.append(uuid: record.id)
        parameters.append(digest: record.hash)
        parameters.append(seconds: overlap)
        return try await change(PostgresKeyStore.rotateStatement, parameters) == 1
    }

    static let revokeStatement = Statement(
        name: "api_key_revoke",
        sql: "UPDATE api_key SET revoked_at = statement_timestamp() WHERE key_id = $1 AND revoked_at IS NULL",
        parameterTypes: [.uuid]
    )

    /// Ends a key at once and for good.
    ///
    /// - Parameter id: Of the key.
    /// - Returns: False for a key that does not exist or was revoked before.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func revoke(_ id: UUIDBytes) async throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.append(uuid: id)
        return try await change(PostgresKeyStore.revokeStatement, parameters) == 1
    }

    static let listStatement = Statement(
        name: "api_key_list",
        sql: """
            SELECT key_id, name, array_to_string(scopes, ','), created_at, last_used_on::text, previous_until, revoked_at
            FROM api_key ORDER BY created_at, key_id
            """
    )

    /// Every key, the oldest first.
    ///
    /// - Returns: Revoked ones too.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func list() async throws(StoreError) -> [KeyRecord] {
        do throws(PostgresError) {
            let rows = try await client.read(PostgresKeyStore.listStatement)
            var records: [KeyRecord] = []
            for row in 0..<rows.rowCount {
                records.append(
                    KeyRecord(
                        grant: try PostgresKeyStore.grant(rows, row, id: rows.uuid(row, 0), name: 1, scopes: 2),
                        created: try rows.timestamp(row, 3),
                        lastUsedOn: try rows.optionalText(row, 4),
                        previousUntil: try rows.optionalTimestamp(row, 5),
                        revoked: try rows.optionalTimestamp(row, 6)
                    )
                )
            }
            return records
        } catch {
            throw StoreError(error)
        }
    }

    // MARK: Parts

    private func change(_ statement: Statement, _ parameters: Parameters) async throws(StoreError) -> Int {
        do {
            return try await client.write(statement, parameters).affectedRowCount
        } catch {
            throw StoreError(error)
        }
    }

    private static func grant(
        _ rows: ResultSet,
        _ row: Int,
        id: UUIDBytes,
        name: Int,
        scopes: Int
    ) throws(PostgresError) -> KeyGrant {
        // A scope that this version does not know opens nothing: no route asks for it.
        let words = try rows.text(row, scopes).split(separator: ",").map { Scope(String($0)) }
        return KeyGrant(id: id, name: try rows.text(row, name), scopes: Set(words))
    }
}

extension ResultSet {
    /// A `timestamptz`, or `nil` for NULL.
    func optionalTimestamp(_ row: Int, _ column: Int) throws(PostgresError) -> WallTime? {
        try optional(row, column) { row, column throws(PostgresError) in try timestamp(row, column) }
    }
}
