import Checkout
import EventIO
import Foundation
import Primitives
import ServerCore
import Settings
import TestKit
import Testing
import Webhooks

@testable import AppStore
@testable import DeviceCheck
@testable import Postgres
@testable import Program
@testable import Wallet

@Suite("A file with a secret")
struct SecretFileTests {
    private static let pem = "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"

    /// What the start says of a setting whose file has a mode.
    private func problem(_ setting: String, _ content: String, mode: UInt32, in folder: String) throws -> String? {
        let path = folder + "/secret"
        try Files.write(path, Array(content.utf8), mode: mode, atomically: false)
        try Files.setPermissions(path, mode: mode)
        let name = try #require(Configuration.settings.first { $0.name == setting }).environmentName
        let others = [
            "SALLYPORT_DATABASE_URL": "postgresql:///shop", "SALLYPORT_TLS_CERTIFICATE": path,
            "SALLYPORT_TLS_KEY": path, "SALLYPORT_TLS_SECOND_CERTIFICATE": path,
            "SALLYPORT_PROVIDER_MERCHANT_ID": "A1EXAMPLE",
            "SALLYPORT_PROVIDER_STORE_ID": "amzn1.application-oa2-client.x",
            "SALLYPORT_PROVIDER_PUBLIC_KEY_ID": "SANDBOX-EXAMPLEKEY00000000000001",
            "SALLYPORT_WALLET_PUSH_KEY_ID": "ABCDE12345",
            "SALLYPORT_APP_STORE_ISSUER_ID": "57246542-96fe-1a63-e053-0824d011072a",
            "SALLYPORT_APP_STORE_KEY_ID": "ABCDE12345",
        ]
        // Its feature needs the keyring as soon as it is on.
        let devices = [
            "SALLYPORT_DEVICE_CHECK_TEAM_ID": "A1B2C3D4E5", "SALLYPORT_DEVICE_CHECK_KEY_ID": "ABCDE12345",
            "SALLYPORT_MERCHANT_SECRET_FILE": path,
        ]
        let needed = setting == "device_check.private_key" ? others.merging(devices) { $1 } : others
        let source = SettingSource(file: nil, environment: needed.merging([name: path]) { $1 })
        let configuration = try Configuration(source)
        do throws(ConfigurationError) {
            switch setting {
            case "tls.key", "tls.second_key": _ = try configuration.certificates(try configuration.ticketKeys())
            case "tls.ticket_secret": _ = try configuration.ticketKeys()
            case "provider.private_key": _ = try configuration.provider()
            case "merchant.secret_file": _ = try configuration.features.keyring.read()
            case "session.trail_secret": _ = try configuration.checkout().markingPolicy()
            case "operators.keys_file":
                let process = try configuration.unservedProcess()
                defer { process.workers.stop() }
                do {
                    try configuration.features.start(process).stop()
                } catch let error as ConfigurationError {
                    throw error
                } catch {
                    Issue.record("\(error)")
                }
            case "wallet.push_key":
                var reader = SettingReader(source)
                _ = try PushSettings(&reader).key()
            case "app_store.private_key":
                var reader = SettingReader(source)
                _ = try ServerAPISettings(&reader).key(bundleID: "com.example.shop")
            case "device_check.private_key":
                var reader = SettingReader(source)
                _ = try AppleDeviceSettings(&reader, teamID: "A1B2C3D4E5").tokens()
            case "admin.token_file": _ = try configuration.adminToken()
            case "database.password_file": _ = try configuration.databaseURL()
            default: Issue.record("who reads \(setting)?")
            }
            return nil
        } catch {
            return error.problems.joined(separator: "\n")
        }
    }

