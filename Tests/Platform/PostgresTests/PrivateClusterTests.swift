import EventIO
import Glibc
import PostgresTestKit
import Primitives
import Testing

@testable import Postgres

extension String {
    /// One number from the database of this URI.
    fileprivate func number(_ sql: String) throws -> Int {
        try PostgresAdmin(url: Secret(self), patience: TestDatabase.patience).number(sql)
    }

    fileprivate func run(_ sql: String) throws {
        try PostgresAdmin(url: Secret(self), patience: TestDatabase.patience).run(sql)
    }
}

/// One folder for the tests that do not need a new one: `initdb` is what takes time.
private enum SharedFolder {
    static let path = Result { () throws -> String in
        let folder = try TestFolder()
        ThisProcess.atExit { folder.remove() }
        return folder.path + "/cluster"
    }
}

@Suite(.serialized) struct `A private cluster` {
    @Test func `is made once, used again, and open to its own user only`() throws {
        let path = try SharedFolder.path.get()
        let cluster = PrivateCluster(dataDirectory: path, settings: .tests())
        let first = try cluster.start()
        try first.run("DROP TABLE IF EXISTS t; CREATE TABLE t (n bigint); INSERT INTO t VALUES (1)")
        #expect(
            try first.number("SELECT count(*) FROM pg_settings WHERE name = 'listen_addresses' AND setting = ''") == 1
        )
        let socket = try Files.permissions(path + "/socket")
        #expect(socket.mode == 0o700)
        #expect(socket.owner.id != 0)
        #expect(try Files.permissions(path + "/data").owner == socket.owner)
        cluster.stop()
        #expect(!Files.exists(path + "/data/postmaster.pid"))
        let second = try cluster.start()
        #expect(second == first)
        #expect(try second.number("SELECT n FROM t") == 1)
        cluster.stop()
    }

    @Test func `is joined by a second starter, which leaves it running`() throws {
        // The path is too long for a socket, so this also shows that the socket goes elsewhere.
        let folder = try TestFolder()
        let path = "\(folder.path)/\(String(repeating: "long", count: 24))"
        let owner = PrivateCluster(dataDirectory: path, settings: .tests())
        let uri = try owner.start()
        #expect(uri.contains("%2ftmp%2fsallyport-"))
        let guest = PrivateCluster(dataDirectory: path, settings: .tests())
        #expect(try guest.start() == uri)
        #expect(guest.process == nil)
        guest.stop()
        #expect(try uri.number("SELECT 1") == 1)
        owner.stop()
        #expect(!Files.exists(ClusterPaths(base: path).socketFolder))
    }

    @Test func `survives that its parent is killed`() async throws {
        let path = try SharedFolder.path.get()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let cluster = PrivateCluster(dataDirectory: path, settings: .tests(waitsForLog: true))
            try cluster.start().run("DROP TABLE IF EXISTS t; CREATE TABLE t (n bigint); INSERT INTO t VALUES (1)")
            raise(SIGKILL)
        }
        let cluster = PrivateCluster(dataDirectory: path, settings: .tests())
        #expect(try cluster.start().number("SELECT n FROM t") == 1)
        cluster.stop()
    }

    @Test func `survives that the server is killed`() throws {
        let path = try SharedFolder.path.get()
        let cluster = PrivateCluster(dataDirectory: path, settings: .tests(waitsForLog: true))
        let uri = try cluster.start()
        try uri.run("DROP TABLE IF EXISTS t; CREATE TABLE t (n bigint); INSERT INTO t VALUES (1)")
        try #require(cluster.process).send(.kill)
        cluster.stop()
        #expect(try cluster.start().number("SELECT n FROM t") == 1)
        cluster.stop()
    }

    @Test func `ends a server that lives on without its parent`() throws {
        let path = try SharedFolder.path.get()
        var cluster: PrivateCluster? = PrivateCluster(dataDirectory: path, settings: .tests())
        let uri = try #require(try cluster?.start())
        let orphan = try #require(cluster?.process)
        // The lock goes with the object, the server stays.
        cluster = nil
        #expect(try uri.number("SELECT 1") == 1)
        let next = PrivateCluster(dataDirectory: path, settings: .tests())
        #expect(try next.start().number("SELECT 1") == 1)
        #expect(next.process?.pid != orphan.pid)
        #expect(try orphan.wait(atMost: .seconds(60)) == .code(0))
        next.stop()
    }

    @Test func `does not mind what a dead one left behind`() throws {
        let path = try SharedFolder.path.get()
        let cluster = PrivateCluster(dataDirectory: path, settings: .tests())
        // An initdb that was interrupted.
        try Files.makeDirectory(path + "/data.new/base", mode: 0o755)
        _ = try cluster.start()
        cluster.stop()
        // The mark of a server whose number belongs to this process now.
        let mark = "\(getpid())\n\(path)/data\n1700000000\n5432\n\(path)/socket\n\n  5432001    0\nready\n"
        try Files.write(path + "/data/postmaster.pid", Array(mark.utf8), mode: 0o600)
        _ = try cluster.start()
        cluster.stop()
    }

    @Test func `says what its server says when it does not start`() throws {
        let path = try SharedFolder.path.get()
        let cluster = PrivateCluster(dataDirectory: path, settings: .tests())
        _ = try cluster.start()
        cluster.stop()
        try Files.append(path + "/data/postgresql.conf", Array("nonsense = 1\n".utf8))
        let error = #expect(throws: PostgresError.self) { try cluster.start() }
        #expect(error?.code == .cluster)
        #expect(error?.detail.contains("nonsense") == true)
        try Files.removeTree(path)
        #expect(cluster.process == nil)
    }

    @Test(.enabled(if: SystemUser.current.id == 0))
    func `names the folder that its user may not enter`() throws {
        let folder = try TestFolder()
        let closed = folder.path + "/closed"
        try Files.makeDirectory(closed, mode: 0o700)
        let cluster = PrivateCluster(dataDirectory: closed + "/cluster", settings: .tests())
        let error = #expect(throws: PostgresError.self) { try cluster.start() }
        #expect(error?.code == .cluster)
        #expect(error?.detail.contains("\(closed):") == true)
    }
}

