import Postgres
package import Primitives
package import SessionBroker

/// What the program's role may do, and what time it is at the database.
package struct DatabaseRights: Sendable, Equatable {
    /// The role that statements run as.
    package let role: String
    /// Whether it may change or remove rows of the audit trail, which nobody should.
    package let mayRewriteTrail: Bool
    /// Whether a statement that waits for a lock gives up.
    package let hasLockTimeout: Bool
    /// The database's clock, by which all deadlines are measured.
    package let now: WallTime
    /// How many servers follow this one.
    package let standbys: Int
    /// Whether a commit waits until another server has it.
    package let waitsForStandby: Bool
}

extension PostgresSessionStore {
    static let rightsStatement = Statement(
        name: "role_rights",
        sql: """
            SELECT current_user::text,
                has_table_privilege('flow_event', 'UPDATE') OR has_table_privilege('flow_event', 'DELETE'),
                current_setting('lock_timeout') <> '0', statement_timestamp(), (SELECT count(*) FROM pg_stat_replication),
                current_setting('synchronous_standby_names') <> ''
                    AND current_setting('synchronous_commit') IN ('on', 'remote_write', 'remote_apply')
            """
    )

    /// What the role of this connection may do.
    ///
    /// - Returns: As the server says.
    /// - Throws: `BrokerError`, also where the schema is not there.
    package func rights() async throws(BrokerError) -> DatabaseRights {
        let rows = try await read(PostgresSessionStore.rightsStatement, Parameters())
        return try StoreFailure.decoding { () throws(PostgresError) in
            DatabaseRights(
                role: try rows.text(0, 0),
                mayRewriteTrail: try rows.bool(0, 1),
                hasLockTimeout: try rows.bool(0, 2),
                now: try rows.timestamp(0, 3),
                standbys: Int(try rows.int64(0, 4)),
                waitsForStandby: try rows.bool(0, 5)
            )
        }
    }
}
