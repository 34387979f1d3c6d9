import EventIO

/// The programs of one PostgreSQL version on this machine.
struct PostgresInstallation: Equatable {
    /// The folder of `initdb`, `postgres` and `pg_ctl`.
    let folder: String
    /// For example 15.
    let major: Int

    /// The oldest version that is supported.
    static let oldestMajor = 15

    /// The newest installation, or the one of the version that a data folder was made with.
    ///
    /// Debian keeps each version in a folder of its own, out of the search path; elsewhere `pg_config` knows.
    ///
    /// - Parameter major: The version of an existing data folder.
    /// - Throws: `cluster` with what to install.
    static func find(major: Int?) throws(PostgresError) -> PostgresInstallation {
        let found = folders().compactMap { PostgresInstallation(folder: $0) }
        if let major {
            if let match = found.first(where: { $0.major == major }) { return match }
            throw PostgresError(
                .cluster,
                "the data folder was made by PostgreSQL \(major), which is not installed: install postgresql-\(major)"
            )
        }
        let newest = found.max { $0.major < $1.major }
        if let newest, newest.major >= oldestMajor { return newest }
        let reason = newest.map { "PostgreSQL \($0.major) is too old" } ?? "PostgreSQL is not installed"
        throw PostgresError(
            .cluster,
            "\(reason): install postgresql (version \(oldestMajor) or newer), or give the URI of a database"
        )
    }

    /// The installation in a folder, or `nil` where a program is missing or does not run.
    init?(folder: String) {
        guard ["initdb", "postgres", "pg_ctl"].allSatisfy({ Files.exists("\(folder)/\($0)") }),
            let result = try? ChildPlan("\(folder)/postgres", ["--version"]).run(atMost: .seconds(10)),
            result.exit.isSuccess,
            let major = PostgresInstallation.major(inVersion: String(decoding: result.output, as: UTF8.self))
        else { return nil }
        self.folder = folder
        self.major = major
    }

    /// The path of a program.
    func program(_ name: String) -> String { "\(folder)/\(name)" }

    /// The major number in what `postgres --version` prints: `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
    static func major(inVersion text: String) -> Int? {
        text.split(whereSeparator: { $0 == " " || $0 == "\n" }).lazy
            .compactMap { word in Int(word.prefix { $0.isNumber }) }.first
    }

    private static func folders() -> [String] {
        let versions = (try? Files.list("/usr/lib/postgresql")) ?? []
        let known =
            versions.map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"]
        return known + known.compactMap(configuredFolder)
    }

    private static func configuredFolder(beside folder: String) -> String? {
        guard Files.exists("\(folder)/pg_config"),
            let result = try? ChildPlan("\(folder)/pg_config", ["--bindir"]).run(atMost: .seconds(10)),
            result.exit.isSuccess
        else { return nil }
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