@Suite struct `The parts of a private cluster` {
    @Test(arguments: [
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", 15), ("postgres (PostgreSQL) 17beta1\n", 17),
        ("15\n", 15),
        ("something else", nil), ("", nil),
    ])
    func `are of a version`(text: String, major: Int?) {
        #expect(PostgresInstallation.major(inVersion: text) == major)
    }

    @Test func `are asked for by name when the version of the data is not there`() {
        let error = #expect(throws: PostgresError.self) { try PostgresInstallation.find(major: 99) }
        #expect(error?.detail.contains("postgresql-99") == true)
    }

    @Test func `are in the folder while a socket's path is short enough`() {
        let longest = ClusterPaths(base: "/" + String(repeating: "a", count: 107 - 1 - "/socket/.s.PGSQL.5432".count))
        #expect(longest.socketFolder == longest.base + "/socket")
        let longer = ClusterPaths(base: longest.base + "a")
        #expect(longer.socketFolder.hasPrefix("/tmp/sallyport-"))
        #expect(longer.socketFolder != ClusterPaths(base: longer.base + "a").socketFolder)
    }

    @Test func `are found by a URI with odd characters`() throws {
        let paths = ClusterPaths(base: "/tmp/a b/ü&?=%")
        let keywords = try ConnectionSettings.parse(Secret(paths.uri(database: "d/b")))
        #expect(keywords["host"] == "/tmp/a b/ü&?=%/socket")
        #expect(keywords["dbname"] == "d/b")
    }

    @Test func `leave a mark that can be read`() throws {
        let file = try #require(PostmasterFile("123\n/data\n1\n5432\n/s\n\n 1 2\nready\n"))
        #expect(file.process == 123)
        #expect(file.withoutProcess == "2147483646\n/data\n1\n5432\n/s\n\n 1 2\nready\n")
    }

    @Test(arguments: ["", "x", "-1\n", "0", "99999999999999"])
    func `leave a mark that makes no sense`(content: String) {
        #expect(PostmasterFile(content) == nil)
    }

    @Test(arguments: [
        ("/usr/lib/postgresql/15/bin/postgres\0-D\0/d\0-c\0x=1\0", true), ("/bin/postgres\0-D\0/other\0", false),
        ("/bin/sh\0-D\0/d\0", false), ("postgres: checkpointer \0", false), ("", false),
    ])
    func `are told from other programs`(commandLine: String, isServer: Bool) {
        #expect(PostmasterFile.isServer(commandLine: Array(commandLine.utf8), data: "/d") == isServer)
    }
}
