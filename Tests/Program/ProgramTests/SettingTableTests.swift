import ServerCore
import Settings
import TestKit
import Testing

@testable import Program

@Suite struct `The settings of the program` {
    private static func names(_ isIncluded: (Setting) -> Bool) throws -> [String] {
        let others = try FeaturePage.names("Settings")
        return Configuration.settings.filter(isIncluded).map(\.name).filter { !others.contains($0) }
    }

    @Test(arguments: ["", "x", "true", "1", "-----BEGIN KEY", "[]"])
    func `are the same whatever they are set to`(text: String) {
        let variables = Configuration.settings.map { ($0.environmentName, text) }
        var reader = SettingReader(SettingSource(file: nil, environment: Dictionary(uniqueKeysWithValues: variables)))
        _ = Configuration(&reader)
        #expect(reader.settings == Configuration.settings)
        let strangers = reader.problems(of: .everything).filter { $0.contains("no such setting") }
        #expect(strangers.isEmpty)
    }

    @Test func `are printed in the order of reading, the default of each where nothing is set`() throws {
        let printed = try Configuration(.empty).printed
        #expect(printed.map(\.name) == Configuration.settings.map(\.name))
        for (setting, row) in zip(Configuration.settings, printed) where !setting.fallback.isEmpty {
            #expect(row.value == (setting.kind == .objects ? "(0 entries)" : setting.fallback), "\(row.name)")
        }
    }

    @Test func `name files with secrets, other files and folders`() throws {
        #expect(
            try Self.names { $0.kind == .secretFile } == [
                "admin.token_file", "tls.key", "tls.second_key", "tls.ticket_secret", "database.password_file",
                "merchant.secret_file", "session.trail_secret", "provider.private_key",
            ]
        )
        #expect(
            try Self.names { $0.kind == .file } == [
                "tls.certificate", "tls.second_certificate", "shop.logo", "provider.ca_file",
                "notifications.trust_anchor", "notifications.intermediates", "webhooks.ca_file",
            ]
        )
        #expect(try Self.names { $0.kind == .folder } == ["data_dir", "migrations_dir", "public_dir"])
        #expect(try Self.names(\.isSecret) == ["database_url"])
        #expect(try Self.names(\.isOnlyVariable) == ["debug.core_dumps"])
    }

    @Test func `of the database and of association files are those of their commands`() throws {
        #expect(
            try Self.names { $0.scopes == [.database] } == [
                "log_level", "log.format", "database_url", "database.insecure_plaintext", "database.password_file",
                "data_dir", "migrations_dir", "profile", "open.mode", "open.clean_url", "open.fetch_site",
                "open.reopen_window", "session.launch", "session.idle", "session.absolute", "session.receipt",
                "session.lease", "session.allow_policy_change", "session.trail_secret", "session.on_reuse", "proof.app",
                "proof.verifier",
                "cookies.names",
            ]
        )
        #expect(try Self.names { $0.scopes == [.apps] } == ["link.base_url", "apps.ios", "apps.android"])
        #expect(try Self.names { $0.scopes.count > 1 }.isEmpty)
    }
}
