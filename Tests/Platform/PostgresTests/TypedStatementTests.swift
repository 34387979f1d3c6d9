import PostgresTestKit
import Primitives
import Testing

@testable import Postgres

@Suite struct `A typed statement` {
    @Test func `declares the types of its inputs in their order`() {
        let statement = TypedStatement<Void, Pair, Int, Int32, Bool, Digest32, WallTime, Duration>(name: "a", sql: "")
        let types: [PostgresType] = [.uuid, .text, .int8, .int4, .bool, .bytea, .timestamptz, .int8]
        #expect(statement.statement.parameterTypes == types)
        let others = TypedStatement<Void, [UInt8], [UUIDBytes], [Digest32], UTF8Text, KnownWords<Colour>>(
            name: "b",
            sql: ""
        )
        #expect(others.statement.parameterTypes == [.bytea, .uuidArray, .byteaArray, .text, .text])
    }

    @Test func `takes NULL for each parameter of an input that is not there`() {
        let statement = TypedStatement<Void, Pair?, Int64?>(name: "c", sql: "")
        #expect(statement.statement.parameterTypes == [.uuid, .text, .int8])
        let given = statement(Pair(id: UUIDBytes(high: 1, low: 2), text: "a"), 3)
        #expect(given.parameters.mismatch(with: statement.statement) == nil)
        #expect(values(given.parameters) == ["00000000000000010000000000000002", "61", "0000000000000003"])
        let absent = statement(nil, nil)
        #expect(absent.parameters.mismatch(with: statement.statement) == nil)
        #expect(values(absent.parameters) == [nil, nil, nil])
    }

    @Test func `sends arrays and words as one value each`() {
        let statement = TypedStatement<Void, [UInt8], [UUIDBytes], UTF8Text, KnownWords<Colour>>(name: "d", sql: "")
        let call = statement([7], [], UTF8Text([0x41]), KnownWords(Colour.self))
        #expect(call.parameters.mismatch(with: statement.statement) == nil)
        #expect(values(call.parameters)[0] == "07")
        #expect(values(call.parameters).dropFirst(2) == ["41", Hex.encode(Array("{red,blue}".utf8))])
    }

    @Test func `takes over the parameters of a shorter one`() {
        let short = TypedStatement<LazyRow, Pair, Int>(name: "s", sql: "")
        let long = TypedStatement<LazyRow, Pair, Int, Bool>(name: "l", sql: "")
        var call = short(Pair(id: UUIDBytes(high: 1, low: 2), text: "a"), 3)
        short.extend(&call, to: long, true)
        #expect(call.statement.name == "l")
        #expect(call.parameters.mismatch(with: long.statement) == nil)
        #expect(values(call.parameters) == ["00000000000000010000000000000002", "61", "0000000000000003", "01"])
    }

    @Test func `refuses text with NUL, as an untyped one does`() {
        let statement = TypedStatement<Void, String>(name: "e", sql: "")
        #expect(statement("a\u{0}b").parameters.mismatch(with: statement.statement)?.sqlState == "22021")
    }
}

@Suite struct `Rows of a typed statement` {
    private static let everything = TypedStatement<Everything>(name: "f", sql: "") { row in
        Everything(
            id: try row.next(),
            count: try row.next(),
            note: try row.next(),
            colour: try row.next(),
            data: try row.next(StoredJSON?.self)?.utf8,
            isMarked: try row.isPresent(),
            age: try row.next()
        )
    }

    private static func row(note: String? = nil, colour: String = "red") -> Parameters {
        Parameters {
            $0.append(uuid: UUIDBytes(high: 1, low: 2))
            $0.append(int64: 3)
            $0.append(text: note)
            $0.append(text: colour)
            $0.append(json: "{}")
            $0.append(timestamp: nil)
            $0.append(int64: 9)
        }
    }

    private func rows(_ rows: [Parameters]) throws -> Rows<Everything> {
        Self.everything().rows(try ScriptedDatabase.rows(rows))
    }

    @Test func `are read in the order of their columns`() throws {
        let found = try rows([Self.row(), Self.row(note: "n", colour: "blue")])
        var expected = Everything(
            id: UUIDBytes(high: 1, low: 2),
            count: 3,
            note: nil,
            colour: .red,
            data: Array("{}".utf8),
            isMarked: false,
            age: .seconds(9)
        )
        #expect(try found.first() == expected)
        #expect(found.count == 2)
        #expect(try found.single() == nil)
        #expect(try found.all(limit: 1) == [expected])
        expected.note = "n"
        expected.colour = .blue
        #expect(try found.all().last == expected)
    }

    @Test func `are one or none where there is none`() throws {
        let none = try rows([])
        #expect(try none.single() == nil)
        #expect(try none.all() == [])
        #expect(#expect(throws: StoreError.self) { try none.first() }?.code == .fault)
    }

