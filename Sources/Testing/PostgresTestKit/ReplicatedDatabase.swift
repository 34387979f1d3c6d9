import EventIO
import Postgres
package import Primitives
import TestKit

/// A primary and its asynchronous standby, each a private cluster of its own, with one migrated database.
///
/// Made in some seconds; goes away with the last reference.
package final class ReplicatedDatabase: Sendable {
    /// The connection URI with both hosts; no password is needed.
    package let url: Secret<String>
    private let servers: Lock<(primary: PrivateCluster, standby: PrivateCluster)>
    /// The connection URI of the standby alone.
    package let standbyURL: Secret<String>
    private let folder: String

    /// Two servers that run.
    ///
    /// - Parameters:
    ///   - migrations: A folder of migrations to apply first.
    ///   - features: The folders in it, in their order.
    /// - Throws: `cluster` with what is missing on this machine, `migration`, `IOError`.
    package init(migrations: String, features: [String]) throws {
        folder = try ProcessFolder.makeFolder("replicated")
        try Files.setPermissions(folder, mode: 0o711)
        var settings = ClusterSettings.tests()
        settings.isReplicated = true
        let primary = PrivateCluster(dataDirectory: folder + "/primary", settings: settings)
        let standby = PrivateCluster(dataDirectory: folder + "/standby", settings: settings)
        let source = try primary.start()
        try Migrations.apply(url: Secret(source), directory: migrations, features: features)
        try ReplicatedDatabase.copy(source, from: folder + "/primary", to: folder + "/standby")
        standbyURL = Secret(try standby.start())
        url = Secret(ReplicatedDatabase.joined(source, standbyURL.reveal()))
        servers = Lock((primary, standby))
    }

    deinit {
        servers.withLock { servers in
            servers.primary.stop()
            servers.standby.stop()
        }
        do {
            try Files.removeTree(folder)
        } catch {
            StandardStream.error.write("\(folder) stays: \(error)\n")
        }
    }

    /// Has the standby receive nothing more: what is committed from now on is lost with the primary.
    ///
    /// - Throws: `PostgresError`, `DeadlineExceeded`.
    package func cutReplication() throws {
        let standby = try PostgresAdmin(url: standbyURL, patience: TestDatabase.patience)
        // It may lag: what was committed before the cut is to be there.
        let primary = try PostgresAdmin(url: url, patience: TestDatabase.patience)
        let end = try primary.rows("SELECT pg_current_wal_insert_lsn()::text").first?.first ?? nil
        let isThere = "SELECT WHERE pg_last_wal_replay_lsn() >= $1::pg_lsn"
        try wait { try !standby.rows(isThere, [end ?? ""]).isEmpty }
        try standby.run("ALTER SYSTEM SET primary_conninfo = ''")
        try standby.run("SELECT pg_reload_conf()")
        try wait { try standby.rows("SELECT FROM pg_stat_wal_receiver").isEmpty }
    }

    /// Ends the primary as a machine ends that loses power, and makes the standby the primary.
    ///
    /// - Throws: `PostgresError`, `IOError`.
    package func failOver() throws {
        try stopPrimary()
        try PostgresAdmin(url: standbyURL, patience: TestDatabase.patience).run("SELECT pg_promote(true, 240)")
    }

    /// Ends the primary as a machine ends that loses power.
    ///
    /// - Throws: `IOError`.
    package func stopPrimary() throws {
        try servers.withLock { servers in
            try servers.primary.process?.send(.quit)
            servers.primary.stop()
        }
    }

    private func wait(until isSo: () throws -> Bool) throws {
        let patience = Patience()
        while try !isSo() {
            guard patience.isLeft else { throw PostgresError(.cluster, "the standby does not follow, or let go") }
            ThisProcess.pause(for: .milliseconds(10))
        }
    }

    /// What `pg_basebackup` does; as the user to whom the primary's data belongs.
    private static func copy(_ source: String, from primary: String, to standby: String) throws {
        let rows = try PostgresAdmin(url: Secret(source), patience: TestDatabase.patience).rows(
            "SELECT setting FROM pg_config WHERE name = 'BINDIR'"
        )
        let programs = rows.first?.first.flatMap(\.self) ?? ""
        try Files.makeDirectory(standby, mode: 0o755)
        let owner = try Files.permissions(primary + "/data").owner
        try Files.makeDirectory(standby + "/data", mode: 0o700)
        try Files.setOwner(standby + "/data", owner)
        let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": standby]
        var plan = ChildPlan(
            programs + "/pg_basebackup",
            ["-d", source, "-D", standby + "/data", "-R", "-X", "stream", "-c", "fast", "--no-sync"],
            environment: environment
        )
        if SystemUser.current.id == 0 { plan.user = owner }
        plan.workingDirectory = standby
        let result = try plan.run(atMost: .seconds(240))
        guard result.exit.isSuccess else {
            throw PostgresError(.cluster, "pg_basebackup: \(String(decoding: result.output, as: UTF8.self))")
        }
    }

    /// One URI for two servers: libpq takes the first that accepts writes.
    private static func joined(_ one: String, _ other: String) -> String {
        func part(_ uri: String, _ name: String) -> String {
            let query = uri.split(separator: "?").last ?? ""
            let pair = query.split(separator: "&").first { $0.hasPrefix(name + "=") } ?? ""
            return String(pair.dropFirst(name.utf8.count + 1))
        }
        let base = one.prefix { $0 != "?" }
        let hosts = "host=\(part(one, "host")),\(part(other, "host"))&port=\(part(one, "port")),\(part(other, "port"))"
        return "\(base)?\(hosts)&target_session_attrs=read-write"
    }
}
