package import EventIO
import HTTPClient
import Postgres
import PostgresTestKit
package import Primitives
import Program
import ServerCore
import Simulators
import StrictJSON
import TestKit

/// A shop of processes: any number of servers on one database, the provider's simulator, and clients.
package final class ProcessShop {
    /// The loop of the test.
    package let reactor: Reactor
    /// Buyers and apps.
    package let client: ShopClient
    /// The provider.
    package let simulator: LoopSimulator
    /// The test's own folder, which goes away with it.
    package let folder: String
    /// libpq URI of the database's owner; another database may be set before a server is started.
    package var databaseURL: Secret<String>
    /// The same for servers and commands, which work as the role of the program in service.
    package var serviceURL: Secret<String> { TestDatabase.serviceURL(databaseURL) }
    /// Settings on top of the usual ones, for servers that are started from now on.
    package var settings: [String: String] = [:]
    private let version: HTTPVersion
    private var servers: [ServerProcess] = []
    private var commands = 0

    fileprivate init(
        _ reactor: Reactor,
        _ simulator: LoopSimulator,
        folder: String,
        databaseURL: Secret<String>,
        version: HTTPVersion
    ) throws {
        self.reactor = reactor
        self.simulator = simulator
        self.folder = folder
        self.databaseURL = databaseURL
        self.version = version
        let authority = ClientConfiguration.Trust.file(path: try TestKeys.get().authorityPath)
        client = ShopClient(reactor, simulator: simulator.url, trust: authority, version: version)
    }

    /// Has servers and commands log in as a role that is a member of the program's role and of nothing else.
    ///
    /// - Throws: `PostgresError`.
    package func logInWithLeastRights() throws {
        settings["SALLYPORT_DATABASE_URL"] = try TestDatabase.serviceLogin(databaseURL).url.reveal()
    }

    /// Starts one more server.
    ///
    /// - Parameter user: Whom it runs as, with leave of the system to write cores, and who gets the folder; `nil` for the
    ///   tests' own.
    /// - Returns: The server, ready.
    /// - Throws: `ProgramFailure`.
    package func startServer(as user: SystemUser? = nil) async throws -> ServerProcess {
        let log = folder + "/server-\(servers.count).log"
        let settings = try environment()
        if let user, user != .current {
            for path in [folder] + settings.values.filter({ $0.hasPrefix(folder) && Files.exists($0) }) {
                try Files.setOwner(path, user)
            }
        }
        let server = try await ServerProcess.start(settings, logPath: log, on: reactor, as: user)
        servers.append(server)
        return server
    }

    /// Runs a command of the built program with the servers' settings, as an operator does, to its end.
    ///
    /// - Parameter words: The command and its arguments.
    /// - Returns: How it ended, and everything it wrote to standard output and standard error.
    /// - Throws: `IOError`, `BuiltProgram.Missing`.
    package func runCommand(_ words: [String]) async throws -> (exit: ChildProcess.Exit, output: String) {
        commands += 1
        let log = folder + "/command-\(commands).log"
        let program = try RunningProgram(words, environment: try environment(), logPath: log, on: reactor)
        defer { program.destroy() }
        return (try await program.process.exit(on: reactor), program.log)
    }

    private func environment() throws -> [String: String] {
        var all = ServerProcess.settings(database: serviceURL.reveal(), folder: folder)
        all.merge(try simulator.settings(in: folder)) { $1 }
        if version == .http2 { all.merge(ProcessShop.secure(try TestKeys.get())) { $1 } }
        return all.merging(settings) { $1 }
    }

    /// HTTP/2 is spoken over TLS.
    private static func secure(_ keys: TestKeys) -> [String: String] {
        [
            "SALLYPORT_LISTEN": "127.0.0.1:0", "SALLYPORT_CLEAR_LISTEN": "",
            "SALLYPORT_TLS_CERTIFICATE": keys.certificatePath, "SALLYPORT_TLS_KEY": keys.keyPath,
        ]
    }

    /// Lets as many buyers as may come answer the provider's pages by themselves.
    ///
    /// - Throws: `HTTPExchangeError`, `UnexpectedAnswer`.
    package func turnAutopilotOn() async throws {
        _ = try await client.control("next-buyer", #"{"answers":["consent","mfa","3ds"],"count":1000000}"#)
    }

    /// Makes something go wrong at the provider.
    ///
    /// - Parameters:
    ///   - operation: For example `CompleteCheckoutSession`.
    ///   - action: Members of the action, as JSON.
    ///   - count: How many calls it hits.
    /// - Throws: `HTTPExchangeError`, `UnexpectedAnswer`.
    package func injectFault(_ operation: String, _ action: String, count: Int = 1) async throws {
        let match = #"{"operation":"\#(operation)","count":\#(count)}"#
        _ = try await client.control("faults", #"{"match":\#(match),"action":{\#(action)}}"#)
    }

    /// Waits until every fault has met its call: the call has then reached the provider.
    ///
    /// - Throws: `ProgramFailure` when that does not happen.
    package func waitUntilFaultsAreMet() async throws {
        try await poll(reactor, "all faults met") {
            let json = try JSONParser.parse(try await self.client.control("faults"))
            return json["waiting"]?.elements.isEmpty == true ? () : nil
        }
    }

    /// Every call for a completion that the provider has answered.
    ///
    /// - Returns: In the order of the answers.
    /// - Throws: `HTTPExchangeError`, `UnexpectedAnswer`.
    package func completions() async throws -> [Completion] {
        var found: [Completion] = []
        var last = 0
        while true {
            let page = try JSONParser.parse(try await client.control("log?since=\(last)&limit=1000"))
            let entries = page["entries"]?.elements ?? []
            guard let newest = entries.last?["number"]?.integer else { return found }
            found += entries.compactMap(Completion.init)
            last = newest
        }
    }

    /// Asks the database.
    ///
    /// - Parameters:
    ///   - sql: One command.
    ///   - parameters: As text.
    /// - Returns: Rows of cells.
    /// - Throws: `PostgresError`.
    @discardableResult package func rows(_ sql: String, _ parameters: [String?] = []) throws -> [[String?]] {
        try PostgresAdmin(url: databaseURL).rows(sql, parameters)
    }

    fileprivate func close() {
        for server in servers { server.program.destroy() }
        simulator.stop()
    }
}

/// A completion as the provider's ledger has it.
package struct Completion: Sendable {
    /// The checkout session.
    package let session: String
    /// The HTTP status.
    package let status: Int
    /// The amount of the charge, where there is one.
    package let amount: String?
    /// The charge, where there is one.
    package let charge: String?
    /// Whether this very call has charged the buyer.
    package let isEffective: Bool
    /// The idempotency key.
    package let key: String

    fileprivate init?(_ entry: JSONValue) {
        guard entry["operation"]?.text == "CompleteCheckoutSession" else { return nil }
        session = entry["checkoutSessionId"]?.text ?? ""
        status = entry["status"]?.integer ?? 0
        amount = entry["amount"]?["amount"]?.text
        charge = entry["chargeId"]?.text
        isEffective = entry["effective"]?.flag == true
        key = entry["idempotencyKey"]?.text ?? ""
    }
}

/// Runs a test with a shop of processes, of which nothing is left afterwards.
///
/// - Parameters:
///   - version: What clients and servers speak.
///   - deadline: Generous; it is reached only by a fault.
///   - body: Starts its servers itself.
/// - Throws: What the body throws, or why there is no shop.
package func withProcessShop(
    over version: HTTPVersion = .http1,
    deadline: Duration = .seconds(300),
    _ body: @escaping @Sendable (ProcessShop) async throws -> Void
) async throws {
    let database = try TestDatabase(migrations: migrationsFolder, features: migrationFolders)
    try await withTemporaryFolder { folder in
        let simulator = try await LoopSimulator()
        try await withLoop(deadline: deadline) { reactor in
            let url = database.url
            let shop = try ProcessShop(reactor, simulator, folder: folder, databaseURL: url, version: version)
            defer { shop.close() }
            try await body(shop)
        }
    }
    withExtendedLifetime(database) {}
}

/// The folder of the migrations in the sources.
package let migrationsFolder = {
    let parts = #filePath.split(separator: "/").dropLast(4)
    return "/" + parts.joined(separator: "/") + "/migrations"
}()

/// The folders in it that the program applies, in their order.
package let migrationFolders = FeatureList.all.migrationFolders
