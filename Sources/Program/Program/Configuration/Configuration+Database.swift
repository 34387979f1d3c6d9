import Postgres
import Primitives
import Settings

// What the configuration means for the connections to the database.

extension Configuration {
    /// Where the database is and how to get in, with the password of its file, read anew at every call.
    ///
    /// - Returns: A libpq URI, or a list of `keyword=value`; `nil` for a private cluster.
    /// - Throws: What is wrong with the file, without its content.
    func databaseURL() throws(ConfigurationError) -> Secret<String>? {
        let path = storage.databasePasswordPath
        guard !path.isEmpty else { return storage.databaseURL }
        guard let url = storage.databaseURL else {
            throw ConfigurationError(problems: ["database.password_file: set, and database_url is not"])
        }
        let line = try SecretFile.line(path, "database.password_file")
        guard !line.isEmpty, line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ConfigurationError(problems: ["database.password_file: not one line with a password"])
        }
        return Secret(Configuration.url(url.reveal(), password: line))
    }

    /// A URI or list of keywords with a password behind it: of two libpq takes the last.
    static func url(_ url: String, password: [UInt8]) -> String {
        guard ["postgresql://", "postgres://"].contains(where: { url.hasPrefix($0) }) else {
            let quoted = password.flatMap { [0x27, 0x5C].contains($0) ? [0x5C, $0] : [$0] }
            return "\(url) password='\(String(decoding: quoted, as: UTF8.self))'"
        }
        let encoded = password.map { "%" + Hex.encode([$0]) }.joined()
        let link = url.hasSuffix("?") ? "" : url.contains("?") ? "&" : "?"
        return url + link + "password=" + encoded
    }

    /// How each loop reaches the database.
    ///
    /// - Returns: The defaults of the client with the limits of the settings.
    /// - Throws: `unavailable` when libpq cannot read the URI, `insecure` when it leads where the settings do not allow it.
    func database(at url: Secret<String>) throws(PostgresError) -> PostgresConfiguration {
        var database = try PostgresConfiguration(url: url, allowsPlaintext: storage.allowsPlaintext)
        database.maximumPending = limits.queue.statements
        database.maximumQueueWait = limits.queue.longestWait
        database.maximumPendingAge = limits.queue.deadline
        return database
    }
}
