import Operations
import Primitives
import ServerCore

/// What the database answered, and how it is reached.
struct ExaminedDatabase: Sendable {
    var rights: DatabaseRights
    /// For how long inserts find a partition.
    var margin: PostgresPartitionStore.Margin
    /// How many servers there are besides the one that answered, by the URI and by that one's own count.
    var otherServers = 0
    /// Whether a server on another machine is believed without having proved who it is.
    var isWayUnverified = false
    /// What the features find in it.
    var findings: [Finding] = []
}

/// D28: what the program's role may do at the database, what time it is there, and how far partitions reach.
enum DatabaseChecks {
    private static let setting = "database_url"

    /// The program makes partitions ten days ahead and more, once a minute.
    private static let leastPartitionDays = 7

    /// Those of a database, at a time of this machine.
    static func findings(_ database: ExaminedDatabase, now: WallTime) -> [Finding] {
        let (rights, margin) = (database.rights, database.margin)
        let ahead = now.seconds - rights.now.seconds
        var found = roleFindings(rights) + sessionFindings(database)
        if !rights.hasLockTimeout {
            found.append(
                Finding(
                    "D28",
                    .warning,
                    setting,
                    "No lock_timeout is in force: one stuck session could stop all others.",
                    remedy: "Let a connection pooler in between pass on the options of connections."
                )
            )
        }
        if database.otherServers > 0, !rights.waitsForStandby {
            found.append(
                Finding(
                    "D28",
                    .warning,
                    setting,
                    "Replication is asynchronous: a failover loses the last commits, and with them orders that are paid.",
                    remedy: "Set synchronous_standby_names and leave synchronous_commit on; see docs/operations.md."
                )
            )
        }
        if margin.days < leastPartitionDays {
            found.append(
                Finding(
                    "D28",
                    .error,
                    setting,
                    "Inserts into \(margin.table) find a partition for \(margin.days) more days only.",
                    remedy: "The log has the reason (upkeep.partitions_not_made), docs/operations.md the remedy."
                )
            )
        }
        found += database.findings
        if ahead.magnitude > 2 {
            let direction = ahead > 0 ? "ahead of" : "behind"
            found.append(
                Finding(
                    "D28",
                    ahead.magnitude > 30 ? .warning : .note,
                    setting,
                    "This machine's clock is \(ahead.magnitude) s \(direction) the database's.",
                    remedy: "Run a time service on both; deadlines go by the database's clock."
                )
            )
        }
        return found
    }

    private static let roleRemedy =
        "Log in as a role that is a member of sallyport_service only, see docs/operations.md."

    /// What the role may do that it should not.
    private static func roleFindings(_ rights: DatabaseRights) -> [Finding] {
        var found: [Finding] = []
        if rights.mayRewriteTrail {
            let message = "The role \(rights.role) may change the audit trail."
            found.append(Finding("D28", .error, setting, message, remedy: roleRemedy))
        } else if !rights.functionsBeyond.isEmpty {
            found.append(
                Finding(
                    "D28",
                    .error,
                    setting,
                    "The role \(rights.role) may call functions that can change the audit trail: \(rights.functionsBeyond).",
                    remedy: "Revoke EXECUTE on these functions from the role and from PUBLIC, or drop them."
                )
            )
        }
        if rights.mayCreate, !rights.mayRewriteTrail {
            let message = "The role \(rights.role) may make functions and tables in schema public."
            let remedy = "REVOKE CREATE ON SCHEMA public FROM PUBLIC, sallyport_service, as the owner of the schema."
            found.append(Finding("D28", .error, setting, message, remedy: remedy))
        }
        if !rights.mightyLogin.isEmpty {
            let message =
                "The program logs in as \(rights.mightyLogin), a role that can take back the rights it has given up."
            found.append(Finding("D28", .warning, setting, message, remedy: roleRemedy))
        }
        return found
    }

    /// What is odd about its sessions.
    private static func sessionFindings(_ database: ExaminedDatabase) -> [Finding] {
        var found: [Finding] = []
        if database.isWayUnverified {
            let message =
                "The database is on another machine, and nothing verifies it: an attacker on the network can write orders."
            let remedy = "Give the server a certificate, and take database.insecure_plaintext out."
            found.append(Finding("D28", .warning, setting, message, remedy: remedy))
        }
        if ["off", "local"].contains(database.rights.unpinnedCommit) {
            found.append(
                Finding(
                    "D28",
                    .note,
                    setting,
                    "synchronous_commit is \(database.rights.unpinnedCommit) by the role, the database or the server; the program works with on.",
                    remedy: "No change is needed: every connection of the program uses at least `on`."
                )
            )
        }
        return found
    }

    /// The findings where the database could not be asked.
    ///
    /// - Parameter why: For operators, without a password.
    static func unreachable(_ why: String) -> Finding {
        Finding(
            "D28",
            .error,
            setting,
            "The database does not answer: \(why.split(separator: "\n").joined(separator: " ")).",
            remedy: "Let this machine reach it, and run `sallyport migrate`."
        )
    }
}
