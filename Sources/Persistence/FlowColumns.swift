import Commerce
import Postgres
import Primitives
import SessionBroker

/// The columns that most statements return, in one order, and how they become a record.
///
/// The first five are all an open needs; its statement returns no more than those.
enum FlowColumns {
    private static let afterStateNames = [
        "client", "met_at", "order_ref", "cart", "subtotal", "tax_included", "postage", "total", "placements", "attempt",
        "attempt_id", "b_hash", "result",
    ]

    /// How many columns there are; what a statement adds comes behind.
    static let count = 2 + afterStateNames.count

    /// All columns of a row.
    ///
    /// - Parameter row: The name of a table or a common table expression.
    static func all(_ row: String) -> String { "\(row).verdict, \(row).state, \(afterState(row))" }

    /// The columns behind verdict and state.
    static func afterState(_ row: String) -> String {
        afterStateNames.map { "\(row).\($0)" }.joined(separator: ", ")
    }

    /// The first five columns.
    static func opening(_ row: String) -> String {
        "\(row).verdict, \(row).state, \(row).client, \(row).met_at, \(row).order_ref"
    }

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
    private static let placements = 10
    private static let attempt = 11
    private static let attemptID = 12
    private static let tabHash = 13
    private static let result = 14

    /// What an open found, from the first five columns.
    static func opened(_ rows: ResultSet) throws(PostgresError) -> OpenedFlow {
        OpenedFlow(
            decision: try decision(rows),
            state: try flowState(rows),
            client: try word(rows, client),
            isMet: try !rows.isNull(0, metAt),
            orderReference: try rows.optional(0, orderReference) { row, column throws(PostgresError) in
                try rows.text(row, column)
            }
        )
    }

    /// The verdict and the flow behind it.
    ///
    /// - Parameters:
    ///   - rows: One row that begins with all columns.
    ///   - flow: Whose row it is.
    ///   - sealed: The column with the sealed details, where the statement adds one.
    static func transition<Decision: RawRepresentable<String>>(
        _ rows: ResultSet,
        of flow: FlowID,
        sealed: Int? = nil
    ) throws(PostgresError) -> Transition<Decision> {
        Transition(try decision(rows), try record(rows, of: flow, sealed: sealed))
    }

    /// The verdict alone.
    static func decision<Decision: RawRepresentable<String>>(_ rows: ResultSet) throws(PostgresError) -> Decision {
        try word(rows, verdict)
    }

    /// The state alone.
    static func flowState(_ rows: ResultSet) throws(PostgresError) -> FlowState {
        try word(rows, state)
    }

    /// The hash of the live tab token, from all columns.
    static func liveTab(_ rows: ResultSet) throws(PostgresError) -> Digest32? {
        try rows.optional(0, tabHash) { row, column throws(PostgresError) in try rows.digest(row, column) }
    }

    static func record(_ rows: ResultSet, of flow: FlowID, sealed: Int? = nil) throws(PostgresError) -> FlowRecord {
        FlowRecord(
            FlowRecord.Identity(flow: flow, client: try word(rows, client), state: try flowState(rows)),
            money: try money(rows),
            progress: FlowRecord.Progress(
                orderReference: try rows.optional(0, orderReference) { row, column throws(PostgresError) in
                    try rows.text(row, column)
                },
                isMet: try !rows.isNull(0, metAt),
                placements: Int(try rows.int64(0, placements)),
                attempt: Int(try rows.int64(0, attempt)),
                attemptID: try rows.optional(0, attemptID) { row, column throws(PostgresError) in
                    try rows.uuid(row, column)
                }
            ),
            tabHash: try liveTab(rows),
            result: try rows.optional(0, result) { row, column throws(PostgresError) in try rows.bytes(row, column) },
            sealed: try sealed.flatMap { column throws(PostgresError) in
                try rows.optional(0, column) { row, column throws(PostgresError) in try rows.bytes(row, column) }
            }
        )
    }

    /// A word of a closed list.
    static func word<Word: RawRepresentable<String>>(_ rows: ResultSet, _ column: Int) throws(PostgresError) -> Word {
        let text = try rows.text(0, column)
        guard let word = Word(rawValue: text) else {
            throw PostgresError(.decoding, "\(text) is no \(Word.self)")
        }
        return word
    }

    private static func money(_ rows: ResultSet) throws(PostgresError) -> FlowRecord.Money {
        let order: Order
        do {
            order = try Order(
                json: rows.json(0, cart),
                subtotal: yen(rows, subtotal),
                taxIncluded: yen(rows, taxIncluded)
            )
        } catch let error as CommerceError {
            throw PostgresError(.decoding, error.debugDescription)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(.decoding, "\(error)")
        }
        return FlowRecord.Money(
            order: order,
            postage: try rows.optional(0, postage) { _, column throws(PostgresError) in try yen(rows, column) },
            total: try rows.optional(0, total) { _, column throws(PostgresError) in try yen(rows, column) }
        )
    }

    private static func yen(_ rows: ResultSet, _ column: Int) throws(PostgresError) -> Yen {
        let amount = try rows.int64(0, column)
        guard let sum = Yen(exactly: amount) else { throw PostgresError(.decoding, "\(amount) is no sum") }
        return sum
    }
}

extension ResultSet {
    /// A value, or `nil` for NULL.
    func optional<Value>(
        _ row: Int,
        _ column: Int,
        _ body: (Int, Int) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value? {
        try isNull(row, column) ? nil : try body(row, column)
    }
}