    @Test(arguments: [
        Parameters { $0.append(uuid: UUIDBytes(high: 1, low: 2)) },
        Parameters {
            $0.append(text: "1")
            $0.append(int64: 3)
        },
        Parameters {
            $0.append(uuid: UUIDBytes(high: 1, low: 2))
            $0.append(int64: nil)
        },
        Parameters {
            $0.append(uuid: UUIDBytes(high: 1, low: 2))
            $0.append(int64: 3)
            $0.append(int64: 4)
            $0.append(text: "red")
            $0.append(json: "{}")
            $0.append(timestamp: nil)
            $0.append(int64: 9)
        },
        row(colour: "green"),
    ]) func `are a fault where their shape is another`(_ other: Parameters) throws {
        let found = try rows([other])
        #expect(#expect(throws: StoreError.self) { try found.first() }?.code == .fault)
        #expect(#expect(throws: StoreError.self) { try found.single() }?.code == .fault)
        #expect(#expect(throws: StoreError.self) { try found.all() }?.code == .fault)
    }

    @Test func `are a fault where what is made of them throws`() throws {
        let statement = TypedStatement<Int>(name: "g", sql: "") { _ in throw Colour.NoColour() }
        let found = statement().rows(try ScriptedDatabase.rows([Self.row()]))
        #expect(#expect(throws: StoreError.self) { try found.first() }?.code == .fault)
    }

    @Test func `have one list of columns, selected and read`() throws {
        let columns = Columns(Column("a.id", UUIDBytes.self), Column("\nb.n", Int?.self), Column("b.c", Colour.self))
        #expect(columns.sql == "a.id,\nb.n, b.c")
        let statement = TypedStatement<String>(name: "h", sql: "SELECT \(columns.sql)") { row in
            let (id, number, colour) = try columns.read(&row)
            return "\(id.low) \(number ?? 0) \(colour) \(try row.next(String.self))"
        }
        let given = Parameters {
            $0.append(uuid: UUIDBytes(high: 1, low: 2))
            $0.append(int64: nil)
            $0.append(text: "blue")
            $0.append(text: "behind")
        }
        #expect(try statement().rows(try ScriptedDatabase.rows([given])).first() == "2 0 blue behind")
    }

    @Test func `are read by place where that is asked for`() throws {
        let statement = TypedStatement<LazyRow>(name: "i", sql: "")
        let row = try statement().rows(try ScriptedDatabase.rows([Self.row()])).first()
        #expect(try row.read(3, Colour.self) == .red)
        #expect(try row.read(1) == 3)
        #expect(try row.read(2, String?.self) == nil)
        #expect(try !row.isPresent(2) && row.isPresent(0))
        #expect(#expect(throws: PostgresError.self) { try row.read(7, Int.self) }?.code == .decoding)
    }

    @Test func `come from each of a client's connections`() async throws {
        let database = try TestDatabase()
        let echo = TypedStatement<(Int, String?), Int, String?>(name: "echo", sql: "SELECT $1, $2") { row in
            (try row.next(), try row.next())
        }
        let wrong = TypedStatement<Int, String>(name: "wrong", sql: "SELECT $1")
        try await withClient(database.url) { client, _ in
            let calls = [
                try await client.read(echo(1, nil)), try await client.write(echo(2, "b")),
                try await client.work(echo(3, "c")),
            ]
            let found = try calls.map { try $0.first() }
            #expect(found.map(\.0) == [1, 2, 3])
            #expect(found.map(\.1) == [nil, "b", "c"])
            let text = try await client.read(wrong("a"))
            #expect(#expect(throws: StoreError.self) { try text.first() }?.code == .fault)
        }
    }

    @Test func `say how many were changed where none is returned`() async throws {
        let database = try TestDatabase()
        let create = TypedStatement<Void>(name: "create", sql: "CREATE TABLE t (n bigint)")
        let insert = TypedStatement<Void, Int>(name: "insert", sql: "INSERT INTO t SELECT generate_series(1, $1)")
        try await withClient(database.url) { client, _ in
            _ = try await client.write(create())
            let inserted = try await client.write(insert(5))
            #expect(inserted.count == 0)
            #expect(inserted.affectedCount == 5)
        }
    }
}

private struct Everything: Equatable {
    let id: UUIDBytes
    let count: Int
    var note: String?
    var colour: Colour
    let data: [UInt8]?
    let isMarked: Bool
    let age: Duration
}

private enum Colour: String, CaseIterable, ColumnValue {
    case red, blue

    struct NoColour: Error {}
}

private struct Pair: StatementInput {
    let id: UUIDBytes
    let text: String

    static var parameterTypes: [PostgresType] { [.uuid, .text] }
    static var parameterCount: Int { 2 }

    func append(to parameters: inout Parameters) {
        parameters.append(uuid: id)
        parameters.append(text: text)
    }
}
