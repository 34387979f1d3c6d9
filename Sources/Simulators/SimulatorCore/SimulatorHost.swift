package import EventIO
package import HTTPServer
import Primitives
package import TLS
package import Telemetry

/// The simulators of a process: any number, each on listeners of its own, all on one loop.
package final class SimulatorHost {
    private let reactor: Reactor
    private let logger: Logger
    private var running: [any Simulator] = []
    private var kept: [Kept] = []
    private var servers: [Server] = []

    /// A simulator whose state is written down, and where.
    private struct Kept {
        let simulator: any Simulator
        let path: String
    }

    /// Far above what a demo comes to.
    private static let stateLimit = 1 << 30

    /// Nothing is simulated yet.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop that this is called on; the only one.
    package init(_ reactor: Reactor, logger: Logger) {
        self.reactor = reactor
        self.logger = logger
    }

    /// A place where a simulator listens.
    package struct Place: Sendable {
        let listener: ServerConfiguration.Listener
        let tls: TLSContext?

        /// An address, with what it needs to speak TLS; two places of a simulator may ask their clients for different things.
        package init(_ listener: ServerConfiguration.Listener, tls: TLSContext?) {
            self.listener = listener
            self.tls = tls
        }
    }

    /// Reads what a simulator knew, and has it listen.
    ///
    /// - Parameters:
    ///   - path: Where it keeps its state from one run to the next; `nil` to forget it.
    /// - Throws: `SimulatorError`, or `ServerError`.
    package func start(_ simulator: any Simulator, at places: [Place], state path: String?) throws {
        running.append(simulator)
        if let path {
            load(path, into: simulator)
            kept.append(Kept(simulator: simulator, path: path))
        }
        for place in places {
            let server = try simulator.serve(on: place.listener, tls: place.tls, reactor: reactor, logger: logger)
            servers.append(server)
            for address in server.boundAddresses {
                let name = LogField("service", type(of: simulator).name)
                logger.info("simulator.ready", [name, LogField("address", address.description)])
            }
        }
    }

    /// Answers what is in flight, closes, and writes down what the next run has to know.
    package func stop() async {
        for server in servers { await server.drain() }
        for simulator in running { simulator.stop() }
        for one in kept {
            do {
                guard let state = try one.simulator.remember() else { continue }
                try Files.write(one.path, state, mode: 0o600)
            } catch {
                note("simulator.state_not_kept", one.path, error)
            }
        }
    }

    /// Reads a file, where there is one; one that does not fit is put aside, since a simulator without a past is of use, too.
    private func load(_ path: String, into simulator: any Simulator) {
        guard Files.exists(path) else { return }
        do {
            try simulator.recall(try Files.read(path, limit: SimulatorHost.stateLimit))
        } catch {
            note("simulator.state_refused", path, error)
            // It is somebody's: the end of this run writes over what stands here.
            do { try Files.move(path, to: path + ".refused") } catch { note("simulator.state_refused", path, error) }
        }
    }

    private func note(_ event: StaticString, _ path: String, _ error: any Error) {
        let detail = (error as? IOError)?.description ?? "not written by this version of the program"
        logger.warning(event, [LogField("path", path), LogField("detail", detail)])
    }
}
