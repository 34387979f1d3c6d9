package import EventIO
import HTTPClient
import Postgres
import PostgresTestKit
import Primitives
import TestKit

/// The place of a shop whose servers are processes: the loop of the test, and a folder.
package final class ServerProcesses {
    fileprivate let reactor: Reactor
    fileprivate let folder: String
    fileprivate var servers: [ServerProcess] = []

    fileprivate init(_ reactor: Reactor, folder: String) {
        self.reactor = reactor
        self.folder = folder
    }
}

/// A shop with any number of servers on one database, which are processes.
package typealias ProcessShop = TestShop<ServerProcesses>

extension TestShop<ServerProcesses> {
    /// The loop of the test.
    package var reactor: Reactor { place.reactor }
    /// Buyers and apps.
    package var client: ShopClient { ShopClient(http, simulator: simulator.url) }
    /// The test's own folder, which goes away with it.
    package var folder: String { place.folder }

    /// Has servers and commands log in as a role that is a member of the program's role and of nothing else.
    package func logInWithLeastRights() throws {
        settings["SALLYPORT_DATABASE_URL"] = try TestDatabase.serviceLogin(databaseURL).url.reveal()
    }

    /// Starts one more server, and waits until it is ready.
    ///
    /// - Parameter user: Whom it runs as, with leave of the system to write cores, and who gets the folder; `nil` for the
    ///   tests' own.
    package func startServer(as user: SystemUser? = nil) async throws -> ServerProcess {
        let environment = environment
        if let user, user != .current {
            for path in [folder] + environment.values.filter({ $0.hasPrefix(folder) && Files.exists($0) }) {
                try Files.setOwner(path, user)
            }
        }
        let log = folder + "/server-\(place.servers.count).log"
        let server = try await ServerProcess.start(environment, logPath: log, on: reactor, as: user)
        place.servers.append(server)
        hosts.add(server.url, for: [server.url])
        return server
    }

    /// Waits until every fault has met its call: the call has then reached the provider.
    package func waitUntilFaultsAreMet() async throws {
        let control = control
        try await poll(reactor, "all faults met") { try await control.waitingFaults() == 0 ? () : nil }
    }
}

/// Runs a test on a loop with a shop of processes, of which nothing is left afterwards.
///
/// - Parameters:
///   - deadline: Generous; it is reached only by a fault.
package func withProcessShop(
    over version: HTTPVersion = .http1,
    deadline: Duration = .seconds(300),
    _ body: @escaping @Sendable (ProcessShop) async throws -> Void
) async throws {
    let database = try TestDatabase.ofProgram()
    try await withTemporaryFolder { folder in
        let hosts = HostTable(over: version)
        let simulator = try await RunningSimulator.start(isSecure: false, port: 0, hosts: hosts)
        defer { simulator.end() }
        let options = ShopOptions.processes(over: version, in: folder)
        let keys = try TestKeys.get().copied(to: folder)
        try await withLoop(deadline: deadline) { reactor in
            let place = ServerProcesses(reactor, folder: folder)
            defer { for server in place.servers { server.program.destroy() } }
            let settings = options.environment(simulator, keys)
            try await body(ProcessShop(database, simulator, place, hosts, options, settings: settings))
        }
    }
}
