/// D28: what the program's role may do at the database, and what time it is there.
package enum DatabaseChecks {
    /// What the database answered.
    package struct Facts: Sendable {
        /// The role that statements run as.
        package let role: String
        /// Whether it may change or remove rows of the audit trail.
        package let mayRewriteTrail: Bool
        /// Whether a statement that waits for a lock gives up.
        package let hasLockTimeout: Bool
        /// How far this machine's clock is ahead of the database's, in seconds.
        package let aheadSeconds: Int64

        /// The facts.
        ///
        /// - Parameters:
        ///   - role: The role that statements run as.
        ///   - mayRewriteTrail: Whether it may change or remove rows of the audit trail.
        ///   - hasLockTimeout: Whether a statement that waits for a lock gives up.
        ///   - aheadSeconds: How far this machine's clock is ahead.
        package init(role: String, mayRewriteTrail: Bool, hasLockTimeout: Bool, aheadSeconds: Int64) {
            self.role = role
            self.mayRewriteTrail = mayRewriteTrail
            self.hasLockTimeout = hasLockTimeout
            self.aheadSeconds = aheadSeconds
        }
    }

    private static let setting = "database_url"

    /// Looks at the facts.
    ///
    /// - Parameter facts: What the database answered.
    /// - Returns: What was found.
    package static func findings(_ facts: Facts) -> [Finding] {
        var found: [Finding] = []
        if facts.mayRewriteTrail {
            found.append(
                Finding(
                    "D28",
                    .error,
                    setting,
                    "The role \(facts.role) may change the audit trail.",
                    remedy: "Add options=-c%20role%3Dsallyport_service to the URI; docs/schema.md tells of the role."
                )
            )
        }
        if !facts.hasLockTimeout {
            found.append(
                Finding(
                    "D28",
                    .warning,
                    setting,
                    "No lock_timeout is in force: one stuck session could stop all others.",
                    remedy: "Let a pooler in between hand on the options of a connection."
                )
            )
        }
        if facts.aheadSeconds.magnitude > 2 {
            let direction = facts.aheadSeconds > 0 ? "ahead of" : "behind"
            found.append(
                Finding(
                    "D28",
                    facts.aheadSeconds.magnitude > 30 ? .warning : .note,
                    setting,
                    "This machine's clock is \(facts.aheadSeconds.magnitude) s \(direction) the database's.",
                    remedy: "Run a time service on both; deadlines go by the database's clock."
                )
            )
        }
        return found
    }

    /// What is to be told where the database could not be asked.
    ///
    /// - Parameter why: For operators, without a password.
    /// - Returns: One finding.
    package static func unreachable(_ why: String) -> Finding {
        Finding(
            "D28",
            .error,
            setting,
            "The database could not be asked: \(why.split(separator: "\n").joined(separator: " ")).",
            remedy: "Let this machine reach it, and run `sallyport migrate`."
        )
    }
}
