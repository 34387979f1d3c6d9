import CPostgres
import EventIO
package import Primitives

/// A blocking connection for tools and tests: text of SQL in, text out.
///
/// Every call waits on the calling thread, so it has no place on a loop that serves. Not `Sendable`; closed with its last
/// reference.
@safe package final class PostgresAdmin {
    private let connection: OpaquePointer

    /// Connects, and waits for it.
    ///
    /// - Parameters:
    ///   - url: As for `PostgresConfiguration`.
    ///   - database: Another database than the one in the URI.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    ///   - patience: How long to wait for the server, whole seconds, two at least.
    /// - Throws: `unavailable` when it cannot connect, `insecure` when it must not.
    package convenience init(
        url: Secret<String>,
        database: String? = nil,
        allowsPlaintext: Bool = false,
        patience: Duration = .seconds(5)
    ) throws(PostgresError) {
        var keywords = try PostgresConfiguration(url: url, allowsPlaintext: allowsPlaintext).keywords.reveal()
        if let database { keywords["dbname"] = database }
        keywords["client_encoding"] = "UTF8"
        keywords["connect_timeout"] = String(max(2, patience.components.seconds))
        if keywords["gssencmode"] == nil { keywords["gssencmode"] = "disable" }
        // To see whether they arrive; without any there is nothing to arrive, and a pooler may be one that refuses them.
        if let options = keywords["options"], !options.isEmpty {
            keywords["options"] = "-c \(SessionPins.arrival.name)=\(SessionPins.arrival.value) " + options
        }
        try self.init(keywords)
    }

    /// Connects with the settings of the program's own sessions that write, to look at the plans that it gets.
    package convenience init(like configuration: PostgresConfiguration) throws(PostgresError) {
        let keywords = ConnectionSettings(configuration, role: .write).keywords(attempt: 0)
        try self.init(Dictionary(keywords.map { ($0.keyword, $0.value) }) { $1 })
    }

    private init(_ keywords: [String: String]) throws(PostgresError) {
        let names = Array(keywords.keys)
        let values = names.map { keywords[$0] ?? "" }
        let connection = unsafe CStrings.with(names) { names in
            unsafe CStrings.with(values) { values in unsafe PQconnectdbParams(names, values, 0) }
        }
        guard let connection = unsafe connection else { throw PostgresError(.unavailable, "no memory") }
        unsafe self.connection = connection
        unsafe shim_ignore_notices(connection)
        guard unsafe PQstatus(connection) == CONNECTION_OK else {
            let advice = DatabaseLink.advice(on: message, keywords) + SessionPins.advice(on: message)
            throw PostgresError(.unavailable, message + advice)
        }
        let pins = SessionPins(hasOwnOptions: keywords["options"]?.isEmpty == false, random: KernelRandom())
        let first = try rows(pins.commands).first ?? []
        let second = try rows(SessionPins.question).first ?? []
        let objection =
            pins.objection(toFirst: first.map { $0 ?? "" }) ?? pins.objection(toSecond: second.map { $0 ?? "" })
        if let objection { throw PostgresError(.unavailable, objection) }
    }

    deinit {
        unsafe PQfinish(connection)
    }

    /// Runs commands, any number in one text; without `BEGIN` they are one transaction.
    ///
    /// - Throws: `rejected` by the server, or `unavailable` when the connection is lost.
    package func run(_ sql: String) throws(PostgresError) {
        _ = try unsafe finish(PQexec(connection, sql))
    }

    /// Runs one command and returns its rows as text.
    ///
    /// - Parameters:
    ///   - sql: One command, parameters written `$1` and on.
    ///   - parameters: As text; `nil` is NULL.
    /// - Returns: Rows of cells; `nil` is NULL.
    /// - Throws: `rejected` by the server, or `unavailable` when the connection is lost.
    package func rows(_ sql: String, _ parameters: [String?] = []) throws(PostgresError) -> [[String?]] {
        let texts = parameters.map { $0 ?? "" }
        let result = unsafe CStrings.with(texts) { pointers in
            var values: [UnsafePointer<CChar>?] = unsafe []
            for index in parameters.indices {
                unsafe values.append(parameters[index] == nil ? nil : pointers?[index])
            }
            return unsafe PQexecParams(connection, sql, Int32(values.count), nil, values, nil, nil, 0)
        }
        return try unsafe finish(result)
    }

    /// Makes a database.
    ///
    /// - Parameters:
    ///   - name: Any text of at most 63 bytes; it is quoted here.
    ///   - template: A database to copy, to which nobody is connected; `nil` for an empty one.
    /// - Throws: `rejected`, for example 42P04 when it is there already.
    package func createDatabase(_ name: String, template: String? = nil) throws(PostgresError) {
        let source = template.map { " TEMPLATE \(PostgresAdmin.quoted($0))" } ?? ""
        try run("CREATE DATABASE \(PostgresAdmin.quoted(name))\(source)")
    }

    /// Removes a database and disconnects its clients; one that is not there is fine.
    ///
    /// - Throws: `rejected` by the server.
    package func dropDatabase(_ name: String) throws(PostgresError) {
        try run("DROP DATABASE IF EXISTS \(PostgresAdmin.quoted(name)) WITH (FORCE)")
    }

    /// A name as SQL writes it, whatever characters it has.
    ///
    /// - Returns: The name in double quotes.
    package static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Whether a server takes connections; without a word about who may connect.
    static func accepts(_ uri: String) -> Bool {
        unsafe PQping(uri) == PQPING_OK
    }

    /// Whether a transaction is open and well.
    var isInTransaction: Bool { unsafe PQtransactionStatus(connection) == PQTRANS_INTRANS }

    private var message: String {
        guard let text = unsafe PQerrorMessage(connection) else { return "no message" }
        return Diagnosis.oneLine(unsafe String(cString: text))
    }

    private func finish(_ result: OpaquePointer?) throws(PostgresError) -> [[String?]] {
        guard let result = unsafe result else { throw PostgresError(.unavailable, message) }
        defer { unsafe PQclear(result) }
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK: return unsafe PostgresAdmin.cells(of: result)
        case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return []
        default: throw unsafe Diagnosis.error(of: result) ?? PostgresError(.unavailable, message)
        }
    }

    /// The rows of a result as text.
    static func cells(of result: OpaquePointer) -> [[String?]] {
        let columns = unsafe PQnfields(result)
        return (0..<(unsafe PQntuples(result))).map { row in
            (0..<columns).map { column in
                guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
                return unsafe PQgetvalue(result, row, column).map { unsafe String(cString: $0) }
            }
        }
    }
}
