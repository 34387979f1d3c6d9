package import Primitives

/// A value that one column holds.
package protocol ColumnValue: Sendable {
    /// The value of a cell; `decoding` where the cell holds something else.
    static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Self
}

/// Reads the columns of one row, each once and in order.
package struct RowReader {
    private let rows: ResultSet
    private let row: Int
    private var column = 0

    init(_ rows: ResultSet, _ row: Int) {
        self.rows = rows
        self.row = row
    }

    /// The value of the next column; `decoding` where the row has none, or one that is no such value.
    package mutating func next<Value: ColumnValue>(_ type: Value.Type = Value.self) throws(PostgresError) -> Value {
        defer { column += 1 }
        return try Value.read(rows, row, column)
    }

    /// Whether the next column has a value, of whatever type.
    package mutating func isPresent() throws(PostgresError) -> Bool {
        defer { column += 1 }
        return try !rows.isNull(row, column)
    }

    /// The whole row, to be read later.
    package var lazy: LazyRow { LazyRow(rows, row) }
}

/// A row whose columns are read by their places, and only those that are needed: which these are depends on another.
package struct LazyRow {
    private let rows: ResultSet
    private let row: Int

    /// A row of what was returned.
    package init(_ rows: ResultSet, _ row: Int) {
        self.rows = rows
        self.row = row
    }

    /// The value of a column, counted from zero; `decoding` where the row has none, or one that is no such value.
    package func read<Value: ColumnValue>(
        _ column: Int,
        _ type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        try Value.read(rows, row, column)
    }

    /// Whether a column has a value, of whatever type.
    package func isPresent(_ column: Int) throws(PostgresError) -> Bool { try !rows.isNull(row, column) }
}

/// One column: how it is selected, and what it is read as.
package struct Column<Value: ColumnValue>: Sendable {
    let sql: String

    /// A column; one whose text begins with a line break stands on a new line of the select list.
    package init(_ sql: String, _ type: Value.Type) { self.sql = sql }
}

/// The columns of a row that several statements return: the select list and the types, in one list.
package struct Columns<each Value: ColumnValue>: Sendable {
    /// The select list.
    package let sql: String

    /// Columns in their order.
    package init(_ column: repeat Column<each Value>) {
        var sql = ""
        for text in repeat (each column).sql {
            sql += sql.isEmpty ? "" : text.hasPrefix("\n") ? "," : ", "
            sql += text
        }
        self.sql = sql
    }

    /// The next columns of a row, which are these.
    package func read(_ row: inout RowReader) throws(PostgresError) -> (repeat each Value) {
        (repeat try row.next((each Value).self))
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Wrapped? {
        try rows.isNull(row, column) ? nil : try Wrapped.read(rows, row, column)
    }
}

extension Int64: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        try rows.int64(row, column)
    }
}

extension Int: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Int {
        Int(try rows.int64(row, column))
    }
}

/// Whole seconds, from a `bigint`.
extension Duration: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Duration {
        .seconds(try rows.int64(row, column))
    }
}

extension Bool: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        try rows.bool(row, column)
    }
}

extension String: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> String {
        try rows.text(row, column)
    }
}

/// A `bytea`.
extension Array: ColumnValue where Element == UInt8 {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] {
        try rows.bytes(row, column)
    }
}

/// A `jsonb` or `json`.
package struct StoredJSON: ColumnValue {
    /// One JSON value in UTF-8.
    package let utf8: [UInt8]

    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> StoredJSON {
        StoredJSON(utf8: try rows.json(row, column))
    }
}

extension Digest32: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Digest32 {
        try rows.digest(row, column)
    }
}

extension UUIDBytes: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> UUIDBytes {
        try rows.uuid(row, column)
    }
}

extension WallTime: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> WallTime {
        try rows.timestamp(row, column)
    }
}

/// A word of a closed list; one that is not in it is a decoding error.
extension ColumnValue where Self: RawRepresentable<String> {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Self {
        try rows.word(row, column)
    }
}
