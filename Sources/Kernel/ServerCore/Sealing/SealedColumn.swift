package import Postgres
import Primitives
import StrictJSON

/// A column whose values are sealed under the keyring; `sallyport reseal` walks it along the primary key of its table.
///
/// Empty values hold nothing. The service role reads and updates the column.
package struct SealedColumn: Sendable, Hashable {
    /// A column of the primary key.
    package struct Key: Sendable, Hashable {
        let name: String
        let type: String
        /// Not greater than any value.
        let least: String

        /// A column of type `uuid`.
        package static func uuid(_ name: StaticString) -> Key {
            Key(name: name.description, type: "uuid", least: "00000000-0000-0000-0000-000000000000")
        }

        /// A column of type `bigint`.
        package static func bigint(_ name: StaticString) -> Key {
            Key(name: name.description, type: "bigint", least: "\(Int64.min)")
        }

        /// A column of type `text`.
        package static func text(_ name: StaticString) -> Key {
            Key(name: name.description, type: "text", least: "")
        }
    }

    /// The table.
    package let table: String
    /// The column, of type `bytea`.
    package let column: String
    /// What `KeyringSeal` is made with; of one table only.
    package let purpose: String
    let key: [Key]
    private let more: String?

    /// A column; names that stand in the sources.
    ///
    /// - Parameters:
    ///   - key: The whole primary key of the table.
    ///   - more: A column that belongs to the identity beside the key.
    package init(
        _ table: StaticString,
        key: [Key],
        and more: StaticString? = nil,
        _ column: StaticString,
        purpose: StaticString
    ) {
        self.table = table.description
        self.key = key
        self.more = more?.description
        self.column = column.description
        self.purpose = purpose.description
    }

    /// As people write it.
    package var name: String { "\(table).\(column)" }

    /// Every statement that walks it.
    package var statements: [Statement] { [readStatement.statement, writeStatement.statement] }

    /// A value, with what it is bound to.
    struct Row {
        /// The primary key, as a JSON array of texts.
        let key: [UInt8]
        /// The key and the column beside it, as texts; `nil` where one is not there.
        let identity: [String]?
        let sealed: [UInt8]
    }

    /// The values behind a place, that one included: places of rows are JSON arrays of texts.
    var readStatement: TypedStatement<Row, String, Int> {
        let keys = key.map { "t.\($0.name)" }.joined(separator: ", ")
        let texts = key.map { "t.\($0.name)::text" }
        let since = key.indices.map { "($1::json ->> \($0))::\(key[$0].type)" }.joined(separator: ", ")
        let identity = texts + (more.map { ["t.\($0)::text"] } ?? [])
        return TypedStatement(
            name: "reseal_read_\(table)_\(column)",
            sql: """
                SELECT json_build_array(\(texts.joined(separator: ", "))), json_build_array(\(identity.joined(separator: ", "))), t.\(column)
                FROM \(table) AS t WHERE (\(keys)) >= (\(since)) ORDER BY \(keys) LIMIT $2
                """
        ) { row in
            let (key, identity) = (try row.next(StoredJSON.self).utf8, try row.next(StoredJSON.self).utf8)
            return Row(key: key, identity: SealedColumn.texts(identity), sealed: try row.next([UInt8]?.self) ?? [])
        }
    }

    /// The place before the first row.
    package var start: String { JSONValue.array(key.map { .string($0.least) }).description }

    /// Writes values in the place of those that are still there; rows that somebody works on are passed over, so nobody waits.
    var writeStatement: TypedStatement<Int, String> {
        let columns = key.indices.map { "k\($0) \(key[$0].type), " }.joined()
        let match = key.indices.map { "t.\(key[$0].name) = n.k\($0)" }.joined(separator: " AND ")
        let keys = key.map { "t.\($0.name)" }.joined(separator: ", ")
        let own = key.map { "t.\($0.name) = l.\($0.name)" }.joined(separator: " AND ")
        return TypedStatement(
            name: "reseal_write_\(table)_\(column)",
            sql: """
                WITH n AS (SELECT * FROM json_to_recordset($1::json) AS r (\(columns)was text, now text)),
                l AS (
                    SELECT \(keys), n.now FROM n JOIN \(table) AS t ON \(match) AND t.\(column) = decode(n.was, 'hex')
                    ORDER BY \(keys) FOR UPDATE OF t SKIP LOCKED),
                u AS (UPDATE \(table) AS t SET \(column) = decode(l.now, 'hex') FROM l WHERE \(own) RETURNING 1)
                SELECT count(*) FROM u
                """
        )
    }

    /// One of the values to write.
    func change(_ row: Row, to sealed: [UInt8]) -> JSONValue? {
        guard let key = SealedColumn.texts(row.key) else { return nil }
        let keys = key.enumerated().map { JSONMember("k\($0)", .string($1)) }
        return .object(
            keys + [
                JSONMember("was", .string(Hex.encode(row.sealed))), JSONMember("now", .string(Hex.encode(sealed))),
            ]
        )
    }

    private static func texts(_ array: [UInt8]) -> [String]? {
        guard let value = try? JSONParser.parse(array), case .array(let values) = value else { return nil }
        let texts = values.compactMap(\.text)
        return texts.count == values.count ? texts : nil
    }
}
