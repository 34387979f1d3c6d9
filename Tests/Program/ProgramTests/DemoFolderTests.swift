import EventIO
import Foundation
import Primitives
import ServerCore
import Settings
import TestKit
import Testing

@testable import Checkout
@testable import Program

@Suite struct `What a demo leaves for other commands` {
    private func withDemo(
        _ environment: [String: String],
        file: String? = nil,
        _ body: (String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            _ = try DevelopmentKeys.prepare(in: folder, random: KernelRandom())
            let environment = environment.merging(["SALLYPORT_DATA_DIR": folder]) { $1 }
            let source = SettingSource(file: file.map { Array($0.utf8) }, environment: environment)
            try DemoFolder.keep(source, try Configuration(DemoDefaults.fill(source)))
            try await body(folder)
        }
    }

    private func settings(_ folder: String, _ environment: [String: String] = [:]) throws -> Configuration? {
        let environment = environment.merging(["SALLYPORT_DATA_DIR": folder]) { $1 }
        let source = try DemoFolder.settings(for: SettingSource(file: nil, environment: environment))
        return source.map { Configuration(unchecked: $0) }
    }

    private static let database = "postgresql://me:s3cret@127.0.0.1:5433/shop"

    @Test func `is for its owner alone, and holds no secret`() async throws {
        let file = #"{"simulator_listen":"127.0.0.1:9555","database.password_file":"db.password"}"#
        try await withDemo(["SALLYPORT_DATABASE_URL": Self.database], file: file) { folder in
            let path = folder + "/demo.json"
            #expect(try Files.permissions(path).mode & 0o777 == 0o600)
            let text = String(decoding: try Files.read(path), as: UTF8.self)
            #expect(!text.contains("s3cret") && !text.contains("data_dir"), "\(text)")
            let here = try Files.resolved(".")
            #expect(text.contains("\"password_file\": \"\(here)/db.password\""), "\(text)")
        }
    }

    @Test func `is what commands go by, below their own settings`() async throws {
        try await withDemo([
            "SALLYPORT_DATABASE_URL": Self.database, "SALLYPORT_SIMULATOR_LISTEN": "127.0.0.1:9555",
            "SALLYPORT_LISTEN": "127.0.0.1:8555",
        ]) { folder in
            let kept = try #require(try settings(folder))
            #expect(kept.storage.databaseURL?.reveal() == "dbname='shop' host='127.0.0.1' port='5433' user='me'")
            #expect(try kept.checkout().provider.apiURL == "https://localhost:9555")
            #expect(kept.listeners.web.text == "https://localhost:8555")
            let told = try settings(folder, ["SALLYPORT_LISTEN": "127.0.0.1:8666"])
            #expect(told?.listeners.web.text == "https://localhost:8666")
            let sameDatabase = try settings(folder, ["SALLYPORT_DATABASE_URL": Self.database])
            #expect(try sameDatabase?.checkout().provider.apiURL == "https://localhost:9555")
            #expect(sameDatabase?.storage.databaseURL?.reveal() == Self.database)
        }
    }

    @Test func `is not for commands that name another database or an account`() async throws {
        for environment in [[:], ["SALLYPORT_DATABASE_URL": Self.database]] {
            try await withDemo(environment) { folder in
                for own in [("PROVIDER_MERCHANT_ID", "A1EXAMPLEMERCH"), ("DATABASE_URL", Self.database + "2")] {
                    let found = try settings(folder, ["SALLYPORT_" + own.0: own.1])
                    #expect(found == nil, "\(own)")
                }
            }
        }
        try await withTemporaryFolder { folder in
            let found = try settings(folder)
            #expect(found == nil, "no demo's")
        }
    }

    @Test func `is passed over where the doctor is given a file`() async throws {
        try await withDemo([:]) { folder in
            let environment = ["SALLYPORT_DATA_DIR": folder]
            let demo = await run(["doctor"], environment: environment)
            #expect(demo.status == 0, "\(demo.output)")
            #expect(demo.output.hasSuffix("these are the settings of the demo in \(folder)\n"), "\(demo.output)")
            try Files.write(folder + "/own.json", Array("{}".utf8))
            let own = await run(["doctor", "--config", folder + "/own.json"], environment: environment)
            #expect(own.status == 2, "\(own.output)")
        }
    }

    @Test func `cannot be read where somebody broke it, and is named`() async throws {
        try await withDemo([:]) { folder in
            try Files.write(folder + "/demo.json", Array("{".utf8))
            let found = await run(["keys", "list"], environment: ["SALLYPORT_DATA_DIR": folder])
            #expect(found.status == 2)
            #expect(found.complaints.contains("\(folder)/demo.json: not JSON"), "\(found.complaints)")
        }
    }
}
