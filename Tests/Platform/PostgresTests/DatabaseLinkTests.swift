import EventIO
import Glibc
import PostgresTestKit
import Primitives
import TestKit
import Testing

@testable import Postgres

private func keywords(_ url: String, allowsPlaintext: Bool = false) throws -> [String: String] {
    try PostgresConfiguration(url: Secret(url), allowsPlaintext: allowsPlaintext).keywords.reveal()
}

@Suite struct `The way to the database` {
    @Test(arguments: [
        "postgresql:///d", "postgresql:///d?host=/run/postgresql", "postgresql://localhost/d",
        "postgresql://127.0.0.1:5433/d",
        "postgresql://127.8.8.8/d", "postgresql://[::1]/d", "host=@abstract dbname=d",
        "host=db.example hostaddr=127.0.0.1",
        "postgresql:///d?host=/run/a,/run/b", "host=,localhost", "postgresql:///d?host=%2Frun%2Fpostgresql",
    ])
    func `on this machine needs nothing`(url: String) throws {
        let values = try keywords(url)
        #expect(values["sslmode"] == nil)
        #expect(try !PostgresConfiguration(url: Secret(url)).isRemote)
    }

    @Test(arguments: [
        "postgresql://db.example/d", "postgresql://192.0.2.9/d", "postgresql://[2001:db8::1]/d",
        "host=db.example dbname=d",
        "hostaddr=192.0.2.9 host=localhost", "hostaddr=192.0.2.9", "postgresql://localhost,db.example/d",
        "host=/run/a,db.example",
        "hostaddr=127.0.0.1,192.0.2.9 host=a,b", "hostaddr=,127.0.0.1 host=db.example,b", "host=localhost.example",
        "host=LOCALHOST",
        "host=127.0.0.1.example", "host=[::1", "host=fe80::1%eth0", "postgresql://%64b.example/d", "host=10.1",
    ])
    func `to another machine is verified, by the authorities of this one`(url: String) throws {
        let values = try keywords(url)
        #expect(values["sslmode"] == "verify-full")
        #expect(values["sslrootcert"] == "/etc/ssl/certs/ca-certificates.crt")
        let configuration = try PostgresConfiguration(url: Secret(url))
        #expect(configuration.isRemote)
        #expect(configuration.isVerified)
    }

    @Test func `is verified by the authority that the URI names`() throws {
        #expect(try keywords("postgresql://h/d?sslrootcert=/etc/own.pem")["sslrootcert"] == "/etc/own.pem")
        #expect(
            try keywords("postgresql://h/d?sslmode=verify-full&sslrootcert=system")["sslrootcert"]?.hasPrefix("/etc")
                == true
        )
    }

    @Test(arguments: ["disable", "allow", "prefer", "require", "verify-ca", "verify-FULL"])
    func `to another machine is refused where the URI asks for less`(mode: String) throws {
        let url = "postgresql://me:geheim@h/d?sslmode=\(mode)"
        let error = #expect(throws: PostgresError.self) { try keywords(url) }
        #expect(error?.code == .insecure)
        #expect(error?.detail.contains(mode) == true)
        #expect(error?.detail.contains("geheim") == false)
        #expect(try keywords(url, allowsPlaintext: true)["sslmode"] == mode)
        #expect(try keywords("postgresql://localhost/d?sslmode=\(mode)")["sslmode"] == mode)
    }

    @Test(arguments: ["gssencmode=require", "gssencmode=prefer", "service=shop"])
    func `is refused where something else would take the place of TLS`(option: String) throws {
        #expect(throws: PostgresError.self) { try keywords("host=db.example \(option)") }
    }

    @Test func `is left to the URI where the settings say so`() throws {
        let values = try keywords("postgresql://h/d", allowsPlaintext: true)
        #expect(values["sslmode"] == nil)
        #expect(try !PostgresConfiguration(url: Secret("postgresql://h/d"), allowsPlaintext: true).isVerified)
    }
}

// MARK: A server with TLS

/// An address of this machine that is none of loopback's, as the kernel's table of routes has it.
private let ownAddress: String? = {
    let table = String(decoding: (try? Files.read("/proc/net/fib_trie")) ?? [], as: UTF8.self)
    let lines = table.split(separator: "\n").map { $0.drop { $0 == " " } }
    let own = zip(lines, lines.dropFirst()).first { line, next in
        line.hasPrefix("|-- ") && next.hasPrefix("/32 host LOCAL") && !line.hasPrefix("|-- 127.")
    }
    return own.map { String($0.0.dropFirst(4)) }
}()

