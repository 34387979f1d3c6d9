import Primitives

/// What a new connection is told before anything else, and the questions that show whether the session behind it is its own.
///
/// A pooler in transaction mode gives each transaction another session: what was set is gone or is somebody else's, and so are prepared
/// statements. Nothing works reliably there, and a buyer would be the first to notice. So each new connection leaves a mark in its
/// session in one transaction, and looks for it in a second one: a mark that is there before, or another or none afterwards, is the sign.
/// It costs a round trip for each connection, and nothing for a request.
struct SessionPins: Sendable {
    /// What it sets where the options of the connection do not arrive.
    private let settings: [(name: String, value: String)]
    /// Whether database_url has options of its own, which nobody here knows how to set otherwise.
    private let hasOwnOptions: Bool
    private let isReader: Bool
    let mark: String

    /// Set by the options of a connection, to see whether they arrive.
    static let arrival = (name: "sallyport.session", value: "options")
    private static let connection = "sallyport.connection"

    /// The pins of one connection.
    ///
    /// - Parameters:
    ///   - settings: Of the session, names and values without quotation marks; they are in the options of the connection too.
    ///   - hasOwnOptions: Whether the URI has further ones.
    ///   - isReader: Whether its transactions must not write.
    ///   - random: For a mark that no other connection has.
    init(
        _ settings: [(name: String, value: String)] = [],
        hasOwnOptions: Bool,
        isReader: Bool = false,
        random: any RandomSource
    ) {
        self.settings = settings
        self.hasOwnOptions = hasOwnOptions
        self.isReader = isReader
        mark = "\(random.number(byteCount: 8))"
    }

    /// The first transaction.
    ///
    /// It sets what no default of a role, a database or a server, and no URI, may change:
    ///
    /// * A commit that was acknowledged survives a crash of the server. Whether it waits for a standby, and for how much of it,
    ///   the operator chooses; `off` and `local` are none of the choices.
    /// * Guarded statements re-read the row that they have waited for, which read committed does alone.
    /// * Objects are found in schema public, and a temporary one never in place of them.
    ///
    /// The rest is in the options of the connection, and is set here where something in between has dropped them. One row, whose cells
    /// are computed in their order.
    var commands: String {
        let arrived = "coalesce(pg_catalog.current_setting('\(SessionPins.arrival.name)', true), '')"
        let others = settings.map { name, value in
            "CASE WHEN \(arrived) = '' THEN pg_catalog.set_config('\(name)', '\(value)', false) END"
        }
        return """
            SELECT \(arrived), coalesce(pg_catalog.current_setting('\(SessionPins.connection)', true), ''),
                pg_catalog.set_config('\(SessionPins.connection)', '\(mark)', false),
                pg_catalog.set_config('search_path', 'public, pg_temp', false),
                pg_catalog.set_config('default_transaction_isolation', 'read committed', false),
                CASE WHEN pg_catalog.current_setting('synchronous_commit') IN ('off', 'local')
                    THEN pg_catalog.set_config('synchronous_commit', 'on', false) END\(others.map { ",\n    " + $0 }.joined())
            """
    }

    /// The second transaction.
    static let question = """
        SELECT coalesce(pg_catalog.current_setting('\(connection)', true), ''), pg_catalog.current_setting('transaction_read_only')
        """

    /// Why the session cannot be used, by the answer to `commands`; `nil` where it can.
    func objection(toFirst cells: [String]) -> String? {
        guard cells.count > 1 else { return "an answer without cells" }
        if !cells[1].isEmpty { return SessionPins.shared }
        return cells[0].isEmpty && hasOwnOptions ? SessionPins.dropped : nil
    }

    /// Why the session cannot be used, by the answer to `question`; `nil` where it can.
    func objection(toSecond cells: [String]) -> String? {
        guard cells.count > 1 else { return "an answer without cells" }
        return cells[0] != mark || (isReader && cells[1] != "on") ? SessionPins.shared : nil
    }

    private static let shared =
        "a pooler in between gives the session of a connection to others (transaction or statement mode), and the program needs a"
        + " session for each connection: set pool_mode = session in PgBouncer, or name the server itself in database_url"
    private static let dropped =
        "something in between drops the options that database_url has for its sessions: name the server itself, or set them with"
        + " ALTER ROLE … SET"

    /// What there is to add to a complaint of libpq, or nothing: of a pooler that refuses the options of connections.
    static func advice(on complaint: String) -> String {
        guard complaint.contains("unsupported startup parameter") else { return "" }
        return " (a pooler: name the server itself in database_url, or let PgBouncer have pool_mode = session and"
            + " ignore_startup_parameters = options,extra_float_digits)"
    }

    /// Whether a reason stays until an operator changes something.
    static func isLasting(_ reason: String) -> Bool {
        reason == shared || reason == dropped || !advice(on: reason).isEmpty
    }
}
