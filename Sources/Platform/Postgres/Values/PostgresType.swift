/// The types of parameters and results, by the object identifiers that every PostgreSQL server has built in.
package enum PostgresType: UInt32, Sendable, Hashable {
    /// `boolean`.
    case bool = 16
    /// `bytea`.
    case bytea = 17
    /// `bigint`.
    case int8 = 20
    /// `integer`.
    case int4 = 23
    /// `text`.
    case text = 25
    /// `timestamp with time zone`.
    case timestamptz = 1184
    /// `uuid`.
    case uuid = 2950
    /// `jsonb`.
    case jsonb = 3802
    /// `bytea[]`.
    case byteaArray = 1001
    /// `uuid[]`.
    case uuidArray = 2951
}

/// Identifiers of types that are read but never sent.
enum ResultType {
    static let int2: UInt32 = 21
    static let oid: UInt32 = 26
    static let timestampWithoutZone: UInt32 = 1114
    static let json: UInt32 = 114

    /// Whether the binary form of a type is its text, as far as the types with other forms are known.
    static func isText(_ type: UInt32) -> Bool {
        switch PostgresType(rawValue: type) {
        case .bool, .bytea, .int8, .int4, .timestamptz, .uuid, .jsonb, .byteaArray, .uuidArray: return false
        case .text: return true
        case nil: break
        }
        switch type {
        case int2, oid, timestampWithoutZone, 700, 701, 1082, 1083, 1186, 1700: return false
        default: return true
        }
    }
}

/// The difference between the two ways to count microseconds.
enum PostgresEpoch {
    /// 2000-01-01T00:00:00Z in microseconds since 1970.
    static let microseconds: Int64 = 946_684_800_000_000
}