/// A PostgreSQL that listens on an address of the network, with a certificate of the tests' authority for `first.localhost`.
private final class NetworkServer {
    let folder: String
    let port = UInt16.random(in: 20_000..<32_000)
    private let paths: ClusterPaths
    private let process: ChildProcess

    init(_ address: String) throws {
        folder = try ProcessFolder.makeFolder("network")
        try Files.setPermissions(folder, mode: 0o711)
        // Made as every cluster of ours, and then run otherwise.
        let cluster = PrivateCluster(dataDirectory: folder + "/cluster", settings: .tests())
        _ = try cluster.start()
        cluster.stop()
        paths = ClusterPaths(base: try Files.resolved(folder + "/cluster"))
        let owner = try ClusterOwner.choose(for: paths)
        try Files.write(folder + "/authority.pem", TestCertificates.authority, mode: 0o644)
        for (name, text) in [("server.crt", TestCertificates.first), ("server.key", TestCertificates.firstKey)] {
            try Files.write(paths.data + "/" + name, text, mode: 0o600)
            try owner.own(paths.data + "/" + name)
        }
        let rules = try Files.read(paths.data + "/pg_hba.conf") + Array("\nhost all all \(address)/32 trust\n".utf8)
        try Files.write(paths.data + "/pg_hba.conf", rules, mode: 0o600)
        try owner.own(paths.data + "/pg_hba.conf")
        let settings = [
            "listen_addresses=\(address)", "port=\(port)", "unix_socket_directories=", "fsync=off",
            "max_connections=20",
        ]
        try NetworkServer.configure(paths, owner, isEncrypted: true)
        let installation = try PostgresInstallation.find(major: nil)
        var plan = owner.plan(
            installation.program("postgres"),
            ["-D", paths.data] + settings.flatMap { ["-c", $0] },
            paths
        )
        plan.deathSignal = .interrupt
        plan.output = .appended(path: paths.log)
        plan.error = .appended(path: paths.log)
        process = try plan.start()
    }

    deinit {
        try? process.send(.interrupt)
        _ = try? process.wait(atMost: .seconds(20))
        try? Files.removeTree(folder)
    }

    private static func configure(_ paths: ClusterPaths, _ owner: ClusterOwner, isEncrypted: Bool) throws {
        let path = paths.data + "/postgresql.auto.conf"
        try Files.write(path, Array("ssl = \(isEncrypted ? "on" : "off")\n".utf8), mode: 0o600)
        try owner.own(path)
    }

    /// Goes on without TLS.
    func stopEncrypting() throws {
        try NetworkServer.configure(paths, try ClusterOwner.choose(for: paths), isEncrypted: false)
        try process.send(.hangUp)
    }

    /// Waits until something is so.
    func wait(until isSo: () throws -> Bool) throws {
        let patience = Patience()
        while try !isSo() {
            let log = String(decoding: (try? Files.read(paths.log)) ?? [], as: UTF8.self)
            try #require(patience.isLeft, "\(log)")
            ThisProcess.pause(for: .milliseconds(10))
        }
    }
}

@Suite(
    "A database server on another address",
    .enabled(if: ownAddress != nil, "this machine has no address besides loopback")
)
struct NetworkServerTests {
    private static let isEncrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"

