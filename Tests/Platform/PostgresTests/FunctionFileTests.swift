import EventIO
import PostgresTestKit
import Primitives
import Testing

@testable import Postgres

/// A folder with functions and a database without any.
private struct Scene {
    let folder: TestFolder
    let database: TestDatabase

    init(_ functions: [String: String]) throws {
        folder = try TestFolder()
        database = try TestDatabase()
        try Files.makeDirectory("\(folder.path)/base")
        try Files.makeDirectory("\(folder.path)/base/functions")
        try folder.write("base/0001_sums.sql", "CREATE TABLE sums (n bigint)")
        for (name, text) in functions { try write(name, text) }
    }

    func write(_ name: String, _ text: String) throws {
        try folder.write("base/functions/\(name)", text)
    }

    func run(_ progress: (Migrations.Progress) -> Void = { _ in }) throws(PostgresError) -> [String] {
        try Migrations.apply(url: database.url, directory: folder.path, features: ["base"], progress: progress)
    }

    func states() async throws -> [String] {
        try await Migrations.status(url: database.url, directory: folder.path, features: ["base"])
            .filter { $0.number == 0 }.map { "\($0.name) \($0.state)" }
    }

    func value(_ call: String) throws -> String? { try database.admin().rows("SELECT \(call)")[0][0] }
}

private func function(_ version: Int, _ name: String, _ body: String) -> String {
    """
    -- version: \(version)

    CREATE OR REPLACE FUNCTION \(name)() RETURNS bigint LANGUAGE sql AS $$ \(body) $$;
    """
}

@Suite struct `The file of a function` {
    private let scene: Scene

    init() throws { scene = try Scene(["one.sql": function(1, "one", "SELECT count(*) + 1 FROM sums")]) }

    @Test func `is applied behind the migrations, once`() async throws {
        #expect(try await scene.states() == ["base/functions pending"])
        #expect(try scene.run() == ["base/0001_sums.sql", "base/functions/one.sql"])
        #expect(try scene.value("one()") == "1")
        #expect(try scene.run() == [])
        #expect(try await scene.states() == ["base/functions applied"])
    }

    @Test func `replaces a lower version`() async throws {
        _ = try scene.run()
        try scene.write("one.sql", function(2, "one", "SELECT 2::bigint"))
        #expect(try await scene.states() == ["base/functions pending"])
        #expect(try scene.run() == ["base/functions/one.sql"])
        #expect(try scene.value("one()") == "2")
    }

    @Test func `never replaces a higher version, which is reported`() async throws {
        try scene.write("one.sql", function(3, "one", "SELECT 3::bigint"))
        _ = try scene.run()
        try scene.write("one.sql", function(2, "one", "SELECT 2::bigint"))
        var reported: [Migrations.Progress] = []
        #expect(try scene.run { reported.append($0) } == [])
        #expect(reported == [.leaving(name: "base/functions/one.sql")])
        #expect(try scene.value("one()") == "3")
        #expect(try await scene.states() == ["base/functions applied", "base/functions/one.sql newer"])
    }

    @Test func `with another text under the same version is refused before anything is applied`() async throws {
        _ = try scene.run()
        try scene.write("one.sql", function(1, "one", "SELECT 4::bigint"))
        try scene.folder.write("base/0002_more.sql", "CREATE TABLE more (n bigint)")
        let error = #expect(throws: PostgresError.self) { _ = try scene.run() }
        #expect(error?.code == .migration && error?.detail.contains("base/functions/one.sql") == true)
        #expect(try scene.value("to_regclass('more')") == nil)
        #expect(try await scene.states() == ["base/functions applied", "base/functions/one.sql changed"])
    }

    @Test func `may call functions of files behind it`() throws {
        try scene.write("a.sql", function(1, "a", "SELECT b()"))
        try scene.write("b.sql", function(1, "b", "SELECT one()"))
        _ = try scene.run()
        #expect(try scene.value("a()") == "1")
    }

    @Test(arguments: [
        function(1, "bad", "SELECT nobody()"),
        // Another signature is another function.
        "-- version: 2\nCREATE OR REPLACE FUNCTION one() RETURNS text LANGUAGE sql AS $$ SELECT '' $$",
    ])
    func `that fails is named, and takes the others with it`(text: String) throws {
        _ = try scene.run()
        try scene.write("bad.sql", text)
        try scene.write("a.sql", function(1, "a", "SELECT one()"))
        let error = #expect(throws: PostgresError.self) { _ = try scene.run() }
        #expect(error?.code == .migration && error?.detail.contains("base/functions/bad.sql") == true)
        #expect(try scene.value("to_regproc('a')") == nil)
    }

    @Test func `may not end the transaction`() throws {
        try scene.write("one.sql", "-- version: 1\nCOMMIT")
        let error = #expect(throws: PostgresError.self) { _ = try scene.run() }
        #expect(error?.detail.contains("base/functions/one.sql: ") == true)
    }

    @Test(arguments: [
        ("one.sql", "SELECT 1"), ("one.sql", "-- version: 0\nSELECT 1"), ("one.sql", "-- version: x\nSELECT 1"),
        ("One.sql", function(1, "one", "SELECT 1::bigint")), (".sql", function(1, "one", "SELECT 1::bigint")),
    ])
    func `without version, or with another name, is refused`(name: String, text: String) throws {
        try scene.write(name, text)
        let error = #expect(throws: PostgresError.self) { _ = try scene.run() }
        #expect(error?.code == .migration && error?.detail.contains(name) == true)
    }
}
