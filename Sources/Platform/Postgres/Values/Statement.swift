/// A statement of SQL with its name and the types of its parameters.
///
/// Each connection prepares it under its name the first time it is used there, in the same pipeline, so a statement costs no
/// round trip of its own. Make one constant per statement; a copy costs one reference count.
package struct Statement: Sendable {
    private final class Text: Sendable {
        let name: String
        let sql: String
        let parameterTypes: [PostgresType]
        let objectIdentifiers: [UInt32]

        init(name: String, sql: String, parameterTypes: [PostgresType]) {
            self.name = name
            self.sql = sql
            self.parameterTypes = parameterTypes
            objectIdentifiers = parameterTypes.map(\.rawValue)
        }
    }

    private let text: Text

    /// A statement that is ready to be used on any connection.
    ///
    /// - Parameters:
    ///   - name: Unique among all statements of the program, at most 63 ASCII characters, not empty.
    ///   - sql: One statement, parameters written `$1` and on.
    ///   - parameterTypes: The type of each parameter in order; at most 65,535.
    package init(name: String, sql: String, parameterTypes: [PostgresType] = []) {
        precondition(!name.isEmpty && name.utf8.count <= 63, "a statement has a name of 1 to 63 characters")
        text = Text(name: name, sql: sql, parameterTypes: parameterTypes)
    }

    /// The name it is prepared under.
    package var name: String { text.name }
    /// The text with `$1` and on for parameters.
    package var sql: String { text.sql }
    /// The type of each parameter in order.
    package var parameterTypes: [PostgresType] { text.parameterTypes }

    var objectIdentifiers: [UInt32] { text.objectIdentifiers }

    /// Names the constant for as long as anybody holds it.
    var identity: ObjectIdentifier { ObjectIdentifier(text) }

    /// Whether both are the same constant, or at least the same SQL.
    func isSame(as other: Statement) -> Bool {
        text === other.text || text.sql == other.text.sql
    }
}
