import EventIO
import Primitives
import Telemetry
import TestKit

/// A broker that runs as a process of its own beside the one in the tests' process, on the same database.
final class SecondBroker: Sendable {
    /// Scheme, host and port of its public listener.
    let url: String
    private let process: ChildProcess
    private let loop: EventLoop

    private init(url: String, process: ChildProcess, loop: EventLoop) {
        (self.url, self.process, self.loop) = (url, process, loop)
    }

    /// Starts `sallyport serve` with the settings of the first broker, and waits until it is ready.
    static func start(_ environment: [String: String]) async throws -> SecondBroker {
        let folder = try ProcessFolder.makeFolder("broker")
        let settings = environment.merging(["SALLYPORT_DATA_DIR": folder + "/var"]) { $1 }
        let loop = try EventLoop(name: "second", logger: .silent)
        try loop.start()
        do {
            let (url, process) = try await loop.run { reactor in
                let server = try await ServerProcess.start(settings, logPath: folder + "/serve.log", on: reactor)
                return (server.url, server.program.process)
            }
            return SecondBroker(url: url, process: process, loop: loop)
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
    }

    /// Ends it at once.
    func stop() {
        do throws(IOError) {
            try process.send(.kill)
            _ = try process.wait(atMost: .seconds(5))
        } catch {
            StandardStream.error.write("process \(process.pid) of a test cannot be ended: \(error)\n")
        }
        loop.stop()
        loop.join()
    }
}
