import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import SimulatorCore
import StrictJSON

/// The data directory of a demo: held by one demo at a time, and with the settings of its last one for the commands of another
/// terminal.
final class DemoFolder {
    private var lock: FileLock?

    /// Takes a data directory for this process until the value or the process ends.
    ///
    /// - Throws: `DemoFolderHeld`, or `IOError`.
    init(holding dataDirectory: String) throws {
        let path = dataDirectory + "/demo.lock"
        do throws(IOError) {
            let lock = try FileLock(path)
            try lock.sign()
            self.lock = consume lock
        } catch {
            guard error.isHeldByAnother else { throw error }
            throw DemoFolderHeld(dataDirectory: dataDirectory, process: FileLock.signer(of: path))
        }
    }

    /// Lets another demo have the directory.
    func release() { lock = nil }

    /// Where the settings of the last demo are: what its file and environment set, in the format of `--config`.
    static func settingsPath(_ dataDirectory: String) -> String { dataDirectory + "/demo.json" }

    /// Writes down what a demo was told, for its owner alone.
    ///
    /// No secret is in it: of the database's URI the passwords are left out, and the other secrets altogether. What follows
    /// from the data directory is left out too, so that the directory can be moved.
    ///
    /// - Parameters:
    ///   - source: What file and environment of the demo say.
    /// - Throws: `IOError`, or `PostgresError` for a URI that libpq cannot read.
    static func keep(_ source: SettingSource, _ configuration: Configuration) throws {
        let settings = Configuration.settings.filter { $0.name != "data_dir" }
        let database = try configuration.storage.databaseURL.map(PostgresConfiguration.withoutPasswords)
        let document = source.document(
            of: settings,
            in: try Files.resolved("."),
            adding: database.map { ["database_url": $0] } ?? [:]
        )
        let path = settingsPath(configuration.storage.dataDirectory)
        try Files.write(path, Array((document.indented + "\n").utf8), mode: 0o600)
    }

    /// The settings of a command that works on the data of a demo, with those of the demo below its own.
    ///
    /// - Parameter source: What file and environment of the command say.
    /// - Returns: The demo's settings, where no account is set and no other database than the demo's, and the data directory
    ///   is a demo's; else `nil`.
    /// - Throws: `ConfigurationError` for a file of settings that cannot be read.
    static func settings(for source: SettingSource) throws -> SettingSource? {
        var reader = SettingReader(source)
        let own = Configuration(&reader)
        let folder = own.storage.dataDirectory
        let accounts = FeatureList.simulators.flatMap { $0.accountSettings }
        guard accounts.allSatisfy({ reader.texts[$0]?.isEmpty != false }),
            Files.exists(DevelopmentKeys(in: folder).folder)
        else { return nil }
        let kept = try keptSettings(of: folder, under: source)
        let database = own.storage.databaseURL
        // Where only the command names one, it is not the demo's.
        guard database == nil || isSame(database, Configuration(unchecked: kept.only).storage.databaseURL) else {
            return nil
        }
        return DemoDefaults.fill(kept.merged)
    }

    /// The settings of a folder's last demo: below those of a command, and alone.
    ///
    /// The same as without, where none are kept.
    private static func keptSettings(
        of folder: String,
        under source: SettingSource
    ) throws -> (merged: SettingSource, only: SettingSource) {
        let path = settingsPath(folder)
        guard Files.exists(path) else { return (source, .empty) }
        let file: [UInt8]
        do throws(IOError) {
            file = try Files.read(path, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: ["\(path) cannot be read: \(error.sentence)"])
        }
        return (try source.over(file, path: path), try SettingSource.empty.over(file, path: path))
    }

    private static func isSame(_ left: Secret<String>?, _ right: Secret<String>?) -> Bool {
        guard let left, let right else { return false }
        let texts = [left, right].map { try? PostgresConfiguration.withoutPasswords($0) }
        return texts[0] != nil && texts[0] == texts[1]
    }
}

/// Another demo works in a data directory.
struct DemoFolderHeld: Error, CustomDebugStringConvertible {
    /// The directory.
    let dataDirectory: String
    /// The number of its process, where it is known.
    let process: Int?

    var debugDescription: String {
        let demo = process.map { "a demo (process \($0))" } ?? "another demo"
        return "data_dir: \(demo) runs on \(dataDirectory): stop it; or set SALLYPORT_DATA_DIR to another folder"
    }
}
