import EventIO
import HTTPServer
import IntegrationKit
import SimulatorCore
import StrictJSON
import Telemetry

/// The simulated service of a vendor, on a loop of its own.
final class RunningSimulator: Sendable {
    /// Scheme, host and port.
    let url: String
    private let loop: EventLoop
    private let server: Server

    /// Starts one on loopback, which answers already.
    static func start(
        _ make: @escaping @Sendable (Reactor) throws -> any Simulator
    ) async throws -> RunningSimulator {
        let loop = try EventLoop(name: "simulator", logger: .silent)
        try loop.start()
        do {
            let server = try await loop.run { reactor in
                let place = ServerConfiguration.Listener(SocketAddress(v4: 0x7F00_0001, port: 0), .clear)
                return try make(reactor).serve(on: place, tls: nil, reactor: reactor, logger: .silent)
            }
            return RunningSimulator(loop, server)
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
    }

    private init(_ loop: EventLoop, _ server: Server) {
        (self.loop, self.server) = (loop, server)
        url = "http://127.0.0.1:\(server.boundAddresses.first?.port ?? 0)"
    }

    func stop() async {
        await server.drain()
        loop.stop()
        loop.join()
    }

    /// Does something there, as a tester does.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let page = try await TestClient().send(
            method,
            url + "/_sim/" + path,
            fields: [("Content-Type", "application/json")],
            body: body?.bytes ?? []
        )
        guard page.status == 200 else { throw ProgramFailure("\(method) \(path): \(page.text)") }
        return try JSONParser.parse(Array(page.text.utf8))
    }
}
