import CPostgres
package import Primitives

/// The rows that a statement returned, in the memory libpq received them in.
///
/// Rows and columns are counted from zero. Every read checks the index, the type of the column, NULL and the width; what does
/// not fit is thrown as `decoding`, and nothing that a server sends can trap. Not `Sendable`: it belongs to its loop.
@safe package final class ResultSet {
    private let result: OpaquePointer
    /// The number of rows; zero for a statement that returns none.
    package let rowCount: Int
    /// The number of columns; zero for a statement that returns no rows at all.
    package let columnCount: Int

    /// Takes over a result of libpq; it is freed with this object.
    package init(owning result: OpaquePointer) {
        unsafe self.result = result
        rowCount = unsafe Int(PQntuples(result))
        columnCount = unsafe Int(PQnfields(result))
    }

    deinit {
        unsafe PQclear(result)
    }

    /// The number of rows that an INSERT, UPDATE or DELETE changed, or that a SELECT returned; zero for other commands.
    package var affectedRowCount: Int {
        guard let text = unsafe PQcmdTuples(result) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    /// Whether a cell is NULL.
    ///
    /// - Throws: `decoding` for an index that is not there.
    package func isNull(_ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        try check(row, column)
        return unsafe PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// A `bigint`, `integer`, `smallint` or `oid`.
    ///
    /// - Throws: `decoding` for another type, NULL, or an index that is not there.
    package func int64(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        try cell(row, column, "a whole number") { type, bytes in
            let word = ResultSet.bigEndian(bytes)
            return switch (type, bytes.count) {
            case (PostgresType.int8.rawValue, 8): Int64(bitPattern: word)
            case (PostgresType.int4.rawValue, 4): Int64(Int32(truncatingIfNeeded: word))
            case (ResultType.int2, 2): Int64(Int16(truncatingIfNeeded: word))
            case (ResultType.oid, 4): Int64(truncatingIfNeeded: word)
            default: nil
            }
        }
    }

    /// A `boolean`.
    ///
    /// - Throws: `decoding` for another type, NULL, or an index that is not there.
    package func bool(_ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        try cell(row, column, "a truth value") { type, bytes in
            type == PostgresType.bool.rawValue && bytes.count == 1 ? bytes[0] != 0 : nil
        }
    }

    /// A `text`, or another type whose binary form is its text: `varchar`, `name`, an enumeration.
    ///
    /// - Returns: May be empty.
    /// - Throws: `decoding` for a type that is no text, NULL, or an index that is not there.
    package func text(_ row: Int, _ column: Int) throws(PostgresError) -> String {
        try cell(row, column, "text") { type, bytes in
            ResultType.isText(type) ? ResultSet.string(bytes) : nil
        }
    }

    /// A `jsonb` or `json`, copied.
    ///
    /// - Returns: One JSON value in UTF-8; a `jsonb` comes in the server's own order of keys.
    /// - Throws: `decoding` for another type, NULL, or an index that is not there.
    package func json(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] {
        try cell(row, column, "JSON") { type, bytes in
            if type == ResultType.json { return ResultSet.copy(bytes) }
            guard type == PostgresType.jsonb.rawValue, bytes.count > 0, bytes[0] == ParameterFormat.jsonbVersion else {
                return nil
            }
            return ResultSet.copy(bytes.extracting(1...))
        }
    }

    /// A `bytea`, copied.
    ///
    /// - Returns: May be empty.
    /// - Throws: `decoding` for another type, NULL, or an index that is not there.
    package func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] {
        try withBytes(row, column) { ResultSet.copy($0) }
    }

    /// Lends a `bytea` without a copy.
    ///
    /// - Parameters:
    ///   - row: From zero.
    ///   - column: From zero.
    ///   - body: Gets the bytes, which may be none.
    /// - Throws: `decoding` for another type, NULL, or an index that is not there.
    package func withBytes<Value>(
        _ row: Int,
        _ column: Int,
        _ body: (Span<UInt8>) -> Value
    ) throws(PostgresError) -> Value {
        try cell(row, column, "bytes") { type, bytes in
            type == PostgresType.bytea.rawValue ? body(bytes) : nil
        }
    }

    /// A `bytea` of 32 bytes.
    ///
    /// - Throws: `decoding` for another type, another length, NULL, or an index that is not there.
    package func digest(_ row: Int, _ column: Int) throws(PostgresError) -> Digest32 {
        try cell(row, column, "a digest of 32 bytes") { type, bytes in
            type == PostgresType.bytea.rawValue ? Digest32(bytes) : nil
        }
    }

    /// A `uuid`.
    ///
    /// - Throws: `decoding` for another type, NULL, or an index that is not there.
    package func uuid(_ row: Int, _ column: Int) throws(PostgresError) -> UUIDBytes {
        try cell(row, column, "a UUID") { type, bytes in
            type == PostgresType.uuid.rawValue ? UUIDBytes(bytes) : nil
        }
    }

    /// A `timestamptz`; infinity is the last second of the year 9999, or the first of the year 1.
    ///
    /// The program stores no such time. Where somebody else has, the list with that row can be read all the same.
    ///
    /// - Throws: `decoding` for another type, NULL, or an index that is not there.
    package func timestamp(_ row: Int, _ column: Int) throws(PostgresError) -> WallTime {
        try cell(row, column, "a time") { type, bytes in
            guard type == PostgresType.timestamptz.rawValue, bytes.count == 8 else { return nil }
            let value = Int64(bitPattern: ResultSet.bigEndian(bytes))
            let microseconds = value.addingReportingOverflow(PostgresEpoch.microseconds)
            switch value {
            case Int64.min: return WallTime(seconds: -62_135_596_800)
            case _ where microseconds.overflow: return WallTime(seconds: 253_402_300_799)
            default: return WallTime(microseconds: microseconds.partialValue)
            }
        }
    }

    private func check(_ row: Int, _ column: Int) throws(PostgresError) {
        guard row >= 0, row < rowCount, column >= 0, column < columnCount else {
            throw PostgresError(.decoding, "no cell \(row), \(column) in \(rowCount) rows of \(columnCount) columns")
        }
    }

    /// Lends one cell with the identifier of its type to a reader that returns `nil` for what it cannot read.
    private func cell<Value>(
        _ row: Int,
        _ column: Int,
        _ expected: StaticString,
        _ read: (_ type: UInt32, _ bytes: Span<UInt8>) -> Value?
    ) throws(PostgresError) -> Value {
        guard try !isNull(row, column) else {
            throw PostgresError(.decoding, "cell \(row), \(column) is NULL, not \(expected)")
        }
        let type = unsafe PQftype(result, Int32(column))
        let length = unsafe Int(PQgetlength(result, Int32(row), Int32(column)))
        // libpq ends every value with a NUL of its own, so there is a pointer even where the length is zero.
        let start = unsafe PQgetvalue(result, Int32(row), Int32(column))
        let memory = unsafe UnsafeRawBufferPointer(start: start, count: max(0, length))
        let value = unsafe memory.withMemoryRebound(to: UInt8.self) { read(type, unsafe $0.span) }
        guard let value else {
            let detail = "cell \(row), \(column) of type \(type), \(length) bytes, is not \(expected)"
            throw PostgresError(.decoding, detail)
        }
        return value
    }

    private static func bigEndian(_ bytes: Span<UInt8>) -> UInt64 {
        guard bytes.count <= 8 else { return 0 }
        var word: UInt64 = 0
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
        return word
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    private static func string(_ bytes: Span<UInt8>) -> String? {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }
}
