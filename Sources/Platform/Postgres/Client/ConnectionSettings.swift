import CPostgres
import Primitives

/// What one of a client's connections is for.
enum ConnectionRole: String, Sendable {
    /// Takes groups that commit together; needs a server that accepts writes.
    case write
    /// Never waits for a commit; refuses to write.
    case read
    /// Writes too, but what nobody waits for.
    case upkeep

    /// How many times longer than usual its statements may take.
    var patience: Int { self == .upkeep ? 20 : 1 }
}

/// Turns a configuration into the keywords of libpq, for one role and one attempt after another.
struct ConnectionSettings {
    private let configuration: PostgresConfiguration
    private let role: ConnectionRole

    init(_ configuration: PostgresConfiguration, role: ConnectionRole) {
        self.configuration = configuration
        self.role = role
    }

    /// The keywords and values for an attempt, in a fixed order.
    ///
    /// - Parameter attempt: Counts the attempts that ended without a word from the server; each starts with another host, since
    ///   libpq goes to the next host by itself only when the one before has answered.
    /// - Returns: At least the keywords that are set here.
    func keywords(attempt: Int) -> [(keyword: String, value: String)] {
        var values = ConnectionSettings.defaults.merging(configuration.keywords.reveal()) { $1 }
        if values["application_name"] == nil { values["application_name"] = configuration.applicationName }
        values["client_encoding"] = "UTF8"
        // `read-write` would refuse a session that is read-only because we ask for it below.
        values["target_session_attrs"] = role == .read ? "primary" : "read-write"
        values["options"] = options(values["options"])
        rotateHosts(in: &values, by: attempt)
        return values.sorted { $0.key < $1.key }.map { (keyword: $0.key, value: $0.value) }
    }

    /// What there is to add to a complaint of libpq, or nothing.
    func advice(on complaint: String) -> String {
        DatabaseLink.advice(on: complaint, configuration.keywords.reveal()) + SessionPins.advice(on: complaint)
    }

    /// The keywords and values of a URI or a list of `keyword=value`.
    ///
    /// - Throws: `unavailable` when libpq cannot read it; the detail does not quote it, it may hold a password.
    static func parse(
        _ url: Secret<String>,
        withPasswords: Bool = true
    ) throws(PostgresError) -> [String: String] {
        guard let options = unsafe PQconninfoParse(url.reveal(), nil) else {
            throw PostgresError(.unavailable, "libpq cannot read the URI of the database")
        }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            // Libpq marks what a form would not show.
            let isPassword = unsafe option.pointee.dispchar.pointee == 0x2A
            if withPasswords || !isPassword, let value = unsafe option.pointee.val {
                values[unsafe String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return values
    }

    /// What a URI or a list of `keyword=value` says, as such a list, without what libpq takes for a password.
    ///
    /// - Throws: As `parse`.
    static func withoutPasswords(_ url: Secret<String>) throws(PostgresError) -> String {
        let words = try parse(url, withPasswords: false).sorted { $0.key < $1.key }.map { keyword, value in
            "\(keyword)='\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }
        return words.joined(separator: " ")
    }

    /// What a new connection is told first.
    func pins(_ random: any RandomSource) -> SessionPins {
        SessionPins(
            sessionSettings,
            hasOwnOptions: configuration.keywords.reveal()["options"]?.isEmpty == false,
            isReader: role == .read,
            random: random
        )
    }

    /// What we ask for unless the URI says otherwise.
    ///
    /// A peer that vanished without a word is noticed by the kernel: when idle by keepalive, with bytes under way by the
    /// user timeout. Kerberos is not looked for, that would block.
    private static let defaults = [
        "gssencmode": "disable", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
        "tcp_user_timeout": "15000",
    ]

    /// Settings of the session; those of the URI come last and win.
    private func options(_ given: String?) -> String {
        let settings = sessionSettings + [SessionPins.arrival]
        let ours = settings.map { "-c \($0.name)=\($0.value)" }.joined(separator: " ")
        return given.map { "\(ours) \($0)" } ?? ours
    }

    private var sessionSettings: [(name: String, value: String)] {
        var settings = [
            (name: "lock_timeout", value: "\(milliseconds(configuration.lockTimeout))"),
            (name: "statement_timeout", value: "\(milliseconds(configuration.statementTimeout * role.patience))"),
            (
                name: "idle_in_transaction_session_timeout",
                value: "\(milliseconds(configuration.idleInTransactionTimeout))"
            ),
            (name: "TimeZone", value: "UTC"),
            // Statements are prepared once and run for ever. Left to itself the server often prefers a new plan for each run
            // over one that prunes partitions at its start, which costs five times the statement.
            (name: "plan_cache_mode", value: "force_generic_plan"),
            // A kept plan outlives the size of its table: what is a page of rows today may be a million before the next
            // analysis.
            (name: "enable_seqscan", value: "off"),
            // A table that is not to be read whole makes every plan that may read it look dear, and half a second would go into
            // compiling it, each time anew.
            (name: "jit", value: "off"),
        ]
        // One process of the server, however much there is to read.
        if role == .upkeep { settings.append((name: "max_parallel_workers_per_gather", value: "0")) }
        if role == .read { settings.append((name: "default_transaction_read_only", value: "on")) }
        return settings
    }

    private func milliseconds(_ duration: Duration) -> Int64 {
        let parts = duration.components
        return max(0, parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000)
    }

    /// Starts the lists of hosts at another place; a list of one, which counts for all, is left alone.
    private func rotateHosts(in values: inout [String: String], by attempt: Int) {
        for keyword in ["host", "hostaddr", "port"] {
            guard let list = values[keyword] else { continue }
            let items = list.split(separator: ",", omittingEmptySubsequences: false)
            let start = attempt % items.count
            values[keyword] = (items[start...] + items[..<start]).joined(separator: ",")
        }
    }
}
