import EventIO
import HTTPClient
import HTTPCore
import Operations
import Settings
import SimulatorCore

extension Application {
    /// Waits until a simulated system answers; its simulator starts beside this program.
    ///
    /// - Parameters:
    ///   - companion: The process of the simulators, where that is a child of this one.
    /// - Throws: `SupervisedProcessEnded` as soon as that has ended; `ConfigurationError` when nothing answers within twenty
    ///   seconds.
    func wait(for system: any SimulatedSystem, beside companion: SupervisedProcess?) async throws {
        let url = system.healthURL
        var outbound = ClientConfiguration()
        if !system.authorityPath.isEmpty { outbound.trust = .file(path: system.authorityPath) }
        let trust = outbound
        let answers = try await onFirstLoop { reactor in
            let client = CurlClient(reactor, configuration: trust)
            for _ in 0..<200 {
                if let companion, let exit = try companion.process.wait(atMost: .zero) {
                    throw SupervisedProcessEnded(name: companion.name, exit: exit)
                }
                let request = OutboundRequest(method: "GET", url: url, timeout: .seconds(1))
                // Any status will do: the control interface refuses other machines, as in a container beside this one.
                if (try? await client.send(request)) != nil { return true }
                await reactor.sleep(for: .milliseconds(100))
            }
            return false
        }
        guard answers else {
            let setting = type(of: system).addressSetting
            throw ConfigurationError(problems: ["\(setting): nothing answers at \(url)"])
        }
    }
}
