import Postgres
import Primitives
import ServerCore
import Settings

extension Configuration {
    /// Where data and files are.
    struct Storage: Sendable {
        /// A libpq URI as it is set, perhaps without its password; `nil` for a private cluster in the data directory.
        let databaseURL: Secret<String>?
        /// Whether a database on another machine is believed without TLS that verifies it.
        let allowsPlaintext: Bool
        /// Empty where the URI says everything.
        let databasePasswordPath: String
        let dataDirectory: String
        /// Where the private cluster is; in the data directory unless that is closed to the user it runs as.
        let clusterDirectory: String
        let migrationsDirectory: String

        init(_ read: inout SettingReader) {
            let database = read.within(.database) { Database(&$0) }
            databaseURL = database.url
            allowsPlaintext = database.allowsPlaintext
            databasePasswordPath = database.passwordPath
            dataDirectory = database.dataDirectory
            clusterDirectory = ClusterFolder.path(dataDirectory: dataDirectory)
            migrationsDirectory = database.migrationsDirectory
        }
    }
}

/// What every command that reads and writes the database goes by.
private struct Database {
    let url: Secret<String>?
    let allowsPlaintext: Bool
    let passwordPath: String
    let dataDirectory: String
    let migrationsDirectory: String

    init(_ read: inout SettingReader) {
        url = read.secret("database_url", "libpq URI; empty for a private cluster in the data directory")
        allowsPlaintext = read.flag(
            "database.insecure_plaintext",
            false,
            "use a database on another machine without verified TLS: an attacker on the network can read and write orders"
        )
        passwordPath = read.secretFile(
            "database.password_file",
            "file with the password of the database, in one line; replaces a password in database_url"
        )
        dataDirectory = read.folder("data_dir", "./var", "private cluster, development authority and keys")
        migrationsDirectory = read.programFolder(
            "migrations_dir",
            "migrations",
            "folder of the migrations; empty: beside the program"
        )
        if let problem = url.flatMap(problem) { read.complain("database_url", problem) }
    }

    private func problem(_ url: Secret<String>) -> String? {
        do throws(PostgresError) {
            _ = try PostgresConfiguration(url: url, allowsPlaintext: allowsPlaintext)
            return nil
        } catch {
            let isAllowable = (try? PostgresConfiguration(url: url, allowsPlaintext: true)) != nil
            return error.detail
                + (error.code == .insecure && isAllowable ? "; database.insecure_plaintext overrules this" : "")
        }
    }
}
