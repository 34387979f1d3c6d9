import Operations
import Primitives

/// D28: what the program's role may do at the database, what time it is there, and how far partitions reach.
enum DatabaseChecks {
    /// What the database answered.
    struct Facts: Sendable {
        /// The role that statements run as.
        let role: String
        /// Whether it may change or remove rows of the audit trail.
        let mayRewriteTrail: Bool
        /// Whether a statement that waits for a lock gives up.
        let hasLockTimeout: Bool
        /// The database's clock.
        let time: WallTime
        /// Whole days for which inserts find a partition, in the table where that ends first.
        let partitionDaysLeft: Int
        /// That table.
        let partitionTable: String
        /// How many servers there are besides the one that answered, by the URI and by that one's own count.
        var otherServers = 0
        /// Whether a commit waits until another server has it.
        var waitsForStandby = false
        /// Functions that could change a trail with the rights of their owner, which the role may call; none is the program's.
        var functionsBeyond = ""
        /// Whether the role may put functions and tables beside the program's.
        var mayCreate = false
        /// The role that logged in, where that may take back rights which were laid down; else empty.
        var mightyLogin = ""
        /// What `synchronous_commit` would be, had the program not pinned it.
        var unpinnedCommit = "on"
        /// Whether a server on another machine is believed without having proved who it is.
        var isWayUnverified = false
        /// Sessions that long work passes over, because the database refuses to change them: how many, and one of them with the refusal.
        var skipped: (count: Int, example: String)?
        /// The account of the newest order and that of the settings, where they differ.
        var otherAccount: (newest: String, settings: String)?
    }

    private static let setting = "database_url"

    /// The program makes partitions ten days ahead and more, once a minute.
    private static let leastPartitionDays = 7

    /// Looks at the facts.
    static func findings(_ facts: Facts, now: WallTime) -> [Finding] {
        let ahead = now.seconds - facts.time.seconds
        var found = roleFindings(facts) + sessionFindings(facts)
        if !facts.hasLockTimeout {
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
        if facts.otherServers > 0, !facts.waitsForStandby {
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
        if facts.partitionDaysLeft < leastPartitionDays {
            found.append(
                Finding(
                    "D28",
                    .error,
                    setting,
                    "Inserts into \(facts.partitionTable) find a partition for \(facts.partitionDaysLeft) more days only.",
                    remedy: "The log has the reason (upkeep.partitions_not_made), docs/operations.md the remedy."
                )
            )
        }
        if let other = facts.otherAccount {
            found.append(
                Finding(
                    "D28",
                    .error,
                    "provider.merchant_id",
                    "The newest order is of account \(other.newest), the settings name \(other.settings).",
                    remedy:
                        "Use settings and a database of the same account, or set provider.allow_account_change to allow the difference."
                )
            )
        }
        if let skipped = facts.skipped {
            found.append(
                Finding(
                    "D28",
                    .warning,
                    setting,
                    "The database refuses to change \(skipped.count) sessions, and expiry or a revocation passed over them: \(skipped.example).",
                    remedy: "`sallyport audit --alerts` lists them; mend each row as the owner of the schema."
                )
            )
        }
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
    private static func roleFindings(_ facts: Facts) -> [Finding] {
        var found: [Finding] = []
        if facts.mayRewriteTrail {
            let message = "The role \(facts.role) may change the audit trail."
            found.append(Finding("D28", .error, setting, message, remedy: roleRemedy))
        } else if !facts.functionsBeyond.isEmpty {
            found.append(
                Finding(
                    "D28",
                    .error,
                    setting,
                    "The role \(facts.role) may call functions that can change the audit trail: \(facts.functionsBeyond).",
                    remedy: "Revoke EXECUTE on these functions from the role and from PUBLIC, or drop them."
                )
            )
        }
        if facts.mayCreate, !facts.mayRewriteTrail {
            let message = "The role \(facts.role) may make functions and tables in schema public."
            let remedy = "REVOKE CREATE ON SCHEMA public FROM PUBLIC, sallyport_service, as the owner of the schema."
            found.append(Finding("D28", .error, setting, message, remedy: remedy))
        }
        if !facts.mightyLogin.isEmpty {
            let message =
                "The program logs in as \(facts.mightyLogin), a role that can take back the rights it has given up."
            found.append(Finding("D28", .warning, setting, message, remedy: roleRemedy))
        }
        return found
    }

    /// What is odd about its sessions.
    private static func sessionFindings(_ facts: Facts) -> [Finding] {
        var found: [Finding] = []
        if facts.isWayUnverified {
            let message =
                "The database is on another machine, and nothing verifies it: an attacker on the network can write orders."
            let remedy = "Give the server a certificate, and take database.insecure_plaintext out."
            found.append(Finding("D28", .warning, setting, message, remedy: remedy))
        }
        if ["off", "local"].contains(facts.unpinnedCommit) {
            found.append(
                Finding(
                    "D28",
                    .note,
                    setting,
                    "synchronous_commit is \(facts.unpinnedCommit) by the role, the database or the server; the program works with on.",
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