    @Test(arguments: Configuration.settings.filter { $0.kind == .secretFile }.map(\.name))
    func `is refused where every user may open it, or a group may write`(setting: String) async throws {
        try await withTemporaryFolder { folder in
            let content = String(repeating: "s", count: 40)
            for mode: UInt32 in [0o644, 0o604, 0o602, 0o640, 0o660, 0o620, 0o600, 0o400, 0o440] {
                let problem = try problem(setting, content, mode: mode, in: folder) ?? ""
                let isRefused = problem.contains("chmod o-rwx") || problem.contains("chmod g-wx")
                #expect(isRefused == (mode & 0o027 != 0), "\(String(mode, radix: 8)) \(problem)")
                #expect(!problem.contains("ssss"))
                // The second key is read behind the first, which is the same file.
                if isRefused, setting != "tls.second_key" { #expect(problem.contains(setting), "\(problem)") }
            }
        }
    }

    @Test func `is told by the doctor, each one`() async throws {
        try await withTemporaryFolder { folder in
            var environment: [String: String] = [:]
            let secretFiles = Configuration.settings.filter { $0.kind == .secretFile }
            for setting in secretFiles {
                let path = folder + "/" + setting.name
                try Files.write(path, Array(Self.pem.utf8))
                try Files.setPermissions(path, mode: 0o644)
                environment[setting.environmentName] = path
            }
            let source = SettingSource(file: nil, environment: environment)
            let examination = SettingExamination(source, now: SystemClock().now())
            #expect(Set(examination.settings.exposures.keys) == Set(secretFiles.map(\.name)))
        }
    }

    // MARK: The password of the database

    private func keywords(_ url: String, _ content: String) async throws -> [String: String] {
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/password", Array(content.utf8), mode: 0o600)
            let environment = [
                "SALLYPORT_DATABASE_URL": url, "SALLYPORT_DATABASE_PASSWORD_FILE": folder + "/password",
            ]
            let configuration = try Configuration(SettingSource(file: nil, environment: environment))
            let found = try #require(try configuration.databaseURL())
            #expect(!"\(found)".contains("pass"))
            let printed = configuration.printed.first { $0.name == "database.password_file" }
            #expect(printed?.value == folder + "/password")
            return try PostgresConfiguration(url: found).keywords.reveal()
        }
    }

    @Test(arguments: [
        "postgresql://me@db.example/shop", "postgresql:///shop?host=/tmp&user=me", "postgres://me@db.example",
        "host=db.example user=me", "postgresql://me:other@db.example/shop", "host=db.example user=me password=other",
        "postgresql://me@db.example/shop?password=other",
    ])
    func `gives the password, whatever its characters are`(url: String) async throws {
        for password in ["simple", "a b&c=d%41?#/@:", "quote ' and \\ back", "パス", " blanks "] {
            for end in ["", "\n", "\r\n"] {
                let found = try await keywords(url, password + end)
                #expect(found["password"] == password)
                #expect(found["user"] == "me")
            }
        }
    }

    @Test func `is needed whole, and only beside a database`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/password"
            for content in ["", "\n", "two\nlines\n", "nul\u{0}"] {
                try Files.write(path, Array(content.utf8), mode: 0o600)
                let environment = [
                    "SALLYPORT_DATABASE_URL": "postgresql:///shop", "SALLYPORT_DATABASE_PASSWORD_FILE": path,
                ]
                let configuration = try Configuration(SettingSource(file: nil, environment: environment))
                #expect(throws: ConfigurationError.self) { try configuration.databaseURL() }
            }
            let alone = try Configuration(
                SettingSource(file: nil, environment: ["SALLYPORT_DATABASE_PASSWORD_FILE": path])
            )
            #expect(throws: ConfigurationError.self) { try alone.databaseURL() }
        }
    }

    // MARK: What children and cores hold

    @Test func `of a variable is not handed to the simulators`() {
        let all = [
            "PATH": "/bin", "PGPASSWORD": "secret", "AWS_SECRET_ACCESS_KEY": "secret",
            "SALLYPORT_DATABASE_URL": "postgresql://me:secret@db/shop", "SALLYPORT_DATA_DIR": "var",
            "SALLYPORT_DATABASE_PASSWORD_FILE": "secret", "SALLYPORT_SIMULATOR_LISTEN": "127.0.0.1:1",
        ]
        let kept = SimulatorProcess.environment(all)
        #expect(Set(kept.keys) == ["PATH", "SALLYPORT_DATA_DIR", "SALLYPORT_SIMULATOR_LISTEN"])
    }

    @Test func `stays out of cores unless a variable says otherwise, which a file cannot`() throws {
        let file = Array(#"{"debug":{"core_dumps":true}}"#.utf8)
        #expect(throws: ConfigurationError.self) { try Configuration(SettingSource(file: file, environment: [:])) }
        let odd = SettingSource(file: nil, environment: ["SALLYPORT_DEBUG_CORE_DUMPS": "1"])
        #expect(throws: ConfigurationError.self) { try Configuration(odd) }
        _ = try Configuration(SettingSource(file: nil, environment: ["SALLYPORT_DEBUG_CORE_DUMPS": "true"]))
    }
}
