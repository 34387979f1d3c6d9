import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Testing

@Suite struct `A value` {
    private static let database = Result { () throws(PostgresError) in try TestDatabase() }

    /// Sends one parameter and hands back the row that it comes back in.
    private func echo<Value: Sendable>(
        _ type: PostgresType,
        _ sql: String,
        _ append: @escaping @Sendable (inout Parameters) -> Void,
        _ read: @escaping @Sendable (ResultSet) throws -> Value
    ) async throws -> Value {
        let url = try Self.database.get().url
        return try await withClient(url) { client, _ in
            let statement = Statement(name: "echo_\(type)", sql: "SELECT \(sql)", parameterTypes: [type])
            var parameters = Parameters()
            append(&parameters)
            return try read(await client.read(statement, parameters))
        }
    }

    @Test(arguments: [0, 1, -1, Int64.max, Int64.min])
    func `of type bigint comes back`(value: Int64) async throws {
        #expect(try await echo(.int8, "$1", { $0.append(int64: value) }, { try $0.int64(0, 0) }) == value)
    }

    @Test(arguments: [0, 1, -1, Int32.max, Int32.min])
    func `of type integer comes back`(value: Int32) async throws {
        let back = try await echo(.int4, "$1", { $0.append(int32: value) }, { try $0.int64(0, 0) })
        #expect(back == Int64(value))
    }

    @Test(arguments: [0, 1, -1, Int64(Int16.max), Int64(Int16.min)])
    func `of type smallint is read`(value: Int64) async throws {
        let back = try await echo(.int8, "$1::smallint", { $0.append(int64: value) }, { try $0.int64(0, 0) })
        #expect(back == value)
    }

    @Test(arguments: [true, false])
    func `of type boolean comes back`(value: Bool) async throws {
        #expect(try await echo(.bool, "$1", { $0.append(bool: value) }, { try $0.bool(0, 0) }) == value)
    }

    @Test(arguments: ["", "a", "日本語 🚪", "e\u{301}", String(repeating: "x", count: 300_000), "\u{10FFFF}'\"\\\n"])
    func `of type text comes back`(value: String) async throws {
        let back = try await echo(.text, "$1", { $0.append(text: value) }, { try $0.text(0, 0) })
        #expect(Array(back.utf8) == Array(value.utf8))
    }

    @Test(arguments: [[], [0], Array(UInt8.min...UInt8.max), [UInt8](repeating: 7, count: 1_000_000)])
    func `of type bytea comes back`(value: [UInt8]) async throws {
        #expect(try await echo(.bytea, "$1", { $0.append(bytes: value) }, { try $0.bytes(0, 0) }) == value)
    }

    @Test func `of 32 bytes comes back as a digest`() async throws {
        let bytes = [UInt8](repeating: 0xA5, count: 32)
        let made = Digest32(bytes.span)
        let digest = try #require(made)
        #expect(try await echo(.bytea, "$1", { $0.append(digest: digest) }, { try $0.digest(0, 0) }) == digest)
    }

    @Test(arguments: [
        UUIDBytes(high: 0, low: 0), UUIDBytes(high: .max, low: .max),
        UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001),
    ])
    func `of type uuid comes back`(value: UUIDBytes) async throws {
        #expect(try await echo(.uuid, "$1", { $0.append(uuid: value) }, { try $0.uuid(0, 0) }) == value)
        let text = try await echo(.uuid, "$1::text", { $0.append(uuid: value) }, { try $0.text(0, 0) })
        #expect(text == value.description)
    }

    @Test(arguments: [0, 1, -1, 1_763_700_000_123_456, 9_000_000_000_000_000_000, -210_000_000_000_000_000])
    func `of type timestamptz comes back`(microseconds: Int64) async throws {
        let time = WallTime(microseconds: microseconds)
        #expect(try await echo(.timestamptz, "$1", { $0.append(timestamp: time) }, { try $0.timestamp(0, 0) }) == time)
    }

    @Test(arguments: ["{}", #"{"a": [1, 2.5, null, "日本"]}"#, "null", #""text""#])
    func `of type jsonb comes back`(value: String) async throws {
        let json = try await echo(.jsonb, "$1", { $0.append(json: value) }, { try $0.json(0, 0) })
        #expect(String(decoding: json, as: UTF8.self) == value)
    }

    @Test(arguments: [PostgresType.bool, .bytea, .int8, .int4, .text, .timestamptz, .uuid, .jsonb])
    func `of any type may be NULL`(type: PostgresType) async throws {
        #expect(try await echo(type, "$1", { $0.appendNull() }, { try $0.isNull(0, 0) }))
    }

    @Test func `of type json or varchar is read`() async throws {
        let members = Array(#"{"b":1, "a":2}"#.utf8)
        let json = try await echo(.text, "$1::json", { $0.append(utf8: members) }, { try $0.json(0, 0) })
        #expect(json == members)
        let text = try await echo(.text, "$1::varchar(3)", { $0.append(text: "abc") }, { try $0.text(0, 0) })
        #expect(text == "abc")
    }
}

@Suite struct `A time without end` {
    @Test(arguments: [("-infinity", "0001-01-01T00:00:00Z"), ("infinity", "9999-12-31T23:59:59Z")])
    func `is read as the end of the calendar, so that its row keeps no other from being read`(
        word: String,
        text: String
    ) async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, _ in
            let rows = try await client.read(Statement(name: "without_end", sql: "SELECT '\(word)'::timestamptz"))
            #expect(CalendarDate(try rows.timestamp(0, 0)).extendedText == text)
        }
    }
}

