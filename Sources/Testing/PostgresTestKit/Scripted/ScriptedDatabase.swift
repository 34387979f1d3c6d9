import CPostgres
package import EventIO
package import Postgres
import Primitives
import Telemetry

/// A database that is a list of answers: it returns what it was given, by the name of the statement, and decides nothing.
///
/// What a client asks that is not in the script is refused and kept as a complaint, and so is what the script has and nobody
/// asks for. A row is written as the parameters of a statement are. Lives on one loop.
package final class ScriptedDatabase: StatementResponder {
    /// A statement as it was sent.
    package struct Asked {
        /// The name of the statement.
        package let name: String
        /// Its parameters as one row: the first is column 0.
        package let parameters: ResultSet
    }

    /// Whether there is room for something new.
    package var admission = Admission.granted
    /// Everything that was asked, in order.
    package private(set) var asked: [Asked] = []
    private var script: [String: [(Parameters) -> Result<[Parameters], PostgresError>]] = [:]
    private var surprises: [String] = []

    /// A database without answers.
    package init() {}

    /// A client of the loop that asks this database; it is ready.
    package func client(_ reactor: Reactor) throws(PostgresError) -> PostgresClient {
        let configuration = try PostgresConfiguration(url: Secret("postgresql:///nowhere?host=/nowhere"))
        let client = PostgresClient(reactor: reactor, configuration: configuration, logger: .silent, responder: self)
        client.start()
        return client
    }

    /// Adds an answer behind those that a statement has.
    ///
    /// - Parameters:
    ///   - rows: What it returns; none for a statement that found nothing.
    package func answer(_ name: String, _ rows: Parameters...) { answer(name, rows: rows) }

    /// The same, with rows that were made before.
    package func answer(_ name: String, rows: [Parameters]) {
        script[name, default: []].append { _ in .success(rows) }
    }

    /// Adds an answer that repeats something of the question, such as an id that the program has drawn.
    ///
    /// - Parameters:
    ///   - row: Makes the one row from the parameters.
    package func answer(_ name: String, _ row: @escaping (ResultSet) throws -> Parameters) {
        script[name, default: []]
            .append { parameters in
                do {
                    return .success([try row(ScriptedDatabase.rows([parameters]))])
                } catch {
                    return .failure(PostgresError(.decoding, "the script of \(name): \(error)"))
                }
            }
    }

    /// Adds a failure behind the answers that a statement has.
    package func fail(_ name: String, _ code: PostgresError.Code) {
        script[name, default: []].append { _ in .failure(PostgresError(code, "the script says so")) }
    }

    /// Takes out the answers that were not asked.
    package func clear() { script = [:] }

    /// What was asked without being in the script, and what is in it and was not asked.
    package var complaints: [String] {
        surprises + script.filter { !$0.value.isEmpty }.keys.sorted().map { "\($0) was not asked" }
    }

    /// The names of what was asked, in order.
    package var names: [String] { asked.map(\.name) }

    package func admit() -> Admission { admission }

    package func answer(_ statement: Statement, _ parameters: Parameters) -> Result<ResultSet, PostgresError> {
        do throws(PostgresError) {
            asked.append(Asked(name: statement.name, parameters: try ScriptedDatabase.rows([parameters])))
            guard parameters.count == statement.parameterTypes.count else {
                throw surprise("\(statement.name) was given \(parameters.count) parameters")
            }
            guard var answers = script[statement.name], !answers.isEmpty else {
                throw surprise("\(statement.name) is not in the script")
            }
            let next = answers.removeFirst()
            script[statement.name] = answers
            return .success(try ScriptedDatabase.rows(next(parameters).get()))
        } catch {
            return .failure(error)
        }
    }

    private func surprise(_ text: String) -> PostgresError {
        surprises.append(text)
        return PostgresError(.rejected(sqlState: "XX000"), text)
    }

    /// Rows in libpq's own memory, as if a server had sent them in binary form.
    ///
    /// - Parameter rows: Each with as many values as the first; a column has the type of its first value that is not NULL.
    /// - Throws: `decoding` where libpq has no memory, or rows differ in their length.
    package static func rows(_ rows: [Parameters]) throws(PostgresError) -> ResultSet {
        guard let result = unsafe PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else {
            throw PostgresError(.decoding, "no memory for a result")
        }
        guard unsafe fill(result, with: rows) else {
            unsafe PQclear(result)
            throw PostgresError(.decoding, "rows of different lengths, or no memory")
        }
        return unsafe ResultSet(owning: result)
    }

    @unsafe private static func fill(_ result: OpaquePointer, with rows: [Parameters]) -> Bool {
        guard let first = rows.first else { return true }
        guard rows.allSatisfy({ $0.count == first.count }) else { return false }
        var types = [UInt32](repeating: 0, count: first.count)
        for row in rows {
            unsafe row.visit { column, type, _ in if types[column] == 0 { types[column] = type } }
        }
        var columns = unsafe types.map { type in
            let shown = type == 0 ? PostgresType.text.rawValue : type
            return unsafe PGresAttDesc(
                name: nil,
                tableid: 0,
                columnid: 0,
                format: 1,
                typid: shown,
                typlen: -1,
                atttypmod: -1
            )
        }
        guard unsafe PQsetResultAttrs(result, Int32(columns.count), &columns) != 0 else { return false }
        var isWhole = true
        for (number, row) in rows.enumerated() {
            unsafe row.visit { column, _, value in
                let length = unsafe value.map { Int32($0.count) } ?? -1
                // With one byte more there is memory behind an empty value too; nothing would be NULL.
                var bytes = unsafe (value.map { unsafe Array($0) } ?? []) + [0]
                let isSet = unsafe bytes.withUnsafeMutableBytes { memory in
                    let start = unsafe memory.baseAddress?.assumingMemoryBound(to: CChar.self)
                    return unsafe PQsetvalue(result, Int32(number), Int32(column), start, length)
                }
                if isSet == 0 { isWhole = false }
            }
        }
        return isWhole
    }
}
