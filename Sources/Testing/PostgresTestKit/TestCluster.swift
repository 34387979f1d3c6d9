import EventIO
import Postgres
import Primitives
import TestKit

/// The cluster that all tests of this process share.
enum TestCluster {
    private struct State {
        var cluster: PrivateCluster?
        var folder = ""
        var failure: PostgresError?
        var templates: [String: String] = [:]
        var names = 0
    }

    private static let state = Lock(State())

    /// A name that no other database has.
    static func nextName() -> String {
        state.withLock { state in
            state.names += 1
            return "test_\(state.names)"
        }
    }

    /// The connection URI of a database on the cluster, which is started at the first call.
    static func url(of database: String) throws(PostgresError) -> Secret<String> {
        try state.withLock { state throws(PostgresError) in
            if state.cluster == nil { start(&state) }
            guard state.failure == nil, let uri = state.cluster?.uri(of: database) else {
                throw state.failure ?? PostgresError(.cluster, "not started")
            }
            return Secret(uri)
        }
    }

    /// A blocking connection to the database that belongs to nobody.
    static func admin() throws(PostgresError) -> PostgresAdmin {
        try PostgresAdmin(url: url(of: "postgres"), patience: TestDatabase.patience)
    }

    /// The database to copy for a folder of migrations, on request with three years in it; made at the first call of a day (UTC),
    /// since its partitions begin on the day on which it is made.
    static func template(
        for migrations: String,
        _ features: [String],
        isAged: Bool
    ) throws(PostgresError) -> String {
        let url = try url(of: "postgres")
        let day = SystemClock().now().seconds / 86_400
        let key = (["\(day)", migrations, isAged ? "aged" : ""] + features).joined(separator: ",")
        return try state.withLock { state throws(PostgresError) in
            if let known = state.templates[key] { return known }
            let name = "template_\(state.templates.count)"
            try PostgresAdmin(url: url, patience: TestDatabase.patience).createDatabase(name)
            try Migrations.apply(url: url, database: name, directory: migrations, features: features)
            if isAged {
                let sql: String
                do throws(IOError) {
                    sql = try AgedDatabase.sql(features)
                } catch {
                    throw PostgresError(.cluster, "\(error)")
                }
                try PostgresAdmin(url: url, database: name, patience: TestDatabase.patience).run(sql)
            }
            state.templates[key] = name
            return name
        }
    }

    private static func start(_ state: inout State) {
        do {
            let folder = try ProcessFolder.makeFolder("cluster")
            // The server's user, if it is another one, must get in.
            try Files.setPermissions(folder, mode: 0o711)
            let cluster = PrivateCluster(dataDirectory: folder + "/cluster", settings: .tests())
            state.cluster = cluster
            state.folder = folder
            ThisProcess.atExit { TestCluster.stop() }
            _ = try cluster.start()
        } catch {
            state.failure = error as? PostgresError ?? PostgresError(.cluster, "no folder in /tmp: \(error)")
        }
    }

    private static func stop() {
        state.withLock { state in
            state.cluster?.stop()
            state.cluster = nil
            try? Files.removeTree(state.folder)
        }
    }
}