@Suite struct `A cell that is not what was asked for` {
    private typealias Read = @Sendable (ResultSet) throws -> Void

    private static let reads: [(String, Read)] = [
        ("$1::text", { rows in _ = try rows.int64(0, 0) }),
        ("1.5::float8", { rows in _ = try rows.int64(0, 0) }),
        ("now()", { rows in _ = try rows.int64(0, 0) }),
        ("1", { rows in _ = try rows.bool(0, 0) }),
        ("1", { rows in _ = try rows.text(0, 0) }),
        ("'\\x00'::bytea", { rows in _ = try rows.text(0, 0) }),
        ("'{}'::jsonb", { rows in _ = try rows.text(0, 0) }),
        ("'{}'::text", { rows in _ = try rows.json(0, 0) }),
        ("'a'::text", { rows in _ = try rows.bytes(0, 0) }),
        ("'\\x00'::bytea", { rows in _ = try rows.digest(0, 0) }),
        ("'\\x00'::bytea", { rows in _ = try rows.uuid(0, 0) }),
        ("1::bigint", { rows in _ = try rows.timestamp(0, 0) }),
        ("NULL::bigint", { rows in _ = try rows.int64(0, 0) }),
        ("NULL::text", { rows in _ = try rows.text(0, 0) }),
        ("1", { rows in _ = try rows.int64(1, 0) }),
        ("1", { rows in _ = try rows.int64(0, 1) }),
        ("1", { rows in _ = try rows.int64(-1, 0) }),
        ("1", { rows in _ = try rows.int64(0, -1) }),
        ("1", { rows in _ = try rows.isNull(Int.max, 0) }),
    ]

    @Test func `is an error and no trap`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, _ in
            for (index, (sql, read)) in Self.reads.enumerated() {
                let types: [PostgresType] = sql.contains("$1") ? [.text] : []
                let statement = Statement(name: "read_\(index)", sql: "SELECT \(sql)", parameterTypes: types)
                var parameters = Parameters()
                if sql.contains("$1") { parameters.append(text: "a") }
                let rows = try await client.read(statement, parameters)
                let error = #expect(throws: PostgresError.self, "\(sql)") { try read(rows) }
                #expect(error?.code == .decoding)
            }
        }
    }

    @Test func `is an error when there is no row`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, _ in
            let rows = try await client.read(Statement(name: "none", sql: "SELECT 1 WHERE false"))
            #expect(rows.rowCount == 0)
            #expect(rows.columnCount == 1)
            #expect(throws: PostgresError.self) { try rows.int64(0, 0) }
        }
    }
}

@Suite struct `A result` {
    @Test func `may be large`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, _ in
            let sql = "SELECT i, repeat('x', 100) FROM generate_series(1, 100000) AS i"
            let rows = try await client.read(Statement(name: "many", sql: sql))
            #expect(rows.rowCount == 100_000)
            #expect(try rows.int64(99_999, 0) == 100_000)
            let wide = try await client.read(Statement(name: "wide", sql: "SELECT repeat('y', 50000000)::bytea"))
            #expect(try wide.withBytes(0, 0) { $0.count } == 50_000_000)
        }
    }

    @Test func `tells how many rows were changed`() async throws {
        let database = try TestDatabase()
        try await withClient(database.url) { client, _ in
            let create = try await client.write(Statement(name: "create", sql: "CREATE TABLE t (n bigint)"))
            #expect(create.affectedRowCount == 0)
            let insert = try await client.write(
                Statement(name: "insert", sql: "INSERT INTO t SELECT generate_series(1, 5) RETURNING n")
            )
            #expect(insert.affectedRowCount == 5)
            #expect(insert.rowCount == 5)
            let delete = try await client.write(Statement(name: "delete", sql: "DELETE FROM t WHERE n > 2"))
            #expect(delete.affectedRowCount == 3)
            #expect(delete.rowCount == 0)
        }
    }
}