    @Test func `is believed when its certificate is for its name, and otherwise only where the settings say so`()
        async throws
    {
        let address = try #require(ownAddress)
        let server = try NetworkServer(address)
        func url(_ host: String, _ more: String = "") -> Secret<String> {
            Secret("host=\(host) hostaddr=\(address) port=\(server.port) user=sallyport dbname=sallyport \(more)")
        }
        let authority = "sslrootcert=\(server.folder)/authority.pem"
        try server.wait { (try? PostgresAdmin(url: url("first.localhost", authority))) != nil }

        // Verified, also on the program's own connections.
        let admin = try PostgresAdmin(url: url("first.localhost", authority), patience: TestDatabase.patience)
        #expect(try admin.rows(Self.isEncrypted) == [["t"]])
        let client = try await withClient(url("first.localhost", authority)) { client, _ in
            try await client.write(Statement(name: "tls", sql: Self.isEncrypted)).bool(0, 0)
        }
        #expect(client)

        // Not its name, and not an authority of this machine.
        for (url, why) in [
            (url("other.localhost", authority), "does not match host name"),
            (url("first.localhost"), "certificate verify failed"),
        ] {
            let error = #expect(throws: PostgresError.self) { try PostgresAdmin(url: url) }
            #expect(error?.detail.contains(why) == true, "\(error.debugDescription)")
            #expect(error?.detail.contains("has to prove by TLS who it is") == true)
        }

        // Less than that, only where the settings say so.
        for (mode, encrypted) in [("disable", "f"), ("require", "t"), ("verify-ca", "t")] {
            let less = url("other.localhost", "\(authority) sslmode=\(mode)")
            #expect(throws: PostgresError.self) { try PostgresAdmin(url: less) }
            #expect(
                try PostgresAdmin(url: less, allowsPlaintext: true, patience: TestDatabase.patience).rows(
                    Self.isEncrypted
                ) == [[encrypted]]
            )
        }

        // Without TLS at all.
        try server.stopEncrypting()
        try server.wait {
            let plain = url("first.localhost", authority)
            return try PostgresAdmin(url: plain, allowsPlaintext: true, patience: TestDatabase.patience).rows(
                Self.isEncrypted
            ) == [["f"]]
        }
        let error = #expect(throws: PostgresError.self) { try PostgresAdmin(url: url("first.localhost", authority)) }
        #expect(error?.detail.contains("server does not support SSL") == true)
        #expect(error?.detail.contains("has to prove by TLS who it is") == true)
    }
}

// MARK: What sessions are pinned to

@Suite struct `What every session is pinned to` {
    private static let settings = """
        SELECT current_setting('synchronous_commit') || '|' || current_setting('default_transaction_isolation') || '|'
            || current_setting('transaction_isolation') || '|' || current_setting('search_path')
        """

    /// The settings on each kind of connection; `isolation` of the first statement is that of the next ones.
    private func settings(_ url: Secret<String>) async throws -> Set<String> {
        let statement = Statement(name: "pinned", sql: Self.settings)
        var found = try await withClient(url) { client, _ in
            Set([
                try await client.write(statement).text(0, 0), try await client.read(statement).text(0, 0),
                try await client.work(statement).text(0, 0),
            ])
        }
        found.insert(try PostgresAdmin(url: url, patience: TestDatabase.patience).rows(Self.settings)[0][0] ?? "")
        return found
    }

    @Test(arguments: [
        ("off", "on"), ("local", "on"), ("on", "on"), ("remote_write", "remote_write"),
        ("remote_apply", "remote_apply"),
    ])
    func `is a commit that survives, and more where the role, the database or the URI asks for it`(
        asked: String,
        held: String
    ) async throws {
        let database = try TestDatabase()
        let admin = try database.admin()
        let expected: Set = ["\(held)|read committed|read committed|public, pg_temp"]
        let role = "pinned_" + database.name
        try admin.run("CREATE ROLE \(role) LOGIN; ALTER ROLE \(role) SET synchronous_commit = \(asked)")
        let login = database.url.reveal().replacing("//sallyport@", with: "//\(role)@")
        #expect(try await settings(Secret(login)) == expected)
        let option = database.url.reveal() + "&options=-c%20synchronous_commit%3D\(asked)"
        #expect(try await settings(Secret(option)) == expected)
        try admin.run("ALTER DATABASE \(database.name) SET synchronous_commit = \(asked)")
        #expect(try await settings(database.url) == expected)
    }

    @Test func `is read committed, and schema public before all others`() async throws {
        let database = try TestDatabase()
        try database.admin().run(
            """
            CREATE SCHEMA other; ALTER DATABASE \(database.name) SET search_path = pg_temp, other, public;
            ALTER DATABASE \(database.name) SET default_transaction_isolation = 'serializable'
            """
        )
        let options = "&options=-c%20search_path%3Dother%20-c%20default_transaction_isolation%3Dserializable"
        let expected: Set = ["on|read committed|read committed|public, pg_temp"]
        #expect(try await settings(Secret(database.url.reveal() + options)) == expected)
    }
}
