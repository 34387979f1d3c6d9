import Checkout
import Postgres

/// Statements of the program in the form that pgbench takes.
enum PgbenchText {
    /// A statement with `(:pN)::type` for each `$N`.
    ///
    /// - Parameter name: As it is prepared under, for example `webview_session_issue`.
    /// - Returns: SQL without a semicolon.
    /// - Throws: `UnknownStatement`.
    static func statement(_ name: String) throws -> String {
        guard let statement = PostgresSessionStore.hotStatements.first(where: { $0.name == name }) else {
            throw UnknownStatement(name: name, known: PostgresSessionStore.hotStatements.map(\.name))
        }
        // From the last one down, so that $1 does not match the beginning of $10.
        return statement.parameterTypes.indices.reversed().reduce(statement.sql) { sql, index in
            sql.replacing("$\(index + 1)", with: "(:p\(index + 1))::\(typeName(statement.parameterTypes[index]))")
        }
    }

    private static func typeName(_ type: PostgresType) -> String {
        switch type {
        case .bool: "boolean"
        case .bytea: "bytea"
        case .int8: "bigint"
        case .int4: "integer"
        case .text: "text"
        case .timestamptz: "timestamptz"
        case .uuid: "uuid"
        case .jsonb: "jsonb"
        case .byteaArray: "bytea[]"
        case .uuidArray: "uuid[]"
        }
    }
}

/// There is no statement of that name.
struct UnknownStatement: Error {
    let name: String
    let known: [String]
}
