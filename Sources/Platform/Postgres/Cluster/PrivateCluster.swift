package import EventIO
import Primitives
package import Telemetry

/// A PostgreSQL server of our own: made by `initdb`, run as a child, reachable through a Unix socket only.
///
/// It is ordinary PostgreSQL in a folder of ours; the folder is used again at the next start. It stops with this process, also
/// when this process is killed, and it recovers by itself when both are killed at once. When another process of ours runs the
/// same cluster already, `start` joins it.
///
/// PostgreSQL refuses to run as root. Started by root it runs as the owner of an existing data folder, else as `postgres`, else
/// as `nobody`; the folders of the data and the socket are given to that user, and those above must let that user pass.
///
/// A client that reaches the socket is let in without a password. The socket's folder belongs to that user alone (mode 0700),
/// so these are root and the processes of that user: the same ones that could read the data files.
///
/// Every call blocks for up to seconds. Not `Sendable`.
package final class PrivateCluster {
    /// The role that owns the cluster; it has no password.
    static let role = "sallyport"
    /// The database that the URI names.
    static let database = "sallyport"
    /// Recovery after a crash may take this long.
    private static let startDeadline = Duration.seconds(60)

    private let folder: String
    private let settings: ClusterSettings
    private let logger: Logger
    private var lock: FileLock?
    private var child: ChildProcess?
    private var paths: ClusterPaths?

    /// A cluster that is not started.
    ///
    /// - Parameters:
    ///   - dataDirectory: Belongs to the cluster alone; made where it is missing, with those above it, mode 0755.
    ///   - settings: May differ from one start to the next.
    package init(dataDirectory: String, settings: ClusterSettings = .demo, logger: Logger = .silent) {
        folder = dataDirectory
        self.settings = settings
        self.logger = logger
    }

    /// The server's process, or `nil` while it is not run from here.
    package var process: ChildProcess? { child }

    /// Makes the cluster where it is missing, starts the server, and waits until it takes connections.
    ///
    /// - Returns: The connection URI of an empty database, or of the one that was used before; there is no password in it.
    /// - Throws: `cluster` with what is wrong and what to do.
    package func start() throws(PostgresError) -> String {
        do {
            return try startHoldingLock()
        } catch let error as PostgresError {
            stop()
            throw error
        } catch {
            stop()
            throw PostgresError(.cluster, "\(folder): \(error)")
        }
    }

    /// The connection URI of another database of the cluster.
    ///
    /// - Parameter database: Any text; whether there is one is not looked at.
    /// - Returns: A URI without a password, or `nil` before `start`.
    package func uri(of database: String) -> String? {
        paths?.uri(database: database)
    }

    /// Stops the server in order and waits for its end; one that was joined runs on.
    package func stop() {
        if let child {
            // An orderly shutdown rolls back what is open; the harsher ways lose nothing either, but need recovery.
            let steps: [(Signal, Duration)] = [(.interrupt, .seconds(20)), (.quit, .seconds(5)), (.kill, .seconds(5))]
            for (signal, patience) in steps {
                try? child.send(signal)
                if let exit = try? child.wait(atMost: patience) {
                    logger.info("cluster.stopped", [LogField("exit", "\(exit)")])
                    break
                }
            }
        }
        child = nil
        // The lock shows whether the cluster is ours; a folder outside of the base has no other use.
        if lock != nil, let paths, !paths.socketFolder.hasPrefix(paths.base) { try? Files.remove(paths.socketFolder) }
        lock = nil
    }

    private func startHoldingLock() throws -> String {
        try Files.makeDirectory(folder, mode: 0o755)
        let paths = ClusterPaths(base: try Files.resolved(folder))
        self.paths = paths
        guard try takeLock(paths) else { return paths.uri(database: PrivateCluster.database) }
        let owner = try ClusterOwner.choose(for: paths)
        let major = (try? Files.read(paths.data + "/PG_VERSION", limit: 64))
            .flatMap { PostgresInstallation.major(inVersion: String(decoding: $0, as: UTF8.self)) }
        let installation = try PostgresInstallation.find(major: major)
        try owner.prepare(paths, installation)
        if major == nil { try create(paths, owner, installation) }
        try endOrphan(paths, owner, installation)
        try launch(paths, owner, installation)
        try makeDatabase(paths)
        return paths.uri(database: PrivateCluster.database)
    }

    /// Takes the lock of the cluster; false when another process holds it and its server is ready.
    private func takeLock(_ paths: ClusterPaths) throws -> Bool {
        let uri = paths.uri(database: PrivateCluster.database)
        let deadline = SystemClock().monotonicNow() + PrivateCluster.startDeadline
        while SystemClock().monotonicNow() < deadline {
            if try holdsLock(paths) { return true }
            if PostgresAdmin.accepts(uri), (try? PostgresAdmin(url: Secret(uri))) != nil {
                logger.info("cluster.joined")
                return false
            }
            ThisProcess.pause(for: .milliseconds(10))
        }
        throw PostgresError(.cluster, "another process holds \(paths.lock), but its server does not answer")
    }

    private func holdsLock(_ paths: ClusterPaths) throws(IOError) -> Bool {
        do throws(IOError) {
            lock = try FileLock(paths.lock)
        } catch {
            guard error.isHeldByAnother else { throw error }
        }
        return lock != nil
    }

    private func create(_ paths: ClusterPaths, _ owner: ClusterOwner, _ installation: PostgresInstallation) throws {
        try Files.removeTree(paths.draft)
        try Files.makeDirectory(paths.draft, mode: 0o700)
        try owner.own(paths.draft)
        var arguments = [
            "-D", paths.draft, "--username", PrivateCluster.role, "--auth-local=trust", "--auth-host=reject",
            "--encoding=UTF8", "--locale=C.UTF-8",
        ]
        if !settings.isDurable { arguments.append("--no-sync") }
        let result = try owner.plan(installation.program("initdb"), arguments, paths).run(atMost: .seconds(120))
        guard result.exit.isSuccess else {
            let output = String(decoding: result.output, as: UTF8.self)
            throw PostgresError(.cluster, "initdb failed: \(PrivateCluster.lastLines(of: output))")
        }
        try Files.move(paths.draft, to: paths.data)
        logger.info("cluster.created", [LogField("major", installation.major)])
    }

    /// Deals with a server that lives on although the process that ran it is gone, or with the mark that it left.
    private func endOrphan(_ paths: ClusterPaths, _ owner: ClusterOwner, _ installation: PostgresInstallation) throws {
        let mark = paths.data + "/postmaster.pid"
        guard let content = try? Files.read(mark, limit: 4096),
            let file = PostmasterFile(String(decoding: content, as: UTF8.self)),
            let commandLine = try? Files.read("/proc/\(file.process)/cmdline", limit: 1 << 20)
        else { return }
        guard PostmasterFile.isServer(commandLine: commandLine, data: paths.data) else {
            // The number belongs to another program by now.
            try Files.write(mark, Array(file.withoutProcess.utf8), mode: 0o600)
            return try owner.own(mark)
        }
        // It got a signal when its parent died; waiting for it here also covers one that did not.
        logger.info("cluster.orphan", [LogField("process", Int(file.process))])
        let arguments = ["stop", "-D", paths.data, "-m", "fast", "-w", "-t", "30"]
        _ = try owner.plan(installation.program("pg_ctl"), arguments, paths).run(atMost: .seconds(40))
    }

    private func launch(_ paths: ClusterPaths, _ owner: ClusterOwner, _ installation: PostgresInstallation) throws {
        var plan = owner.plan(
            installation.program("postgres"),
            ["-D", paths.data] + settings.arguments(socketFolder: paths.socketFolder),
            paths
        )
        plan.startsSession = true
        plan.deathSignal = .interrupt
        plan.output = .appended(path: paths.log)
        plan.error = .appended(path: paths.log)
        let deadline = SystemClock().monotonicNow() + PrivateCluster.startDeadline
        while try !runs(plan, paths, before: deadline) {
            // Processes of a server that was killed take a moment to notice; until then their memory blocks the next one.
            guard isHeldByOldProcesses(paths), SystemClock().monotonicNow() < deadline else {
                throw PostgresError(.cluster, "the server did not start: \(lastLinesOfLog(paths))")
            }
        }
        logger.info("cluster.started", [LogField("process", Int(child?.pid ?? 0))])
    }

    /// Starts the server; false when it ends before it takes connections.
    private func runs(_ plan: ChildPlan, _ paths: ClusterPaths, before deadline: MonotonicTime) throws -> Bool {
        if Files.exists(paths.log) { try Files.remove(paths.log) }
        let started = try plan.start()
        child = started
        return try isReady(started, paths, before: deadline)
    }

    /// Waits until the server takes connections; false when it has ended instead.
    private func isReady(_ child: ChildProcess, _ paths: ClusterPaths, before deadline: MonotonicTime) throws -> Bool {
        let uri = paths.uri(database: "postgres")
        while SystemClock().monotonicNow() < deadline {
            if PostgresAdmin.accepts(uri) { return true }
            if try child.wait(atMost: .milliseconds(10)) != nil { return false }
        }
        throw PostgresError(.cluster, "the server took too long to start: \(lastLinesOfLog(paths))")
    }

    private func makeDatabase(_ paths: ClusterPaths) throws {
        let connection = try PostgresAdmin(url: Secret(paths.uri(database: "postgres")))
        let name = PrivateCluster.database
        guard try connection.rows("SELECT 1 FROM pg_database WHERE datname = $1", [name]).isEmpty else { return }
        try connection.createDatabase(name)
    }

    private func isHeldByOldProcesses(_ paths: ClusterPaths) -> Bool {
        lastLinesOfLog(paths).contains("shared memory block")
    }

    private func lastLinesOfLog(_ paths: ClusterPaths) -> String {
        let content = (try? Files.read(paths.log)) ?? []
        return PrivateCluster.lastLines(of: String(decoding: content, as: UTF8.self))
    }

    private static func lastLines(of text: String) -> String {
        text.split(separator: "\n").suffix(6).joined(separator: " | ")
    }
}
