package import EventIO
package import HTTPCore
package import HTTPServer
package import TLS
package import Telemetry

/// A simulated service: what it answers, and what its next run has to know.
///
/// All that a process runs are on one loop, so nothing of them is locked.
package protocol Simulator: RequestHandler {
    /// In log lines and in the name of its file, for example `amazon-pay`.
    static var name: String { get }
    /// Bytes that the content of a request may have.
    static var bodyLimit: Int { get }

    /// What an operator has to mend before it may listen at an address, in sentences.
    func problems(listeningOn address: SocketAddress) -> [String]

    /// It listens, and clients may find it under a URL of scheme, host and port; called for each of its listeners.
    func isServed(at url: String)

    /// What is to be known in the next run, of this version of the program; `nil` where nothing is kept.
    func remember() throws -> [UInt8]?

    /// Takes over what a former run knew, before it serves; nothing has changed where it throws.
    func recall(_ bytes: [UInt8]) throws

    /// Ends what it does beside its servers, after they have ended.
    func stop()
}

extension Simulator {
    /// Only this machine is served, unless a simulator knows better.
    package func problems(listeningOn address: SocketAddress) -> [String] {
        address.isLocal ? [] : ["\(Self.name): \(address) can be reached from other machines"]
    }

    package func isServed(at url: String) {}

    package func remember() throws -> [UInt8]? { nil }

    package func recall(_ bytes: [UInt8]) throws {}

    package func stop() {}

    package func bodyLimit(for request: HTTPRequest) -> Int? { Self.bodyLimit }

    /// Starts a server for this simulator on its loop.
    ///
    /// - Parameters:
    ///   - listener: Port 0 lets the kernel choose.
    /// - Returns: The server, listening; drain it to end the service.
    /// - Throws: `SimulatorError`, or `ServerError`.
    package func serve(
        on listener: ServerConfiguration.Listener,
        tls: TLSContext?,
        reactor: Reactor,
        logger: Logger
    ) throws -> Server {
        let problems = problems(listeningOn: listener.address)
        guard problems.isEmpty else { throw SimulatorError(problems: problems) }
        var serving = ServerConfiguration(name: "simulator", listeners: [listener])
        serving.limits.bodyBytes = Self.bodyLimit
        serving.drainDeadline = .seconds(20)
        // A fault may make an answer late on purpose, longer than any client waits.
        serving.limits.handlerDeadline = .seconds(3600)
        // Everybody comes from one address here.
        serving.limits.connectionsPerAddress = serving.limits.connections
        let server = Server(serving, tls: tls, logger: logger)
        try server.attach(to: reactor, handler: self)
        if let bound = server.boundAddresses.first {
            // `localhost` for TLS, since that is what certificates say.
            isServed(at: listener.security == .tls ? "https://localhost:\(bound.port)" : "http://\(bound)")
        }
        return server
    }
}

/// Why a simulator cannot start.
package struct SimulatorError: Error, Sendable, CustomStringConvertible {
    /// What is wrong with the configuration, in sentences for an operator.
    package let problems: [String]

    /// Problems, one at least.
    package init(problems: [String]) {
        self.problems = problems
    }

    package var description: String { "SimulatorError: " + problems.joined(separator: "; ") }
}
