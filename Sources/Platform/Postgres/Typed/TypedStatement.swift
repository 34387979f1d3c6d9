package import Primitives

/// A statement whose parameters and rows are types: `TypedStatement<Row, Input…>`.
///
/// The inputs are its only list of parameters: the types that are declared to the server come from it, and the compiler compares
/// each call with it. The rows are read by one closure beside the SQL, column by column in the order of the select list.
package struct TypedStatement<Row, each Input: StatementInput>: Sendable {
    /// The same without types, for the cards of features and whoever walks through all statements.
    package let statement: Statement
    private let decode: @Sendable (inout RowReader) throws -> Row

    /// A statement that is ready to be used on any connection.
    ///
    /// - Parameters:
    ///   - name: Unique among all statements of the program, at most 63 ASCII characters, not empty.
    ///   - sql: One statement; `$1` and on are the inputs in their order.
    ///   - decode: Makes a row of its columns; what it throws becomes `decoding`.
    package init(name: String, sql: String, row decode: @escaping @Sendable (inout RowReader) throws -> Row) {
        var types: [PostgresType] = []
        repeat types.append(contentsOf: (each Input).parameterTypes)
        statement = Statement(name: name, sql: sql, parameterTypes: types)
        self.decode = decode
    }

    /// A call with these values.
    package func callAsFunction(_ input: repeat each Input) -> StatementCall<Row> {
        var parameters = Parameters()
        // Few values take more than 32 bytes; where one does, its text or bytes are worth another allocation.
        let count = statement.parameterTypes.count
        if count > 0 { parameters.reserve(count: count, byteCount: max(96, 40 * count)) }
        repeat (each input).append(to: &parameters)
        return StatementCall(statement, parameters, decode)
    }

    /// Turns a call of this statement into one of a longer statement, which takes one input more; the buffer is kept.
    package func extend<Last: StatementInput>(
        _ call: inout StatementCall<Row>,
        to longer: TypedStatement<Row, repeat each Input, Last>,
        _ last: Last
    ) {
        last.append(to: &call.parameters)
        call.statement = longer.statement
        call.decode = longer.decode
    }
}

extension TypedStatement where Row == Void {
    /// A statement whose rows are counted at most.
    package init(name: String, sql: String) {
        self.init(name: name, sql: sql) { _ in }
    }
}

extension TypedStatement where Row: ColumnValue {
    /// A statement whose rows are one column.
    package init(name: String, sql: String) {
        self.init(name: name, sql: sql) { row in try row.next() }
    }
}

extension TypedStatement where Row == LazyRow {
    /// A statement of whose rows is read what the first columns ask for.
    package init(name: String, sql: String) {
        self.init(name: name, sql: sql) { row in row.lazy }
    }
}

/// A statement with its parameters, and how its rows are read.
package struct StatementCall<Row> {
    /// The statement.
    package fileprivate(set) var statement: Statement
    /// One value for each of its parameters.
    package fileprivate(set) var parameters: Parameters
    var decode: @Sendable (inout RowReader) throws -> Row

    init(
        _ statement: Statement,
        _ parameters: Parameters,
        _ decode: @escaping @Sendable (inout RowReader) throws -> Row
    ) {
        self.statement = statement
        self.parameters = parameters
        self.decode = decode
    }

    /// What was returned to this call.
    package func rows(_ results: ResultSet) -> Rows<Row> { Rows(results, decode) }
}

/// The rows that a call returned.
package struct Rows<Row> {
    private let results: ResultSet
    private let decode: @Sendable (inout RowReader) throws -> Row

    init(_ results: ResultSet, _ decode: @escaping @Sendable (inout RowReader) throws -> Row) {
        self.results = results
        self.decode = decode
    }

    /// How many rows there are.
    package var count: Int { results.rowCount }

    /// How many rows an INSERT, UPDATE or DELETE changed.
    package var affectedCount: Int { results.affectedRowCount }

    /// A row, counted from zero; `decoding` where it is not there or has another shape.
    package func decoded(_ index: Int) throws(PostgresError) -> Row {
        var reader = RowReader(results, index)
        do {
            return try decode(&reader)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(.decoding, "\(error)")
        }
    }

    /// The first row of a statement that always returns one; `fault` where it is not there or has another shape.
    package func first() throws(StoreError) -> Row { try row(0) }

    /// The row, or `nil` unless there is exactly one; `fault` for another shape.
    package func single() throws(StoreError) -> Row? { count == 1 ? try row(0) : nil }

    /// All rows, or so many from the first on; `fault` for another shape.
    package func all(limit: Int = .max) throws(StoreError) -> [Row] {
        var all: [Row] = []
        for index in 0..<min(count, limit) { all.append(try row(index)) }
        return all
    }

    private func row(_ index: Int) throws(StoreError) -> Row {
        do {
            return try decoded(index)
        } catch {
            throw StoreError(error)
        }
    }
}

/// What became of a call that changes several rows.
package enum WorkOutcome<Row> {
    /// It was committed.
    case done(Rows<Row>)
    /// The database refused a row of it, so nothing was changed; others may go through without that row.
    case refused(sqlState: String)
}

extension PostgresClient {
    /// Makes a call that changes nothing; see `read(_:_:isLastStep:)`.
    package func read<Row>(_ call: StatementCall<Row>, isLastStep: Bool = false) async throws(StoreError) -> Rows<Row> {
        do {
            return call.rows(try await read(call.statement, call.parameters, isLastStep: isLastStep))
        } catch {
            throw StoreError(error)
        }
    }

    /// Makes a call that may change rows, in a group; see `write(_:_:key:isLastStep:)`.
    package func write<Row>(
        _ call: StatementCall<Row>,
        key: UUIDBytes? = nil,
        isLastStep: Bool = false
    ) async throws(StoreError) -> Rows<Row> {
        do {
            return call.rows(try await write(call.statement, call.parameters, key: key, isLastStep: isLastStep))
        } catch {
            throw StoreError(error)
        }
    }

    /// Makes a call that changes several rows on the connection for upkeep, and tells the refusal of a row from other failures.
    package func workOrRefusal<Row>(_ call: StatementCall<Row>) async throws(StoreError) -> WorkOutcome<Row> {
        do {
            return .done(call.rows(try await work(call.statement, call.parameters)))
        } catch {
            guard error.isAboutRow, let state = error.sqlState else { throw StoreError(error) }
            return .refused(sqlState: state)
        }
    }

    /// Makes a call on the connection for upkeep; see `work(_:_:isLastStep:)`.
    package func work<Row>(_ call: StatementCall<Row>, isLastStep: Bool = false) async throws(StoreError) -> Rows<Row> {
        do {
            return call.rows(try await work(call.statement, call.parameters, isLastStep: isLastStep))
        } catch {
            throw StoreError(error)
        }
    }
}
