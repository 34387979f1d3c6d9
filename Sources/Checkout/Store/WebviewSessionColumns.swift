import Commerce
import Postgres
import Primitives
import SessionBroker

/// The columns that statements return, in one order, and how they become a record.
///
/// Three lists, each the beginning of the next, so that the longest can stand in for the others: `opening` for an open, `face`
/// for a page, `whole` for everything else.
enum WebviewSessionColumns {
    /// How many columns `face` has with verdict and state; what a statement adds comes behind.
    static let faceCount = 13

    // The places of the columns.
    private static let verdict = 0
    private static let state = 1
    private static let client = 2
    private static let metAt = 3
    private static let orderReference = 4
    private static let cart = 5
    private static let subtotal = 6
    private static let taxIncluded = 7
    private static let postage = 8
    private static let total = 9
    private static let terms = 10
    private static let launchHash = 11
    private static let shown = 12
    private static let placements = 13
    private static let attempt = 14
    private static let attemptID = 15
    private static let result = 16
    private static let tabHash = 17

    /// How many columns `whole` has; what a statement adds comes behind.
    static let wholeCount = 18

    /// The columns of an open, of the row with the given name.
    static func opening(_ row: String) -> String {
        "\(row).verdict, \(row).state, \(row).client, \(row).met_at, \(row).order_ref"
    }

    /// The columns of a page behind verdict and state, which its statements compute.
    static func face(_ row: String) -> String {
        "\(row).client, \(row).met_at, \(row).order_ref, \(row).cart, \(row).subtotal, \(row).tax_included, "
            + "\(row).postage, \(row).total, \(row).terms, \(row).a_hash, \(row).shown"
    }

    /// All columns behind verdict and state.
    static func wholeAfterState(_ row: String) -> String {
        "\(face(row)), \(row).placements, \(row).attempt, \(row).attempt_id, \(row).result, \(row).b_hash"
    }

    /// All columns of the row with the given name.
    static func whole(_ row: String) -> String {
        "\(row).verdict, \(row).state, \(wholeAfterState(row))"
    }

    // MARK: Decoding the first row

    /// What an open found.
    static func opened(_ rows: ResultSet) throws(PostgresError) -> OpenedWebviewSession {
        OpenedWebviewSession(
            decision: try decision(rows),
            state: try webviewSessionState(rows),
            client: try rows.word(0, client),
            isMet: try !rows.isNull(0, metAt),
            orderReference: try rows.optionalText(0, orderReference)
        )
    }

    /// The verdict and the webview session behind it, from all columns.
    static func transition<Decision: RawRepresentable<String>>(
        _ rows: ResultSet,
        of webviewSession: WebviewSessionID,
        sealed: [UInt8]? = nil
    ) throws(PostgresError) -> Transition<Decision> {
        let progress = WebviewSessionRecord.Progress(
            placements: Int(try rows.int64(0, placements)),
            attempt: Int(try rows.int64(0, attempt)),
            attemptID: try rows.optional(0, attemptID) { row, column throws(PostgresError) in
                try rows.uuid(row, column)
            },
            result: try rows.optionalBytes(0, result)
        )
        return Transition(try decision(rows), try record(rows, of: webviewSession, progress: progress, sealed: sealed))
    }

    /// The verdict and the webview session behind it, from the columns of a page in any row.
    static func page<Decision: RawRepresentable<String>>(
        _ rows: ResultSet,
        row: Int = 0,
        of webviewSession: WebviewSessionID,
        sealed: [UInt8]?
    ) throws(PostgresError) -> Transition<Decision> {
        Transition(
            try rows.word(row, verdict),
            try record(rows, row: row, of: webviewSession, progress: nil, sealed: sealed)
        )
    }

    /// The verdict alone.
    static func decision<Decision: RawRepresentable<String>>(_ rows: ResultSet) throws(PostgresError) -> Decision {
        try rows.word(0, verdict)
    }

    /// The state alone.
    static func webviewSessionState(_ rows: ResultSet) throws(PostgresError) -> WebviewSessionState {
        try rows.word(0, state)
    }

    /// The hash of the live tab token, from all columns.
    static func liveTab(_ rows: ResultSet) throws(PostgresError) -> Digest32? {
        try rows.optional(0, tabHash) { row, column throws(PostgresError) in try rows.digest(row, column) }
    }

    private static func record(
        _ rows: ResultSet,
        row: Int = 0,
        of webviewSession: WebviewSessionID,
        progress: WebviewSessionRecord.Progress?,
        sealed: [UInt8]?
    ) throws(PostgresError) -> WebviewSessionRecord {
        let identity = WebviewSessionRecord.Identity(
            id: webviewSession,
            client: try rows.word(row, client),
            state: try rows.word(row, state)
        )
        let marks = WebviewSessionRecord.Marks(
            launchHash: try rows.digest(row, launchHash),
            shown: try rows.optional(row, shown) { row, column throws(PostgresError) in try rows.digest(row, column) }
        )
        return WebviewSessionRecord(
            identity,
            marks: marks,
            money: try money(rows, row),
            orderReference: try rows.optionalText(row, orderReference),
            isMet: try !rows.isNull(row, metAt),
            progress: progress,
            sealed: sealed
        )
    }

    private static func money(_ rows: ResultSet, _ row: Int) throws(PostgresError) -> WebviewSessionRecord.Money {
        let order: Order
        do {
            order = try Order(
                json: rows.json(row, cart),
                subtotal: yen(rows, row, subtotal),
                beforePostage: yen(rows, row, taxIncluded)
            )
        } catch let error as CommerceError {
            throw PostgresError(.decoding, error.debugDescription)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(.decoding, "\(error)")
        }
        return WebviewSessionRecord.Money(
            order: order,
            postage: try rows.optional(row, postage) { row, column throws(PostgresError) in try yen(rows, row, column)
            },
            total: try rows.optional(row, total) { row, column throws(PostgresError) in try yen(rows, row, column) },
            terms: try rows.optional(row, terms) { row, column throws(PostgresError) in try rows.json(row, column) }
        )
    }

    /// A sum in whole yen.
    static func yen(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Yen {
        let amount = try rows.int64(row, column)
        guard let sum = Yen(exactly: amount) else { throw PostgresError(.decoding, "\(amount) is no sum") }
        return sum
    }
}
