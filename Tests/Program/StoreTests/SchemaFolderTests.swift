import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Testing

/// The folders of `migrations/`, each with those that it needs.
@Suite("The schema")
struct SchemaFolderTests {
    private func migrate(_ database: TestDatabase, _ folders: [String]) throws -> [String] {
        try Migrations.apply(url: database.url, directory: migrationsFolder, features: folders)
    }

    /// The folders whose tables and functions one may name, beside its own: all that stand before it, unless fewer are named here.
    private static func needs(_ folder: String) -> [String] {
        switch folder {
        case "checkout": ["core", "service"]
        case "webhooks": ["core"]
        case "merchant": ["core", "service", "checkout"]
        default: migrationFolders.prefix { $0 != folder }.map(\.self)
        }
    }

    @Test(arguments: migrationFolders)
    func `of a folder is made with those that it needs`(folder: String) throws {
        let applied = try migrate(TestDatabase(), Self.needs(folder) + [folder])
        #expect(applied.contains { $0.hasPrefix("\(folder)/0001_") })
    }

    /// The statements of each file of a folder, without comments.
    private static func statements(_ folder: String) throws -> [(name: String, text: String)] {
        let names = try Files.list("\(migrationsFolder)/\(folder)")
        let functions = try? Files.list("\(migrationsFolder)/\(folder)/functions").map { "functions/\($0)" }
        return try (names + (functions ?? [])).filter { $0.hasSuffix(".sql") }.map { name in
            let text = String(decoding: try Files.read("\(migrationsFolder)/\(folder)/\(name)"), as: UTF8.self)
            let lines = text.split(separator: "\n").map {
                $0.prefix(upTo: $0.firstRange(of: "--")?.lowerBound ?? $0.endIndex)
            }
            return ("\(folder)/\(name)", lines.joined(separator: "\n"))
        }
    }

    // Bodies in PL/pgSQL are not looked into when they are created.
    @Test func `of a folder names nothing of one that it does not need`() throws {
        var makers: [Substring: String] = [:]
        for folder in migrationFolders {
            for (_, text) in try Self.statements(folder) {
                for match in text.matches(of: /CREATE (?:OR REPLACE )?(?:TABLE|FUNCTION|TYPE) ([a-z_]+)/) {
                    makers[match.1] = folder
                }
            }
        }
        #expect(makers["webview_session"] == "checkout" && makers["partition_keep"] == "core" && makers.count > 80)
        // Orders have a column of this name, for the account at the provider.
        makers["account"] = nil
        for folder in migrationFolders {
            let known = Self.needs(folder) + [folder]
            for (name, text) in try Self.statements(folder) {
                let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") })
                let foreign = words.filter { word in makers[word].map { !known.contains($0) } ?? false }
                #expect(foreign == [], "\(name)")
            }
        }
    }
}
