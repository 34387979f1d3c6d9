extension ResultSet {
    /// A value that the body reads, or `nil` for NULL.
    ///
    /// - Throws: What the body throws.
    package func optional<Value>(
        _ row: Int,
        _ column: Int,
        _ body: (Int, Int) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value? {
        try isNull(row, column) ? nil : try body(row, column)
    }

    /// A `text`, or `nil` for NULL.
    package func optionalText(_ row: Int, _ column: Int) throws(PostgresError) -> String? {
        try isNull(row, column) ? nil : try text(row, column)
    }

    /// A `bytea`, or `nil` for NULL.
    package func optionalBytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8]? {
        try isNull(row, column) ? nil : try bytes(row, column)
    }
}
