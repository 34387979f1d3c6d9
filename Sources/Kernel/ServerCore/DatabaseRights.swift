package import Postgres
package import Primitives

/// What the program's role may do, how its sessions are, and what time it is at the database.
package struct DatabaseRights: Sendable, Equatable {
    /// The role that statements run as.
    package var role: String
    /// Whether it may change or remove rows of a trail, which nobody should.
    package var mayRewriteTrail: Bool
    /// Whether a statement that waits for a lock gives up.
    package var hasLockTimeout: Bool
    /// The database's clock, by which all deadlines are measured.
    package var now: WallTime
    /// How many servers follow this one.
    package var standbys: Int
    /// Whether a commit waits until another server has it.
    package var waitsForStandby: Bool
    /// Functions that it may call and that could change a trail with the rights of their owner, none of which is the program's;
    /// with commas between them.
    package var functionsBeyond: String
    /// Whether it may put functions and tables beside the program's.
    package var mayCreate: Bool
    /// The role that logged in, where that may take back rights which were laid down; else empty.
    package var mightyLogin: String
    /// What `synchronous_commit` would be, had the program not pinned it.
    package var unpinnedCommit: String
}

extension FeatureSet {
    /// The functions that run with the rights of their owner and that the program's role may call; a test tries each of them,
    /// and fails where the migrations make others.
    package var trustedFunctions: [String] {
        let shared = [
            "partition_drop_expired(text[],interval[])", "operator_begin(text,text,text,text,json)",
            "operator_end(bigint,json,uuid)", "operator_prune(interval)", "partition_make_due()",
        ]
        return shared + cards.flatMap(\.statements.trustedFunctions)
    }

    private func mayRewrite(_ role: String) -> String {
        let trails = ["operator_event", "event"] + cards.flatMap(\.statements.trails)
        return trails.map { "has_table_privilege(\(role), '\($0)', 'UPDATE, DELETE, TRUNCATE')" }.joined(
            separator: " OR "
        )
    }

    /// Asks what the role of a connection may do; it fails where the schema is not there.
    package var rightsStatement: TypedStatement<DatabaseRights> {
        TypedStatement(
            name: "role_rights",
            sql: """
                SELECT current_user::text, \(mayRewrite("current_user")),
                    current_setting('lock_timeout') <> '0', statement_timestamp(), (SELECT count(*) FROM pg_stat_replication),
                    current_setting('synchronous_standby_names') <> ''
                        AND current_setting('synchronous_commit') IN ('on', 'remote_write', 'remote_apply'),
                    (SELECT coalesce(string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.oid), '') FROM pg_proc AS p
                        WHERE p.prosecdef AND has_function_privilege(p.oid, 'EXECUTE') AND (\(mayRewrite("p.proowner")))
                            AND p.oid::regprocedure::text <> ALL ('{\(trustedFunctions.map { "\"\($0)\"" }.joined(separator: ","))}')),
                    has_schema_privilege('public', 'CREATE'),
                    CASE WHEN session_user <> current_user AND (\(mayRewrite("session_user"))) THEN session_user::text ELSE '' END,
                    (SELECT s.reset_val FROM pg_settings AS s WHERE s.name = 'synchronous_commit')
                """
        ) { row in
            DatabaseRights(
                role: try row.next(),
                mayRewriteTrail: try row.next(),
                hasLockTimeout: try row.next(),
                now: try row.next(),
                standbys: try row.next(),
                waitsForStandby: try row.next(),
                functionsBeyond: try row.next(),
                mayCreate: try row.next(),
                mightyLogin: try row.next(),
                unpinnedCommit: try row.next()
            )
        }
    }
}
